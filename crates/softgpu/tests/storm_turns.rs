//! Processes that never let the device rest, stopped, woken and killed at random beside one whose kernel never ends: somebody
//! with short kernels gets through all the time.

#![allow(non_snake_case)]

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(unsafe_code, dead_code)]
mod storm_unsafe;

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_ledger::{Pages, futex, shared};
use storm_unsafe::process::Forked;
use storm_unsafe::{Device, Dice, alone, signal, wait_for};

const GREEDY: usize = 3;
/// How long the storm lasts, in short kernels that must get through.
const KERNELS: u32 = 120;

const CODE: &str = r"
.version 7.0
.target sm_70
.address_size 64
// Adds one to what `at` shows, `rounds` times, or for ever if that is 0.
.visible .entry count(.param .u64 at, .param .u64 rounds)
{
    .reg .u64 %a, %n;
    .reg .u32 %v;
    .reg .pred %p;
    ld.param.u64 %a, [at];
    ld.param.u64 %n, [rounds];
    cvta.to.global.u64 %a, %a;
again:
    ld.global.u32 %v, [%a];
    add.u32 %v, %v, 1;
    st.global.u32 [%a], %v;
    sub.u64 %n, %n, 1;
    setp.ne.u64 %p, %n, 0;
    @%p bra again;
    ret;
}
";

shared! {
    struct Board {
        /// Short kernels that got through.
        through: AtomicU32,
        /// The longest that one of them waited, in milliseconds.
        longest: AtomicU32,
        /// Processes that came as far as to launch.
        begun: AtomicU32,
        /// What the endless kernel has counted.
        endless: AtomicU32,
    }
}

/// Kernels one after the other, always a few ahead.
fn greedy(board: &'static Board) {
    context();
    let (count, at) = (kernel(CODE, "count"), memory(64));
    board.begun.fetch_add(1, SeqCst);
    loop {
        for _ in 0..4 {
            assert_eq!(launch(count, 32, CUstream(0), &[at.0, 200]), CUDA_SUCCESS);
        }
        assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
    }
}

fn endless(board: &'static Board) {
    context();
    let (at, counted) = word();
    assert_eq!(launch(kernel(CODE, "count"), 1, CUstream(0), &[at.0, 0]), CUDA_SUCCESS);
    board.begun.fetch_add(1, SeqCst);
    loop {
        std::thread::sleep(Duration::from_millis(5));
        board.endless.store(counted.load(SeqCst), SeqCst);
    }
}

/// One short kernel after the other, each waited for.
fn modest(board: &'static Board) {
    context();
    let (count, at) = (kernel(CODE, "count"), memory(64));
    board.begun.fetch_add(1, SeqCst);
    loop {
        let before = Instant::now();
        assert_eq!(launch(count, 1, CUstream(0), &[at.0, 1]), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
        board.longest.fetch_max(before.elapsed().as_millis() as u32, SeqCst);
        board.through.fetch_add(1, SeqCst);
        futex::wake(&board.through, 1);
    }
}

fn storm(name: &str, config: &str) {
    let _alone = alone();
    let device = Device::new(name, config);
    let board: &'static Board = Pages::anonymous(4096).expect("a page").view(0);
    let mut never = device.start(|| endless(board));
    let mut modest = device.start(|| modest(board));
    let start = |_| device.start(|| greedy(board));
    let mut crowd: Vec<Forked> = (0..GREEDY).map(start).collect();
    wait_for("all have begun", &board.begun, |begun| begun as usize == GREEDY + 2);

    let mut dice = Dice::new();
    let counted = board.endless.load(SeqCst);
    let (mut kills, mut events) = (0, Vec::new());
    for _ in 0..KERNELS / 4 {
        let (at, event) = (dice.roll(GREEDY as u32) as usize, dice.roll(4));
        events.push((at, event));
        match event {
            // All of them are stopped at times, and the endless one: whoever has the device right then as well.
            0 => crowd.iter().chain([&never]).for_each(|process| signal(process, libc::SIGSTOP)),
            1 => signal(&crowd[at], libc::SIGSTOP),
            2 => crowd.iter().chain([&never]).for_each(|process| signal(process, libc::SIGCONT)),
            _ => {
                assert!(crowd[at].kill(), "a process of the storm failed by itself");
                crowd[at] = start(at);
                kills += 1;
            }
        }
        let before = board.through.load(SeqCst);
        let enough = |through: u32| through.wrapping_sub(before) >= 4;
        wait_for(&format!("four short kernels got through after {events:?}"), &board.through, enough);
    }
    signal(&never, libc::SIGCONT);
    wait_for("the endless one goes on", &board.endless, |now| now != counted);
    let longest = board.longest.load(SeqCst);
    assert!(longest < 5_000, "a short kernel waited {longest} ms");
    assert!(kills > 0 && never.kill() && modest.kill(), "a process of the storm failed by itself");
    drop(crowd);
    let machine = device.machine();
    machine.recover();
    assert_eq!(machine.memory(0).used, 0);
}

#[test]
fn short_kernels_get_through_a_storm() {
    storm("storm-turns-free", "memory = \"256M\"\n");
}

#[test]
fn short_kernels_get_through_a_storm_in_modelled_time() {
    storm("storm-turns-paced", "preset = \"paced\"\nmemory = \"256M\"\n");
}
