use cleave_model::Device;

use super::Policy;
use crate::cluster::Kind;
use crate::room::{Case, WHOLE};

/// Least left over: half of it CPU, half GPU, each relative to the largest node.
pub struct BestFit {
    most_gpu: f64,
}

/// The largest CPU count seen in the published traces' node list.
const MOST_CPU_MILLI: f64 = 128_000.0;

impl Default for BestFit {
    fn default() -> Self {
        BestFit { most_gpu: 8.0 * f64::from(WHOLE) }
    }
}

impl Policy for BestFit {
    fn name(&self) -> &'static str {
        "best-fit"
    }

    fn score(&self, case: &Case<'_>) -> i32 {
        let cpu = f64::from(case.after.host.cpu_milli) / MOST_CPU_MILLI;
        let gpu = f64::from(case.after.idle()) / self.most_gpu;
        -((0.5 * cpu + 0.5 * gpu) * 1e6) as i32
    }

    /// On one node the device with the least left over.
    fn device_score(&self, case: &Case<'_>) -> i32 {
        super::binpack::fullest_device(case)
    }

    fn learn(&mut self, kinds: &[Kind], _classes: &[Device]) {
        let most = kinds.iter().map(|kind| kind.classes.len()).max().unwrap_or(0).max(1);
        self.most_gpu = most as f64 * f64::from(WHOLE);
    }
}
