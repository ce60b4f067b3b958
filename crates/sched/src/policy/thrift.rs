use cleave_model::Device;

use super::Policy;
use crate::Workload;
use crate::cluster::Kind;
use crate::room::{Case, Room, Size};
use crate::waste::{Typical, Weight};

/// Ours. Three things waste a GPU, and each has its term, all in thousandths of a GPU:
///
/// * **fragments**: what a typical pod cannot use of a node, as in FGD, but a pod counts with the root of its size, so
///   that the few large ones are heard;
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

impl Thrift {
    pub fn new(workload: &Workload) -> Thrift {
        Thrift { typical: Typical::new(workload, Weight::RootOfSize) }
    }

    fn waste(&self, room: &Room) -> f64 {
        self.typical.fragment(room) + self.typical.stranded(room)
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
