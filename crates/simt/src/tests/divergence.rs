use super::harness_unsafe::*;

#[test]
fn lanes_take_their_own_way_through_a_loop() {
    // Collatz steps of every thread's number: trip counts differ, and both sides of a branch are taken.
    let program = compile(
        "
.visible .entry steps(.param .u64 out) {
    .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    add.u32 %r2, %r1, 1;
    mov.u32 %r3, 0;
LOOP:
    setp.le.u32 %p1, %r2, 1;
    @%p1 bra END;
    and.b32 %r4, %r2, 1;
    setp.eq.u32 %p2, %r4, 0;
    @%p2 bra EVEN;
    mad.lo.u32 %r2, %r2, 3, 1;
    bra NEXT;
EVEN:
    shr.u32 %r2, %r2, 1;
NEXT:
    add.u32 %r3, %r3, 1;
    bra LOOP;
END:
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r3;
    ret;
}",
    );
    let mut device = Device::new(quiet(1));
    let out = device.alloc(4 * 100);
    device.run(&program, shape("steps", 1, 100, &[out])).unwrap();
    let expected: Vec<u32> = (1..=100u32)
        .map(|mut n| {
            let mut steps = 0;
            while n > 1 {
                n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
                steps += 1;
            }
            steps
        })
        .collect();
    assert_eq!(device.read::<u32>(out, 100), expected);
}
