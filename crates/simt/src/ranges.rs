//! Which addresses device code may touch: the table every global access is checked against.

use crate::range_unsafe::Range;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Live allocations of one address space, shared by host threads that allocate and workers that execute.
///
/// Workers keep the ranges they found in per-instruction caches stamped with the generation, so the lock is taken once per instruction
/// and allocation, not once per access. Only a removal raises the generation: an insertion never makes a cached answer wrong.
#[derive(Default)]
pub struct Ranges {
    generation: AtomicU64,
    table: RwLock<BTreeMap<u64, Range>>,
}

/// Why a range was not inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeError {
    /// No bytes, or past the end of the address space.
    Empty,
    /// Shares bytes with the live range that starts here.
    Overlaps { start: u64 },
}

impl Ranges {
    pub fn new() -> Ranges {
        Ranges::default()
    }

    pub fn insert(&self, range: Range) -> Result<(), RangeError> {
        let end = range.start().checked_add(range.len()).ok_or(RangeError::Empty)?;
        if range.is_empty() {
            return Err(RangeError::Empty);
        }
        let mut table = self.write();
        // Ranges are disjoint, so only the last one that starts before our end can overlap.
        if let Some((&start, last)) = table.range(..end).next_back()
            && last.end() > range.start()
        {
            return Err(RangeError::Overlaps { start });
        }
        table.insert(range.start(), range);
        Ok(())
    }

    /// Takes out the range that starts at `start`. Accesses that begin after the return see it no more.
    pub fn remove(&self, start: u64) -> Option<Range> {
        let mut table = self.write();
        let removed = table.remove(&start)?;
        self.generation.fetch_add(1, Release);
        Some(removed)
    }

    /// The range that holds the byte at `address`.
    pub fn find(&self, address: u64) -> Option<Range> {
        let table = self.read();
        let (_, range) = table.range(..=address).next_back()?;
        (address - range.start() < range.len()).then_some(*range)
    }

    /// Changes with every removal: a cached range is good while this stays the same.
    pub fn generation(&self) -> u64 {
        self.generation.load(Acquire)
    }

    pub fn len(&self) -> usize {
        self.read().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<u64, Range>> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<u64, Range>> {
        self.table.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.read().values()).finish()
    }
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RangeError::Empty => write!(f, "range is empty or wraps around"),
            RangeError::Overlaps { start } => write!(f, "range overlaps the one at {start:#x}"),
        }
    }
}

impl std::error::Error for RangeError {}
