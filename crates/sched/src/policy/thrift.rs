use cleave_model::Device;

use super::Policy;
use crate::Workload;
use crate::cluster::Kind;
use crate::room::{Case, Room, Size};
use crate::waste::{Typical, Weight};

/// Ours. Four things waste a GPU, and each has its term, all in thousandths of a GPU:
///
/// * **fragments**: what a typical pod cannot use of a node, as in FGD, but a pod counts with the root of its size, so
///   that the few large ones are heard, and a whole device is expected to be wanted now and then even if nobody did
///   yet: else nothing holds against starting an empty one;
/// * **loss**: what not even the best combination of typical pods could fill. A fragment may find its pod, this cannot,
///   so it counts double;
/// * **stranding**: what the node's CPU and host memory cannot feed when pods keep coming in their usual mix. FGD
///   sees a shortage when not even one more pod fits, which is when it is too late;
/// * **scarcity**: a type of device that pods insist on is spared by those that do not.
///
/// Differences below [`STEP`] are no differences: then the node listed first wins, so that work stays together.
pub struct Thrift {
    typical: Typical,
}

/// Scores closer than this are equal.
const STEP: f64 = 60.0;

/// Least probability of a pod that takes whole devices.
const WHOLE_PODS: f64 = 0.1;

/// How much worse a loss is than a fragment of the same size.
const LOSS: f64 = 2.0;

impl Thrift {
    pub fn new(workload: &Workload) -> Thrift {
        Thrift { typical: Typical::new(workload, Weight::RootOfSize).expecting_whole(WHOLE_PODS) }
    }

    fn waste(&self, room: &Room) -> f64 {
        self.typical.fragment(room) + LOSS * self.typical.lost(room) + self.typical.stranded(room)
    }
}

impl Policy for Thrift {
    fn name(&self) -> &'static str {
        "thrift"
    }

    fn score(&self, case: &Case<'_>) -> i32 {
        ((self.waste(case.before) - self.waste(case.after)) / STEP).floor() as i32
    }

    fn learn(&mut self, kinds: &[Kind], classes: &[Device]) {
        self.typical.learn(kinds, classes);
    }

    /// The part of a kind's free devices that pods bound to it will want before the cluster is full, times what is
    /// taken.
    fn prices(&self, size: &Size, kinds: &[Kind], prices: &mut [i32]) {
        prices.fill(0);
        if size.slices == 0 {
            return;
        }
        let taken = f64::from(size.total());
        self.typical
            .scarcity(kinds, |kind, scarcity| prices[kind] = (taken * scarcity / STEP).round() as i32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{ask, cluster, host, spec, want};
    use crate::{Cluster, Desk, Want};

    fn node_of(cluster: Cluster, pods: &[Want], wanted: &Want) -> String {
        let mut desk = Desk::new(cluster, Box::new(Thrift::new(&Workload::of(pods.iter()))));
        let node = desk.decide(wanted).unwrap().node;
        desk.cluster().nodes()[node].name.clone()
    }

    #[test]
    fn cpu_is_taken_where_it_feeds_no_device() {
        let pods = [Want { host: host(25), ..want(ask(1, 100)) }, Want::host_only(host(20))];
        // n0 needs its 100 CPUs for four devices; "rich" has more CPU than devices.
        let mut nodes = cluster(1, 4);
        nodes.add_node(spec("rich", 1)).unwrap();
        assert_eq!(node_of(nodes, &pods, &pods[1]), "rich");
    }

    #[test]
    fn a_started_device_before_a_whole_one() {
        let pods = [want(ask(1, 50)), want(ask(1, 100))];
        let mut nodes = cluster(2, 1);
        let decision = crate::place(&nodes, &crate::policy::Spread, &pods[0]).unwrap();
        let half = crate::Pod { uid: "a".into(), want: pods[0].clone(), placements: decision.placements };
        nodes.commit(half, decision.node).unwrap();
        let started = nodes.nodes()[decision.node].name.clone();
        assert_eq!(node_of(nodes, &pods, &pods[0]), started);
    }

    #[test]
    fn sizes_that_go_together_come_together() {
        // A device with 300 and one with 500 on it: the second 300 joins the first, and neither starts an empty one.
        let pods: Vec<Want> = [125, 250, 300, 500].map(|share| want(slice(share))).into();
        let mut desk = Desk::new(cluster(3, 1), Box::new(Thrift::new(&Workload::of(pods.iter()))));
        let mut put = |want: &Want, uid: &str| {
            let decision = desk.decide(want).unwrap();
            let pod = crate::Pod { uid: uid.into(), want: want.clone(), placements: decision.placements };
            desk.commit(pod, decision.node).unwrap();
            decision.node
        };
        assert_eq!((put(&pods[2], "a"), put(&pods[2], "b")), (0, 0));
        // 500 would leave nothing usable of the 400 that are left; a quarter and an eighth leave 25.
        assert_eq!((put(&pods[3], "c"), put(&pods[1], "d"), put(&pods[0], "e")), (1, 0, 0));
    }

    fn slice(thousandths: u32) -> cleave_model::Ask {
        let share = cleave_model::MilliPercent::new(thousandths * 100).unwrap();
        cleave_model::Ask::new(1, cleave_model::Memory::Share(share), cleave_model::Compute::Share(share))
    }

    #[test]
    fn types_that_others_insist_on_are_spared() {
        let mut typed = want(ask(1, 100));
        typed.asks[0].selectors.models = vec!["T4".into()];
        let pods = [typed.clone(), want(ask(1, 100))];
        let mut nodes = Cluster::new(cleave_model::Accountant::Extender);
        let mut scarce = spec("t4", 2);
        scarce.devices.iter_mut().for_each(|device| device.model = "T4".into());
        nodes.add_node(scarce).unwrap();
        nodes.add_node(spec("plain", 2)).unwrap();
        assert_eq!(node_of(nodes.clone(), &pods, &pods[1]), "plain");
        assert_eq!(node_of(nodes, &pods, &typed), "t4");
    }

    #[test]
    fn without_a_workload_it_is_first_fit() {
        assert_eq!(node_of(cluster(3, 1), &[], &want(ask(1, 10))), "n0");
    }
}
