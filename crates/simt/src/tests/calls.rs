use super::harness_unsafe::*;
use crate::FaultKind;
use std::collections::HashMap;

#[test]
fn functions_recurse_with_frames_of_their_own() {
    let source = "
.func (.param .b32 r) fib(.param .b32 n);
.visible .entry k(.param .u64 out) {
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    { .param .b32 p0; .param .b32 q0;
      st.param.b32 [p0], %r1;
      call.uni (q0), fib, (p0);
      ld.param.b32 %r2, [q0]; }
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
}
.func (.param .b32 r) fib(.param .b32 n) {
    .reg .pred %p; .reg .b32 %r<8>;
    ld.param.b32 %r1, [n];
    setp.lt.u32 %p, %r1, 2;
    @%p bra SMALL;
    sub.u32 %r2, %r1, 1;
    { .param .b32 p0; .param .b32 q0;
      st.param.b32 [p0], %r2; call (q0), fib, (p0); ld.param.b32 %r3, [q0]; }
    sub.u32 %r4, %r1, 2;
    { .param .b32 p0; .param .b32 q0;
      st.param.b32 [p0], %r4; call (q0), fib, (p0); ld.param.b32 %r5, [q0]; }
    add.u32 %r6, %r3, %r5;
    st.param.b32 [r], %r6;
    ret;
SMALL:
    st.param.b32 [r], %r1;
    ret;
}";
    let program = compile(source);
    let mut device = Device::new(quiet(1));
    let out = device.alloc(4 * 12);
    device.run(&program, shape("k", 1, 12, &[out])).unwrap();
    assert_eq!(device.read::<u32>(out, 12), [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]);
}

#[test]
fn endless_recursion_overflows_the_stack() {
    let source = "
.func down(.param .b32 n);
.visible .entry k() { { .param .b32 p; st.param.b32 [p], 1; call.uni down, (p); } ret; }
.func down(.param .b32 n) { { .param .b32 p; st.param.b32 [p], 1; call.uni down, (p); } ret; }";
    let device = Device::new(quiet(1));
    let fault = device.run(&compile(source), shape("k", 1, 1, &[])).unwrap_err();
    assert_eq!(fault.kind, FaultKind::StackOverflow);
    assert_eq!(fault.detail, "in function down");
}

#[test]
fn indirect_calls_go_where_each_lane_points() {
    let source = "
.func (.reg .b32 %out) twice(.reg .b32 %in) { add.u32 %out, %in, %in; ret; }
.func (.reg .b32 %out) square(.reg .b32 %in) { mul.lo.u32 %out, %in, %in; ret; }
.visible .entry k(.param .u64 out) {
    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u64 %rd2, twice;
    mov.u64 %rd3, square;
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p, %r2, 0;
    selp.u64 %rd4, %rd2, %rd3, %p;
    proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);
    call (%r3), %rd4, (%r1), proto;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r3;
    ret;
}";
    let mut device = Device::new(quiet(1));
    let out = device.alloc(32);
    device.run(&compile(source), shape("k", 1, 8, &[out])).unwrap();
    assert_eq!(device.read::<u32>(out, 8), [0, 1, 4, 9, 8, 25, 12, 49]);
    let wild = source.replace("selp.u64 %rd4, %rd2, %rd3, %p;", "mov.u64 %rd4, 12345;");
    assert_eq!(device.run(&compile(&wild), shape("k", 1, 8, &[out])).unwrap_err().kind, FaultKind::InvalidPc);
}

#[test]
fn printf_formats_what_device_code_passes() {
    let text = "i=%d u=%5u x=%#06x f=%.3f g=%g e=%e s=[%-6s] c=%c ll=%lld p=%p %%\n\0";
    let mut device = Device::new(quiet(1));
    let format = device.upload(text.as_bytes());
    let word = device.upload(b"warp\0");
    let source = "
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 fmt[100];
.visible .entry k(.param .u64 word) {
    .local .align 8 .b8 args[80];
    .reg .b32 %r<4>; .reg .b64 %rd<6>;
    mov.u64 %rd1, args;
    cvta.local.u64 %rd2, %rd1;
    st.local.u32 [args], -5;
    st.local.u32 [args+4], 42;
    st.local.u32 [args+8], 255;
    st.local.f64 [args+16], 0d400921FB54442D18;
    st.local.f64 [args+24], 0d3F1A36E2EB1C432D;
    st.local.f64 [args+32], 0d40FE240CA0BA8405;
    ld.param.u64 %rd3, [word];
    st.local.u64 [args+40], %rd3;
    st.local.u32 [args+48], 90;
    st.local.u64 [args+56], -7000000000;
    st.local.u64 [args+64], 4096;
    mov.u64 %rd4, fmt;
    { .param .b64 p0; .param .b64 p1; .param .b32 q;
      st.param.b64 [p0], %rd4; st.param.b64 [p1], %rd2;
      call.uni (q), vprintf, (p0, p1); ld.param.b32 %r1, [q]; }
    ret;
}";
    let symbols = HashMap::from([("fmt".to_owned(), format)]);
    let program = compile_with(source, &symbols, &crate::Target::default());
    device.run(&program, shape("k", 1, 1, &[word])).unwrap();
    let printed = String::from_utf8(device.printed.0.lock().unwrap().clone()).unwrap();
    assert_eq!(
        printed,
        "i=-5 u=   42 x=0x00ff f=3.142 g=0.0001 e=1.234568e+05 s=[warp  ] c=Z ll=-7000000000 p=0x1000 %\n"
    );
}

#[test]
fn a_failed_assertion_names_its_place() {
    let mut device = Device::new(quiet(1));
    let text = device.upload(b"x > 0\0file.cu\0f()\0");
    let source = "
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);
.visible .entry k(.param .u64 text) {
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [text];
    add.u64 %rd2, %rd1, 6;
    add.u64 %rd3, %rd1, 14;
    { .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3; .param .b64 p4;
      st.param.b64 [p0], %rd1; st.param.b64 [p1], %rd2; st.param.b32 [p2], 12; st.param.b64 [p3], %rd3; st.param.b64 [p4], 1;
      call.uni __assertfail, (p0, p1, p2, p3, p4); }
    ret;
}";
    let fault = device.run(&compile(source), shape("k", 1, 3, &[text])).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Assert);
    assert_eq!(fault.detail, "file.cu:12: f(): block: [0,0,0], thread: [0,0,0] Assertion `x > 0` failed.");
}
