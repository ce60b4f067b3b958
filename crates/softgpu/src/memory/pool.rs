//! Memory pools: where stream-ordered allocations come from.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::access::{Access, AccessMap};
use super::heap::{Heap, Holding};
use super::space::Space;

/// A pool of one device. Its chunks stay with it up to the release threshold; what is above goes back at the next
/// synchronisation.
pub struct Pool {
    pub device: usize,
    /// What the program knows it by.
    pub handle: usize,
    heap: Arc<Heap>,
    threshold: AtomicU64,
    /// Most bytes it may ever hold; 0 is no limit.
    pub max_bytes: u64,
    /// Kinds of descriptor it may be exported as.
    pub handle_types: u32,
    /// Which pool of which process this one stands for. It opens that one's memory and has none itself.
    pub origin: Option<Origin>,
    access: AccessMap,
    peak_reserved: AtomicU64,
    peak_used: AtomicU64,
    /// May memory be reused across streams, and how; kept for the program to read back.
    pub reuse: [AtomicBool; 3],
}

/// A pool of some process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    pub record: u16,
    pub generation: u32,
}

/// How to make one.
#[derive(Clone, Copy, Default)]
pub struct Wish {
    pub max_bytes: u64,
    pub handle_types: u32,
    pub origin: Option<Origin>,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("device", &self.device).finish_non_exhaustive()
    }
}

impl Pool {
    /// An empty pool, open to its own device.
    pub fn new(space: &Arc<Space>, device: usize, handle: usize, wish: Wish) -> Pool {
        let Wish { max_bytes, handle_types, origin } = wish;
        let heap = Arc::new(Heap::keeping(space.clone()));
        let access = AccessMap::default();
        access.set(device, Access::ReadWrite);
        Pool {
            device,
            handle,
            heap,
            threshold: AtomicU64::new(0),
            max_bytes,
            handle_types,
            origin,
            access,
            peak_reserved: AtomicU64::new(0),
            peak_used: AtomicU64::new(0),
            reuse: [true, true, true].map(AtomicBool::new),
        }
    }

    pub fn heap(&self) -> &Arc<Heap> {
        &self.heap
    }

    pub fn holding(&self) -> Holding {
        self.heap.holding()
    }

    /// Whether `bytes` more fit under the pool's own limit.
    pub fn has_room(&self, bytes: u64) -> bool {
        self.max_bytes == 0 || self.holding().used.saturating_add(bytes) <= self.max_bytes
    }

    /// Notes a new peak after an allocation.
    pub fn note(&self) {
        let Holding { reserved, used } = self.holding();
        self.peak_reserved.fetch_max(reserved, Relaxed);
        self.peak_used.fetch_max(used, Relaxed);
    }

    /// Highest reserved and used bytes since the last reset.
    pub fn peaks(&self) -> Holding {
        Holding { reserved: self.peak_reserved.load(Relaxed), used: self.peak_used.load(Relaxed) }
    }

    pub fn reset_peak_reserved(&self) {
        self.peak_reserved.store(self.holding().reserved, Relaxed);
    }

    pub fn reset_peak_used(&self) {
        self.peak_used.store(self.holding().used, Relaxed);
    }

    pub fn threshold(&self) -> u64 {
        self.threshold.load(Relaxed)
    }

    pub fn set_threshold(&self, bytes: u64) {
        self.threshold.store(bytes, Relaxed);
    }

    /// Gives back what is held above the threshold.
    pub fn settle(&self) {
        self.heap.trim(self.threshold());
    }

    pub fn trim(&self, keep: u64) {
        self.heap.trim(keep);
    }

    pub fn access(&self, device: usize) -> Access {
        self.access.get(device)
    }

    pub fn set_access(&self, device: usize, access: Access) {
        self.access.set(device, access);
    }
}
