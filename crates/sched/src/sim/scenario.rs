use cleave_model::Accountant;

use super::{Arrival, Outcome, Run, Trace, arrivals, capacity, replay};
use crate::{Chance, Cluster, Invalid, Workload, policy};

/// A trace and how it is replayed.
#[derive(Clone, Debug)]
pub struct Scenario {
    cluster: Cluster,
    trace: Trace,
    workload: Workload,
    /// Demand to reach, in percent of all devices. Of no effect with departures.
    pub demand_percent: u32,
    /// Pods come and go at the times of the trace, instead of in a shuffled order to stay.
    pub departures: bool,
    pub offline: Offline,
}

/// Which pods are offline work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offline {
    #[default]
    None,
    /// So many of a hundred, drawn by lot.
    Percent(u32),
    /// Those the trace calls best effort.
    BestEffort,
}

impl Scenario {
    pub fn new(trace: Trace) -> Result<Scenario, Invalid> {
        let mut cluster = Cluster::new(Accountant::Extender);
        for node in &trace.nodes {
            cluster.add_node(node.clone())?;
        }
        let workload = Workload::of(trace.pods.iter().map(|pod| &pod.want));
        let offline = Offline::default();
        Ok(Scenario { cluster, trace, workload, demand_percent: 130, departures: false, offline })
    }

    /// The empty nodes.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// The pods of one run. The same seed gives every policy the same pods in the same order.
    pub fn arrivals(&self, seed: u64) -> Vec<Arrival> {
        let mut chance = Chance::new(seed.wrapping_mul(0x123_4567));
        let mut coming = if self.departures {
            self.in_time()
        } else {
            arrivals(
                &self.trace.pods,
                capacity(&self.cluster),
                self.demand_percent,
                self.offline,
                &mut chance,
            )
        };
        if let Offline::Percent(percent) = self.offline {
            let drawn = |arrival: Arrival| {
                if chance.below(100) < percent as usize { arrival.offline() } else { arrival }
            };
            coming = coming.into_iter().map(drawn).collect();
        }
        coming
    }

    fn in_time(&self) -> Vec<Arrival> {
        let stays = |pod: &super::TracePod| pod.deleted <= pod.created;
        let come = |pod: &super::TracePod| Arrival {
            deleted: (!stays(pod)).then_some(pod.deleted),
            ..Arrival::of(pod, self.offline)
        };
        let mut coming: Vec<Arrival> = self.trace.pods.iter().map(come).collect();
        coming.sort_by_key(|arrival| arrival.created);
        coming
    }

    /// One run of the policy of that name, or nothing if there is none.
    pub fn run(
        &self,
        policy: &str,
        seed: u64,
        clock: &mut dyn FnMut() -> u64,
        progress: &mut dyn FnMut(),
    ) -> Option<Outcome> {
        let policy = policy::by_name(policy, &self.workload)?;
        let coming = self.arrivals(seed);
        let run = Run { cluster: self.cluster.clone(), policy, arrivals: &coming, chance: Chance::new(seed) };
        Some(replay(run, clock, progress))
    }
}
