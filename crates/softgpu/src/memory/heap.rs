//! Allocations inside spans: what a context or a pool has taken from a device, cut to size.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cleave_device::chunks::CHUNK;

use super::extents::Extents;
use super::space::Space;

/// Every allocation starts at a multiple of this and is rounded up to it.
pub const GRANULE: u64 = 512;

/// From this size on an allocation gets chunks of its own.
const LARGE: u64 = CHUNK / 2;

/// Memory one owner has taken from a space. Small blocks share chunks; a chunk with no block in it goes back at once,
/// unless the owner keeps it until it is told to let go (a pool).
pub struct Heap {
    space: Arc<Space>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Free granules inside chunks that hold small blocks, by address.
    small: Extents,
    /// Spans without a block in them that stay with the owner, in chunk numbers.
    kept: Extents,
    /// Whether free spans stay in `kept` until the next trim.
    keeps: bool,
    /// Bytes taken from the space, `kept` included.
    reserved: u64,
    /// Bytes in live blocks.
    used: u64,
}

/// What a heap holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Holding {
    pub reserved: u64,
    pub used: u64,
}

impl Heap {
    /// A heap whose free chunks go back at once.
    pub fn new(space: Arc<Space>) -> Heap {
        Heap { space, inner: Mutex::default() }
    }

    /// A heap whose free chunks stay until [`trim`](Self::trim).
    pub fn keeping(space: Arc<Space>) -> Heap {
        Heap { space, inner: Mutex::new(Inner { keeps: true, ..Inner::default() }) }
    }

    /// A block of at least `bytes` bytes; its address. `None`: out of memory.
    pub fn alloc(&self, bytes: u64) -> Option<u64> {
        let len = block_len(bytes)?;
        let mut inner = self.inner();
        let addr =
            if len >= LARGE { self.span(&mut inner, len / CHUNK)? } else { self.small(&mut inner, len)? };
        inner.used += len;
        Some(addr)
    }

    /// Frees the block of `bytes` bytes at `addr`, which came from [`alloc`](Self::alloc) with the same size.
    pub fn free(&self, addr: u64, bytes: u64) {
        let Some(len) = block_len(bytes) else { return };
        let mut inner = self.inner();
        inner.used -= len;
        if len >= LARGE {
            return self.release(&mut inner, addr / CHUNK, len / CHUNK);
        }
        let (start, free) = inner.small.give(addr, len);
        let (first, end) = (start.div_ceil(CHUNK), (start + free) / CHUNK);
        if first < end && inner.small.take_at(first * CHUNK, (end - first) * CHUNK) {
            self.release(&mut inner, first, end - first);
        }
    }

    /// Gives free chunks back until at most `reserved` bytes are held. Chunks with blocks in them stay.
    pub fn trim(&self, reserved: u64) {
        let mut inner = self.inner();
        while inner.reserved > reserved {
            let Some((first, count)) = inner.kept.iter().last() else { return };
            let excess = (inner.reserved - reserved).div_ceil(CHUNK).min(count);
            let from = first + count - excess;
            inner.kept.take_at(from, excess);
            inner.reserved -= excess * CHUNK;
            self.space.give(from * CHUNK, excess);
        }
    }

    pub fn holding(&self) -> Holding {
        let inner = self.inner();
        Holding { reserved: inner.reserved, used: inner.used }
    }

    fn small(&self, inner: &mut Inner, len: u64) -> Option<u64> {
        if let Some(addr) = inner.small.take(len, GRANULE) {
            return Some(addr);
        }
        let chunk = self.span(inner, 1)?;
        inner.small.give(chunk, CHUNK);
        inner.small.take(len, GRANULE)
    }

    fn span(&self, inner: &mut Inner, count: u64) -> Option<u64> {
        if let Some(first) = inner.kept.take(count, 1) {
            return Some(first * CHUNK);
        }
        let addr = self.space.take(count).or_else(|| {
            // The device is full: what this owner keeps for later is needed now.
            let kept: Vec<(u64, u64)> = std::mem::take(&mut inner.kept).iter().collect();
            for &(first, count) in &kept {
                inner.reserved -= count * CHUNK;
                self.space.give(first * CHUNK, count);
            }
            if kept.is_empty() { None } else { self.space.take(count) }
        })?;
        inner.reserved += count * CHUNK;
        Some(addr)
    }

    fn release(&self, inner: &mut Inner, first: u64, count: u64) {
        if inner.keeps {
            inner.kept.give(first, count);
        } else {
            inner.reserved -= count * CHUNK;
            self.space.give(first * CHUNK, count);
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        // Blocks are freed before their heap: each holds a reference to it.
        self.trim(0);
    }
}

/// What a request occupies: whole granules, or whole chunks when large. `None` for sizes no address space can hold.
fn block_len(bytes: u64) -> Option<u64> {
    let unit = if bytes >= LARGE { CHUNK } else { GRANULE };
    bytes.max(1).checked_next_multiple_of(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::bank::Bank;
    use crate::memory::layout;
    use cleave_device::{Machine, Request};

    /// Windows are fixed places, so one test process can hold each of them once.
    fn space(ordinal: usize, chunks: u64) -> Arc<Space> {
        let request = Request::private().with("memory", &(chunks * CHUNK).to_string()).with("context", "0");
        let machine = Machine::open(&request).unwrap();
        let bank = Bank::open(machine, 0, machine.join("test").unwrap().record()).unwrap();
        Arc::new(Space::of_device(ordinal, bank).unwrap())
    }

    #[test]
    fn small_blocks_share_a_chunk_and_the_last_one_returns_it() {
        let space = space(15, 8);
        let heap = Heap::new(space.clone());
        let blocks: Vec<u64> = (0..4096).map(|_| heap.alloc(1).unwrap()).collect();
        assert_eq!(space.info().0, 7 * CHUNK);
        assert!(blocks.windows(2).all(|w| w[1] - w[0] == GRANULE));
        assert!(blocks.iter().all(|b| b % 256 == 0));
        let next = heap.alloc(1).unwrap();
        assert_eq!(space.info().0, 6 * CHUNK);
        heap.free(next, 1);
        blocks.iter().for_each(|&b| heap.free(b, 1));
        assert_eq!(space.info().0, 8 * CHUNK);
        assert_eq!(heap.holding(), Holding { reserved: 0, used: 0 });
    }

    #[test]
    fn the_device_is_used_to_the_last_chunk() {
        let space = space(14, 8);
        let heap = Heap::new(space.clone());
        let all = heap.alloc(8 * CHUNK).unwrap();
        assert_eq!(heap.alloc(1), None);
        heap.free(all, 8 * CHUNK);
        let warm = heap.alloc(3 * CHUNK).unwrap();
        assert_eq!(warm, all, "free memory is used where it is attached");
        assert!(heap.alloc(6 * CHUNK).is_none());
        assert!(heap.alloc(5 * CHUNK).is_some());
        assert_eq!(heap.alloc(u64::MAX), None);
        assert_eq!(heap.alloc(u64::MAX - CHUNK), None);
        assert_eq!(space.info().0, 0);
    }

    #[test]
    fn a_pool_keeps_and_trims() {
        let space = space(13, 8);
        let heap = Heap::keeping(space.clone());
        let (a, b) = (heap.alloc(2 * CHUNK).unwrap(), heap.alloc(100).unwrap());
        heap.free(a, 2 * CHUNK);
        assert_eq!(heap.holding(), Holding { reserved: 3 * CHUNK, used: 512 });
        assert_eq!(heap.alloc(CHUNK), Some(a));
        heap.free(a, CHUNK);
        heap.trim(2 * CHUNK);
        assert_eq!(heap.holding().reserved, 2 * CHUNK);
        heap.trim(0);
        assert_eq!(heap.holding().reserved, CHUNK, "a chunk in use stays");
        heap.free(b, 100);
        heap.trim(0);
        assert_eq!(space.info(), (8 * CHUNK, 8 * CHUNK));
    }

    #[test]
    fn host_memory_is_readable_where_it_is() {
        let space = Arc::new(Space::of_host(layout::HOST).unwrap());
        let heap = Heap::new(space);
        let a = heap.alloc(3 * CHUNK).unwrap();
        let b = heap.alloc(64).unwrap();
        heap.free(a, 3 * CHUNK);
        heap.free(b, 64);
        assert_eq!(heap.holding().reserved, 0);
    }

    #[test]
    fn many_live_blocks_do_not_slow_the_next() {
        let space = space(12, 2048);
        let heap = Heap::new(space);
        let time = |n: u32| {
            let start = std::time::Instant::now();
            for _ in 0..n {
                let block = heap.alloc(1024).unwrap();
                heap.free(block, 1024);
            }
            start.elapsed() / n
        };
        let base = heap.alloc(1024).unwrap();
        let few = time(20_000);
        let mut live: Vec<u64> = (0..100_000).map(|_| heap.alloc(1024).unwrap()).collect();
        // Every other one freed: the worst fragmentation there is.
        for i in (0..live.len()).rev().step_by(2) {
            heap.free(live.swap_remove(i), 1024);
        }
        let many = time(20_000);
        assert!(many < few * 8 + std::time::Duration::from_micros(1), "{few:?} -> {many:?}");
        live.iter().for_each(|&b| heap.free(b, 1024));
        heap.free(base, 1024);
    }
}
