use cleave_model::Device;

use super::{Largest, PERCENT, Policy};
use crate::cluster::Kind;
use crate::room::Case;

/// Least product of what a node has free and what the pod wants, each relative to the largest node, in whole percent as
/// published: small nodes and full nodes are used first.
#[derive(Default)]
pub struct DotProduct {
    largest: Largest,
}

impl Policy for DotProduct {
    fn name(&self) -> &'static str {
        "dot-product"
    }

    fn score(&self, case: &Case<'_>) -> i32 {
        let largest = &self.largest;
        let cpu = largest.cpu(case.before.host.cpu_milli) * largest.cpu(case.size.host.cpu_milli);
        let gpu = largest.devices(case.before.idle()) * largest.devices(case.size.total());
        ((1.0 - (cpu + gpu) / 2.0) * PERCENT) as i32
    }

    fn device_score(&self, case: &Case<'_>) -> i32 {
        super::binpack::fullest_device(case)
    }

    fn learn(&mut self, kinds: &[Kind], _classes: &[Device]) {
        self.largest = Largest::of(kinds);
    }
}
