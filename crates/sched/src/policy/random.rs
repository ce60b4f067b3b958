use super::Policy;
use crate::room::Case;

/// Every place that fits is as good as any other.
pub struct Random;

impl Policy for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn score(&self, _case: &Case<'_>) -> i32 {
        0
    }

    /// Which device is drawn depends on the whole state of the node, which is as good as chance and needs no source
    /// of it.
    fn device_score(&self, case: &Case<'_>) -> i32 {
        let start = u64::from(case.after.host.cpu_milli) ^ ((case.node as u64) << 32);
        let mixed = case.after.free().iter().fold(start, |hash, left| {
            (hash ^ u64::from(*left)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
        });
        (mixed >> 40) as i32
    }

    fn by_lot(&self) -> bool {
        true
    }
}
