use cleave_model::Device;

use super::Policy;
use crate::cluster::Kind;
use crate::room::{Case, WHOLE};

/// Least product of what a node has free and what the pod wants, each relative to the largest node: small nodes and
/// full nodes are used first.
pub struct DotProduct {
    most_gpu: f64,
}

const MOST_CPU_MILLI: f64 = 128_000.0;

impl Default for DotProduct {
    fn default() -> Self {
        DotProduct { most_gpu: 8.0 * f64::from(WHOLE) }
    }
}

impl Policy for DotProduct {
    fn name(&self) -> &'static str {
        "dot-product"
    }

    fn score(&self, case: &Case<'_>) -> i32 {
        let cpu = f64::from(case.before.host.cpu_milli) * f64::from(case.size.host.cpu_milli)
            / (MOST_CPU_MILLI * MOST_CPU_MILLI);
        let gpu =
            f64::from(case.before.idle()) * f64::from(case.size.total()) / (self.most_gpu * self.most_gpu);
        -((cpu + gpu) * 1e6) as i32
    }

    fn device_score(&self, case: &Case<'_>) -> i32 {
        super::binpack::fullest_device(case)
    }

    fn learn(&mut self, kinds: &[Kind], _classes: &[Device]) {
        let most = kinds.iter().map(|kind| kind.classes.len()).max().unwrap_or(0).max(1);
        self.most_gpu = most as f64 * f64::from(WHOLE);
    }
}
