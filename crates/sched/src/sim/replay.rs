use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::{Arrival, Curve};
use crate::policy::Policy;
use crate::{Chance, Cluster, Decision, Desk, Offered, Pod, Want, preempt};

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
    /// Offline pods that made way for online ones.
    pub evicted: usize,
    /// Percent of devices allocated at the end, to online and to offline pods.
    pub online_percent: f64,
    pub offline_percent: f64,
    /// Nanoseconds of each decision, for a shape the desk knew and for a new one.
    pub known_ns: Vec<u64>,
    pub new_ns: Vec<u64>,
    /// The nodes as they were left.
    pub cluster: Option<Cluster>,
}

/// Offers the pods one by one, each once. `clock` gives nanoseconds; `progress` hears of every arrival.
pub fn replay(run: Run<'_>, clock: &mut dyn FnMut() -> u64, progress: &mut dyn FnMut()) -> Outcome {
    let capacity = capacity(&run.cluster).max(1) as f64;
    let percent = |demand: u64| demand as f64 * 100.0 / capacity;
    let mut floor = Floor {
        desk: Desk::new(run.cluster, run.policy).with_chance(run.chance),
        held: HashMap::new(),
        leaving: BinaryHeap::new(),
        online: 0,
        offline: 0,
    };
    let mut out = Outcome::default();
    let mut known: HashSet<&Want> = HashSet::new();
    let mut arrived = 0;
    for (number, arrival) in run.arrivals.iter().enumerate() {
        floor.let_go(arrival.created);
        let start = clock();
        let decided = floor.desk.choose(&arrival.want);
        let took = clock().saturating_sub(start);
        if known.insert(&arrival.want) {
            out.new_ns.push(took)
        } else {
            out.known_ns.push(took)
        }
        let decided = decided.or_else(|| floor.take_back(&arrival.want, &mut out.evicted));
        match decided {
            Some(decision) => {
                floor.enter(format!("pod-{number}"), arrival, decision);
                out.placed += 1;
            }
            None => out.refused += 1,
        }
        arrived += arrival.demand;
        out.curve.enter(percent(arrived), percent(floor.online + floor.offline));
        progress();
    }
    (out.online_percent, out.offline_percent) = (percent(floor.online), percent(floor.offline));
    out.cluster = Some(floor.desk.into_cluster());
    out
}

/// Thousandths of devices in all.
pub fn capacity(cluster: &Cluster) -> u64 {
    cluster.nodes().iter().map(|node| node.cards().len() as u64 * u64::from(crate::WHOLE)).sum()
}

/// The cluster during a run, and what its pods hold.
struct Floor {
    desk: Desk,
    /// Demand of each pod, and whether it is offline.
    held: HashMap<String, (u64, bool)>,
    leaving: BinaryHeap<Reverse<(u64, String)>>,
    online: u64,
    offline: u64,
}

impl Floor {
    fn enter(&mut self, uid: String, arrival: &Arrival, decision: Decision) {
        let pod = Pod { uid: uid.clone(), want: arrival.want.clone(), placements: decision.placements };
        if self.desk.commit(pod, decision.node).is_err() {
            return;
        }
        if let Some(when) = arrival.deleted {
            self.leaving.push(Reverse((when, uid.clone())));
        }
        let offline = arrival.want.is_offline();
        *(if offline { &mut self.offline } else { &mut self.online }) += arrival.demand;
        self.held.insert(uid, (arrival.demand, offline));
    }

    fn leave(&mut self, uid: &str) {
        self.desk.release(uid);
        if let Some((demand, offline)) = self.held.remove(uid) {
            *(if offline { &mut self.offline } else { &mut self.online }) -= demand;
        }
    }

    /// Ends the pods whose time is over at `now`.
    fn let_go(&mut self, now: u64) {
        while let Some(Reverse((when, uid))) = self.leaving.pop() {
            if when > now {
                self.leaving.push(Reverse((when, uid)));
                return;
            }
            self.leave(&uid);
        }
    }

    /// Takes back from offline pods what an online one needs.
    fn take_back(&mut self, want: &Want, evicted: &mut usize) -> Option<Decision> {
        if self.offline == 0 || want.is_offline() || want.asks.is_empty() {
            return None;
        }
        let found = preempt(self.desk.cluster(), want, &Offered::all())?;
        *evicted += found.victims.len();
        found.victims.iter().for_each(|uid| self.leave(uid));
        Some(Decision { node: found.node, placements: found.placements })
    }
}
