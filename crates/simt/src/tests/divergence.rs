use super::harness_unsafe::*;
use crate::Config;

/// Runs `kernel(out)` on one block of `threads` and gives the first `count` words of `out`.
fn words(source: &str, kernel: &str, threads: u32, count: usize) -> Vec<u32> {
    let program = compile(source);
    for seed in [None, Some(1), Some(2)] {
        let mut device = Device::new(Config { adversarial: seed, ..quiet(1) });
        let out = device.alloc(4 * count);
        device.run(&program, shape(kernel, 1, threads, &[out])).unwrap();
        if seed == Some(2) {
            return device.read(out, count);
        }
    }
    unreachable!()
}

#[test]
fn lanes_take_their_own_way_through_a_loop() {
    // Collatz steps of every thread's number: trip counts differ, and both sides of a branch are taken.
    let source = "
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
}";
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
    assert_eq!(words(source, "steps", 100, 100), expected);
}

#[test]
fn lanes_of_a_warp_pass_a_lock_among_them() {
    // Every lane takes the same lock, adds to an unprotected counter, and releases it: only independent scheduling finishes.
    let source = "
.visible .entry locked(.param .u64 out) {
    .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
AGAIN:
    atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.u32 %p, %r1, 0;
    @%p bra AGAIN;
    ld.volatile.global.u32 %r2, [%rd1+4];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%rd1+4], %r2;
    membar.gl;
    atom.global.exch.b32 %r3, [%rd1], 0;
    ret;
}";
    assert_eq!(words(source, "locked", 96, 2), [0, 96]);
}

#[test]
fn a_lane_may_wait_for_a_lane_behind_it() {
    // Lane 0 spins at the lower place until lane 1, at the higher one, has written.
    let source = "
.visible .entry wait(.param .u64 out) {
    .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra WRITE;
SPIN:
    ld.volatile.global.u32 %r2, [%rd1];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra SPIN;
    st.global.u32 [%rd1+4], 5;
    ret;
WRITE:
    st.volatile.global.u32 [%rd1], 1;
    ret;
}";
    assert_eq!(words(source, "wait", 32, 2), [1, 5]);
}

#[test]
fn barriers_do_not_wait_for_threads_that_exited() {
    // Odd threads leave before the barrier; the others read what their neighbour in the block wrote before it.
    let source = "
.shared .align 4 .b8 box[1024];
.visible .entry bars(.param .u64 out) {
    .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, box;
    add.u32 %r4, %r3, %r2;
    st.shared.u32 [%r4], %r1;
    and.b32 %r5, %r1, 1;
    setp.eq.u32 %p, %r5, 1;
    @%p exit;
    bar.sync 0;
    xor.b32 %r2, %r2, 256;
    add.u32 %r4, %r3, %r2;
    ld.shared.u32 %r6, [%r4];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r6;
    ret;
}";
    let out = words(source, "bars", 128, 128);
    for i in (0..128u32).step_by(2) {
        assert_eq!(out[i as usize], i ^ 64);
    }
}

#[test]
fn barriers_reduce_and_have_numbers_and_counts() {
    // Two halves of the block use barriers 1 and 2 with 64 threads each; each counts its multiples of three.
    let source = "
.visible .entry red(.param .u64 out) {
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    rem.u32 %r2, %r1, 3;
    setp.eq.u32 %p1, %r2, 0;
    shr.u32 %r3, %r1, 6;
    add.u32 %r3, %r3, 1;
    barrier.red.popc.u32 %r4, %r3, 64, %p1;
    setp.lt.u32 %p2, %r1, 200;
    bar.red.and.pred %p3, 0, %p2;
    selp.u32 %r5, 100, 0, %p3;
    bar.red.or.pred %p3, 0, !%p2;
    selp.u32 %r6, 1000, 0, %p3;
    add.u32 %r4, %r4, %r5;
    add.u32 %r4, %r4, %r6;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r4;
    ret;
}";
    let out = words(source, "red", 128, 128);
    assert_eq!((out[0], out[63], out[64], out[127]), (122, 122, 121, 121));
}

#[test]
fn jump_tables_split_lanes() {
    let source = "
.visible .entry table(.param .u64 out) {
    .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 3;
    ts: .branchtargets A, B, C, B;
    brx.idx %r2, ts;
A:  mov.u32 %r3, 10;
    bra END;
B:  mov.u32 %r3, 20;
    bra END;
C:  mov.u32 %r3, 30;
END:
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r3;
    ret;
}";
    assert_eq!(words(source, "table", 32, 32)[..8], [10, 20, 30, 20, 10, 20, 30, 20]);
}

#[test]
fn guards_write_only_where_they_hold() {
    let source = "
.visible .entry guard(.param .u64 out) {
    .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f64 %fd<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p, %r1, 10;
    mov.u32 %r2, 7;
    @%p add.u32 %r2, %r1, 100;
    @!%p mul.lo.u32 %r2, %r2, 3;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    @%p st.global.u32 [%rd3], %r2;
    @!%p st.global.v2.u16 [%rd3], {%r2, %r1};
    ret;
}";
    let source = source
        .replace("{%r2, %r1}", "{%rs1, %rs2}")
        .replace(".reg .f64", ".reg .b16 %rs<3>; .reg .f64")
        .replace(
            "    mul.wide.u32 %rd2",
            "    cvt.u16.u32 %rs1, %r2;\n    cvt.u16.u32 %rs2, %r1;\n    mul.wide.u32 %rd2",
        );
    let out = words(&source, "guard", 20, 20);
    assert_eq!(out[9], 109);
    assert_eq!(out[10], 21 | 10 << 16);
}
