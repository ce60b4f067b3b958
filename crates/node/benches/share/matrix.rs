//! The cases.

use cleave_sched::share::{Policy, Share};

use crate::Case;
use crate::program::Program;
use crate::report::{Row, p99, shares};
use crate::world::{MS, SECOND, Setup, US, World};

/// Lengths of kernels. Some of them do not go well with slices of 2 ms and turns of 3.5, of 1.1 or of 2.2.
const LENGTHS: [u64; 17] = [
    20 * US,
    50 * US,
    100 * US,
    200 * US,
    350 * US,
    500 * US,
    550 * US,
    700 * US,
    875 * US,
    MS,
    1100 * US,
    2 * MS,
    3500 * US,
    5 * MS,
    10 * MS,
    15 * MS,
    50 * MS,
];
/// What a device loses to a switch.
const SWITCH: f64 = 50_000.0;

pub fn burst(percent: u32) -> Share {
    Share { percent, ..Share::default() }
}

pub fn tenant(share: Share, program: Program) -> Setup {
    Setup { share, program, processes: 1, streams: 1, held_up: (0, 0) }
}

pub fn case(name: String, run: impl Fn() -> Vec<Row> + 'static) -> Case {
    Case { name, run: Box::new(run) }
}

/// `seed` is for what is late by chance beside saturating tenants.
pub fn cases(seed: u64) -> Vec<Case> {
    let mut cases = Vec::new();
    let sets: [&[u32]; 7] = [
        &[50, 50],
        &[90, 10],
        &[99, 1],
        &[60, 30, 10],
        &[40, 30, 20, 10],
        &[30, 20, 15, 10, 10, 5, 5, 5],
        &[13, 13, 13, 13, 12, 12, 12, 12],
    ];
    for set in sets {
        for kernel in LENGTHS {
            let name = format!("{set:?} kernels of {}", length(kernel));
            let set = set.to_vec();
            cases.push(case(name, move || saturating(&set, kernel, (1, 1), seed)));
        }
    }
    for (processes, streams) in [(1, 8), (4, 1), (4, 4)] {
        for kernel in [50 * US, 5 * MS] {
            let name = format!("[60, 30, 10] {processes} x {streams} streams, {}", length(kernel));
            cases.push(case(name, move || saturating(&[60, 30, 10], kernel, (processes, streams), seed)));
        }
    }
    let (short, long) = (50 * US, 10 * MS);
    let two = move || mixed(Program::Mixed { short, long });
    let one = move || mixed(Program::Varied { short, long });
    cases.push(case("[60, 40] functions of 50 us and 10 ms beside 1 ms".into(), two));
    cases.push(case("[60, 40] lengths of 50 us and 10 ms beside 1 ms".into(), one));
    cases
        .push(case("[70, 30] a function that changes from 0.1 to 5 ms".into(), || changes(100 * US, 5 * MS)));
    cases
        .push(case("[70, 30] a function that changes from 5 to 0.1 ms".into(), || changes(5 * MS, 100 * US)));
    cases.push(case("[90, 10] the lesser held up 80 ms in 300".into(), || held_up([0, 80], 300)));
    cases.push(case("[90, 10] the greater held up 80 ms in 300".into(), || held_up([80, 0], 300)));
    cases.push(case("[90, 10] both held up 150 ms in 1100".into(), || held_up([150, 150], 1100)));
    cases.push(case("[50, 50] bursts beside saturating".into(), bursty));
    cases.push(case("[50, 50] waits for every kernel".into(), waiting));
    cases.push(case("copies beside kernels".into(), copies));
    cases.push(case("two that copy, [70, 30]".into(), copiers));
    cases.push(case("one at 100 %".into(), alone));
    cases.push(case("burst uses idle time".into(), lending));
    cases.push(case("fixed 30 alone".into(), || fixed(100 * US)));
    cases.push(case("fixed 30 alone, kernels of 10 ms".into(), || fixed(10 * MS)));
    cases.push(case("best effort beside bursts".into(), best_effort));
    cases.push(case("latency, 20 kernels of 0.5 ms".into(), || latency(20, 100 * US)));
    cases.push(case("latency, 20 kernels of 0.5 ms, beside 1 ms".into(), || latency(20, MS)));
    cases.push(case("latency, 20 kernels of 0.5 ms, beside 10 ms".into(), || latency(20, 10 * MS)));
    cases.push(case("latency, 2 kernels of 0.5 ms".into(), || latency(2, 100 * US)));
    for kernel in [50 * US, 200 * US, 350 * US, 420 * US, 500 * US, MS, 2 * MS, 5 * MS, 10 * MS, 50 * MS] {
        for (streams, blocks) in [(4, 1), (8, 1), (4, 2)] {
            let program = Program::Slim { kernel, blocks };
            let slim = move |share| Setup { streams, ..tenant(share, program) };
            let beside = format!("{streams} streams of {blocks} quarters, {}", length(kernel));
            let both = move || side_by_side(&[slim(burst(60)), slim(burst(40))], kernel, seed);
            cases.push(case(format!("[60, 40] {beside}"), both));
            let full = tenant(burst(40), Program::Saturate { kernel: MS });
            let one = move || side_by_side(&[slim(burst(60)), full], kernel.max(MS), seed);
            cases.push(case(format!("[60, 40] {beside}, beside full ones of 1 ms"), one));
            let fixed = Share { policy: Policy::Fixed, ..burst(30) };
            let capped = move || side_by_side(&[slim(fixed)], kernel, seed);
            cases.push(case(format!("fixed 30 alone, {beside}"), capped));
            cases.push(case(format!("one at 100 %, {beside}"), move || unhindered(slim(burst(100)))));
        }
    }
    for percent in [10, 30, 60] {
        for (processes, streams) in [(1, 1), (1, 4), (1, 8), (4, 1)] {
            for kernel in [50 * US, MS, 10 * MS] {
                let setup = Setup {
                    processes,
                    streams,
                    ..tenant(burst(percent), Program::Slim { kernel, blocks: 1 })
                };
                let name =
                    format!("[{percent}] no node, {processes} x {streams} side by side, {}", length(kernel));
                cases.push(case(name, move || without_node(&setup, kernel, seed)));
            }
        }
    }
    for kernel in [200 * US, MS] {
        cases.push(case(format!("64 tenants, kernels of {}", length(kernel)), move || many(kernel)));
    }
    cases
}

pub fn length(ns: u64) -> String {
    if !ns.is_multiple_of(MS) { format!("{} us", ns / US) } else { format!("{} ms", ns / MS) }
}

fn saturating(set: &[u32], kernel: u64, (processes, streams): (usize, usize), seed: u64) -> Vec<Row> {
    let program = Program::Saturate { kernel };
    let setups: Vec<Setup> =
        set.iter().map(|percent| Setup { processes, streams, ..tenant(burst(*percent), program) }).collect();
    let window = SECOND.max(200 * kernel);
    let mut world = World::new(&setups, true, seed);
    if processes * streams > 1 {
        world.measure_by_solo(&setups);
    }
    world.run(SECOND + 2 * window);
    let asked: Vec<(usize, f64)> =
        set.iter().enumerate().map(|(i, percent)| (i, f64::from(*percent))).collect();
    let mut rows = shares(&world, &asked, kernel, SECOND);
    rows.extend(sum(&world, &setups, SECOND));
    rows
}

/// What all got done together: of the device but for its switches, and of what they get done unmanaged.
fn sum(world: &World, setups: &[Setup], from: u64) -> Vec<Row> {
    let together = |world: &World| (0..setups.len()).map(|i| world.percent(i, from, world.now)).sum::<f64>();
    let mut free = World::new(setups, false, 1);
    free.measure_as(world);
    free.run(world.now);
    let switching = 100.0 * world.switches() as f64 * SWITCH / world.now as f64;
    vec![
        Row::at_least("% together but for switches", together(world) + switching, 97.0),
        Row::at_least("% of unmanaged", 100.0 * together(world) / together(&free), 98.0),
    ]
}

fn mixed(program: Program) -> Vec<Row> {
    let setups = [tenant(burst(60), program), tenant(burst(40), Program::Saturate { kernel: MS })];
    let mut world = World::new(&setups, true, 2);
    world.run(8 * SECOND);
    let mut rows = shares(&world, &[(0, 60.0), (1, 40.0)], 10 * MS, SECOND);
    rows.extend(sum(&world, &setups, SECOND));
    rows
}

fn changes(before: u64, after: u64) -> Vec<Row> {
    let setups = [
        tenant(burst(70), Program::Changes { before, after, at: 2 * SECOND }),
        tenant(burst(30), Program::Saturate { kernel: MS }),
    ];
    let mut world = World::new(&setups, true, 3);
    world.run(6 * SECOND);
    shares(&world, &[(0, 70.0), (1, 30.0)], before.max(after), 3 * SECOND)
}

/// Processes that the host does not let run for a while, again and again: whatever they had in flight seems to go on.
fn held_up(ms: [u64; 2], every: u64) -> Vec<Row> {
    let program = Program::Saturate { kernel: 100 * US };
    let setup = |percent, ms| Setup { held_up: (ms * MS, every * MS), ..tenant(burst(percent), program) };
    let setups = [setup(90, ms[0]), setup(10, ms[1])];
    let mut world = World::new(&setups, true, 14);
    let begin = 3 * every * MS;
    world.run(begin + 8 * every * MS);
    // Each gets its share while it is let run.
    let part = |i: usize| 1.0 - ms[i] as f64 / every as f64;
    vec![
        Row::at_least("% of the greater", world.percent(0, begin, world.now), 90.0 * part(0) - 1.5),
        Row::at_least("% of the lesser", world.percent(1, begin, world.now), 10.0 * part(1) - 1.5),
    ]
}

fn bursty() -> Vec<Row> {
    let setups = [
        tenant(burst(50), Program::Bursts { kernel: 200 * US, on: 30 * MS, off: 70 * MS }),
        tenant(burst(50), Program::Saturate { kernel: 200 * US }),
    ];
    let mut world = World::new(&setups, true, 4);
    world.run(5 * SECOND);
    // While it wants something it gets its half; the other has the rest.
    let (own, other) = (world.percent(0, SECOND, world.now), world.percent(1, SECOND, world.now));
    vec![Row::at_least("% of the bursts' wish", own, 14.0), Row::at_least("% together", own + other, 96.0)]
}

fn waiting() -> Vec<Row> {
    let program = Program::Think { kernel: 500 * US, thought: 50 * US };
    let mut alone = World::new(&[tenant(burst(50), program)], false, 5);
    alone.run(4 * SECOND);
    let solo = alone.percent(0, SECOND, alone.now);
    let setups = [tenant(burst(50), program), tenant(burst(50), program)];
    let mut world = World::new(&setups, true, 5);
    world.run(4 * SECOND);
    let part = |i| 100.0 * world.percent(i, SECOND, world.now) / solo;
    vec![Row::at_least("% of alone, the lesser of two", part(0).min(part(1)), 48.5)]
}

fn copies() -> Vec<Row> {
    let copier = tenant(burst(30), Program::Copies { bytes: 256 << 10 });
    let setups = [tenant(burst(70), Program::Saturate { kernel: MS }), copier];
    let mut world = World::new(&setups, true, 6);
    world.run(4 * SECOND);
    vec![
        Row::at_least("% of the kernels' tenant", world.percent(0, SECOND, world.now), 98.0),
        Row::at_least("% of the copy engine", world.percent(1, SECOND, world.now), 95.0),
    ]
}

fn copiers() -> Vec<Row> {
    let copier = |percent| tenant(burst(percent), Program::Copies { bytes: 256 << 10 });
    let mut world = World::new(&[copier(70), copier(30)], true, 7);
    world.run(4 * SECOND);
    let off = |i, asked: f64| (world.percent(i, SECOND, world.now) - asked).abs();
    vec![Row::at_most("points off", off(0, 70.0).max(off(1, 30.0)), 5.0)]
}

fn alone() -> Vec<Row> {
    let kernels = [20 * US, MS, 50 * MS].into_iter();
    kernels.flat_map(|kernel| unhindered(tenant(burst(100), Program::Saturate { kernel }))).collect()
}

fn unhindered(setup: Setup) -> Vec<Row> {
    let (mut managed, mut free) = (World::new(&[setup], true, 8), World::new(&[setup], false, 8));
    managed.run(4 * SECOND);
    free.run(4 * SECOND);
    // How many run side by side is found out first.
    let (what, from) = match setup.program {
        Program::Saturate { kernel } => (format!("% of unmanaged, {}", length(kernel)), 0),
        _ => ("% of unmanaged".into(), SECOND),
    };
    let part = 100.0 * managed.percent(0, from, managed.now) / free.percent(0, from, free.now);
    vec![Row::at_least(what, part, 99.0)]
}

fn lending() -> Vec<Row> {
    let back = 2 * SECOND;
    let setups = [
        tenant(burst(20), Program::Saturate { kernel: 200 * US }),
        tenant(burst(10), Program::Saturate { kernel: 200 * US }),
        tenant(burst(70), Program::From { kernel: 200 * US, at: back }),
    ];
    let mut world = World::new(&setups, true, 9);
    world.run(4 * SECOND);
    let used = world.percent(0, SECOND, back) + world.percent(1, SECOND, back);
    let ratio = world.percent(0, SECOND, back) / world.percent(1, SECOND, back);
    let given_back = (0..).map(|i| back + i * MS).find(|at| world.percent(2, *at, at + 20 * MS) >= 65.0);
    let given_back = given_back.map_or(f64::MAX, |at| (at - back) as f64 / MS as f64);
    // A switch is the device's, not ours.
    let switching = 100.0 * world.switches() as f64 * SWITCH / world.now as f64;
    vec![
        Row::at_least("% of idle time used", used + switching, 98.0),
        Row::at_most("distance from 2 : 1", (ratio - 2.0).abs(), 0.1),
        Row::at_most("ms until given back", given_back, 6.0),
    ]
}

fn fixed(kernel: u64) -> Vec<Row> {
    let share = Share { percent: 30, policy: Policy::Fixed, ..Share::default() };
    let mut world = World::new(&[tenant(share, Program::Saturate { kernel })], true, 10);
    let window = SECOND.max(200 * kernel);
    world.run(SECOND + 3 * window);
    shares(&world, &[(0, 30.0)], kernel, SECOND)
}

fn best_effort() -> Vec<Row> {
    let left_over = Share { percent: 0, policy: Policy::BestEffort, ..Share::default() };
    let setups = [
        tenant(burst(50), Program::Bursts { kernel: MS, on: 50 * MS, off: 50 * MS }),
        tenant(left_over, Program::Saturate { kernel: MS }),
    ];
    let mut world = World::new(&setups, true, 11);
    world.run(5 * SECOND);
    vec![
        Row::at_least("% of the one with a share", world.percent(0, SECOND, world.now), 47.5),
        Row::at_least("% of best effort", world.percent(1, SECOND, world.now), 45.0),
    ]
}

/// Requests of kernels of half a millisecond, beside best effort with kernels of `other`.
fn latency(count: u32, other: u64) -> Vec<Row> {
    let kernel = 500 * US;
    let every = u64::from(count) * kernel * 10 / 3;
    let share = Share { latency: true, ..burst(40) };
    let requests = tenant(share, Program::Requests { kernel, count, every });
    let left_over = Share { percent: 0, policy: Policy::BestEffort, ..Share::default() };
    let mut alone = World::new(&[requests], false, 12);
    alone.run(8 * SECOND);
    let mut world = World::new(&[requests, tenant(left_over, Program::Saturate { kernel: other })], true, 12);
    world.run(8 * SECOND);
    let (alone, beside) =
        (p99(&alone.tenants[0].processes[0].latencies), p99(&world.tenants[0].processes[0].latencies));
    let left = 100.0 - world.percent(0, SECOND, world.now);
    let best_effort = 100.0 * world.percent(1, SECOND, world.now) / left;
    // What best effort has in flight is at most 2 ms or two commands, and then there is a switch.
    let bound = ((2 * MS).max(2 * other) as f64 + SWITCH) / MS as f64;
    let beyond = Row::at_most("ms of p99 beyond alone", (beside - alone) / MS as f64, bound);
    let rest = Row::at_least("best effort, % of what is left", best_effort, 90.0);
    match (count, other) {
        (20, ..500_000) => vec![Row::at_most("p99 over alone", beside / alone, 1.10), rest],
        _ => vec![beyond, rest],
    }
}

/// Tenants whose kernels run side by side: less than that is not their share.
fn side_by_side(setups: &[Setup], kernel: u64, seed: u64) -> Vec<Row> {
    let mut world = World::new(setups, true, seed);
    world.measure_by_solo(setups);
    world.run(SECOND + 2 * SECOND.max(200 * kernel));
    let asked = setups.iter().enumerate().map(|(i, setup)| (i, f64::from(setup.share.percent)));
    let asked: Vec<(usize, f64)> = asked.collect();
    shares(&world, &asked, kernel, SECOND)
}

/// A tenant that keeps its own share after the node is gone.
fn without_node(setup: &Setup, kernel: u64, seed: u64) -> Vec<Row> {
    let setups = std::slice::from_ref(setup);
    let mut world = World::new(setups, true, seed);
    // Processes do not run side by side: their share is one of time.
    if setup.streams > 1 {
        world.measure_by_solo(setups);
    }
    world.run(SECOND);
    world.kill_node();
    // Its credit lasts a little longer, and what is learnt then is another second's.
    let from = 2 * SECOND + 500 * MS;
    let window = SECOND.max(200 * kernel);
    world.run(from + 2 * window - world.now);
    let (percent, got) = (f64::from(setup.share.percent), world.percent(0, from, world.now));
    let one_kernel = 100.0 * kernel as f64 / (2 * window) as f64;
    vec![
        Row::at_most("% of the device", got, percent + 1.5 + one_kernel),
        Row::at_least("% of the device", got, 0.9 * percent - one_kernel),
    ]
}

fn many(kernel: u64) -> Vec<Row> {
    let setups: Vec<Setup> = (0..64).map(|_| tenant(burst(1), Program::Saturate { kernel })).collect();
    let mut world = World::new(&setups, true, 13);
    world.run(4 * SECOND);
    let asked = 100.0 / 64.0;
    let off = (0..64).map(|i| (world.percent(i, SECOND, world.now) - asked).abs()).fold(0.0, f64::max);
    let mut rows = vec![
        Row::at_most("points off in 3 s", off, asked / 5.0),
        Row::at_most("looks of the node a second", (world.looks * SECOND / world.now) as f64, 500.0),
    ];
    rows.extend(sum(&world, &setups, SECOND));
    rows
}
