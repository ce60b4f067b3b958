//! Cheap accounting: each basic block knows what it costs, and its last operation adds that up.

use crate::counters::{CLASSES, Class, Counters};

/// Cost of a basic block for one thread: instructions per class, bytes of global and of shared memory, modelled cycles if the grid is paced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Cost(pub [u32; COLUMNS]);

const GLOBAL_BYTES: usize = CLASSES;
const SHARED_BYTES: usize = CLASSES + 1;
const CYCLES: usize = CLASSES + 2;
/// One vector register's worth.
const COLUMNS: usize = 16;

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

    /// The same with the cycles it takes: each instruction waits for the one before.
    pub fn timed(mut self, latency: &[u32; CLASSES]) -> Cost {
        let cycles = self.0.iter().zip(latency).map(|(count, latency)| count.saturating_mul(*latency));
        self.0[CYCLES] = cycles.fold(0, u32::saturating_add);
        self
    }
}

/// Costs added up: over warps that ran with all lanes, and apart for those that did not.
///
/// The former are the frequent ones and counted in 32 bits: enough for one turn of a warp, after which they are merged into a [`Total`].
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct Work {
    full: [u32; COLUMNS],
    partial: [u64; COLUMNS],
    partial_threads: [u64; COLUMNS],
}

impl Work {
    /// One basic block, executed by the lanes of `mask`.
    #[inline(always)]
    pub fn add(&mut self, cost: &Cost, mask: u32) {
        if mask == !0 {
            for i in 0..COLUMNS {
                self.full[i] = self.full[i].wrapping_add(cost.0[i]);
            }
        } else {
            let threads = u64::from(mask.count_ones());
            for i in 0..COLUMNS {
                self.partial[i] += u64::from(cost.0[i]);
                self.partial_threads[i] += u64::from(cost.0[i]) * threads;
            }
        }
    }
}

impl Work {
    /// Modelled cycles so far. Fragments of a warp take turns, so theirs add up.
    pub fn cycles(&self) -> u64 {
        u64::from(self.full[CYCLES]) + self.partial[CYCLES]
    }
}

/// The work of a block so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Total {
    warps: [u64; COLUMNS],
    threads: [u64; COLUMNS],
}

impl Total {
    pub fn add(&mut self, work: &Work) {
        for i in 0..COLUMNS {
            let full = u64::from(work.full[i]);
            self.warps[i] += full + work.partial[i];
            self.threads[i] += full * 32 + work.partial_threads[i];
        }
    }

    pub fn counters(&self) -> Counters {
        Counters {
            warp_instructions: std::array::from_fn(|i| self.warps[i]),
            thread_instructions: std::array::from_fn(|i| self.threads[i]),
            global_bytes: self.threads[GLOBAL_BYTES],
            shared_bytes: self.threads[SHARED_BYTES],
            blocks: 0,
        }
    }
}
