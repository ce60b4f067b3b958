//! The inline cache of a memory instruction: the allocation it touched last.

use crate::ops::address::Extent;
use crate::range_unsafe::Range;

/// What one worker remembers about one memory instruction of one grid.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    start: u64,
    len: u64,
    delta: u64,
    generation: u64,
    writable: bool,
}

impl Site {
    /// Matches no address.
    pub const EMPTY: Site = Site { start: 0, len: 0, delta: 0, generation: 0, writable: false };

    pub fn of(range: Range, generation: u64) -> Site {
        Site {
            start: range.start(),
            len: range.len(),
            delta: range.delta(),
            generation,
            writable: range.writable(),
        }
    }

    /// What to add to a device address at which `bytes` bytes are known to be good.
    #[inline(always)]
    pub fn delta(&self, address: u64, bytes: u64, write: bool, generation: u64) -> Option<u64> {
        let extent = self.extent(generation, write)?;
        let at = address.wrapping_sub(extent.start);
        (at < extent.len && extent.len - at >= bytes).then_some(extent.delta)
    }

    /// The range, if it still is one and may be accessed like this.
    #[inline(always)]
    pub fn extent(&self, generation: u64, write: bool) -> Option<Extent> {
        let good = self.generation == generation && (self.writable || !write);
        good.then_some(Extent { start: self.start, len: self.len, delta: self.delta })
    }
}
