use super::Policy;
use crate::room::{Case, WHOLE};

/// Like beside like: parts of devices where devices are shared already, whole devices where whole ones are taken.
pub struct Clustering;

impl Policy for Clustering {
    fn name(&self) -> &'static str {
        "clustering"
    }

    fn score(&self, case: &Case<'_>) -> i32 {
        let free = case.before.free();
        let shared = free.iter().filter(|left| **left > 0 && **left < WHOLE).count() as i32;
        let taken = free.iter().filter(|left| **left == 0).count() as i32;
        let (alike, unlike) = if case.size.share < WHOLE { (shared, taken) } else { (taken, shared) };
        if case.size.slices == 0 { 0 } else { alike - unlike }
    }

    fn device_score(&self, case: &Case<'_>) -> i32 {
        super::binpack::fullest_device(case)
    }
}
