//! The inline cache of a memory instruction: the allocation it touched last.

use crate::range_unsafe::Range;

/// What one worker remembers about one memory instruction of one grid.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    start: u64,
    /// First address after the range.
    end: u64,
    delta: u64,
    generation: u64,
    writable: bool,
}

impl Site {
    /// Matches no address.
    pub const EMPTY: Site = Site { start: !0, end: 0, delta: 0, generation: 0, writable: false };

    pub fn of(range: Range, generation: u64) -> Site {
        Site {
            start: range.start(),
            end: range.end(),
            delta: range.delta(),
            generation,
            writable: range.writable(),
        }
    }

    /// What to add to device addresses `low..=high` (each the start of `bytes` bytes), if all of them are known to be good.
    #[inline(always)]
    pub fn delta(&self, low: u64, high: u64, bytes: u64, write: bool, generation: u64) -> Option<u64> {
        let good = low >= self.start
            && high < self.end
            && self.end - high >= bytes
            && self.generation == generation
            && (self.writable || !write);
        good.then_some(self.delta)
    }
}
