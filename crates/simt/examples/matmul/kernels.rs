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

/// 16x16 outputs per block, operands staged in shared memory.
pub fn tiled(n: u32) -> String {
    let mut text = format!(
        "{HEADER}.shared .align 16 .b8 tiles[2048];
{PARAMS}
    mad.lo.s32 %r4, %r1, 16, %r3;
    mad.lo.s32 %r5, %r0, 16, %r2;
    mad.lo.s32 %r6, %r4, {n}, %r2;
    mul.wide.s32 %rd3, %r6, 4;
    add.s64 %rd4, %rd1, %rd3;
    mad.lo.s32 %r7, %r3, {n}, %r5;
    mul.wide.s32 %rd5, %r7, 4;
    add.s64 %rd6, %rd2, %rd5;
    mov.u32 %r8, tiles;
    shl.b32 %r9, %r3, 6;
    add.s32 %r10, %r8, %r9;
    shl.b32 %r11, %r2, 2;
    add.s32 %r12, %r10, %r11;
    add.s32 %r13, %r8, %r11;
    mov.f32 %acc0, 0f00000000;
    mov.u32 %r14, 0;
LOOP:
    ld.global.f32 %a0, [%rd4];
    ld.global.f32 %b0, [%rd6];
    st.shared.f32 [%r12], %a0;
    st.shared.f32 [%r12+1024], %b0;
    bar.sync 0;
"
    );
    for k in 0..16 {
        let _ = write!(
            text,
            "    ld.shared.f32 %a1, [%r10+{}];\n    ld.shared.f32 %b1, [%r13+{}];\n    fma.rn.f32 %acc0, %a1, %b1, %acc0;\n",
            4 * k,
            1024 + 64 * k,
        );
    }
    let _ = write!(
        text,
        "    bar.sync 0;
    add.s64 %rd4, %rd4, 64;
    add.s64 %rd6, %rd6, {};
    add.s32 %r14, %r14, 16;
    setp.lt.s32 %p, %r14, {n};
    @%p bra LOOP;
    mad.lo.s32 %r15, %r4, {n}, %r5;
    mul.wide.s32 %rd7, %r15, 4;
    add.s64 %rd8, %rd0, %rd7;
    st.global.f32 [%rd8], %acc0;
    ret;
}}",
        64 * n
    );
    text
}

/// A kernel with the thread's number in `%r1` and the pointers of the three matrices in `%rd1` to `%rd3`: `before`, then `body` so many times.
fn looping(rounds: u32, before: &str, body: &str) -> String {
    format!(
        "{HEADER}.shared .align 4 .b8 box[4096];
.visible .entry k(.param .u64 c, .param .u64 a, .param .u64 b) {{
    .reg .pred %p; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<8>; .reg .f64 %d<2>;
    ld.param.u64 %rd1, [c];
    ld.param.u64 %rd2, [a];
    ld.param.u64 %rd3, [b];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r1, %r2, %r3, %r4;
    mov.u32 %r0, 0;
    {before}
LOOP:
    {body}
    add.s32 %r0, %r0, 1;
    setp.lt.s32 %p, %r0, {rounds};
    @%p bra LOOP;
    ret;
}}"
    )
}

/// Nothing but a chain of integer and float instructions.
pub fn arithmetic() -> String {
    looping(
        2000,
        "cvt.rn.f32.u32 %f1, %r1; mov.u32 %r5, %r1;",
        "fma.rn.f32 %f1, %f1, 0f3F7FFFFF, 0f3DCCCCCD; mad.lo.s32 %r5, %r5, 1664525, 1013904223; xor.b32 %r5, %r5, %r0; add.f32 %f1, %f1, 0f3F800000;",
    )
}

/// `c = 3 a + b` over whole matrices, lanes side by side.
pub fn triad(n: u32) -> String {
    looping(
        n * n / 32_768,
        "mul.wide.u32 %rd4, %r1, 4; add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %rd2, %rd4; add.u64 %rd3, %rd3, %rd4;",
        "ld.global.f32 %f1, [%rd2]; ld.global.f32 %f2, [%rd3]; fma.rn.f32 %f3, %f1, 0f40400000, %f2; st.global.f32 [%rd1], %f3;
    add.u64 %rd1, %rd1, 131072; add.u64 %rd2, %rd2, 131072; add.u64 %rd3, %rd3, 131072;",
    )
}

/// Loads from all over a matrix, each lane elsewhere.
pub fn gather(n: u32) -> String {
    looping(
        500,
        "mov.u32 %r5, %r1;",
        &format!(
            "mad.lo.s32 %r5, %r5, 1664525, 1013904223; shr.u32 %r6, %r5, 8; rem.u32 %r6, %r6, {}; mul.wide.u32 %rd4, %r6, 4;
    add.u64 %rd5, %rd2, %rd4; ld.global.f32 %f1, [%rd5]; add.f32 %f2, %f2, %f1;",
            n * n
        ),
    )
}

/// Atomic additions all over a matrix, each lane elsewhere.
pub fn atomics(n: u32) -> String {
    looping(
        500,
        "mov.u32 %r5, %r1;",
        &format!(
            "mad.lo.s32 %r5, %r5, 1664525, 1013904223; shr.u32 %r6, %r5, 8; and.b32 %r6, %r6, {}; mul.wide.u32 %rd4, %r6, 4;
    add.u64 %rd5, %rd1, %rd4; red.global.add.u32 [%rd5], 1;",
            n * n - 1
        ),
    )
}

/// One kernel per class of instruction that the others leave out, each a chain of that instruction.
pub fn classes() -> [(&'static str, String); 6] {
    let chain = |before: &str, body: &str| looping(500, before, &format!("{body}\n    ").repeat(4));
    [
        ("double", chain("cvt.rn.f64.u32 %d1, %r1;", "fma.rn.f64 %d1, %d1, %d1, %d1;")),
        ("special", chain("cvt.rn.f32.u32 %f1, %r1;", "sin.approx.f32 %f1, %f1; div.rn.f32 %f1, %f1, %f2;")),
        (
            "shuffle",
            chain(
                "mov.u32 %r5, %r1;",
                "shfl.sync.bfly.b32 %r5, %r5, 5, 31, -1; vote.sync.ballot.b32 %r6, %p, -1;",
            ),
        ),
        (
            "shared",
            chain(
                "and.b32 %r5, %r4, 31; mul.lo.u32 %r5, %r5, 128; mov.u32 %r6, box; add.u32 %r5, %r5, %r6;",
                "ld.shared.u32 %r7, [%r5]; st.shared.u32 [%r5], %r7;",
            ),
        ),
        (
            "shared atomics",
            chain(
                "and.b32 %r5, %r4, 31; mul.lo.u32 %r5, %r5, 128; mov.u32 %r6, box; add.u32 %r5, %r5, %r6;",
                "red.shared.add.u32 [%r5], 1;",
            ),
        ),
        (
            "mma",
            chain(
                "",
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r5,%r6,%r7,%r8}, {%r9,%r10}, {%f1,%f2,%f3,%f4};",
            ),
        ),
    ]
}
