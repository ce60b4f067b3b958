use cleave_model::Device;

use super::Policy;
use crate::Workload;
use crate::cluster::Kind;
use crate::room::Case;
use crate::waste::{Typical, Weight};

/// Fragmentation gradient descent as published (Weng et al., USENIX ATC 2023): the expected idle GPU that a typical
/// pod cannot use should grow least. The published score is an integer, so many places tie; the tie goes to the node
/// listed first, which keeps work together, and on it to the device with the lowest index.
pub struct Fgd {
    typical: Typical,
}

impl Fgd {
    pub fn new(workload: &Workload) -> Fgd {
        Fgd { typical: Typical::new(workload, Weight::Count) }
    }
}

impl Policy for Fgd {
    fn name(&self) -> &'static str {
        "fgd"
    }

    fn score(&self, case: &Case<'_>) -> i32 {
        let drop = self.typical.fragment(case.before) - self.typical.fragment(case.after);
        (100.0 / (1.0 + (-drop / 1000.0).exp())) as i32
    }

    fn learn(&mut self, kinds: &[Kind], classes: &[Device]) {
        self.typical.learn(kinds, classes);
    }
}
