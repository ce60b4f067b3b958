use crate::Cluster;

/// The nodes a caller offers for a pod. A scheduler that asks us has looked at taints, selectors and volumes already, and
/// passes on what was left; a decision outside of that is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// One bit per node; `None` offers every node.
    bits: Option<Vec<u64>>,
}

impl Offered {
    /// Every node there is.
    pub fn all() -> Offered {
        Offered::default()
    }

    /// The nodes of these names. A name the snapshot does not know is no node to decide for.
    pub fn named<'a>(cluster: &Cluster, names: impl IntoIterator<Item = &'a str>) -> Offered {
        let mut bits = vec![0; cluster.nodes().len().div_ceil(64)];
        for index in names.into_iter().filter_map(|name| cluster.node_index(name)) {
            bits[index / 64] |= 1 << (index % 64);
        }
        Offered { bits: Some(bits) }
    }

    /// Whether node number `index` is among them. Nodes added since the offer was made are not.
    pub fn has(&self, index: usize) -> bool {
        let bit = |bits: &Vec<u64>| bits.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1);
        self.bits.as_ref().is_none_or(bit)
    }
}

#[cfg(test)]
mod tests {
    use cleave_model::Class;

    use super::*;
    use crate::fixture::{ask, cluster, commit, spec, want};
    use crate::policy::{Binpack, by_name};
    use crate::{Desk, Reason, Workload, place, place_among, preempt};

    #[test]
    fn only_offered_nodes_are_chosen() {
        let mut cluster = cluster(130, 1);
        let names = ["n3", "n128", "gone"];
        let offered = Offered::named(&cluster, names);
        assert_eq!((0..140).filter(|node| offered.has(*node)).collect::<Vec<_>>(), [3, 128]);
        let half = want(ask(1, 50));
        assert_eq!(place(&cluster, &Binpack, &half).unwrap().node, 0);
        assert_eq!(place_among(&cluster, &Binpack, &half, &offered).unwrap().node, 3);
        cluster.add_node(spec("late", 1)).unwrap();
        assert!(Offered::all().has(130) && !offered.has(130));
        // A desk answers the same, for a shape it knows as well, and draws its lots among them only.
        for name in ["binpack", "random", "thrift"] {
            let mut desk = Desk::new(cluster.clone(), by_name(name, &Workload::default()).unwrap());
            desk.decide(&half).unwrap();
            for _ in 0..20 {
                let node = desk.decide_among(&half, &offered).unwrap().node;
                assert!([3, 128].contains(&node), "{name}");
            }
        }
    }

    #[test]
    fn what_is_not_offered_is_counted_and_never_the_nearest_miss() {
        let mut cluster = cluster(4, 1);
        commit(&mut cluster, "a", want(ask(1, 90)));
        let offered = Offered::named(&cluster, ["n0"]);
        let refusal = place_among(&cluster, &Binpack, &want(ask(1, 50)), &offered).unwrap_err();
        assert_eq!(refusal.reasons[&Reason::NotOffered], 3);
        assert_eq!(refusal.reasons[&Reason::Memory], 1);
        assert_eq!(refusal.nearest.as_ref().unwrap().node, "n0");
        let nothing =
            place_among(&cluster, &Binpack, &want(ask(1, 1)), &Offered::named(&cluster, [])).unwrap_err();
        assert_eq!(
            nothing.to_string(),
            "none of 4 nodes fits: 4 are not offered to this pod; nearest is n0, where it is not offered to this pod: look \
             at the pod's node selector, affinity, tolerations and volumes"
        );
    }

    #[test]
    fn nobody_is_displaced_and_no_gang_is_placed_elsewhere() {
        let mut cluster = cluster(2, 1);
        let mut batch = want(ask(1, 80));
        batch.asks[0].class = Class::Offline;
        commit(&mut cluster, "batch", batch);
        let offered = Offered::named(&cluster, ["n1"]);
        assert!(preempt(&cluster, &want(ask(1, 90)), &Offered::all()).is_some());
        assert_eq!(preempt(&cluster, &want(ask(1, 90)), &offered), None);
        let mut desk = Desk::new(cluster, Box::new(Binpack));
        let gang = [want(ask(1, 60)), want(ask(1, 20))];
        assert!(desk.decide_gang(&gang, &offered).unwrap().iter().all(|decision| decision.node == 1));
        let refusal = desk.decide_gang(&[want(ask(1, 60)), want(ask(1, 60))], &offered).unwrap_err();
        assert_eq!(refusal.reasons[&Reason::NotOffered], 1);
    }
}
