//! Contexts on one device, in virtual time.

use cleave_pace::{Card, Context, Shape, Sim, Work};

const SECOND: u64 = 1_000_000_000;

fn card() -> Card {
    Card {
        sms: 4,
        threads_per_sm: 1024,
        blocks_per_sm: 16,
        slice_ns: 2_000_000,
        switch_ns: 50_000,
        start_ns: 4_000,
        copy_bytes_per_us: 1_000,
        ..Card::default()
    }
}

/// So many rounds of two contexts: a slice and a switch each.
const ROUND: u64 = 2 * 2_050_000;

/// A kernel that fills the device `waves` times, and so takes about `ns`.
fn kernel(ns: u64, waves: u64) -> Work {
    let shape =
        Shape { blocks: 16 * waves, threads: 256, registers: 16, shared: 0, priority: 0, cooperative: false };
    Work::Kernel { shape, block_ns: ns / waves }
}

/// A context that does `pattern` in each of two streams for ever: always something to run.
fn saturating(sim: &mut Sim, pattern: &[Work]) -> Context {
    let context = sim.context();
    for _ in 0..2 {
        let stream = sim.stream(context);
        sim.push(stream, pattern, u64::MAX);
    }
    context
}

fn solo(pattern: &[Work], time: u64) -> u64 {
    let mut sim = Sim::new(card());
    let context = saturating(&mut sim, pattern);
    sim.run(time);
    sim.report(context).work_ns
}

/// Work done relative to doing it alone, of contexts that each do one of the patterns.
fn shares(patterns: &[&[Work]], time: u64) -> Vec<f64> {
    let mut sim = Sim::new(card());
    let contexts: Vec<Context> = patterns.iter().map(|pattern| saturating(&mut sim, pattern)).collect();
    sim.run(time);
    let share = |(context, pattern): (&Context, &&[Work])| {
        sim.report(*context).work_ns as f64 / solo(pattern, time) as f64
    };
    contexts.iter().zip(patterns).map(share).collect()
}

#[test]
fn two_saturating_contexts_get_half_each_but_for_the_switches() {
    // Of 2.05 ms a context has 2 ms.
    let each = 0.5 * 2.0 / 2.05;
    for ns in [20_000, 100_000, 1_000_000, 10_000_000, 50_000_000] {
        let pattern = [kernel(ns, 4)];
        // Long enough that a block more or less does not matter.
        let rounds = (100 * ns / ROUND).max(50);
        for share in shares(&[&pattern, &pattern], rounds * ROUND) {
            assert!((share - each).abs() < 0.005, "kernels of {ns} ns: {share}");
        }
    }
}

#[test]
fn unequal_kernels_get_equal_time() {
    let (short, long) = ([kernel(20_000, 1)], [kernel(50_000_000, 50)]);
    let shares = shares(&[&short, &long], 200 * ROUND);
    let each = 0.5 * 2.0 / 2.05;
    assert!(shares.iter().all(|share| (share - each).abs() < 0.005), "{shares:?}");
}

#[test]
fn eight_contexts_get_an_eighth_each() {
    let pattern = [kernel(500_000, 2)];
    let patterns: Vec<&[Work]> = vec![&pattern; 8];
    let each = 0.125 * 2.0 / 2.05;
    for share in shares(&patterns, 5 * SECOND) {
        assert!((share - each).abs() < 0.003, "{share}");
    }
}

#[test]
fn beside_an_endless_kernel_nobody_waits_longer_than_a_slice_and_a_switch() {
    let mut sim = Sim::new(card());
    saturating(&mut sim, &[kernel(3_600 * SECOND, 1)]);
    let short = sim.context();
    let stream = sim.stream(short);
    sim.push(stream, &[kernel(20_000, 1), Work::Pause { ns: 777_777 }], u64::MAX);
    sim.run(SECOND);
    let report = sim.report(short);
    assert!(report.longest_wait_ns <= 2_050_000 + 256, "{report:?}");
    assert!(report.longest_wait_ns > 1_000_000, "it did wait: {report:?}");
    assert!(report.kernels > 300, "{report:?}");
}

#[test]
fn an_idle_neighbour_costs_nothing() {
    let pattern = [kernel(100_000, 4)];
    let mut sim = Sim::new(card());
    let busy = saturating(&mut sim, &pattern);
    let idle = sim.context();
    let stream = sim.stream(idle);
    sim.push(stream, &[Work::Pause { ns: 10 * SECOND }, kernel(100_000, 1)], 1);
    sim.run(SECOND);
    assert_eq!(sim.report(busy).work_ns, solo(&pattern, SECOND));
    assert_eq!((sim.switches(), sim.report(idle).kernels), (0, 0));
}

#[test]
fn a_context_without_work_gives_up_at_once() {
    // One has a kernel of 100 µs every millisecond: the other gets the rest but for two switches each time.
    let pattern = [kernel(400_000, 4)];
    let mut sim = Sim::new(card());
    let busy = saturating(&mut sim, &pattern);
    let light = sim.context();
    let stream = sim.stream(light);
    sim.push(stream, &[kernel(100_000, 1), Work::Pause { ns: 900_000 }], u64::MAX);
    sim.run(SECOND);
    let (busy, light) = (sim.report(busy), sim.report(light));
    let lost = sim.switches() * 50_000 + light.busy_ns;
    assert!(busy.busy_ns + lost <= SECOND && busy.busy_ns + lost + 10_000 > SECOND, "{busy:?} {light:?}");
    assert_eq!(light.busy_ns / 104_000, light.kernels);
}

#[test]
fn copies_overlap_kernels_and_each_other() {
    // A millisecond of kernels in one stream, of copies in each direction in two others.
    let mut sim = Sim::new(card());
    let context = sim.context();
    let copy = |engine| Work::Copy { bytes: 100_000, engine };
    for work in [kernel(96_000, 1), copy(0), copy(1)] {
        let stream = sim.stream(context);
        sim.push(stream, &[work], 10);
    }
    sim.run(1_000_000);
    let report = sim.report(context);
    assert_eq!((report.kernels, report.copied_bytes), (10, 2_000_000));
    assert_eq!(sim.spans().last().unwrap().end, 1_000_000);
}

#[test]
fn long_copies_of_two_contexts_alternate() {
    let mut sim = Sim::new(card());
    let [first, second] = [(); 2].map(|()| {
        let context = sim.context();
        let stream = sim.stream(context);
        sim.push(stream, &[Work::Copy { bytes: 20_000_000, engine: 0 }, kernel(10_000, 1)], 1);
        context
    });
    // Twenty milliseconds each, together forty; both are at it until shortly before the end.
    sim.run(37_000_000);
    assert_eq!((sim.report(first).kernels, sim.report(second).kernels), (0, 0));
    sim.run(41_000_000);
    assert_eq!((sim.report(first).kernels, sim.report(second).kernels), (1, 1));
}

#[test]
fn streams_run_in_order_and_kernels_take_what_the_model_says() {
    let mut sim = Sim::new(card());
    let context = sim.context();
    let stream = sim.stream(context);
    sim.push(stream, &[kernel(20_000, 1), Work::Copy { bytes: 5_000, engine: 0 }, kernel(60_000, 3)], 2);
    sim.run(SECOND);
    let times: Vec<_> = sim.spans().iter().map(|span| (span.ready, span.start, span.end)).collect();
    assert_eq!(
        times,
        [
            (0, 4_000, 24_000),
            (29_000, 33_000, 93_000),
            (93_000, 97_000, 117_000),
            (122_000, 126_000, 186_000)
        ]
    );
}

#[test]
fn the_same_input_gives_the_same_times() {
    let run = || {
        let mut sim = Sim::new(card());
        for ns in [30_000, 70_000, 110_000] {
            saturating(&mut sim, &[kernel(ns, 3), Work::Copy { bytes: ns, engine: 1 }]);
        }
        sim.run(SECOND / 4);
        sim.spans().to_vec()
    };
    assert_eq!(run(), run());
}
