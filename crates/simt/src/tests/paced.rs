use super::harness_unsafe::*;
use crate::{Class, Config, FaultKind, Pacing, Program};
use cleave_pace::{CLASSES, Card, Chip, KernelId};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A kernel's share of a chip whose time is the device's.
struct Paced {
    card: Card,
    state: Mutex<State>,
    horizon: AtomicU64,
    /// `%globaltimer` is known before this.
    known: AtomicU64,
}

struct State {
    chip: Chip,
    kernel: KernelId,
    /// Starts by block.
    starts: HashMap<u64, (u64, u32)>,
    ends: BTreeMap<u64, u64>,
    reached: HashMap<u64, u64>,
    end: Option<u64>,
}

/// One cycle is a microsecond, an instruction takes as many as its class says.
fn card() -> Card {
    Card {
        sms: 2,
        clock_khz: 1_000,
        threads_per_sm: 128,
        blocks_per_sm: 4,
        start_ns: 0,
        latency: [2, 2, 4, 8, 16, 10, 5, 5, 20, 3],
        ..Card::default()
    }
}

impl Paced {
    fn new(card: Card, blocks: u64, threads: u32) -> Arc<Paced> {
        let mut chip = Chip::new(card.clone());
        let shape =
            cleave_pace::Shape { blocks, threads, registers: 16, shared: 0, priority: 0, cooperative: false };
        let kernel = chip.launch(shape, 0);
        let state = State {
            chip,
            kernel,
            starts: HashMap::new(),
            ends: BTreeMap::new(),
            reached: HashMap::new(),
            end: None,
        };
        Arc::new(Paced {
            card,
            state: Mutex::new(state),
            horizon: AtomicU64::new(u64::MAX),
            known: AtomicU64::new(u64::MAX),
        })
    }

    fn ends(&self) -> Vec<u64> {
        self.state.lock().unwrap().ends.values().copied().collect()
    }
}

impl Pacing for Paced {
    fn start(&self, block: u64) -> Option<(u64, u32)> {
        let mut state = self.state.lock().unwrap();
        while let Some(start) = state.chip.next(u64::MAX) {
            state.starts.insert(start.block, (start.at, start.sm));
        }
        state.starts.remove(&block)
    }
    fn horizon(&self) -> u64 {
        self.horizon.load(Acquire)
    }
    fn reached(&self, block: u64, at: u64) {
        let mut state = self.state.lock().unwrap();
        let kernel = state.kernel;
        state.chip.reached(kernel, block, at);
        state.reached.insert(block, at);
    }
    fn ended(&self, block: u64, at: u64) {
        let mut state = self.state.lock().unwrap();
        let kernel = state.kernel;
        state.end = state.chip.ended(kernel, block, at);
        state.ends.insert(block, at);
    }
    fn globaltimer(&self, at: u64) -> Option<u64> {
        (at < self.known.load(Acquire)).then_some(at)
    }
    fn card(&self) -> &Card {
        &self.card
    }
}

/// Runs a kernel to its end and gives back the pacing.
fn run(device: &Device, program: &Program, paced: &Arc<Paced>, shape: Shape<'_>) {
    let pacing: Arc<dyn Pacing> = paced.clone();
    device.run(program, Shape { pacing: Some(pacing), ..shape }).unwrap();
}

/// Nanoseconds of so many instructions per class on [`card`].
fn ns(counts: &[(Class, u64)]) -> u64 {
    counts.iter().map(|&(class, n)| 1_000 * n * u64::from(card().latency[class as usize])).sum()
}

const COUNT: &str = "
.visible .entry count(.param .u64 rounds) {
    .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %rd<4>;
    ld.param.u32 %r1, [rounds];
    mov.u32 %r2, 0;
L:  add.u32 %r2, %r2, 1;
    setp.lt.u32 %p, %r2, %r1;
    @%p bra L;
    ret;
}";

fn count_ns(rounds: u64) -> u64 {
    let loop_ns = ns(&[(Class::Integer, 2), (Class::Control, 1)]);
    ns(&[(Class::Local, 1), (Class::Integer, 1), (Class::Control, 1)]) + rounds * loop_ns
}

#[test]
fn a_block_costs_the_latency_of_what_its_longest_warp_executes() {
    let (program, device) = (compile(COUNT), Device::new(quiet(2)));
    for rounds in [1, 7, 10_000] {
        let paced = Paced::new(card(), 1, 128);
        run(&device, &program, &paced, shape("count", 1, 128, &[rounds]));
        assert_eq!(paced.ends(), [count_ns(rounds)]);
    }
}

#[test]
fn blocks_start_when_there_is_room_and_end_with_the_kernel() {
    let (program, device) = (compile(COUNT), Device::new(quiet(2)));
    // Two multiprocessors hold two blocks of 64 threads each: ten blocks take three rounds.
    let paced = Paced::new(card(), 10, 64);
    run(&device, &program, &paced, shape("count", 10, 64, &[50]));
    let one = count_ns(50);
    assert_eq!(paced.ends(), [1, 1, 1, 1, 2, 2, 2, 2, 3, 3].map(|round| round * one));
    assert_eq!(paced.state.lock().unwrap().end, Some(3 * one));
}

#[test]
fn a_barrier_opens_when_the_last_warp_arrives() {
    // Warp w does w rounds, meets the others, and notes the time.
    let source = "
.visible .entry k(.param .u64 out) {
    .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    mov.u32 %r3, 0;
L:  add.u32 %r3, %r3, 1;
    setp.le.u32 %p, %r3, %r2;
    @%p bra L;
    bar.sync 0;
    mov.u64 %rd2, %clock64;
    mul.wide.u32 %rd3, %r1, 8;
    add.u64 %rd4, %rd1, %rd3;
    st.global.u64 [%rd4], %rd2;
    ret;
}";
    let (program, mut device) = (compile(source), Device::new(quiet(1)));
    let out = device.alloc(8 * 128);
    let paced = Paced::new(card(), 1, 128);
    run(&device, &program, &paced, shape("k", 1, 128, &[out]));
    let times = device.read::<u64>(out, 128);
    let before = ns(&[(Class::Local, 1), (Class::Integer, 3), (Class::Control, 1)]);
    let slowest = before + 4 * ns(&[(Class::Integer, 2), (Class::Control, 1)]);
    assert!(times.iter().all(|&t| t * 1_000 == slowest), "{times:?}, not {slowest}");
}

#[test]
fn two_reads_of_the_clock_differ_by_what_lies_between() {
    let source = "
.visible .entry k(.param .u64 out) {
    .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [out];
    mov.u64 %rd2, %clock64;
    mov.u64 %rd3, %clock64;
    add.u64 %rd5, %rd1, 8;
    ld.global.u64 %rd6, [%rd5];
    mov.u32 %r1, 1;
    setp.eq.u32 %p, %r1, 1;
    @%p mov.u64 %rd4, %clock64;
    sub.u64 %rd7, %rd3, %rd2;
    sub.u64 %rd8, %rd4, %rd3;
    st.global.u64 [%rd1], %rd7;
    st.global.u64 [%rd1+8], %rd8;
    ret;
}";
    let (program, mut device) = (compile(source), Device::new(quiet(1)));
    let out = device.alloc(16);
    let paced = Paced::new(card(), 1, 32);
    run(&device, &program, &paced, shape("k", 1, 32, &[out]));
    let between = [(Class::Integer, 4), (Class::Global, 1)];
    assert_eq!(device.read::<u64>(out, 2), [2, ns(&between) / 1_000]);
}

#[test]
fn clocks_of_blocks_are_those_of_the_device() {
    let source = "
.visible .entry k(.param .u64 out) {
    .reg .b32 %r; .reg .b64 %rd<7>;
    mov.u64 %rd2, %clock64;
    mov.u64 %rd5, %globaltimer;
    mov.u32 %r, %ctaid.x;
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd3, %r, 16;
    add.u64 %rd4, %rd1, %rd3;
    st.global.u64 [%rd4], %rd2;
    st.global.u64 [%rd4+8], %rd5;
    ret;
}";
    let (program, mut device) = (compile(source), Device::new(quiet(2)));
    let out = device.alloc(16 * 6);
    let paced = Paced::new(card(), 6, 128);
    run(&device, &program, &paced, shape("k", 6, 128, &[out]));
    let one = paced.ends()[0];
    let times = device.read::<u64>(out, 12);
    for (block, pair) in times.chunks(2).enumerate() {
        let start = block as u64 / 2 * one;
        assert_eq!(pair[0], start / 1_000);
        assert_eq!(pair[1], (start + 2_000) / 1_024 * 1_024);
    }
}

#[test]
fn nothing_runs_beyond_the_horizon() {
    let (program, device) = (compile(COUNT), Device::new(quiet(2)));
    let paced = Paced::new(card(), 1, 64);
    paced.horizon.store(1_000_000, Release);
    let pacing: Arc<dyn Pacing> = paced.clone();
    let launch = Shape { pacing: Some(pacing), ..shape("count", 1, 64, &[1_000_000]) };
    let (grid, done) = device.submit(&program, launch);
    let wait_for = |at: u64| {
        let start = Instant::now();
        loop {
            let reached = paced.state.lock().unwrap().reached.get(&0).copied().unwrap_or(0);
            if reached >= at {
                return reached;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "stuck at {reached}");
            std::thread::yield_now();
        }
    };
    // A loop takes 7 µs: the block stops within a few of the horizon.
    for horizon in [1_000_000, 3_000_000, 500_000_000] {
        paced.horizon.store(horizon, Release);
        device.gpu.kick();
        assert!(wait_for(horizon) < horizon + 100_000);
    }
    grid.stop();
    assert_eq!(done.recv().unwrap().unwrap_err().kind, FaultKind::Stopped);
}

#[test]
fn sleeping_takes_modelled_time_and_no_other() {
    let source = "
.visible .entry k(.param .u64 out) {
    .reg .pred %p; .reg .b32 %r;
    mov.u32 %r, 0;
L:  add.u32 %r, %r, 1;
    nanosleep.u32 1000000;
    setp.lt.u32 %p, %r, 20000;
    @%p bra L;
    ret;
}";
    let (program, device) = (compile(source), Device::new(quiet(1)));
    let paced = Paced::new(card(), 1, 32);
    let start = Instant::now();
    run(&device, &program, &paced, shape("k", 1, 32, &[0]));
    // Twenty seconds of sleep.
    assert!(start.elapsed() < Duration::from_secs(5));
    let rest = ns(&[(Class::Integer, 40_001), (Class::Control, 40_001)]);
    assert_eq!(paced.ends(), [20_000_000_000 + rest]);
}

const SPIN: &str = "
.visible .entry until(.param .u64 end, .param .u64 out) {
    .reg .pred %p; .reg .b32 %r; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [end];
    ld.param.u64 %rd3, [out];
    mov.u32 %r, 0;
L:  add.u32 %r, %r, 1;
    mov.u64 %rd2, %globaltimer;
    setp.lt.u64 %p, %rd2, %rd1;
    @%p bra L;
    st.global.u32 [%rd3], %r;
    ret;
}";

#[test]
fn a_warp_that_waits_for_the_timer_is_parked_between_ticks() {
    let (program, mut device) = (compile(SPIN), Device::new(quiet(1)));
    let out = device.alloc(4);
    // A round takes 7 ns of a tick of 1024 ns.
    let paced = Paced::new(Card { clock_khz: 1_000_000, latency: [1; CLASSES], ..card() }, 1, 32);
    run(&device, &program, &paced, shape("until", 1, 32, &[10_000_000, out]));
    let end = paced.ends()[0];
    assert!((10_000_000..10_002_000).contains(&end), "{end}");
    let rounds = device.read::<u32>(out, 1)[0];
    assert!(rounds < 4 * 10_000_000 / 1024, "{rounds} rounds: the warp was not parked");
}

#[test]
fn a_time_that_is_not_known_yet_is_asked_for_again() {
    let (program, mut device) = (compile(SPIN), Device::new(quiet(1)));
    let out = device.alloc(4);
    let paced = Paced::new(card(), 1, 32);
    paced.known.store(500_000, Release);
    let pacing: Arc<dyn Pacing> = paced.clone();
    let launch = Shape { pacing: Some(pacing), ..shape("until", 1, 32, &[2_000_000, out]) };
    let (_, done) = device.submit(&program, launch);
    while paced.state.lock().unwrap().reached.get(&0).is_none_or(|&at| at < 500_000) {
        std::thread::yield_now();
    }
    assert!(done.try_recv().is_err());
    paced.known.store(u64::MAX, Release);
    device.gpu.kick();
    done.recv_timeout(Duration::from_secs(20)).unwrap().unwrap();
    assert!((2_000_000..2_100_000).contains(&paced.ends()[0]));
}

#[test]
fn blocks_that_wait_for_each_other_meet() {
    // Each of four blocks works for a different time, adds one and spins until all have: a grid barrier.
    let source = "
.visible .entry k(.param .u64 flag) {
    .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [flag];
    mov.u32 %r1, %ctaid.x;
    mul.lo.u32 %r1, %r1, 1000;
    mov.u32 %r2, 0;
W:  add.u32 %r2, %r2, 1;
    setp.lt.u32 %p, %r2, %r1;
    @%p bra W;
    red.global.add.u32 [%rd1], 1;
L:  ld.volatile.global.u32 %r3, [%rd1];
    setp.lt.u32 %p, %r3, 128;
    @%p bra L;
    ret;
}";
    let program = compile(source);
    for workers in [1, 2] {
        let mut device = Device::new(quiet(workers));
        let flag = device.alloc(4);
        let paced = Paced::new(card(), 4, 32);
        run(&device, &program, &paced, shape("k", 4, 32, &[flag]));
        // The last one works for 3000 rounds of 7 µs; the others see its flag soon after.
        let ends = paced.ends();
        let slack = 500_000;
        assert!(
            ends.iter().all(|&end| end + slack >= 21_000_000 && end <= 21_000_000 + 2 * slack),
            "{ends:?}"
        );
    }
}

#[test]
fn a_block_waits_for_the_host_while_time_passes() {
    let source = "
.visible .entry k(.param .u64 flag) {
    .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [flag];
    st.global.u32 [%rd1+4], 1;
L:  ld.volatile.global.u32 %r3, [%rd1];
    setp.eq.u32 %p, %r3, 0;
    @%p bra L;
    ret;
}";
    let (program, mut device) = (compile(source), Device::new(quiet(1)));
    let flag = device.alloc(8);
    let paced = Paced::new(card(), 1, 32);
    let pacing: Arc<dyn Pacing> = paced.clone();
    let (_, done) = device.submit(&program, Shape { pacing: Some(pacing), ..shape("k", 1, 32, &[flag]) });
    while device.read::<u32>(flag, 2)[1] == 0 {
        std::thread::yield_now();
    }
    assert!(done.try_recv().is_err());
    device.write(flag, &[1u32]);
    done.recv_timeout(Duration::from_secs(20)).unwrap().unwrap();
    assert!(paced.ends()[0] > ns(&[(Class::Global, 2)]));
}

#[test]
fn a_block_that_can_never_go_on_holds_nobody_up() {
    let source = "
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
}";
    let (program, device) = (compile(source), Device::new(quiet(1)));
    let paced = Paced::new(card(), 1, 64);
    let pacing: Arc<dyn Pacing> = paced.clone();
    let (grid, done) = device.submit(&program, Shape { pacing: Some(pacing), ..shape("stuck", 1, 64, &[]) });
    while paced.state.lock().unwrap().reached.get(&0) != Some(&u64::MAX) {
        std::thread::yield_now();
    }
    grid.stop();
    assert!(done.recv().unwrap().is_err());
}

#[test]
fn free_running_sleepers_leave_the_worker_to_others() {
    let source = "
.visible .entry nap(.param .u64 flag) {
    .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [flag];
L:  nanosleep.u32 500000;
    red.global.add.u32 [%rd1+4], 1;
    ld.volatile.global.u32 %r3, [%rd1];
    setp.eq.u32 %p, %r3, 0;
    @%p bra L;
    ret;
}
.visible .entry empty() { ret; }";
    let (program, mut device) = (compile(source), Device::new(quiet(1)));
    let flag = device.alloc(8);
    let start = Instant::now();
    let (_, done) = device.submit(&program, shape("nap", 1, 1, &[flag]));
    for _ in 0..50 {
        device.run(&program, shape("empty", 1, 32, &[])).unwrap();
    }
    while device.read::<u32>(flag, 2)[1] < 20 {
        std::thread::yield_now();
    }
    device.write(flag, &[1u32]);
    done.recv_timeout(Duration::from_secs(20)).unwrap().unwrap();
    let naps = device.read::<u32>(flag, 2)[1];
    assert!(start.elapsed() >= Duration::from_micros(500) * (naps - 1), "{naps} naps");
}

#[test]
fn times_do_not_depend_on_who_executes_what_when() {
    // Warps of different lengths in blocks of different lengths, with a barrier between.
    let source = "
.visible .entry k() {
    .reg .pred %p; .reg .b32 %r<8>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    shr.u32 %r2, %r2, 5;
    mad.lo.u32 %r3, %r1, 37, %r2;
    rem.u32 %r3, %r3, 101;
    mov.u32 %r4, 0;
L:  add.u32 %r4, %r4, 1;
    setp.le.u32 %p, %r4, %r3;
    @%p bra L;
    bar.sync 0;
    rem.u32 %r5, %r3, 7;
    mov.u32 %r4, 0;
M:  add.u32 %r4, %r4, 1;
    setp.le.u32 %p, %r4, %r5;
    @%p bra M;
    ret;
}";
    let program = compile(source);
    let run_on = |config: Config| {
        let device = Device::new(config);
        let paced = Paced::new(card(), 60, 96);
        run(&device, &program, &paced, shape("k", 60, 96, &[]));
        paced.ends()
    };
    let expected = run_on(quiet(1));
    for _ in 0..5 {
        assert_eq!(run_on(quiet(3)), expected);
    }
    for seed in 0..5 {
        assert_eq!(run_on(Config { adversarial: Some(seed), ..quiet(2) }), expected);
    }
}
