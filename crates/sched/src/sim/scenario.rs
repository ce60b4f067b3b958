use cleave_model::{Accountant, Placement};

use super::{Arrival, Outcome, Place, Run, Trace, TracePod, arrivals, capacity, replay};
use crate::{Chance, Cluster, Invalid, Pod, Workload, policy};

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

    /// The nodes with the pods whose places the trace tells; nothing if it tells of none.
    pub fn placed(&self) -> Result<Option<Cluster>, Invalid> {
        let mut cluster = self.cluster.clone();
        let mut any = false;
        for pod in &self.trace.pods {
            let Some(place) = &pod.place else { continue };
            let node = cluster.node_index(&place.node);
            let node = node.ok_or_else(|| Invalid::UnknownNode(place.node.clone()))?;
            let placements = placements(&cluster, node, pod, place)?;
            cluster.commit(Pod { uid: pod.name.clone(), want: pod.want.clone(), placements }, node)?;
            any = true;
        }
        Ok(any.then_some(cluster))
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

/// The slices of a pod on the devices it is said to have.
fn placements(
    cluster: &Cluster,
    node: usize,
    pod: &TracePod,
    place: &Place,
) -> Result<Vec<Placement>, Invalid> {
    let cards = cluster.nodes()[node].cards();
    let unknown = |index: &u32| Invalid::UnknownDevice {
        node: place.node.clone(),
        device: format!("gpu_index {index}"),
    };
    let slice = |ask: &cleave_model::Ask, index: &u32| {
        let card = cards.iter().find(|card| card.device.index == *index).ok_or_else(|| unknown(index))?;
        // A device of another type than the pod wanted is not what it can have got.
        ask.on(&card.device).map_err(|_| unknown(index))
    };
    let mut devices = place.devices.iter();
    let placement = |ask: &cleave_model::Ask| {
        let own = devices.by_ref().take(ask.count as usize);
        let slices = own.map(|index| slice(ask, index)).collect::<Result<_, _>>()?;
        Ok(Placement { node: place.node.clone(), slices })
    };
    pod.want.asks.iter().map(placement).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{nodes_from_csv, pods_from_csv};

    fn scenario(pods: &str) -> Scenario {
        let nodes = nodes_from_csv("sn,cpu_milli,memory_mib,gpu,model\nn0,8000,100,2,T4\nn1,8000,100,1,T4\n")
            .unwrap();
        let header = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,node,gpu_index\n";
        Scenario::new(Trace { nodes, pods: pods_from_csv(&format!("{header}{pods}"), 100).unwrap() }).unwrap()
    }

    #[test]
    fn pods_are_where_the_trace_says() {
        let found =
            scenario("a,1,1,1,300,n0,1\nb,1,1,1,500,n1,0\nc,1,1,1,500,,\n").placed().unwrap().unwrap();
        let used = |node: usize| -> Vec<u32> {
            found.nodes()[node].cards().iter().map(|card| card.used().online).collect()
        };
        assert_eq!((used(0), used(1)), (vec![0, 30_000], vec![50_000]));
        assert!(scenario("a,1,1,1,300,,\n").placed().unwrap().is_none());
        let nowhere = scenario("a,1,1,1,300,n9,0\n").placed().unwrap_err();
        assert_eq!(nowhere.to_string(), "no node n9");
        let nothing = scenario("a,1,1,1,300,n0,7\n").placed().unwrap_err();
        assert_eq!(nothing.to_string(), "node n0 has no device gpu_index 7");
    }
}
