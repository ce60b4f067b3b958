//! Grids of a context that run right now, to be stopped when the context ends.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cleave_simt::Grid;

#[derive(Default)]
pub struct Running {
    stopped: AtomicBool,
    /// `None` between the launch and the moment its handle is known.
    grids: Mutex<BTreeMap<u64, Option<Grid>>>,
}

/// Grids of all contexts.
static ALL: AtomicUsize = AtomicUsize::new(0);

/// Whether any grid of this process runs. If not, none has looked up an address before this call that it still uses.
pub fn any() -> bool {
    ALL.load(SeqCst) != 0
}

impl Running {
    /// A number for a new grid, never used twice in a process.
    pub fn begin(&self) -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Relaxed);
        ALL.fetch_add(1, SeqCst);
        self.grids().insert(id, None);
        id
    }

    /// Keeps the handle, if the grid has not ended meanwhile.
    pub fn keep(&self, id: u64, grid: Grid) {
        let mut grids = self.grids();
        let Some(place) = grids.get_mut(&id) else { return };
        if self.stopped.load(Acquire) {
            grid.stop();
        }
        *place = Some(grid);
    }

    pub fn end(&self, id: u64) {
        if self.grids().remove(&id).is_some() {
            ALL.fetch_sub(1, SeqCst);
        }
    }

    /// Stops what runs and what will.
    pub fn stop(&self) {
        self.stopped.store(true, Release);
        self.grids().values().flatten().for_each(Grid::stop);
    }

    fn grids(&self) -> MutexGuard<'_, BTreeMap<u64, Option<Grid>>> {
        self.grids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
