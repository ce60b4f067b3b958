//! The commit protocol under a model checker: two schedulers, two nodes, pods that are deleted and come back under their
//! name, requests that arrive late, twice or without an answer, events that come in any order and again, and crashes at every
//! step. The model drives the functions of `cleave_sched::protocol`; only the world around them is made up here.

/// How it ends if nothing more goes wrong.
mod help;
/// What must hold in every state.
mod properties;
/// Which states are the same.
mod sameness;
/// Everything there is, as one value.
mod state;
/// What may happen.
mod steps;
/// What happens.
mod take;
/// Ways through large worlds.
mod walk;
/// What there is in a world, and what may go wrong in it.
mod world;

use std::time::{Duration, Instant};

use stateright::{Checker, HasDiscoveries, Model};

use crate::world::{Bug, CALM, Faults, Spec, World, pod};

/// Two that cannot be on one device.
const PAIR: &[Spec] = &[pod(&[2]), pod(&[2])];
const TWO: &[Spec] = &[pod(&[2]), pod(&[1])];
const THREE: &[Spec] = &[pod(&[2]), pod(&[1]), pod(&[1])];
const GANG: &[Spec] = &[member(0, &[1]), member(0, &[1]), pod(&[2])];
const GANGS: &[Spec] = &[member(0, &[2]), member(0, &[2]), member(1, &[2]), member(1, &[2])];
const GROWING: &[Spec] = &[
    Spec { preempts: true, ..pod(&[2]) },
    Spec { resize: Some(&[2]), ..pod(&[1]) },
    Spec { resize: Some(&[2]), ..pod(&[1]) },
];
const SHRINKING: &[Spec] =
    &[Spec { preempts: true, ..pod(&[2]) }, Spec { resize: Some(&[1]), ..pod(&[2]) }, pod(&[1])];
/// The kubelet may start either container first.
const PARTS: &[Spec] = &[pod(&[1, 1]), pod(&[2])];
/// Reservations for two that come late keep the third one out until they end.
const LATE: &[Spec] = &[late(&[2]), late(&[2]), pod(&[2])];
const MIXED: &[Spec] = &[
    Spec { preempts: true, ..pod(&[2]) },
    Spec { resize: Some(&[2]), ..pod(&[1]) },
    Spec { resize: Some(&[1, 1]), ..pod(&[2, 1]) },
    member(0, &[1]),
    member(0, &[1]),
];

const fn member(gang: u8, units: &'static [u64]) -> Spec {
    Spec { gang: Some(gang), ..pod(units) }
}

const fn late(units: &'static [u64]) -> Spec {
    Spec { late: true, ..pod(units) }
}

const CRASHES: Faults = Faults { crashes: [1; 2], ..CALM };
const RESTARTS: Faults = Faults { restarts: [1; 2], ..CALM };
const RIVALS: Faults = Faults { rivals: 1, ..CALM };
const RECREATED: Faults = Faults { recreations: 1, ..CALM };

/// What looking at all states of a world took.
struct Seen {
    states: usize,
    steps: usize,
    time: Duration,
}

/// Looks at all states of a world, and fails if a property does not hold in one of them.
fn holds(world: World) -> Seen {
    let start = Instant::now();
    let checker = world.checker().threads(2).spawn_dfs().join();
    let seen =
        Seen { states: checker.unique_state_count(), steps: checker.state_count(), time: start.elapsed() };
    println!("{} states, {} steps, {:.1} s", seen.states, seen.steps, seen.time.as_secs_f64());
    checker.assert_properties();
    seen
}

#[test]
fn holds_when_all_is_well() {
    holds(World::new(THREE, CALM));
    holds(World { devices: 2, ..World::new(PARTS, CALM) });
}

#[test]
fn holds_when_schedulers_crash() {
    holds(World::new(PAIR, Faults { retries: 1, ..CRASHES }));
}

#[test]
fn holds_when_nodes_start_again() {
    holds(World::new(TWO, RESTARTS));
}

#[test]
fn holds_when_two_believe_they_lead() {
    holds(World::new(PAIR, RIVALS));
}

#[test]
fn holds_when_pods_come_back_under_their_name_and_old_events_come_again() {
    holds(World { echoes: true, ..World::new(PAIR, Faults { retries: 1, ..RECREATED }) });
}

#[test]
fn holds_when_a_node_is_lost_and_comes_back() {
    holds(World::new(PAIR, Faults { losses: 1, ..RECREATED }));
}

#[test]
fn holds_for_gangs() {
    holds(World::new(GANG, Faults { crashes: [1, 0], ..CALM }));
    holds(World::new(GANGS, CALM));
}

#[test]
fn holds_for_resizes_preemption_and_reservations() {
    holds(World::new(GROWING, Faults { resizes: 1, ..CALM }));
    holds(World::new(SHRINKING, Faults { preemptions: 1, ..CALM }));
    holds(World::new(LATE, Faults { reservations: 2, ..CALM }));
}

/// Everything at once, with more pods and devices than can be looked at whole.
fn everything() -> World {
    let faults = Faults {
        crashes: [1; 2],
        restarts: [1; 2],
        rivals: 1,
        recreations: 2,
        losses: 1,
        retries: 1,
        resizes: 2,
        preemptions: 1,
        reservations: 1,
    };
    World { devices: 2, echoes: true, ..World::new(MIXED, faults) }
}

/// Ways that every test run walks; `cargo xtask bench sched` goes on from there.
const EVERYDAY: u64 = 250;
const LENGTH: usize = 200;

#[test]
fn holds_on_random_ways_through_a_larger_world() {
    let found = walk::walk(&everything(), 0..EVERYDAY, LENGTH);
    println!("{found:?} states");
    found.unwrap();
}

/// What the random ways are good for: these mistakes show on a tenth of them or more. The others need rare things in one
/// order, and are found by looking at all states.
#[test]
fn random_ways_come_upon_mistakes() {
    for bug in [
        Bug::NodeTrusts,
        Bug::ReleaseOnGone,
        Bug::ByName,
        Bug::ByOrder,
        Bug::LeaveRejected,
        Bug::NeverRead,
        Bug::ReleaseOnDelete,
    ] {
        let found = walk::walk(&World { bug, ..everything() }, 0..EVERYDAY, LENGTH);
        assert!(found.is_err(), "{bug:?} went unnoticed");
    }
}

#[test]
fn every_seeded_mistake_is_found() {
    let two = |world| World { devices: 2, ..world };
    for (bug, property, world) in [
        (Bug::NodeTrusts, "no device is over-committed", World::new(PAIR, RIVALS)),
        (Bug::ReleaseOnGone, "no device is over-committed", World::new(PAIR, RECREATED)),
        (
            Bug::ByName,
            "a container runs with what was committed for it",
            two(World::new(&PAIR[..1], RECREATED)),
        ),
        (Bug::ByOrder, "a container runs with what was committed for it", two(World::new(&PARTS[..1], CALM))),
        (Bug::LeaveRejected, "no pod is stuck", World::new(PAIR, RIVALS)),
        (Bug::NeverRead, "no pod is stuck", World::new(PAIR, CALM)),
        (Bug::OneByOne, "no pod is stuck", World::new(GANGS, CALM)),
        (Bug::NoExpiry, "no pod is stuck", World::new(LATE, Faults { reservations: 2, ..CALM })),
        (Bug::ReleaseOnDelete, "nothing leaks", World::new(PAIR, CALM)),
        (Bug::PlanLost, "a gang that has begun has its places", World::new(GANG, CRASHES)),
        (
            Bug::ConflictFrees,
            "a leader promises no more than there is",
            World::new(PAIR, Faults { retries: 1, ..CALM }),
        ),
        (Bug::RejectOnHearsay, "only an overlap of leaders rejects", World::new(PAIR, CALM)),
    ] {
        let world = World { bug, ..world };
        let found = world.checker().finish_when(HasDiscoveries::AllOf([property].into())).spawn_dfs().join();
        println!("{bug:?}: {} states", found.unique_state_count());
        assert!(found.discovery(property).is_some(), "{bug:?} went unnoticed");
    }
}

/// The size that is promised: two schedulers, two nodes, two devices, three pods, one crash of each scheduler and of each
/// node's daemon.
#[test]
#[ignore = "a minute in a release build; `cargo xtask bench sched` runs it"]
fn target() {
    report("model", &[holds(World::new(THREE, Faults { crashes: [1; 2], ..RESTARTS }))]);
}

/// The same size with two that believe they lead, and nothing else that goes wrong.
#[test]
#[ignore = "minutes in a release build; `cargo xtask bench sched` runs it"]
fn rivals() {
    report("rivals", &[holds(World::new(THREE, RIVALS))]);
}

/// Worlds between the everyday ones and those that are only walked through.
#[test]
#[ignore = "a minute in a release build; `cargo xtask bench sched` runs it"]
fn larger() {
    report(
        "larger",
        &[
            holds(World::new(TWO, Faults { rivals: 1, ..CRASHES })),
            holds(World::new(GANG, Faults { retries: 1, ..CRASHES })),
            holds(World::new(GROWING, Faults { resizes: 1, preemptions: 1, ..CALM })),
            holds(World::new(SHRINKING, Faults { resizes: 2, preemptions: 1, ..CALM })),
            holds(World::new(THREE, RECREATED)),
            holds(World::new(&PAIR[..1], Faults { rivals: 1, recreations: 1, ..CALM })),
        ],
    );
}

#[test]
#[ignore = "a minute in a release build; `cargo xtask bench sched` runs it"]
fn walks() {
    let start = Instant::now();
    let states = walk::walk(&everything(), EVERYDAY..2_000, LENGTH).unwrap();
    report("walks", &[Seen { states, steps: states, time: start.elapsed() }]);
}

/// One line of JSON for whoever runs this to measure.
fn report(name: &str, seen: &[Seen]) {
    let states: usize = seen.iter().map(|seen| seen.states).sum();
    let steps: usize = seen.iter().map(|seen| seen.steps).sum();
    let seconds: f64 = seen.iter().map(|seen| seen.time.as_secs_f64()).sum();
    println!(
        "{{\"{name}_states\": {states}, \"{name}_steps\": {steps}, \"{name}_seconds\": {seconds:.1}, \"{name}_peak_mib\": {}}}",
        peak_mib()
    );
}

fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
