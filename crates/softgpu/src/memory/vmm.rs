//! Memory without an address and addresses without memory: what cuMemCreate and cuMemAddressReserve make, and mappings.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cleave_device::chunks::CHUNK;

use super::access::{Access, AccessMap};
use super::extents::Extents;
use super::layout;
use super::map_unsafe::Window;
use super::run::Run;
use super::space::{Numbers, Space};

/// Sizes, offsets and addresses are multiples of this.
pub const GRANULARITY: u64 = CHUNK;

/// Memory of a device that has no address of its own. It lives until the last handle and the last mapping are gone.
pub struct Physical {
    space: Arc<Space>,
    runs: Vec<Run>,
    pub device: usize,
    pub bytes: u64,
    /// Kinds of shareable handle it may be exported as.
    pub handle_types: u32,
    /// How often the program holds the handle. Mappings hold the object itself.
    handles: AtomicU64,
    /// The name the program knows it by.
    handle: AtomicUsize,
}

impl std::fmt::Debug for Physical {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Physical").field("device", &self.device).field("runs", &self.runs).finish()
    }
}

impl Physical {
    /// Takes `bytes` (a multiple of [`GRANULARITY`]) from a device. `None`: out of memory.
    pub fn create(space: &Arc<Space>, device: usize, bytes: u64, handle_types: u32) -> Option<Physical> {
        let runs = space.take_chunks(bytes / CHUNK)?;
        Some(Physical::of(space, runs, device, bytes, handle_types))
    }

    /// Memory that another process, or another part of this one, shares. `None`: it is gone.
    pub fn import(
        space: &Arc<Space>,
        device: usize,
        bytes: u64,
        handle_types: u32,
        numbers: Numbers,
    ) -> Option<Physical> {
        let runs = space.join_chunks(numbers, bytes / CHUNK)?;
        Some(Physical::of(space, runs, device, bytes, handle_types))
    }

    fn of(space: &Arc<Space>, runs: Vec<Run>, device: usize, bytes: u64, handle_types: u32) -> Physical {
        let (handles, handle) = (AtomicU64::new(1), AtomicUsize::new(0));
        Physical { space: space.clone(), runs, device, bytes, handle_types, handles, handle }
    }

    /// Opens it to other processes; the numbers they find it by.
    pub fn share(&self) -> Option<Numbers> {
        self.space.share_chunks(&self.runs)
    }

    pub fn handle(&self) -> usize {
        self.handle.load(Relaxed)
    }

    pub fn set_handle(&self, handle: usize) {
        self.handle.store(handle, Relaxed);
    }

    pub fn retain(&self) {
        self.handles.fetch_add(1, Relaxed);
    }

    /// True when this was the last handle.
    pub fn release(&self) -> bool {
        self.handles.fetch_sub(1, AcqRel) == 1
    }

    /// The first `bytes` of it, as runs of chunks.
    fn head(&self, bytes: u64) -> Vec<Run> {
        let mut left = bytes / CHUNK;
        let mut runs = Vec::with_capacity(self.runs.len());
        for run in &self.runs {
            let count = run.count.min(left);
            if count == 0 {
                break;
            }
            runs.push(Run { first: run.first, count });
            left -= count;
        }
        runs
    }
}

impl Drop for Physical {
    fn drop(&mut self) {
        self.space.give_chunks(&self.runs);
    }
}

/// A physical allocation at an address, closed to every device until access is given.
#[derive(Debug)]
pub struct Mapping {
    pub physical: Arc<Physical>,
    access: AccessMap,
}

impl Mapping {
    pub fn access(&self, device: usize) -> Access {
        self.access.get(device)
    }

    pub fn set_access(&self, device: usize, access: Access) {
        self.access.set(device, access);
    }
}

/// Addresses the program reserved for its own mappings.
pub struct Reserved {
    alias: Window,
    /// Nothing is ever mapped here: it keeps the program's pointers from meaning host memory.
    _window: Window,
    places: Mutex<Places>,
}

struct Places {
    free: Extents,
    taken: BTreeMap<u64, u64>,
}

impl Reserved {
    pub fn new() -> io::Result<Reserved> {
        let (base, len) = layout::RESERVED;
        Ok(Reserved {
            alias: Window::reserve(base + layout::ALIAS, len)?,
            _window: Window::reserve(base, len)?,
            places: Mutex::new(Places { free: Extents::new(base, len), taken: BTreeMap::new() }),
        })
    }

    /// Reserves `len` bytes, at `wish` if that place is free. Lengths and alignments are multiples of [`GRANULARITY`].
    pub fn reserve(&self, len: u64, align: u64, wish: u64) -> Option<u64> {
        let mut places = self.places();
        let wished = wish != 0 && wish.is_multiple_of(align) && places.free.take_at(wish, len);
        let start = if wished { wish } else { places.free.take(len, align)? };
        places.taken.insert(start, len);
        Some(start)
    }

    /// Gives a reservation back; false unless it is exactly one that was made.
    pub fn free(&self, start: u64, len: u64) -> bool {
        let mut places = self.places();
        if places.taken.get(&start) != Some(&len) {
            return false;
        }
        places.taken.remove(&start);
        places.free.give(start, len);
        true
    }

    /// Whether `start..start + len` lies inside one reservation.
    pub fn holds(&self, start: u64, len: u64) -> bool {
        let places = self.places();
        let Some((&from, &have)) = places.taken.range(..=start).next_back() else { return false };
        (start - from).checked_add(len).is_some_and(|end| end <= have)
    }

    /// Start and length of the reservation that holds `addr`.
    pub fn find(&self, addr: u64) -> Option<(u64, u64)> {
        let places = self.places();
        let (&from, &have) = places.taken.range(..=addr).next_back()?;
        (addr - from < have).then_some((from, have))
    }

    pub fn contains(&self, addr: u64) -> bool {
        self.alias.contains(addr.wrapping_add(layout::ALIAS))
    }

    /// Puts the first `len` bytes of `physical` at `start`, which is inside a reservation and free.
    pub fn map(&self, physical: &Arc<Physical>, start: u64, len: u64) -> io::Result<Arc<Mapping>> {
        physical.space.map_chunks(&physical.head(len), &self.alias, start + layout::ALIAS)?;
        Ok(Arc::new(Mapping { physical: physical.clone(), access: AccessMap::default() }))
    }

    /// Takes a mapping away. The engine's side becomes scratch pages, as in [`Space`].
    pub fn unmap(&self, start: u64, len: u64) -> io::Result<()> {
        self.alias.map_zero(start + layout::ALIAS, len)
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
