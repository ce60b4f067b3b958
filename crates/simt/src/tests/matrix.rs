use super::harness_unsafe::*;

#[test]
fn ldmatrix_and_mma_multiply_tiles_from_shared_memory() {
    // A is 16x16 with a[i][j] = i + j, B is 16x8 with b[k][n] = k - n; both as f16, copied in the background.
    let source = "
.shared .align 16 .b8 a[512];
.shared .align 16 .b8 b[256];
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc) {
    .reg .b32 %r<24>; .reg .b64 %rd<8>; .reg .f32 %f<8>;
    ld.param.u64 %rd1, [pa];
    ld.param.u64 %rd2, [pb];
    ld.param.u64 %rd3, [pc];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 4;
    mul.wide.u32 %rd4, %r2, 1;
    mov.u32 %r3, a;
    mov.u32 %r4, b;
    add.u64 %rd5, %rd1, %rd4;
    add.u32 %r5, %r3, %r2;
    cp.async.cg.shared.global [%r5], [%rd5], 16;
    shr.u32 %r6, %r2, 1;
    mul.wide.u32 %rd4, %r6, 1;
    add.u64 %rd5, %rd2, %rd4;
    add.u32 %r5, %r4, %r6;
    cp.async.ca.shared.global [%r5], [%rd5], 8;
    cp.async.commit_group;
    cp.async.wait_group 0;
    bar.warp.sync -1;
    // Rows 0..16, then the right half: lane l reads row l % 16, byte 16 * (l / 16).
    and.b32 %r7, %r1, 15;
    shl.b32 %r7, %r7, 5;
    shr.u32 %r8, %r1, 4;
    shl.b32 %r8, %r8, 4;
    add.u32 %r9, %r3, %r7;
    add.u32 %r9, %r9, %r8;
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r9];
    and.b32 %r7, %r1, 15;
    shl.b32 %r7, %r7, 4;
    add.u32 %r9, %r4, %r7;
    ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r14, %r15}, [%r9];
    mov.f32 %f1, 0f00000000;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%r10, %r11, %r12, %r13}, {%r14, %r15}, {%f1, %f1, %f1, %f1};
    // Row l / 4, columns 2 * (l % 4) and the next; then eight rows below.
    shr.u32 %r16, %r1, 2;
    and.b32 %r17, %r1, 3;
    shl.b32 %r16, %r16, 5;
    shl.b32 %r17, %r17, 3;
    add.u32 %r16, %r16, %r17;
    cvt.u64.u32 %rd6, %r16;
    add.u64 %rd6, %rd6, %rd3;
    st.global.v2.f32 [%rd6], {%f2, %f3};
    st.global.v2.f32 [%rd6+256], {%f4, %f5};
    ret;
}";
    let half = |x: i32| crate::num::f16::from_f32(x as f32);
    let a: Vec<u16> = (0..256).map(|i| half(i / 16 + i % 16)).collect();
    let b: Vec<u16> = (0..128).map(|i| half(i / 8 - i % 8)).collect();
    let mut device = Device::new(quiet(1));
    let (pa, pb, pc) = (device.upload(&a), device.upload(&b), device.alloc(512));
    device.run(&compile(source), shape("k", 1, 32, &[pa, pb, pc])).unwrap();
    let c: Vec<f32> = device.read(pc, 128);
    for i in 0..16 {
        for n in 0..8 {
            let sum: i32 = (0..16).map(|k| (i + k) * (k - n)).sum();
            assert_eq!(c[(i * 8 + n) as usize], sum as f32, "{i} {n}");
        }
    }
}

#[test]
fn wmma_multiplies_matrices_in_any_layout() {
    let source = "
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc) {
    .reg .b32 %a<8>; .reg .b32 %b<8>; .reg .f32 %c<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [pa];
    ld.param.u64 %rd2, [pb];
    ld.param.u64 %rd3, [pc];
    wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, [%rd1], 16;
    wmma.load.b.sync.aligned.row.m16n16k16.global.f16 {%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, [%rd2], 16;
    wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}, [%rd3], 16;
    wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7},
        {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, {%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7};
    wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%rd3], {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}, 16;
    ret;
}";
    let half = |x: i32| crate::num::f16::from_f32(x as f32);
    let a: Vec<u16> = (0..256).map(|i| half(i / 16 - i % 16)).collect();
    let b: Vec<u16> = (0..256).map(|i| half(i / 16 * 2 + i % 16)).collect();
    let c: Vec<f32> = (0..256).map(|i| i as f32).collect();
    let mut device = Device::new(quiet(1));
    let (pa, pb, pc) = (device.upload(&a), device.upload(&b), device.upload(&c));
    device.run(&compile(source), shape("k", 1, 32, &[pa, pb, pc])).unwrap();
    let d: Vec<f32> = device.read(pc, 256);
    for i in 0..16 {
        for j in 0..16 {
            let sum: i32 = (0..16).map(|k| (i - k) * (2 * k + j)).sum::<i32>() + i * 16 + j;
            assert_eq!(d[(j * 16 + i) as usize], sum as f32, "{i} {j}");
        }
    }
}
