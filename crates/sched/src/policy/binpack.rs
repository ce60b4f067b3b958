use super::Policy;
use crate::room::{Case, WHOLE};

/// The fullest node that fits, and on it the fullest device.
pub struct Binpack;

impl Policy for Binpack {
    fn name(&self) -> &'static str {
        "binpack"
    }

    fn score(&self, case: &Case<'_>) -> i32 {
        let devices = case.before.free().len().max(1) as u32;
        let left = case.after.idle() * u32::from(WHOLE) / devices;
        -(left as i32)
    }

    fn device_score(&self, case: &Case<'_>) -> i32 {
        fullest_device(case)
    }
}

/// Less left on the devices a pod goes to is better: the sum of squares falls most when a small rest is taken.
pub(super) fn fullest_device(case: &Case<'_>) -> i32 {
    let pairs = case.before.free().iter().zip(case.after.free());
    pairs.filter(|(before, after)| before != after).map(|(_, after)| -i32::from(*after)).sum()
}
