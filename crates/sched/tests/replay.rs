//! Whole replays of a small trace made by hand; `cargo xtask bench sched` replays the published ones.

use cleave_sched::policy::NAMES;
use cleave_sched::sim::{Offline, Outcome, Scenario, Trace, nodes_from_csv, pods_from_csv};

fn small(memory_percent: u32) -> Scenario {
    let nodes = nodes_from_csv(include_str!("data/nodes.csv")).expect("nodes");
    let pods = pods_from_csv(include_str!("data/pods.csv"), memory_percent).expect("pods");
    Scenario::new(Trace { nodes, pods }).expect("names differ")
}

fn run(scenario: &Scenario, policy: &str, seed: u64) -> Outcome {
    scenario.run(policy, seed, &mut || 0, &mut || ()).expect("a known name")
}

#[test]
fn every_policy_replays_and_promises_nothing_twice() {
    for name in NAMES {
        let scenario = small(100);
        let outcome = run(&scenario, name, 42);
        assert_eq!(outcome.placed + outcome.refused, scenario.arrivals(42).len(), "{name}");
        assert!(outcome.placed > 0 && outcome.refused > 0, "{name}");
        let last = outcome.curve.points().last().unwrap();
        assert!(last.0 >= 120 && last.1 <= 100.0, "{name} {last:?}");
        for node in outcome.cluster.unwrap().nodes() {
            for card in node.cards() {
                let used = card.used();
                assert!(
                    used.memory_mib <= card.device.memory_mib && used.online <= 100_000,
                    "{name} {}",
                    node.name
                );
            }
        }
    }
}

#[test]
fn a_run_is_repeated_by_its_seed() {
    for name in ["thrift", "random"] {
        let first = run(&small(100), name, 7);
        let second = run(&small(100), name, 7);
        assert_eq!(first.curve, second.curve, "{name}");
        assert_ne!(first.curve, run(&small(100), name, 8).curve, "{name}");
    }
}

#[test]
fn departures_give_room_back() {
    let mut scenario = small(100);
    let staying = run(&scenario, "thrift", 1);
    scenario.departures = true;
    let leaving = run(&scenario, "thrift", 1);
    assert!(leaving.refused < staying.refused, "{} {}", leaving.refused, staying.refused);
    assert!(leaving.online_percent < staying.online_percent);
}

#[test]
fn offline_work_runs_beside_online_work_and_makes_way() {
    let mut scenario = small(40);
    let online_only = run(&scenario, "thrift", 3);
    scenario.offline = Offline::Percent(50);
    let mixed = run(&scenario, "thrift", 3);
    let sum = mixed.online_percent + mixed.offline_percent;
    assert!(mixed.offline_percent > 0.0 && sum > online_only.online_percent + 5.0, "{sum}");
    scenario.offline = Offline::BestEffort;
    assert!(run(&scenario, "thrift", 3).offline_percent > 0.0);
}
