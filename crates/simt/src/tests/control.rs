use super::harness_unsafe::*;
use crate::{Config, FaultKind};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

const ENDLESS: &str = "
.visible .entry endless() { L: bra L; }
.visible .entry stuck() {
    .reg .pred %p; .reg .b32 %r;
    mov.u32 %r, %tid.x;
    setp.lt.u32 %p, %r, 32;
    @%p bra ONE;
    bar.sync 1, 96;
    ret;
ONE:
    bar.sync 2, 96;
    ret;
}
.visible .entry counts(.param .u64 out) {
    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, 0;
L:  add.u32 %r1, %r1, 1;
    st.global.u32 [%rd1], %r1;
    setp.lt.u32 %p, %r1, 400000;
    @%p bra L;
    ret;
}
.visible .entry empty() { ret; }
";

#[test]
fn kernels_that_never_end_are_stopped_within_milliseconds() {
    let program = compile(ENDLESS);
    let device = Device::new(quiet(2));
    for kernel in ["endless", "stuck"] {
        let (grid, done) = device.submit(&program, shape(kernel, 100, 64, &[]));
        assert_eq!(done.recv_timeout(Duration::from_millis(30)), Err(RecvTimeoutError::Timeout));
        let before = Instant::now();
        grid.stop();
        assert_eq!(done.recv().unwrap().unwrap_err().kind, FaultKind::Stopped);
        assert!(before.elapsed() < Duration::from_millis(500));
    }
    // The device still works.
    device.run(&program, shape("empty", 10, 32, &[])).unwrap();
}

#[test]
fn grids_overlap() {
    let program = compile(ENDLESS);
    let device = Device::new(quiet(1));
    let (endless, done) = device.submit(&program, shape("endless", 1, 1, &[]));
    for _ in 0..20 {
        device.run(&program, shape("empty", 3, 32, &[])).unwrap();
    }
    endless.stop();
    assert!(done.recv().unwrap().is_err());
}

#[test]
fn a_paused_grid_stands_still_and_goes_on() {
    let program = compile(ENDLESS);
    let mut device = Device::new(quiet(1));
    let out = device.alloc(4);
    let (grid, done) = device.submit(&program, shape("counts", 1, 1, &[out]));
    while device.read::<u32>(out, 1)[0] == 0 {
        std::thread::yield_now();
    }
    grid.pause();
    std::thread::sleep(Duration::from_millis(30));
    let at = device.read::<u32>(out, 1)[0];
    std::thread::sleep(Duration::from_millis(30));
    assert_eq!(device.read::<u32>(out, 1)[0], at);
    assert!(at < 400_000, "the pause came too late to show anything");
    grid.resume();
    done.recv().unwrap().unwrap();
    assert_eq!(device.read::<u32>(out, 1)[0], 400_000);
    device.gpu.pause();
    let (_, done) = device.submit(&program, shape("empty", 1, 1, &[]));
    assert!(done.recv_timeout(Duration::from_millis(20)).is_err());
    device.gpu.resume();
    done.recv().unwrap().unwrap();
}

#[test]
fn the_adversary_finds_a_missing_barrier() {
    // Each thread reads what a thread of another warp wrote, without waiting for it.
    let source = "
.shared .align 4 .b8 box[512];
.visible .entry race(.param .u64 out) {
    .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, box;
    add.u32 %r4, %r3, %r2;
    add.u32 %r5, %r1, 1000;
    st.shared.u32 [%r4], %r5;
    // the barrier that belongs here is missing
    sub.u32 %r6, %r4, 128;
    max.s32 %r6, %r6, %r3;
    ld.shared.u32 %r7, [%r6];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r7;
    ret;
}";
    let program = compile(source);
    let right = |config: Config| {
        let mut device = Device::new(config);
        let out = device.alloc(512);
        device.run(&program, shape("race", 1, 128, &[out])).unwrap();
        (32..128).all(|i| device.read::<u32>(out, 128)[i] == i as u32 - 32 + 1000)
    };
    assert!(right(quiet(1)), "in order, the race happens to go well");
    assert!((0..20).any(|seed| !right(Config { adversarial: Some(seed), ..quiet(1) })));
}

#[test]
fn grids_are_counted_in_64_bits() {
    // More than 2^32 blocks are accepted and enumerated lazily; the first one faults.
    let program = compile(".visible .entry k() { trap; }");
    let device = Device::new(quiet(2));
    let mut launch = shape("k", 2_147_483_647, 32, &[]);
    launch.grid = [2_147_483_647, 65_535, 65_535];
    assert_eq!(device.run(&program, launch).unwrap_err().kind, FaultKind::Trap);
}

#[test]
fn nothing_to_run_is_done_at_once() {
    let program = compile(ENDLESS);
    let device = Device::new(quiet(1));
    let counters = device.run(&program, shape("endless", 0, 32, &[])).unwrap();
    assert_eq!(counters.blocks, 0);
    let fault = device.run(&program, shape("empty", 1, 1025, &[])).unwrap_err();
    assert_eq!(fault.kind, FaultKind::InvalidLaunch);
}

/// Blocks draw numbers in the order they run.
#[test]
fn a_greater_priority_goes_first_but_starves_nobody() {
    let source = "
.visible .entry draw(.param .u64 counter, .param .u64 out) {
    .reg .b32 %r<3>; .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [counter];
    ld.param.u64 %rd2, [out];
    atom.global.add.u32 %r1, [%rd1], 1;
    mov.u32 %r2, %ctaid.x;
    mul.wide.u32 %rd3, %r2, 4;
    add.u64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r1;
    ret;
}";
    let program = compile(source);
    let mut device = Device::new(quiet(1));
    let (counter, low, high) = (device.alloc(4), device.alloc(400), device.alloc(400));
    device.gpu.pause();
    let draw = |out, priority| {
        device.submit(&program, Shape { priority, ..shape("draw", 100, 1, &[counter, out]) }).1
    };
    let waiting = [draw(low, -5), draw(high, 2)];
    device.gpu.resume();
    for grid in waiting {
        grid.recv().unwrap().unwrap();
    }
    let (low, high): (Vec<u32>, Vec<u32>) = (device.read(low, 100), device.read(high, 100));
    assert!(high.iter().max() < Some(&130), "{high:?}");
    assert!(low.iter().min() < high.iter().max(), "a lower priority gets a turn now and then: {low:?}");
}
