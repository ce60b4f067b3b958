//! Processes that allocate, launch, share and leave at random, killed by the thousand: afterwards the device's memory is used
//! by exactly what the living hold.

#![allow(non_snake_case)]

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(unsafe_code, dead_code)]
mod storm_unsafe;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::time::Duration;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_ledger::{Pages, shared};
use storm_unsafe::process::{Forked, pause};
use storm_unsafe::{Device, Dice, WRITE, until};

const PROCESSES: usize = 5;
const KILLS: usize = 2000;
const CHUNK: usize = 2 << 20;

shared! {
    /// What the processes tell each other and the test.
    struct Board {
        /// 1 when the storm is over.
        over: AtomicU32,
        /// Processes that came as far as to work.
        begun: AtomicU32,
        /// How often each thing was done, so that a storm that does nothing is noticed.
        done: [AtomicU32; 8],
        /// Who has left by itself.
        gone: [AtomicU32; PROCESSES],
        /// What each process holds when the storm is over, in chunks, plus one.
        report: [AtomicU64; PROCESSES],
        /// A handle of each process's memory and of its event, and perhaps half of the next one.
        memory: [[AtomicU64; 8]; PROCESSES],
        event: [[AtomicU64; 8]; PROCESSES],
    }
}

/// One process of the storm.
struct Worker {
    board: &'static Board,
    number: usize,
    dice: Dice,
    write: CUfunction,
    mine: Vec<(CUdeviceptr, usize)>,
    theirs: Vec<CUdeviceptr>,
}

impl Worker {
    fn new(board: &'static Board, number: usize) -> Worker {
        assert_eq!(Libcuda.cuInit(0), CUDA_SUCCESS);
        // The device may be full of what the others hold: then it is tried again when they have freed some.
        until("there is room for a context", || {
            let made = out(|pctx| Libcuda.cuCtxCreate_v2(pctx, 0, CUdevice(0)));
            assert!(matches!(made, Ok(_) | Err(CUDA_ERROR_OUT_OF_MEMORY)), "{made:?}");
            made.is_ok()
        });
        let dice = Dice(u64::from(std::process::id()) * 0x9e37_79b9 + 1);
        let write = kernel(WRITE, "write");
        Worker { board, number, dice, write, mine: Vec::new(), theirs: Vec::new() }
    }

    fn step(&mut self) {
        let kind = self.dice.roll(8) as usize;
        let worked = match kind {
            0 => self.allocate(),
            1 => self.free(),
            2 => self.launch(),
            3 => self.export(),
            4 => self.import(),
            5 => self.close(),
            6 => self.pooled(),
            _ => self.event(),
        };
        self.board.done[kind].fetch_add(worked.is_some().into(), SeqCst);
    }

    fn allocate(&mut self) -> Option<()> {
        let chunks = 1 + self.dice.roll(8) as usize;
        match out(|dptr| Libcuda.cuMemAlloc_v2(dptr, chunks * CHUNK)) {
            Ok(memory) => self.mine.push((memory, chunks)),
            Err(error) => assert_eq!(error, CUDA_ERROR_OUT_OF_MEMORY),
        }
        Some(())
    }

    fn free(&mut self) -> Option<()> {
        let at = self.dice.roll(self.mine.len().max(1) as u32) as usize;
        let (memory, _) = (at < self.mine.len()).then(|| self.mine.swap_remove(at))?;
        assert_eq!(Libcuda.cuMemFree_v2(memory), CUDA_SUCCESS);
        Some(())
    }

    fn launch(&mut self) -> Option<()> {
        let all: Vec<CUdeviceptr> = self.mine.iter().map(|own| own.0).chain(self.theirs.clone()).collect();
        let at = *all.get(self.dice.roll(all.len().max(1) as u32) as usize)?;
        assert_eq!(launch(self.write, 32, CUstream(0), &[at.0, 7]), CUDA_SUCCESS);
        if self.dice.roll(4) == 0 {
            assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
            assert_eq!(read_back::<u64>(at, 1), [7]);
        }
        Some(())
    }

    fn export(&mut self) -> Option<()> {
        let (memory, _) = *self.mine.last()?;
        let handle = out(|handle| Libcuda.cuIpcGetMemHandle(handle, memory)).expect("a handle");
        post(&self.board.memory[self.number], &handle.reserved);
        Some(())
    }

    /// The handle may be half another, its memory freed, its owner dead: then there is an error and no more.
    fn import(&mut self) -> Option<()> {
        let reserved = fetch(&self.board.memory[self.dice.roll(PROCESSES as u32) as usize]);
        let handle = CUipcMemHandle { reserved };
        self.theirs.push(out(|dptr| Libcuda.cuIpcOpenMemHandle_v2(dptr, handle, 1)).ok()?);
        Some(())
    }

    /// Memory in the order of a stream, gone again before anybody asks.
    fn pooled(&mut self) -> Option<()> {
        let bytes = (1 + self.dice.roll(4) as usize) * CHUNK;
        let memory = out(|dptr| Libcuda.cuMemAllocAsync(dptr, bytes, CUstream(0))).ok()?;
        assert_eq!(launch(self.write, 1, CUstream(0), &[memory.0, 7]), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuMemFreeAsync(memory, CUstream(0)), CUDA_SUCCESS);
        Some(())
    }

    /// Records an event for the others and waits for one of theirs, whoever made it and whether that one lives.
    fn event(&mut self) -> Option<()> {
        let own = event(CU_EVENT_INTERPROCESS.0 | CU_EVENT_DISABLE_TIMING.0);
        let handle = out(|handle| Libcuda.cuIpcGetEventHandle(handle, own)).expect("a handle");
        post(&self.board.event[self.number], &handle.reserved);
        assert_eq!(Libcuda.cuEventRecord(own, CUstream(0)), CUDA_SUCCESS);
        let reserved = fetch(&self.board.event[self.dice.roll(PROCESSES as u32) as usize]);
        let other = out(|event| Libcuda.cuIpcOpenEventHandle(event, CUipcEventHandle { reserved }));
        if let Ok(other) = other {
            assert_eq!(Libcuda.cuStreamWaitEvent(CUstream(0), other, 0), CUDA_SUCCESS);
            assert_eq!(Libcuda.cuEventDestroy_v2(other), CUDA_SUCCESS);
        }
        assert_eq!(Libcuda.cuEventDestroy_v2(own), CUDA_SUCCESS);
        other.ok().map(|_| ())
    }

    fn close(&mut self) -> Option<()> {
        assert_eq!(Libcuda.cuIpcCloseMemHandle(self.theirs.pop()?), CUDA_SUCCESS);
        Some(())
    }

    fn holds(&self) -> usize {
        self.mine.iter().map(|own| own.1).sum()
    }
}

fn post(to: &[AtomicU64; 8], handle: &[u8; 64]) {
    for (word, bytes) in to.iter().zip(handle.as_chunks().0) {
        word.store(u64::from_le_bytes(*bytes), SeqCst);
    }
}

fn fetch(from: &[AtomicU64; 8]) -> [u8; 64] {
    let bytes: Vec<u8> = from.iter().flat_map(|word| word.load(SeqCst).to_le_bytes()).collect();
    std::array::from_fn(|at| bytes[at])
}

/// Works until it is killed, or until the storm is over; then it keeps what is its own and nothing else.
fn work(board: &'static Board, number: usize) {
    let mut worker = Worker::new(board, number);
    board.begun.fetch_add(1, SeqCst);
    while board.over.load(SeqCst) == 0 {
        worker.step();
        // Some leave in good order, with all they have; the kill may come in the middle of that.
        if worker.dice.roll(400) == 0 {
            board.gone[number].store(1, SeqCst);
            std::process::exit(0);
        }
    }
    while worker.close().is_some() {}
    // Room for those that are still to come.
    while worker.holds() > 10 {
        worker.free();
    }
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
    board.report[number].store(worker.holds() as u64 + 1, SeqCst);
    pause();
}

#[test]
fn used_memory_is_what_the_living_hold() {
    let device = Device::new("storm-kills", "memory = \"200M\"\ncontext = \"4M\"\n");
    let board: &'static Board = Pages::anonymous(1 << 16).expect("a page").view(0);
    let start = |number: usize| device.start(|| work(board, number));

    let mut dice = Dice::new();
    let mut children: Vec<Forked> = (0..PROCESSES).map(start).collect();
    let replace = |children: &mut Vec<Forked>, at: usize| {
        assert!(children[at].kill(), "a process of the storm failed by itself");
        board.gone[at].store(0, SeqCst);
        children[at] = start(at);
    };
    let mut left = 0;
    let mut replace_gone = |children: &mut Vec<Forked>| {
        for at in (0..PROCESSES).filter(|&at| board.gone[at].load(SeqCst) == 1) {
            replace(children, at);
            left += 1;
        }
    };
    for _ in 0..KILLS {
        std::thread::sleep(Duration::from_micros(dice.roll(6000).into()));
        replace(&mut children, dice.roll(PROCESSES as u32) as usize);
        replace_gone(&mut children);
    }
    board.over.store(1, SeqCst);
    until("all report", || {
        replace_gone(&mut children);
        board.report.iter().all(|report| report.load(SeqCst) > 0)
    });
    assert!(left > 10, "only {left} left by themselves");
    let begun = board.begun.load(SeqCst) as usize;
    let done = board.done.each_ref().map(|count| count.load(SeqCst));
    assert!(begun > KILLS / 4 && done.iter().all(|&count| count > 20), "{begun} began and did {done:?}");

    let machine = device.machine();
    let dead = machine.recover();
    let used = machine.memory(0).used;
    let shown: BTreeMap<u32, u64> =
        machine.processes(0).iter().map(|process| (process.pid, process.memory)).collect();
    let holds = |report: &AtomicU64| (report.load(SeqCst) - 1) * CHUNK as u64;
    let held: Vec<(u32, u64)> =
        children.iter().zip(&board.report).map(|(child, report)| (child.pid(), holds(report))).collect();
    assert!(children.iter_mut().all(Forked::kill), "a process of the storm failed by itself");
    assert_eq!(machine.memory(0).used, 0, "all are dead, and nobody had to clean up");
    assert_eq!((machine.recover(), machine.chunks(0).fill().free()), (PROCESSES, 100));

    // What a process costs that holds nothing.
    board.report[0].store(0, SeqCst);
    let _alone = start(0);
    until("one reports", || board.report[0].load(SeqCst) > 0);
    let base = machine.memory(0).used;
    let expected: BTreeMap<u32, u64> = held.into_iter().map(|(pid, held)| (pid, base + held)).collect();
    assert_eq!(shown, expected, "after {dead} were recovered; a context costs {base}");
    assert_eq!(used, expected.values().sum::<u64>());
}
