use cleave_model::Device;

use super::{Largest, Policy};
use crate::cluster::Kind;
use crate::room::{Case, WHOLE};

/// Like beside like: parts of devices where devices are shared already, whole devices where whole ones are taken. A node with
/// nothing but the like comes before one with both, an empty one, and one with only the unlike; within each the
/// fuller one. The published method looks at the pods of a node, this one at what they left of its devices.
#[derive(Default)]
pub struct Clustering {
    largest: Largest,
}

/// Points of each of the four.
const BAND: i32 = 25;

impl Policy for Clustering {
    fn name(&self) -> &'static str {
        "clustering"
    }

    fn score(&self, case: &Case<'_>) -> i32 {
        if case.size.slices == 0 {
            return 0;
        }
        let free = case.before.free();
        let shared = free.iter().any(|left| *left > 0 && *left < WHOLE);
        let taken = free.contains(&0);
        let (alike, unlike) = if case.size.share < WHOLE { (shared, taken) } else { (taken, shared) };
        let band = match (alike, unlike) {
            (true, false) => 3,
            (true, true) => 2,
            (false, false) => 1,
            (false, true) => 0,
        };
        band * BAND + (f64::from(BAND) * self.largest.filled(case.before)) as i32
    }

    fn device_score(&self, case: &Case<'_>) -> i32 {
        super::binpack::fullest_device(case)
    }

    fn learn(&mut self, kinds: &[Kind], _classes: &[Device]) {
        self.largest = Largest::of(kinds);
    }
}
