use super::Policy;
use crate::room::{Case, WHOLE};

/// Used devices before free devices of used nodes before empty nodes.
pub struct GpuPacking;

impl Policy for GpuPacking {
    fn name(&self) -> &'static str {
        "packing"
    }

    fn score(&self, case: &Case<'_>) -> i32 {
        let free = case.before.free();
        let whole = free.iter().filter(|left| **left == WHOLE).count();
        let taken = free.iter().zip(case.after.free()).filter(|(before, after)| before != after);
        let broken = taken.filter(|(before, _)| **before == WHOLE).count();
        match () {
            () if broken == 0 && case.size.slices > 0 => 2,
            () if whole < free.len() => 1,
            () => 0,
        }
    }

    fn device_score(&self, case: &Case<'_>) -> i32 {
        super::binpack::fullest_device(case)
    }
}
