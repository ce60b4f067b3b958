//! Sixty-four processes on one device at the same time.

#![allow(non_snake_case)]

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(unsafe_code, dead_code)]
mod storm_unsafe;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_ledger::{Pages, futex, shared};
use storm_unsafe::process::{Forked, pause};
use storm_unsafe::{Device, WRITE, wait_for};

const PROCESSES: usize = 64;
const CHUNK: u64 = 2 << 20;
const CONTEXT: u64 = 2 * CHUNK;

shared! {
    struct Board {
        /// Processes that have what they want.
        ready: AtomicU32,
        /// 1 when all go to work at once.
        go: AtomicU32,
        /// Processes that have worked.
        done: AtomicU32,
    }
}

fn chunks(number: usize) -> u64 {
    1 + number as u64 % 3
}

/// Takes memory, works on it when the others do, and stays.
fn work(board: &'static Board, number: usize) {
    context();
    let write = kernel(WRITE, "write");
    let memory = memory((chunks(number) * CHUNK) as usize);
    board.ready.fetch_add(1, SeqCst);
    futex::wake(&board.ready, 1);
    wait_for("the crowd is there", &board.go, |go| go == 1);
    for round in 0..20 {
        let value = (number * 1000 + round) as u64;
        assert_eq!(launch(write, 64, CUstream(0), &[memory.0, value]), CUDA_SUCCESS);
        assert_eq!(read_back::<u64>(memory, 1), [value]);
    }
    board.done.fetch_add(1, SeqCst);
    futex::wake(&board.done, 1);
    pause();
}

#[test]
fn a_crowd_shares_a_device() {
    let device = Device::new("storm-crowd", "memory = \"520M\"\ncontext = \"4M\"\n");
    let board: &'static Board = Pages::anonymous(4096).expect("a page").view(0);
    let mut crowd: Vec<Forked> = (0..PROCESSES).map(|i| device.start(|| work(board, i))).collect();
    wait_for("all have their memory", &board.ready, |ready| ready as usize == PROCESSES);

    let machine = device.machine();
    let shown: BTreeMap<u32, u64> =
        machine.processes(0).into_iter().map(|process| (process.pid, process.memory)).collect();
    let held = |(number, process): (usize, &Forked)| (process.pid(), CONTEXT + chunks(number) * CHUNK);
    let expected: BTreeMap<u32, u64> = crowd.iter().enumerate().map(held).collect();
    assert_eq!(shown, expected);
    assert_eq!(machine.memory(0).used, expected.values().sum::<u64>());

    board.go.store(1, SeqCst);
    futex::wake(&board.go, u32::MAX);
    wait_for("all have worked", &board.done, |done| done as usize == PROCESSES);

    // Every second one goes, without a word.
    let (mut left, mut at) = (expected, 0);
    crowd.retain_mut(|process| {
        at += 1;
        let pid = process.pid();
        let goes = at % 2 == 0;
        if goes {
            assert!(process.kill());
            left.remove(&pid);
        }
        !goes
    });
    assert_eq!(machine.memory(0).used, left.values().sum::<u64>(), "seen at once");
    assert_eq!(machine.processes(0).len(), PROCESSES / 2);
    assert_eq!(machine.recover(), PROCESSES / 2);
    assert_eq!(machine.memory(0).used, left.values().sum::<u64>());
    assert!(crowd.iter_mut().all(Forked::kill));
    assert_eq!((machine.recover(), machine.memory(0).used), (PROCESSES / 2, 0));
}
