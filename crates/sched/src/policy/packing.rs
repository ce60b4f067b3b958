use super::Policy;
use crate::room::{Case, WHOLE};

/// Used devices, the fullest first, before free devices of used nodes, as few as possible, before empty nodes, the smallest
/// first. The numbers are those of the published score, which is a whole number out of 100.
pub struct GpuPacking;

impl Policy for GpuPacking {
    fn name(&self) -> &'static str {
        "packing"
    }

    fn score(&self, case: &Case<'_>) -> i32 {
        if case.size.slices == 0 {
            return 0;
        }
        let free = case.before.free();
        let whole = free.iter().filter(|left| **left == WHOLE).count();
        if whole == free.len() {
            let whole = whole as i32;
            return (33 - whole).max(whole);
        }
        let taken = free.iter().zip(case.after.free()).filter(|(before, after)| before != after);
        let broken = taken.clone().filter(|(before, _)| **before == WHOLE).count() as i32;
        if broken > 0 {
            return (50 - broken).max(33);
        }
        let left: i32 = taken.map(|(before, _)| i32::from(*before) / 10).sum();
        (100 - left / 10).max(50)
    }

    fn device_score(&self, case: &Case<'_>) -> i32 {
        super::binpack::fullest_device(case)
    }
}
