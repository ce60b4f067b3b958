use super::harness_unsafe::*;
use crate::{Isa, Target};

/// Sums that may be computed as one operation must come out as if computed step by step.
#[test]
fn fused_sums_round_every_step() {
    // Each line stores one result: a plain chain, one that starts from a product and is added on either side, one whose middle is
    // read again, one whose factor changes in between, one that crosses a branch, and one that ends in NaN.
    let source = "
.visible .entry k(.param .u64 in, .param .u64 out) {
    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .f32 %a<4>; .reg .f32 %s<8>; .reg .f32 %t<8>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 16;
    add.u64 %rd1, %rd1, %rd3;
    ld.global.v4.f32 {%a0, %a1, %a2, %a3}, [%rd1];
    mul.wide.u32 %rd3, %r1, 32;
    add.u64 %rd2, %rd2, %rd3;
    mov.f32 %s0, %a3;
    fma.rn.f32 %s0, %a0, %a1, %s0;
    fma.rn.f32 %s0, %a1, %a2, %s0;
    fma.rn.f32 %s0, %a2, %a0, %s0;
    mul.f32 %t0, %a0, %a1;
    fma.rn.f32 %t1, %a2, %a3, %t0;
    add.f32 %s1, %t1, %a0;
    mul.f32 %t2, %a3, %a1;
    fma.rn.f32 %t3, %a2, %a0, %t2;
    add.f32 %s2, %a1, %t3;
    mul.f32 %t4, %a0, %a3;
    fma.rn.f32 %t5, %a1, %a1, %t4;
    fma.rn.f32 %s3, %a2, %a2, %t5;
    sub.f32 %s3, %s3, %t5;
    mul.f32 %t6, %a0, %a2;
    mov.f32 %s7, %a0;
    add.f32 %a0, %a0, 0f3F800000;
    fma.rn.f32 %s4, %a1, %a3, %t6;
    mul.f32 %s5, %a1, %a2;
    setp.lt.u32 %p, %r1, 16;
    @%p bra SKIP;
    fma.rn.f32 %s5, %s7, %a3, %s5;
SKIP:
    fma.rn.f32 %s5, %a3, %a3, %s5;
    sub.f32 %t7, %s7, %s7;
    div.rn.f32 %t7, %t7, %t7;
    fma.rn.f32 %t7, %a1, %a2, %t7;
    fma.rn.f32 %s6, %a2, %a3, %t7;
    st.global.v4.f32 [%rd2], {%s0, %s1, %s2, %s3};
    st.global.v4.f32 [%rd2+16], {%s4, %s5, %s6, %a0};
    ret;
}";
    let inputs: Vec<f32> = (0..128).map(|i| ((i * 37 % 101) as f32 - 50.0) / 7.0).collect();
    for isa in [Isa::Portable, Isa::Avx2, Isa::Avx512] {
        let mut device = Device::new(quiet(1));
        let program = compile_with(source, &std::collections::HashMap::new(), &Target { isa });
        let (from, to) = (device.upload(&inputs), device.alloc(32 * 32));
        device.run(&program, shape("k", 1, 32, &[from, to])).unwrap();
        let results: Vec<f32> = device.read(to, 256);
        for lane in 0..32 {
            let [a0, a1, a2, a3] = inputs[4 * lane..][..4] else { unreachable!() };
            let t5 = a1.mul_add(a1, a0 * a3);
            let branch = if lane < 16 { a1 * a2 } else { a0.mul_add(a3, a1 * a2) };
            let expected = [
                a2.mul_add(a0, a1.mul_add(a2, a0.mul_add(a1, a3))),
                a2.mul_add(a3, a0 * a1) + a0,
                a1 + a2.mul_add(a0, a3 * a1),
                a2.mul_add(a2, t5) - t5,
                a1.mul_add(a3, a0 * a2),
                a3.mul_add(a3, branch),
                f32::from_bits(0x7fff_ffff),
                a0 + 1.0,
            ];
            for (k, expected) in expected.into_iter().enumerate() {
                assert_eq!(
                    results[8 * lane + k].to_bits(),
                    expected.to_bits(),
                    "{isa:?} lane {lane} sum {k}"
                );
            }
        }
    }
}
