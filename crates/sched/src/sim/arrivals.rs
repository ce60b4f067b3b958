use cleave_model::Class;

use super::{Offline, TracePod};
use crate::{Chance, Want};

/// One pod as it comes.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub want: Want,
    /// Thousandths of devices.
    pub demand: u64,
    pub created: u64,
    /// When it goes again, if times are replayed.
    pub deleted: Option<u64>,
}

/// The pods in a shuffled order, brought to `percent` of the cluster's `capacity` (thousandths of devices): below, copies
/// of random pods follow the originals until the next would exceed it; above, random pods are left out.
/// That is the published method, except for its source of chance.
pub fn arrivals(
    pods: &[TracePod],
    capacity: u64,
    percent: u32,
    offline: Offline,
    chance: &mut Chance,
) -> Vec<Arrival> {
    let mut order: Vec<&TracePod> = pods.iter().collect();
    chance.shuffle(&mut order);
    let limit = capacity * u64::from(percent) / 100;
    let mut demand: u64 = pods.iter().map(|pod| pod.demand).sum();
    if demand > limit {
        while demand > limit {
            demand -= order.swap_remove(chance.below(order.len())).demand;
        }
    } else if demand > 0 {
        loop {
            let pod = &pods[chance.below(pods.len())];
            demand += pod.demand;
            if demand > limit {
                break;
            }
            order.push(pod);
        }
    }
    order.into_iter().map(|pod| Arrival::of(pod, offline)).collect()
}

impl Arrival {
    /// A pod of the trace that stays.
    pub fn of(pod: &TracePod, offline: Offline) -> Arrival {
        let arrival =
            Arrival { want: pod.want.clone(), demand: pod.demand, created: pod.created, deleted: None };
        let best_effort = offline == Offline::BestEffort && pod.qos == "BE";
        if best_effort { arrival.offline() } else { arrival }
    }

    /// The same pod as offline work.
    pub fn offline(mut self) -> Arrival {
        self.want.asks.iter_mut().for_each(|ask| ask.class = Class::Offline);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::pods_from_csv;

    fn pods() -> Vec<TracePod> {
        let rows: String = (0..50).map(|at| format!("p{at},1000,1,1,{}\n", 100 + at * 10)).collect();
        pods_from_csv(&format!("name,cpu_milli,memory_mib,num_gpu,gpu_milli\n{rows}"), 100).unwrap()
    }

    #[test]
    fn copies_follow_the_originals_up_to_the_demand() {
        let pods = pods();
        let coming = arrivals(&pods, 50_000, 130, Offline::None, &mut Chance::new(1));
        let demand: u64 = coming.iter().map(|arrival| arrival.demand).sum();
        assert!(demand <= 65_000 && demand > 65_000 - 600, "{demand}");
        let mut first: Vec<u64> = coming[..50].iter().map(|arrival| arrival.demand).collect();
        first.sort_unstable();
        assert_eq!(
            first,
            pods.iter()
                .map(|pod| pod.demand)
                .collect::<std::collections::BTreeSet<_>>()
                .into_iter()
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn too_many_pods_lose_some() {
        let coming = arrivals(&pods(), 10_000, 100, Offline::None, &mut Chance::new(1));
        assert!(coming.iter().map(|arrival| arrival.demand).sum::<u64>() <= 10_000);
        assert!(arrivals(&[], 10, 130, Offline::None, &mut Chance::new(1)).is_empty());
    }

    #[test]
    fn a_seed_repeats_a_run() {
        let order = |seed| -> Vec<u64> {
            let coming = arrivals(&pods(), 50_000, 130, Offline::None, &mut Chance::new(seed));
            coming.iter().map(|arrival| arrival.demand).collect()
        };
        assert_eq!(order(4), order(4));
        assert_ne!(order(4), order(5));
    }
}
