use super::Policy;
use crate::room::Case;

/// The emptiest node that fits, and on it the emptiest device.
pub struct Spread;

impl Policy for Spread {
    fn name(&self) -> &'static str {
        "spread"
    }

    fn score(&self, case: &Case<'_>) -> i32 {
        -super::Binpack.score(case)
    }

    fn device_score(&self, case: &Case<'_>) -> i32 {
        -super::binpack::fullest_device(case)
    }
}
