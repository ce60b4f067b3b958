//! Cheap accounting: each basic block knows what it costs, and its last operation adds that up.

use crate::counters::{CLASSES, Class, Counters};

/// Cost of a basic block for one thread: instructions per class, then bytes of global and of shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost(pub [u32; COLUMNS]);

const GLOBAL_BYTES: usize = CLASSES;
const SHARED_BYTES: usize = CLASSES + 1;
const COLUMNS: usize = CLASSES + 2;

impl Cost {
    pub fn count(&mut self, class: Class) {
        self.0[class as usize] += 1;
    }

    pub fn global(&mut self, bytes: u32) {
        self.0[GLOBAL_BYTES] += bytes;
    }

    pub fn shared(&mut self, bytes: u32) {
        self.0[SHARED_BYTES] += bytes;
    }
}

/// Costs added up: over warps that ran with all lanes, and apart for those that did not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    full: [u64; COLUMNS],
    partial: [u64; COLUMNS],
    partial_threads: [u64; COLUMNS],
}

impl Work {
    /// One basic block, executed by the lanes of `mask`.
    #[inline(always)]
    pub fn add(&mut self, cost: &Cost, mask: u32) {
        if mask == !0 {
            for i in 0..COLUMNS {
                self.full[i] += u64::from(cost.0[i]);
            }
        } else {
            let threads = u64::from(mask.count_ones());
            for i in 0..COLUMNS {
                self.partial[i] += u64::from(cost.0[i]);
                self.partial_threads[i] += u64::from(cost.0[i]) * threads;
            }
        }
    }

    pub fn merge(&mut self, other: &Work) {
        for i in 0..COLUMNS {
            self.full[i] += other.full[i];
            self.partial[i] += other.partial[i];
            self.partial_threads[i] += other.partial_threads[i];
        }
    }

    pub fn counters(&self) -> Counters {
        let threads = |i: usize| self.full[i] * 32 + self.partial_threads[i];
        Counters {
            warp_instructions: std::array::from_fn(|i| self.full[i] + self.partial[i]),
            thread_instructions: std::array::from_fn(threads),
            global_bytes: threads(GLOBAL_BYTES),
            shared_bytes: threads(SHARED_BYTES),
            blocks: 0,
        }
    }
}
