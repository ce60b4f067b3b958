//! Decisions in a large cluster, and how tightly mixed slices are packed. Prints one line of JSON.

use std::time::Instant;

use cleave_model::{Accountant, Ask, Compute, Device, Memory, MilliPercent};
use cleave_sched::policy::by_name;
use cleave_sched::{Chance, Cluster, Desk, Host, NodeSpec, Pod, Want, Workload};

fn main() {
    let (median_us, p99_us, slices, mib) = large();
    let touched = mixed();
    println!(
        "{{\"large_median_us\": {median_us:.2}, \"large_p99_us\": {p99_us:.2}, \"large_slices\": {slices}, \
         \"large_state_mib\": {mib:.1}, \"mixed_touched_percent\": {touched:.3}}}"
    );
}

/// 5,000 nodes of 8 devices with 50,000 slices: microseconds for a known shape, and memory of the whole state.
fn large() -> (f64, f64, usize, f64) {
    let before = resident_mib();
    let wants: Vec<Want> =
        [125, 250, 300, 500, 810, 1000].iter().map(|share| slice(*share, share * 11)).collect();
    let mut desk = desk(5000, &wants);
    let mut chance = Chance::new(1);
    let mut placed = 0;
    let mut times = Vec::new();
    while placed < 50_000 {
        let want = &wants[chance.below(wants.len())];
        if commit(&mut desk, want, placed) {
            placed += 1;
        } else {
            break;
        }
    }
    // One pod comes and one goes, at the fill reached.
    for step in 0..4000 {
        desk.release(&format!("pod-{step}"));
        let want = &wants[chance.below(wants.len())];
        let start = Instant::now();
        let decision = desk.choose(want);
        times.push(start.elapsed().as_nanos() as f64 / 1e3);
        if let Some(decision) = decision {
            let uid = format!("new-{step}");
            let pod = Pod { uid, want: want.clone(), placements: decision.placements };
            desk.commit(pod, decision.node).expect("a decision can be committed");
        }
    }
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[times.len() * 99 / 100], placed, resident_mib() - before)
}

/// Slices of 1/8, 1/4, 1/2 and 0.3 up to 95 % of 250 devices: devices touched, in percent above what any packing needs.
fn mixed() -> f64 {
    let shares = [125u32, 250, 500, 300];
    let wants: Vec<Want> = shares.iter().map(|share| slice(*share, 100)).collect();
    let mut worst = 0.0;
    for seed in 0..10 {
        let mut desk = desk_of(32, &wants, |node| if node == 31 { 2 } else { 8 });
        let mut chance = Chance::new(seed);
        let (mut sum, mut odd, mut number) = (0, 0, 0);
        while sum < 250 * 950 {
            let drawn = chance.below(4);
            assert!(commit(&mut desk, &wants[drawn], number), "a slice found no place at {sum}");
            sum += shares[drawn];
            odd += u32::from(shares[drawn] == 300);
            number += 1;
        }
        // A device with slices of 0.3 is never full, the others being eighths: one leaves 700, of which 75 stay free, two leave
        // 400 and 25, three leave 100 and all of it. So each costs at least 12.5, and as there are enough eighths and
        // quarters to fill 375 beside each two, an offline packing reaches that.
        let bound = f64::from(sum * 2 + odd * 25) / 2000.0;
        let cards = desk.cluster().nodes().iter().flat_map(|node| node.cards());
        let touched = cards.filter(|card| card.used().slices > 0).count() as f64;
        worst = f64::max(worst, (touched / bound.ceil() - 1.0) * 100.0);
    }
    worst
}

fn slice(share: u32, cpu_milli: u32) -> Want {
    let share = MilliPercent::new(share * 100).expect("not more than a device");
    let ask = Ask::new(1, Memory::Share(share), Compute::Share(share));
    Want::one(Host { cpu_milli, memory_mib: cpu_milli }, ask)
}

fn desk(nodes: usize, wants: &[Want]) -> Desk {
    desk_of(nodes, wants, |_| 8)
}

fn desk_of(nodes: usize, wants: &[Want], devices: impl Fn(usize) -> u32) -> Desk {
    let mut cluster = Cluster::new(Accountant::Extender);
    for node in 0..nodes {
        let device = |index| Device {
            index,
            ..Device::new(format!("GPU-{node:04}-{index}-1111-2222-333333333333"), "A100", 80_000)
        };
        let spec = NodeSpec {
            name: format!("node-{node:04}"),
            host: Host { cpu_milli: 96_000, memory_mib: 786_432 },
            devices: (0..devices(node)).map(device).collect(),
            ..NodeSpec::default()
        };
        cluster.add_node(spec).expect("names differ");
    }
    let policy = by_name("thrift", &Workload::of(wants.iter())).expect("a known name");
    Desk::new(cluster, policy)
}

fn commit(desk: &mut Desk, want: &Want, number: usize) -> bool {
    let Some(decision) = desk.choose(want) else { return false };
    let pod = Pod { uid: format!("pod-{number}"), want: want.clone(), placements: decision.placements };
    desk.commit(pod, decision.node).is_ok()
}

fn resident_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(0.0) / 1024.0
}
