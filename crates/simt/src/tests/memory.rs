use super::harness_unsafe::*;
use crate::FaultKind;

const ADD: &str = "
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 n) {
    .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<12>; .reg .f32 %f<4>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p, %r5, %r1;
    @%p bra DONE;
    mul.wide.u32 %rd4, %r5, 4;
    add.s64 %rd5, %rd1, %rd4;
    add.s64 %rd6, %rd2, %rd4;
    add.s64 %rd7, %rd3, %rd4;
    ld.global.f32 %f1, [%rd5];
    ld.global.f32 %f2, [%rd6];
    add.rn.f32 %f3, %f1, %f2;
    st.global.f32 [%rd7], %f3;
DONE:
    ret;
}";

#[test]
fn vectors_are_added() {
    for isa in [crate::Isa::Portable, crate::Isa::Avx2, crate::Isa::Avx512] {
        let mut device = Device::new(quiet(2));
        let program = compile_with(ADD, &std::collections::HashMap::new(), &crate::Target { isa });
        let a: Vec<f32> = (0..1000).map(|i| i as f32).collect();
        let b: Vec<f32> = (0..1000).map(|i| 0.5 * i as f32).collect();
        let (a, b, c) = (device.upload(&a), device.upload(&b), device.alloc(4000));
        let counters = device.run(&program, shape("add", 8, 128, &[a, b, c, 1000])).unwrap();
        let c: Vec<f32> = device.read(c, 1000);
        assert!(c.iter().enumerate().all(|(i, x)| *x == 1.5 * i as f32));
        assert_eq!(counters.blocks, 8);
        assert_eq!(counters.global_bytes, 12 * 1000);
    }
}

#[test]
fn bounds_are_exact_to_the_byte() {
    let mut device = Device::new(quiet(1));
    let program = compile(ADD);
    let a: Vec<f32> = (0..999).map(|i| i as f32).collect();
    let (a, b, c) = (device.upload(&a), device.alloc(4000), device.alloc(4000));
    let fault = device.run(&program, shape("add", 8, 128, &[a, b, c, 1000])).unwrap_err();
    assert_eq!(fault.kind, FaultKind::IllegalAddress);
    assert_eq!(fault.address, a + 999 * 4);
    assert_eq!((fault.block, fault.thread), ([7, 0, 0], [999 - 7 * 128, 0, 0]));
    assert_eq!(fault.kernel, "add");
    assert_eq!(fault.line, 21);
    device.run(&program, shape("add", 8, 128, &[a, b, c, 999])).unwrap();
}

#[test]
fn vectors_of_words_come_from_any_pattern_of_addresses() {
    // The row each lane reads: its own, every eighth alike, eight lanes alike, all alike, and scattered.
    let rows: [fn(u32) -> u32; 6] =
        [|i| i, |i| i & 7, |i| i >> 3, |_| 5, |i| i * 7 % 32, |i| if i < 31 { i & 7 } else { 9 }];
    let source = "
.visible .entry k(.param .u64 data, .param .u64 which, .param .u64 out) {
    .reg .b32 %r<8>; .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [data];
    ld.param.u64 %rd2, [which];
    ld.param.u64 %rd3, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd4, %r1, 4;
    add.u64 %rd5, %rd2, %rd4;
    ld.global.u32 %r2, [%rd5];
    mul.wide.u32 %rd6, %r2, 16;
    add.u64 %rd6, %rd1, %rd6;
    ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd6];
    mul.wide.u32 %rd4, %r1, 16;
    add.u64 %rd5, %rd3, %rd4;
    st.global.v4.u32 [%rd5], {%r3, %r4, %r5, %r6};
    ret;
}";
    for isa in [crate::Isa::Portable, crate::Isa::Avx2, crate::Isa::Avx512] {
        let program = compile_with(source, &std::collections::HashMap::new(), &crate::Target { isa });
        for row in rows {
            let mut device = Device::new(quiet(1));
            let data: Vec<u32> = (0..128).map(|i| i * i + 1).collect();
            let which: Vec<u32> = (0..32).map(row).collect();
            let (a, b, c) = (device.upload(&data), device.upload(&which), device.alloc(512));
            // Twice: the first time the addresses are looked up one by one.
            device.run(&program, shape("k", 2, 32, &[a, b, c])).unwrap();
            let expected: Vec<u32> =
                which.iter().flat_map(|&r| data[4 * r as usize..][..4].to_vec()).collect();
            assert_eq!(device.read::<u32>(c, 128), expected);
        }
    }
}
