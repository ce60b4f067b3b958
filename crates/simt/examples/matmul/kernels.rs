//! The kernels, written out for a matrix size.

use std::fmt::Write;

const HEADER: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

pub const EMPTY: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry empty() { ret; }";

const PARAMS: &str = ".visible .entry matmul(.param .u64 c, .param .u64 a, .param .u64 b) {
    .reg .pred %p; .reg .b32 %r<64>; .reg .b64 %rd<32>; .reg .f32 %acc<16>; .reg .f32 %a<16>; .reg .f32 %b<16>; .reg .f32 %t<128>;
    ld.param.u64 %rd0, [c];
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ctaid.y;
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %tid.y;
";

/// One output per thread.
pub fn naive(n: u32) -> String {
    format!(
        "{HEADER}{PARAMS}
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %ntid.y;
    mad.lo.s32 %r6, %r0, %r4, %r2;
    mad.lo.s32 %r7, %r1, %r5, %r3;
    mul.lo.s32 %r8, %r7, {n};
    mul.wide.s32 %rd3, %r8, 4;
    add.s64 %rd4, %rd1, %rd3;
    mul.wide.s32 %rd5, %r6, 4;
    add.s64 %rd6, %rd2, %rd5;
    mov.f32 %acc0, 0f00000000;
    mov.u32 %r9, 0;
LOOP:
    ld.global.f32 %a0, [%rd4];
    ld.global.f32 %b0, [%rd6];
    fma.rn.f32 %acc0, %a0, %b0, %acc0;
    add.s64 %rd4, %rd4, 4;
    add.s64 %rd6, %rd6, {stride};
    add.s32 %r9, %r9, 1;
    setp.lt.s32 %p, %r9, {n};
    @%p bra LOOP;
    add.s32 %r10, %r8, %r6;
    mul.wide.s32 %rd7, %r10, 4;
    add.s64 %rd8, %rd0, %rd7;
    st.global.f32 [%rd8], %acc0;
    ret;
}}",
        stride = 4 * n
    )
}

/// 4x4 outputs per thread, 4 steps of the sum per iteration, addresses computed anew each time.
pub fn tuned(n: u32) -> String {
    let mut text = format!("{HEADER}{PARAMS}");
    let row = n * 4;
    let _ = write!(
        text,
        "    mul.lo.s32 %r4, %r2, {row};\n    shl.b32 %r5, %r3, 2;\n    mad.lo.s32 %r6, %r0, 64, %r5;\n    mad.lo.s32 %r7, %r1, {}, %r4;\n",
        32 * n
    );
    for k in 0..16 {
        let _ = writeln!(text, "    mov.b32 %acc{k}, 0f00000000;");
    }
    let _ = write!(
        text,
        "    mov.u32 %r8, -1;\n    bra END;\nLOOP:\n    mad.lo.s32 %r9, %r8, 4, %r7;\n    mad.lo.s32 %r10, %r8, {row}, %r6;\n"
    );
    for (matrix, base, pointer) in [("a", 9, 1), ("b", 10, 2)] {
        for k in 0..4 {
            let _ = write!(
                text,
                "    add.s32 %r11, %r{base}, {};\n    cvt.s64.s32 %rd3, %r11;\n    mad.lo.s64 %rd3, %rd3, 4, %rd{pointer};\n    ld.global.v4.f32 {{%{matrix}{}, %{matrix}{}, %{matrix}{}, %{matrix}{}}}, [%rd3+0];\n",
                k * n,
                4 * k,
                4 * k + 1,
                4 * k + 2,
                4 * k + 3,
            );
        }
    }
    for i in 0..4 {
        for j in 0..4 {
            let t = 5 * (4 * i + j);
            let _ = writeln!(text, "    mul.f32 %t{t}, %a{}, %b{};", 4 * i + 1, 4 + j);
            let _ = writeln!(text, "    fma.rn.f32 %t{}, %a{}, %b{j}, %t{t};", t + 1, 4 * i);
            let _ = writeln!(text, "    fma.rn.f32 %t{}, %a{}, %b{}, %t{};", t + 2, 4 * i + 2, 8 + j, t + 1);
            let _ = writeln!(text, "    fma.rn.f32 %t{}, %a{}, %b{}, %t{};", t + 3, 4 * i + 3, 12 + j, t + 2);
            let _ = writeln!(text, "    add.f32 %t{}, %acc{}, %t{};", t + 4, 4 * i + j, t + 3);
        }
    }
    for k in 0..16 {
        let _ = writeln!(text, "    mov.b32 %acc{k}, %t{};", 5 * k + 4);
    }
    let _ = write!(
        text,
        "END:\n    add.s32 %r8, %r8, 1;\n    setp.lt.s32 %p, %r8, {};\n    @%p bra LOOP;\n    add.s32 %r12, %r6, %r7;\n",
        n / 4
    );
    for i in 0..4 {
        let _ = write!(
            text,
            "    add.s32 %r13, %r12, {};\n    cvt.s64.s32 %rd3, %r13;\n    mad.lo.s64 %rd3, %rd3, 4, %rd0;\n    st.global.v4.f32 [%rd3+0], {{%acc{}, %acc{}, %acc{}, %acc{}}};\n",
            i * n,
            4 * i,
            4 * i + 1,
            4 * i + 2,
            4 * i + 3,
        );
    }
    text.push_str("    ret;\n}\n");
    text
}
