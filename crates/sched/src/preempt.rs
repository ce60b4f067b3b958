use cleave_model::Placement;

use crate::cluster::{Cluster, Node, Pod};
use crate::fit::{Fit, fit_on};
use crate::policy::Binpack;
use crate::shape::Shape;
use crate::{Offered, Want};

/// A place that is free once some pods are gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preemption {
    pub node: usize,
    pub placements: Vec<Placement>,
    /// UIDs of the pods to evict.
    pub victims: Vec<String>,
}

/// What an eviction costs, the dearest part first: the rank of the highest pod lost, pods lost, thousandths lost.
type Cost = (i64, usize, u64);

/// Makes room for a pod that fits nowhere by displacing pods of lower priority, or offline pods for an online one. Victims are
/// looked for device by device: that a node has enough in all says nothing about any one device. `None` when
/// nobody may be displaced for it on the nodes offered.
pub fn preempt(cluster: &Cluster, want: &Want, offered: &Offered) -> Option<Preemption> {
    let shape = Shape::new(want.clone(), cluster);
    let mut best: Option<(Cost, Preemption)> = None;
    for (index, node) in cluster.nodes().iter().enumerate() {
        let may_go: Vec<usize> = (0..node.pods.len()).filter(|at| yields(&node.pods[*at], want)).collect();
        if may_go.is_empty() || node.cordoned || !offered.has(index) {
            continue;
        }
        for candidates in sets(node, &may_go, want) {
            let Some((victims, fit)) = spared(cluster, index, &shape, candidates) else { continue };
            let cost = cost(node, &victims);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                let victims = victims.iter().map(|at| node.pods[*at].uid.clone()).collect();
                let placements = fit.placements(node, &shape);
                best = Some((cost, Preemption { node: index, placements, victims }));
            }
        }
    }
    best.map(|(_, preemption)| preemption)
}

/// Whether `pod` makes way. Offline work never displaces online work, whatever its priority.
fn yields(pod: &Pod, want: &Want) -> bool {
    match (pod.want.is_offline(), want.is_offline()) {
        (true, false) => true,
        (false, true) => false,
        _ => pod.want.priority() < want.priority(),
    }
}

/// Sets of pods to try: those on each single device, those on the cheapest devices if several are wanted, and all.
fn sets(node: &Node, may_go: &[usize], want: &Want) -> Vec<Vec<usize>> {
    let on = |uuid: &str| -> Vec<usize> {
        let lies_there = |at: &&usize| node.pods[**at].slices().any(|slice| slice.device == uuid);
        may_go.iter().filter(lies_there).copied().collect()
    };
    let mut by_device: Vec<Vec<usize>> = node.cards.iter().map(|card| on(&card.device.uuid)).collect();
    by_device.sort_by_key(|set| cost(node, set));
    let several = want.slices() as usize;
    let mut union: Vec<usize> = by_device.iter().take(several).flatten().copied().collect();
    union.sort_unstable();
    union.dedup();
    let mut sets = by_device;
    sets.push(union);
    sets.push(may_go.to_vec());
    sets.retain(|set| !set.is_empty());
    sets.sort();
    sets.dedup();
    sets
}

/// Takes the candidates away and puts back whoever need not go, the dearest first. `None` if it does not fit even
/// without them all.
fn spared(
    cluster: &Cluster,
    index: usize,
    shape: &Shape,
    mut candidates: Vec<usize>,
) -> Option<(Vec<usize>, Fit)> {
    let node = &cluster.nodes()[index];
    let mut trial = node.clone();
    // From the back, so that the earlier positions stay what they are.
    candidates.sort_unstable();
    for at in candidates.iter().rev() {
        trial.take(*at);
    }
    let lies = |trial: &Node| fit_on(trial, index, cluster.accountant(), shape, &Binpack).ok();
    let mut fit = lies(&trial)?;
    candidates.sort_by_key(|at| std::cmp::Reverse(cost(node, &[*at])));
    let mut victims = Vec::new();
    for at in candidates {
        let without = trial.clone();
        trial.put_back(node.pods[at].clone());
        match lies(&trial) {
            Some(still) => fit = still,
            None => {
                trial = without;
                victims.push(at);
            }
        }
    }
    victims.sort_unstable();
    Some((victims, fit))
}

fn cost(node: &Node, pods: &[usize]) -> Cost {
    let rank = |pod: &Pod| {
        if pod.want.is_offline() {
            i64::MIN / 2 + i64::from(pod.want.priority())
        } else {
            pod.want.priority().into()
        }
    };
    let highest = pods.iter().map(|at| rank(&node.pods[*at])).max().unwrap_or(i64::MIN);
    let share =
        |pod: &Pod| -> u64 { pod.needs().map(|(_, need)| need.memory_mib + u64::from(need.compute)).sum() };
    (highest, pods.len(), pods.iter().map(|at| share(&node.pods[*at])).sum())
}

#[cfg(test)]
mod tests {
    use cleave_model::{Ask, Class, Isolation};

    use super::*;
    use crate::fixture::{ask, cluster, commit, host, want};

    fn with(priority: i32, ask: Ask) -> Want {
        Want::one(host(1), Ask { priority, ..ask })
    }

    #[test]
    fn victims_are_counted_per_device() {
        let mut cluster = cluster(1, 2);
        // Both devices half full: the node has a whole device left in all, and no device has.
        commit(&mut cluster, "a", with(0, ask(1, 50)));
        commit(&mut cluster, "b", with(5, ask(1, 60)));
        let wanted = with(9, ask(1, 100));
        let found = preempt(&cluster, &wanted, &Offered::all()).unwrap();
        assert_eq!(found.victims, ["a"]);
        assert_eq!(found.placements[0].slices[0].device, "n0-g0");
        assert_eq!(preempt(&cluster, &with(0, ask(1, 100)), &Offered::all()), None);
    }

    #[test]
    fn one_large_victim_rather_than_many_small_ones() {
        let mut cluster = cluster(1, 2);
        for name in ["s1", "s2", "s3", "s4"] {
            commit(&mut cluster, name, with(0, ask(1, 25)));
        }
        commit(&mut cluster, "large", with(0, ask(1, 100)));
        assert_eq!(preempt(&cluster, &with(1, ask(1, 90)), &Offered::all()).unwrap().victims, ["large"]);
        // What a part of them is enough for leaves the others alone.
        let mut cluster = crate::fixture::cluster(1, 1);
        for (name, priority) in [("low", 0), ("mid", 1), ("high", 2)] {
            commit(&mut cluster, name, with(priority, ask(1, 30)));
        }
        assert_eq!(preempt(&cluster, &with(9, ask(1, 40)), &Offered::all()).unwrap().victims, ["low"]);
    }

    #[test]
    fn several_slices_clear_several_devices() {
        let mut cluster = cluster(1, 3);
        for (name, priority) in [("a", 3), ("b", 1), ("c", 2)] {
            commit(&mut cluster, name, with(priority, ask(1, 100)));
        }
        let found = preempt(&cluster, &with(9, ask(2, 100)), &Offered::all()).unwrap();
        assert_eq!(found.victims, ["b", "c"]);
        assert_eq!(found.placements[0].slices.len(), 2);
    }

    #[test]
    fn online_takes_from_offline_and_never_the_other_way() {
        let offline = |percent| Ask { class: Class::Offline, isolation: Isolation::Soft, ..ask(1, percent) };
        let mut cluster = cluster(1, 1);
        commit(&mut cluster, "batch", with(0, offline(60)));
        assert_eq!(preempt(&cluster, &want(ask(1, 80)), &Offered::all()).unwrap().victims, ["batch"]);
        let mut cluster = crate::fixture::cluster(1, 1);
        commit(&mut cluster, "service", with(0, ask(1, 60)));
        assert_eq!(preempt(&cluster, &with(9, offline(80)), &Offered::all()), None);
    }

    #[test]
    fn nothing_is_evicted_where_it_would_not_help() {
        let mut cluster = cluster(1, 1);
        commit(&mut cluster, "a", with(0, ask(1, 50)));
        assert_eq!(preempt(&cluster, &with(1, ask(2, 50)), &Offered::all()), None);
        let thirsty = Want { host: host(1000), ..with(1, ask(1, 60)) };
        assert_eq!(preempt(&cluster, &thirsty, &Offered::all()), None);
    }
}
