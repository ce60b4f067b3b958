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
/// What there is in a world, and what may go wrong in it.
mod world;

use std::time::Instant;

use stateright::{Checker, HasDiscoveries, Model};

use crate::world::{Bug, CALM, Faults, Spec, World, pod};

const THREE: &[Spec] = &[pod(&[2]), pod(&[1]), pod(&[1])];
const TWO: &[Spec] = &[pod(&[2]), pod(&[1])];

/// All states of a world.
fn holds(world: World) {
    let shown =
        format!("{:?} {:?}", world.pods.iter().map(|pod| pod.units).collect::<Vec<_>>(), world.faults);
    let start = Instant::now();
    let checker = world.checker().threads(2).spawn_dfs().join();
    println!(
        "{shown}: {} steps, {} states, depth {}, {:.1} s, {} MiB",
        checker.state_count(),
        checker.unique_state_count(),
        checker.max_depth(),
        start.elapsed().as_secs_f64(),
        peak_mib(),
    );
    checker.assert_properties();
}

fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

#[test]
fn holds_when_all_is_well() {
    holds(World::new(THREE, CALM));
}

#[test]
fn holds_when_schedulers_crash() {
    holds(World::new(TWO, Faults { crashes: [1; 2], ..CALM }));
}

#[test]
fn holds_when_two_believe_they_lead() {
    holds(World::new(TWO, Faults { rivals: 1, ..CALM }));
}

#[test]
fn every_seeded_mistake_is_found() {
    const PAIR: &[Spec] = &[pod(&[2]), pod(&[2])];
    const GANGS: &[Spec] = &[
        Spec { gang: Some(0), ..pod(&[2]) },
        Spec { gang: Some(0), ..pod(&[2]) },
        Spec { gang: Some(1), ..pod(&[2]) },
        Spec { gang: Some(1), ..pod(&[2]) },
    ];
    const PARTS: &[Spec] = &[pod(&[1, 1])];
    const LATE: &[Spec] = &[Spec { late: true, ..pod(&[2]) }, Spec { late: true, ..pod(&[2]) }, pod(&[2])];
    let recreated = Faults { recreations: 1, ..CALM };
    let rivals = Faults { rivals: 1, ..CALM };
    for (bug, property, world) in [
        (Bug::NodeTrusts, "no device is over-committed", World::new(PAIR, rivals)),
        (Bug::ReleaseOnGone, "no device is over-committed", World::new(PAIR, recreated)),
        (
            Bug::ByName,
            "a container runs with what was committed for it",
            World { devices: 2, ..World::new(PAIR, recreated) },
        ),
        (
            Bug::ByOrder,
            "a container runs with what was committed for it",
            World { devices: 2, ..World::new(PARTS, CALM) },
        ),
        (Bug::LeaveRejected, "no pod is stuck", World::new(PAIR, rivals)),
        (Bug::NeverRead, "no pod is stuck", World::new(PAIR, rivals)),
        (Bug::OneByOne, "no pod is stuck", World::new(GANGS, CALM)),
        (Bug::ReleaseOnDelete, "nothing leaks", World::new(PAIR, CALM)),
        (Bug::NoExpiry, "no pod is stuck", World::new(LATE, Faults { reservations: 2, ..CALM })),
        (
            Bug::ConflictFrees,
            "only an overlap of leaders rejects",
            World::new(PAIR, Faults { retries: 1, ..CALM }),
        ),
        (Bug::RejectOnHearsay, "only an overlap of leaders rejects", World::new(PAIR, CALM)),
    ] {
        let world = World { bug, ..world };
        let found = world.checker().finish_when(HasDiscoveries::AllOf([property].into())).spawn_dfs().join();
        println!("{bug:?}: {} states, found {:?}", found.unique_state_count(), found.discoveries().keys());
        assert!(found.discovery(property).is_some(), "{bug:?} went unnoticed");
    }
}

#[test]
#[ignore]
fn explore() {
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u8>().ok()).unwrap_or(0);
    let faults = Faults {
        crashes: [number("C"), number("C1").max(number("C"))],
        restarts: [number("R"), number("R")],
        rivals: number("V"),
        recreations: number("D"),
        losses: number("L"),
        retries: number("T"),
        resizes: number("Z"),
        preemptions: number("P"),
        reservations: number("S"),
    };
    const PODS: &[&[Spec]] = &[
        TWO,
        THREE,
        &[Spec { gang: Some(0), ..pod(&[1]) }, Spec { gang: Some(0), ..pod(&[1]) }, pod(&[2])],
        &[
            Spec { preempts: true, ..pod(&[2]) },
            Spec { resize: Some(&[2]), ..pod(&[1]) },
            Spec { resize: Some(&[2]), ..pod(&[1]) },
        ],
        &[Spec { preempts: true, ..pod(&[2]) }, Spec { resize: Some(&[1]), ..pod(&[2]) }, pod(&[1])],
    ];
    let world = World::new(PODS[number("W") as usize], faults);
    holds(World { echoes: number("E") > 0, devices: number("N").max(1) as usize, ..world });
}
