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
