use super::harness_unsafe::*;

/// Runs `kernel(out)` and gives `count` words.
fn words(source: &str, kernel: &str, blocks: u32, threads: u32, count: usize) -> Vec<u32> {
    let program = compile(source);
    let mut device = Device::new(quiet(2));
    let out = device.alloc(4 * count);
    device.run(&program, shape(kernel, blocks, threads, &[out])).unwrap();
    device.read(out, count)
}

/// A kernel that stores `%r9` of each thread after `body`.
fn each(body: &str) -> String {
    format!(
        "
.visible .entry k(.param .u64 out) {{
    .reg .pred %p<6>; .reg .b32 %r<12>; .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    {body}
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r9;
    ret;
}}"
    )
}

#[test]
fn atomics_lose_nothing_between_blocks() {
    let source = "
.visible .entry count(.param .u64 out) {
    .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<3>;
    ld.param.u64 %rd1, [out];
    atom.global.add.u32 %r1, [%rd1], 1;
    red.global.max.u32 [%rd1+4], %r1;
    red.add.f32 [%rd1+8], 0f3F000000;
    atom.global.inc.u32 %r2, [%rd1+12], 9;
    mov.u32 %r3, 1;
    red.global.xor.b32 [%rd1+16], %r3;
    ret;
}";
    let out = words(source, "count", 64, 100, 5);
    assert_eq!(out[..2], [6400, 6399]);
    assert_eq!(f32::from_bits(out[2]), 3200.0);
    assert_eq!(out[3..], [0, 0]);
}

#[test]
fn shared_atomics_and_dynamic_shared_memory() {
    let source = "
.extern .shared .align 16 .b8 dyn[];
.visible .entry hist(.param .u64 out) {
    .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, dyn;
    setp.ge.u32 %p, %r1, 4;
    shl.b32 %r3, %r1, 2;
    add.u32 %r4, %r2, %r3;
    @!%p st.shared.u32 [%r4], 0;
    bar.sync 0;
    and.b32 %r5, %r1, 3;
    shl.b32 %r5, %r5, 2;
    add.u32 %r5, %r2, %r5;
    red.shared.add.u32 [%r5], 1;
    bar.sync 0;
    @%p exit;
    ld.shared.u32 %r6, [%r4];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r6;
    ret;
}";
    let program = compile(source);
    let mut device = Device::new(quiet(1));
    let out = device.alloc(16);
    let mut launch = shape("hist", 1, 102, &[out]);
    launch.shared = 16;
    device.run(&program, launch).unwrap();
    assert_eq!(device.read::<u32>(out, 4), [26, 26, 25, 25]);
    let mut small = shape("hist", 1, 102, &[out]);
    small.shared = 12;
    assert_eq!(device.run(&program, small).unwrap_err().kind, crate::FaultKind::IllegalAddress);
}

#[test]
fn shuffles_move_values_between_lanes() {
    let body = "
    shfl.sync.down.b32 %r2|%p1, %r1, 1, 31, -1;
    shfl.sync.up.b32 %r3, %r1, 2, 0, -1;
    shfl.sync.bfly.b32 %r4, %r1, 5, 31, -1;
    shfl.sync.idx.b32 %r5, %r1, 3, 0x181f, -1;
    selp.u32 %r6, 1, 0, %p1;
    shl.b32 %r9, %r2, 24;
    shl.b32 %r3, %r3, 16; or.b32 %r9, %r9, %r3;
    shl.b32 %r4, %r4, 8; or.b32 %r9, %r9, %r4;
    shl.b32 %r5, %r5, 1; or.b32 %r9, %r9, %r5; or.b32 %r9, %r9, %r6;";
    let out = words(&each(body), "k", 1, 32, 32);
    for lane in 0..32u32 {
        let down = if lane == 31 { 31 } else { lane + 1 };
        let up = if lane < 2 { lane } else { lane - 2 };
        let index = (lane & 0x18) | 3;
        let expected = down << 24 | up << 16 | (lane ^ 5) << 8 | index << 1 | u32::from(lane < 31);
        assert_eq!(out[lane as usize], expected, "lane {lane}");
    }
}

#[test]
fn votes_see_the_lanes_they_name() {
    let body = "
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p1, %r2, 1;
    vote.sync.ballot.b32 %r9, %p1, 0xffffffff;
    vote.sync.all.pred %p2, %p1, 0xffffffff;
    vote.sync.any.pred %p3, %p1, 0xffffffff;
    @%p2 mov.u32 %r9, 0;
    @!%p3 mov.u32 %r9, 0;";
    assert!(words(&each(body), "k", 1, 32, 32).iter().all(|&w| w == 0xaaaa_aaaa));
    // Only the 20 threads that exist can vote.
    assert!(words(&each(body), "k", 1, 20, 20).iter().all(|&w| w == 0x000a_aaaa));
}

#[test]
fn match_and_redux() {
    let body = "
    shr.u32 %r2, %r1, 2;
    match.any.sync.b32 %r9, %r2, 0xffffffff;
    redux.sync.add.u32 %r3, %r1, 0xffffffff;
    xor.b32 %r9, %r9, %r3;
    mov.u32 %r4, 7;
    match.all.sync.b32 %r5|%p1, %r4, 0xffffffff;
    @!%p1 mov.u32 %r9, 0;
    match.all.sync.b32 %r5|%p1, %r1, 0xffffffff;
    @%p1 mov.u32 %r9, 0;";
    let out = words(&each(body), "k", 1, 32, 32);
    for lane in 0..32u32 {
        assert_eq!(out[lane as usize], (0xf << (lane / 4 * 4)) ^ 496);
    }
}

#[test]
fn lanes_meet_even_at_different_places() {
    // Both sides of a branch hold a shuffle over the whole warp.
    let body = "
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra LOW;
    add.u32 %r2, %r1, 100;
    shfl.sync.bfly.b32 %r9, %r2, 16, 31, -1;
    bra END;
LOW:
    add.u32 %r2, %r1, 200;
    shfl.sync.bfly.b32 %r9, %r2, 16, 31, -1;
    add.u32 %r9, %r9, 1000;
END:";
    let out = words(&each(body), "k", 1, 32, 32);
    for lane in 0..32u32 {
        let expected = if lane < 16 { lane + 16 + 100 + 1000 } else { lane - 16 + 200 };
        assert_eq!(out[lane as usize], expected);
    }
}

#[test]
fn blocks_may_wait_for_blocks_that_start_later() {
    // Block i waits until block i+1 has set its flag: with one worker, the first must give way to the last.
    let source = "
.visible .entry chain(.param .u64 out) {
    .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %nctaid.x;
    add.u32 %r3, %r1, 1;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    setp.eq.u32 %p, %r3, %r2;
    @%p bra SET;
SPIN:
    ld.acquire.gpu.global.u32 %r4, [%rd3+4];
    setp.eq.u32 %p, %r4, 0;
    @%p bra SPIN;
SET:
    st.release.gpu.global.u32 [%rd3], 1;
    ret;
}";
    let program = compile(source);
    let mut device = Device::new(quiet(1));
    let out = device.alloc(4 * 64);
    device.run(&program, shape("chain", 64, 1, &[out])).unwrap();
    assert_eq!(device.read::<u32>(out, 64), [1; 64]);
}
