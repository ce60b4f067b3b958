use cleave_model::Device;

use super::{Largest, PERCENT, Policy};
use crate::cluster::Kind;
use crate::room::Case;

/// Least left over: half of it CPU, half GPU, each relative to the largest node, in whole percent as published.
#[derive(Default)]
pub struct BestFit {
    largest: Largest,
}

impl Policy for BestFit {
    fn name(&self) -> &'static str {
        "best-fit"
    }

    fn score(&self, case: &Case<'_>) -> i32 {
        let cpu = self.largest.cpu(case.after.host.cpu_milli);
        let gpu = self.largest.devices(case.after.idle());
        ((1.0 - 0.5 * cpu - 0.5 * gpu) * PERCENT) as i32
    }

    /// On one node the device with the least left over.
    fn device_score(&self, case: &Case<'_>) -> i32 {
        super::binpack::fullest_device(case)
    }

    fn learn(&mut self, kinds: &[Kind], _classes: &[Device]) {
        self.largest = Largest::of(kinds);
    }
}
