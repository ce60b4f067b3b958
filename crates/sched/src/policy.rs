use cleave_model::Device;

use crate::cluster::Kind;
use crate::room::{Case, Size};

/// Least 0.5·CPU + 0.5·GPU left over.
mod best_fit;
/// The fullest node, the fullest device.
mod binpack;
/// Like sizes beside like sizes.
mod clustering;
/// Least product of what is free and what is wanted.
mod dot_product;
/// Steepest descent of expected fragmentation.
mod fgd;
/// The largest node as a unit.
mod largest;
/// Used devices before used nodes before empty nodes.
mod packing;
/// Any node that fits.
mod random;
/// The emptiest node, the emptiest device.
mod spread;
/// Ours: least expected waste, counting what CPU and memory strand, and sparing scarce types.
mod thrift;

pub use best_fit::BestFit;
pub use binpack::Binpack;
pub use clustering::Clustering;
pub use dot_product::DotProduct;
pub use fgd::Fgd;
pub use packing::GpuPacking;
pub use random::Random;
pub use spread::Spread;
pub use thrift::Thrift;

use largest::Largest;

/// Published scores are whole numbers out of this many, so that near values tie.
const PERCENT: f64 = 100.0;

/// How to choose among the places that fit. The greatest score wins; among equals the node that was added first,
/// and on it the device with the lowest index, unless the policy asks for chance.
///
/// A score depends on nothing but the case, so it may be remembered until the node changes. What depends on the rest
/// of the cluster is a price per node kind, subtracted at the decision.
pub trait Policy {
    fn name(&self) -> &'static str;

    /// How good it is for a node to become what the case says.
    fn score(&self, case: &Case<'_>) -> i32;

    /// The same among the devices of one node.
    fn device_score(&self, case: &Case<'_>) -> i32 {
        self.score(case)
    }

    /// Reads what there is to learn about kinds of nodes; called again when new or larger ones appear.
    fn learn(&mut self, _kinds: &[Kind], _classes: &[Device]) {}

    /// What a slice pays for the kind of node it takes, into `prices`, one per kind.
    fn prices(&self, _size: &Size, _kinds: &[Kind], prices: &mut [i32]) {
        prices.fill(0);
    }

    /// Whether equals are drawn by lot.
    fn by_lot(&self) -> bool {
        false
    }
}

/// The names `cleave sim --policy` knows, ours first.
pub const NAMES: [&str; 9] =
    ["thrift", "fgd", "best-fit", "packing", "clustering", "dot-product", "random", "binpack", "spread"];

/// The policy of that name, for pods like those of `workload`.
pub fn by_name(name: &str, workload: &crate::Workload) -> Option<Box<dyn Policy>> {
    Some(match name {
        "thrift" => Box::new(Thrift::new(workload)),
        "fgd" => Box::new(Fgd::new(workload)),
        "best-fit" => Box::new(BestFit::default()),
        "packing" => Box::new(GpuPacking),
        "clustering" => Box::new(Clustering::default()),
        "dot-product" => Box::new(DotProduct::default()),
        "random" => Box::new(Random),
        "binpack" => Box::new(Binpack),
        "spread" => Box::new(Spread),
        _ => return None,
    })
}
