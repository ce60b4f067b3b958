//! Several processes on one paced device in one address space: blocks are emulated in no time, and the test moves the clock.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use cleave_device::clock::{Clock, Places};
use cleave_device::engine::{Engine, EngineFields, EngineWords};
use cleave_device::turns::Turns;
use cleave_device::usage::Usage;
use cleave_ledger::Pages;
use cleave_pace::{Card, Shape};

use super::state::State;
use super::watcher::{Watch, Watched, Watcher};

const US: u64 = 1_000;
const MS: u64 = 1_000_000;

struct Seats {
    fields: &'static [EngineFields],
}

impl Places for Seats {
    fn fields(&self, record: u16) -> &EngineFields {
        &self.fields[usize::from(record)]
    }

    fn is_alive(&self, _: u16) -> bool {
        true
    }
}

struct Device {
    card: Card,
    pages: Pages,
    turns: Arc<Turns>,
    time: Arc<AtomicU64>,
}

impl Device {
    fn new() -> Device {
        let card = Card {
            sms: 2,
            blocks_per_sm: 4,
            start_ns: US,
            slice_ns: 2 * MS,
            switch_ns: 50 * US,
            ..Card::default()
        };
        let pages = Pages::anonymous(1 << 16).expect("memory");
        let seats = Arc::new(Seats { fields: pages.slice(4096, 8) });
        let time = Arc::new(AtomicU64::new(0));
        let (words, source): (&EngineWords, _) = (pages.view(0), time.clone());
        let clock = Clock::with_source(true, 0, words, seats.clone(), Box::new(move || source.load(SeqCst)));
        let turns = Arc::new(Turns::new(words, seats, clock, card.slice_ns, card.switch_ns));
        Device { card, pages, turns, time }
    }

    fn process(&self, record: u16) -> Process {
        let usage: &Usage = self.pages.view(8192 + usize::from(record) * size_of::<Usage>());
        let (ended, ends) = channel();
        let state = State::new(self.turns.clone(), record, usage.of(Engine::Gr), self.card.clone());
        Process {
            state,
            usage,
            lengths: HashMap::new(),
            running: Vec::new(),
            left: HashMap::new(),
            ended,
            ends,
            horizon: 0,
        }
    }

    fn now(&self) -> u64 {
        self.turns.clock().now()
    }

    /// Lets time pass; every process looks whenever it wants to, and `each` time as well.
    fn run(&self, processes: &mut [&mut Process], until: u64, mut each: impl FnMut(&mut [&mut Process])) {
        while self.time.load(SeqCst) < until {
            processes.iter_mut().for_each(|process| process.tick());
            each(processes);
            let next = processes.iter().filter_map(|process| match process.state.watch() {
                Watch::Until(at) => Some(at),
                _ => None,
            });
            let now = self.time.load(SeqCst);
            let next = next.min().unwrap_or(u64::MAX).clamp(now + US, until.max(now + US));
            self.time.store(next, SeqCst);
        }
        processes.iter_mut().for_each(|process| process.tick());
    }
}

struct Process {
    state: State,
    usage: &'static Usage,
    /// Length of the blocks of a kernel.
    lengths: HashMap<u64, u64>,
    /// Kernel, block and end of each block that is being emulated.
    running: Vec<(u64, u64, u64)>,
    /// Blocks of each kernel that have not started and not ended.
    left: HashMap<u64, (u64, u64, u64)>,
    ended: Sender<(u64, u64)>,
    ends: Receiver<(u64, u64)>,
    horizon: u64,
}

impl Process {
    fn launch(&mut self, blocks: u64, length: u64, ready: u64) -> u64 {
        let shape = Shape { blocks, threads: 32, registers: 16, shared: 0, priority: 0, cooperative: false };
        let kernel = self.state.launch(shape, ready);
        self.lengths.insert(kernel, length);
        self.left.insert(kernel, (blocks, blocks, 0));
        self.emulate();
        kernel
    }

    fn tick(&mut self) {
        self.state.look();
        self.emulate();
    }

    /// Does all that may be done by now.
    fn emulate(&mut self) {
        loop {
            let effects = self.state.settle();
            self.horizon = self.horizon.max(effects.horizon);
            let mut news = !effects.retired.is_empty();
            let kernels: Vec<u64> = effects.retired.iter().map(|(kernel, _, _)| *kernel).collect();
            effects.retired.into_iter().for_each(|(_, retire, end)| retire(end));
            self.state.forget(&kernels);
            for (&kernel, (to_start, _, next)) in &mut self.left {
                while *to_start > 0
                    && let Some((at, _)) = self.state.start(kernel)
                {
                    self.running.push((kernel, *next, at + self.lengths[&kernel]));
                    (*to_start, *next, news) = (*to_start - 1, *next + 1, true);
                }
            }
            for (kernel, block, end) in std::mem::take(&mut self.running) {
                if end > self.horizon {
                    self.state.reached(kernel, block, self.horizon);
                    self.running.push((kernel, block, end));
                    continue;
                }
                news = true;
                self.state.ended(kernel, block, end);
                let Some((_, to_end, _)) = self.left.get_mut(&kernel) else { continue };
                *to_end -= 1;
                if *to_end == 0 {
                    let ended = self.ended.clone();
                    self.state.retire(
                        kernel,
                        Box::new(move |end| ended.send((kernel, end)).expect("the test listens")),
                    );
                }
            }
            if !news {
                let _ = self.state.settle();
                return;
            }
        }
    }

    fn busy(&self, now: u64) -> u64 {
        self.usage.of(Engine::Gr).total_ns(now)
    }
}

/// A kernel in device time: when it may start and when it ended.
fn end_of(process: &Process, kernel: u64) -> u64 {
    let (ended, end) = process.ends.try_recv().expect("a kernel has ended");
    assert_eq!(ended, kernel);
    end
}

#[test]
fn ends_are_the_models_to_the_nanosecond() {
    let device = Device::new();
    for (record, length) in (1..).zip([20 * US, 333_333, 2 * MS, 50 * MS]) {
        let mut process = device.process(record);
        device.time.fetch_add(12_345_678, SeqCst);
        let ready = device.now();
        // 20 blocks where 8 fit: three rounds.
        let kernel = process.launch(20, length, ready);
        device.run(&mut [&mut process], ready + US + 3 * length + MS, |_| {});
        assert_eq!(end_of(&process, kernel), ready + US + 3 * length);
        assert_eq!(process.busy(device.now()), US + 3 * length);
        device.turns.forget(record);
    }
    assert_eq!(device.turns.clock().slip_ns(), 0);
}

#[test]
fn emulation_is_at_most_a_slice_ahead() {
    let device = Device::new();
    let mut process = device.process(1);
    process.launch(8, 50 * MS, 0);
    let mut most = 0;
    device.run(&mut [&mut process], 40 * MS, |processes| {
        let ahead = processes[0].horizon.saturating_sub(device.now());
        most = most.max(ahead);
        assert!(ahead >= device.card.slice_ns / 4, "enough to do in advance: {ahead}");
    });
    assert!(most <= device.card.slice_ns + 256, "{most}");
}

#[test]
fn a_train_runs_ahead_and_keeps_its_times() {
    let device = Device::new();
    let mut process = device.process(1);
    let mut ready = 0;
    for _ in 0..50 {
        let kernel = process.launch(8, 20 * US, ready);
        ready = end_of(&process, kernel);
    }
    assert_eq!((ready, device.now()), (50 * 21 * US, 0), "before the clock has moved at all");
}

/// Keeps a process busy with one kernel after the other.
fn saturate(process: &mut Process, length: u64, ready: &mut u64, done: &mut u64) {
    while let Ok((_, end)) = process.ends.try_recv() {
        (*ready, *done) = (end, *done + 1);
        process.launch(8, length, *ready);
    }
}

#[test]
fn two_that_want_all_get_half_each() {
    let device = Device::new();
    let (mut a, mut b) = (device.process(1), device.process(2));
    let (mut a_at, mut b_at) = ((0, 0), (0, 0));
    a.launch(8, 700 * US, 0);
    b.launch(8, 90 * US, 0);
    device.run(&mut [&mut a, &mut b], 1_000 * MS, |processes| {
        saturate(processes[0], 700 * US, &mut a_at.0, &mut a_at.1);
        saturate(processes[1], 90 * US, &mut b_at.0, &mut b_at.1);
    });
    let now = device.now();
    assert_eq!(device.turns.clock().slip_ns(), 0);
    let fair = now * device.card.slice_ns / (device.card.slice_ns + device.card.switch_ns) / 2;
    for process in [&a, &b] {
        let busy = process.busy(now);
        assert!(busy.abs_diff(fair) <= 3 * device.card.slice_ns, "{busy} of {now}, fair is {fair}");
    }
    assert!((a_at.1 * 701 * US).abs_diff(fair) <= 3 * device.card.slice_ns, "{} kernels", a_at.1);
    assert!((b_at.1 * 91 * US).abs_diff(fair) <= 3 * device.card.slice_ns, "{} kernels", b_at.1);
}

#[test]
fn beside_an_endless_kernel_one_waits_a_slice_and_a_switch() {
    let device = Device::new();
    let (mut endless, mut short) = (device.process(1), device.process(2));
    endless.launch(8, u64::MAX / 4, 0);
    device.run(&mut [&mut endless], 13 * MS + 777, |_| {});
    for _ in 0..20 {
        let ready = device.now();
        let kernel = short.launch(1, 100 * US, ready);
        device.run(&mut [&mut endless, &mut short], device.time.load(SeqCst) + 6 * MS, |_| {});
        let waited = end_of(&short, kernel) - ready - 101 * US;
        assert!(waited <= device.card.slice_ns + device.card.switch_ns + 512, "{waited}");
    }
    assert_eq!(device.turns.clock().slip_ns(), 0);
}

#[test]
fn the_clock_waits_for_emulation_that_is_late() {
    let device = Device::new();
    let (mut late, mut other) = (device.process(1), device.process(2));
    late.launch(8, 30 * MS, 0);
    other.launch(8, MS, 0);
    // Nobody emulates anything for a while.
    device.time.store(9 * MS, SeqCst);
    let stood = device.now();
    assert!(stood < 3 * MS, "{stood}");
    late.tick();
    let slip = device.turns.clock().slip_ns();
    assert_eq!(slip, 9 * MS - stood);
    assert_eq!(device.now(), stood);
    other.tick();
    device.run(&mut [&mut late, &mut other], 60 * MS, |_| {});
    assert_eq!(device.turns.clock().slip_ns(), slip, "no more than that");
}

#[test]
fn emulation_that_waits_for_the_clock_is_looked_after_however_late() {
    let device = Device::new();
    let (mut early, mut next) = (device.process(1), device.process(2));
    early.launch(8, 30 * MS, 0);
    next.launch(8, 30 * MS, 0);
    // It has the turn before its slice begins, and more than a slice ahead nothing is emulated.
    device.run(&mut [&mut early, &mut next], MS, |_| {});
    assert!(next.horizon > 0);
    device.time.store(9 * MS, SeqCst);
    assert!(matches!(next.state.watch(), Watch::Until(_)), "nobody else would make it go on");
}

/// One whose state changes right after the watcher has looked at it.
struct Changing {
    watcher: Arc<Watcher>,
    looks: Sender<()>,
}

impl Watched for Changing {
    fn tick(self: &Arc<Self>, plan: impl FnOnce(Watch)) {
        plan(Watch::Bell);
        if self.looks.send(()).is_ok() {
            self.watcher.plan(Watch::Until(0), self);
        }
    }
}

#[test]
fn what_is_planned_while_the_watcher_looks_is_looked_at() {
    let device = Device::new();
    let (looks, looked) = channel();
    let changing = Arc::new(Changing { watcher: Watcher::new(device.turns.clone(), 1), looks });
    changing.watcher.plan(Watch::Bell, &changing);
    for _ in 0..3 {
        looked.recv_timeout(Duration::from_secs(20)).expect("another look");
    }
}

#[test]
fn what_waits_for_a_copy_leaves_the_turn_to_others() {
    let device = Device::new();
    let (mut a, mut b) = (device.process(1), device.process(2));
    let first = a.launch(1, 100 * US, 0);
    assert_eq!(end_of(&a, first), 101 * US);
    // Its next kernel waits for a copy that ends at 5 ms.
    let second = a.launch(1, 100 * US, 5 * MS);
    let other = b.launch(1, 300 * US, 0);
    device.run(&mut [&mut a, &mut b], 10 * MS, |_| {});
    let end = end_of(&b, other);
    assert!(((101 + 50 + 301) * US..(101 + 50 + 302) * US).contains(&end), "{end}");
    let end = end_of(&a, second);
    assert!((5 * MS + (50 + 101) * US..5 * MS + 152 * US).contains(&end), "back after a switch: {end}");
}

#[test]
fn a_cancelled_kernel_frees_the_turn() {
    let device = Device::new();
    let (mut a, mut b) = (device.process(1), device.process(2));
    let endless = a.launch(8, u64::MAX / 4, 0);
    device.run(&mut [&mut a], 3 * MS, |_| {});
    a.running.clear();
    a.state.cancel(endless);
    a.emulate();
    let kernel = b.launch(1, 100 * US, device.now());
    device.run(&mut [&mut a, &mut b], 4 * MS, |_| {});
    assert!(end_of(&b, kernel) <= 3 * MS + (50 + 102) * US);
}
