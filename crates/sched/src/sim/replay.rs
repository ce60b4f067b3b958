use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::{Arrival, Curve};
use crate::{Chance, Cluster, Desk, Pod, policy::Policy};

/// What one run needs.
pub struct Run<'a> {
    /// Empty nodes.
    pub cluster: Cluster,
    pub policy: Box<dyn Policy>,
    pub arrivals: &'a [Arrival],
    pub chance: Chance,
}

/// What one run gave.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub curve: Curve,
    pub placed: usize,
    pub refused: usize,
    /// Percent of devices allocated at the end, to online and to offline pods.
    pub online_percent: f64,
    pub offline_percent: f64,
    /// Nanoseconds of each decision, for a shape the desk knew and for a new one.
    pub known_ns: Vec<u64>,
    pub new_ns: Vec<u64>,
    pub cluster: Option<Cluster>,
}

/// Offers the pods one by one, each once. `clock` gives nanoseconds; `progress` hears of every arrival.
pub fn replay(run: Run<'_>, clock: &mut dyn FnMut() -> u64, progress: &mut dyn FnMut()) -> Outcome {
    let capacity = capacity(&run.cluster).max(1) as f64;
    let mut desk = Desk::new(run.cluster, run.policy).with_chance(run.chance);
    let mut out = Outcome::default();
    let mut leaving: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let mut held: HashMap<usize, (u64, bool)> = HashMap::new();
    let mut known: std::collections::HashSet<&crate::Want> = std::collections::HashSet::new();
    let (mut arrived, mut online, mut offline) = (0u64, 0u64, 0u64);
    for (number, arrival) in run.arrivals.iter().enumerate() {
        while let Some(Reverse((when, leaver))) = leaving.peek().copied()
            && when <= arrival.created
        {
            leaving.pop();
            desk.release(&uid(leaver));
            if let Some((demand, was_offline)) = held.remove(&leaver) {
                *(if was_offline { &mut offline } else { &mut online }) -= demand;
            }
        }
        let new = known.insert(&arrival.want);
        let start = clock();
        let decided = desk.choose(&arrival.want);
        let took = clock().saturating_sub(start);
        if new {
            out.new_ns.push(took)
        } else {
            out.known_ns.push(took)
        }
        arrived += arrival.demand;
        match decided {
            Some(decision) => {
                let pod =
                    Pod { uid: uid(number), want: arrival.want.clone(), placements: decision.placements };
                if desk.commit(pod, decision.node).is_ok() {
                    out.placed += 1;
                    *(if arrival.want.is_offline() { &mut offline } else { &mut online }) += arrival.demand;
                    if let Some(when) = arrival.deleted {
                        leaving.push(Reverse((when, number)));
                        held.insert(number, (arrival.demand, arrival.want.is_offline()));
                    }
                }
            }
            None => out.refused += 1,
        }
        let percent = |demand: u64| demand as f64 * 100.0 / capacity;
        out.curve.enter(percent(arrived), percent(online + offline));
        (out.online_percent, out.offline_percent) = (percent(online), percent(offline));
        progress();
    }
    out.cluster = Some(desk.into_cluster());
    out
}

/// Thousandths of devices in all.
pub fn capacity(cluster: &Cluster) -> u64 {
    cluster.nodes().iter().map(|node| node.cards().len() as u64 * u64::from(crate::WHOLE)).sum()
}

fn uid(number: usize) -> String {
    format!("pod-{number}")
}
