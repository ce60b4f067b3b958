use cleave_model::Class;

use super::TracePod;
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
pub fn arrivals(pods: &[TracePod], capacity: u64, percent: u32, chance: &mut Chance) -> Vec<Arrival> {
    let mut order: Vec<&TracePod> = pods.iter().collect();
    chance.shuffle(&mut order);
    let limit = capacity * u64::from(percent) / 100;
    let mut demand: u64 = pods.iter().map(|pod| pod.demand).sum();
    while demand > limit && !order.is_empty() {
        demand -= order.remove(chance.below(order.len())).demand;
    }
    let copies_help = pods.iter().any(|pod| pod.demand > 0);
    while copies_help {
        let pod = &pods[chance.below(pods.len())];
        demand += pod.demand;
        if demand > limit {
            break;
        }
        order.push(pod);
    }
    order.into_iter().map(Arrival::of).collect()
}

impl Arrival {
    /// A pod of the trace that stays.
    pub fn of(pod: &TracePod) -> Arrival {
        Arrival { want: pod.want.clone(), demand: pod.demand, created: pod.created, deleted: None }
    }

    /// The same pod as offline work.
    pub fn offline(mut self) -> Arrival {
        self.want.asks.iter_mut().for_each(|ask| ask.class = Class::Offline);
        self
    }
}
