//! What this process has open: each slot once.
//!
//! A second opening of a lock file would not know what the first one holds, and would drop it all when it is closed. A forked
//! child begins with an empty registry: what its parent has open is its parent's, and a lock that a thread of the parent held
//! at the fork must not be waited for.

use std::ptr;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{AcqRel, Acquire};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cleave_ledger::birth;

/// Things of type `T` that one process has open.
pub struct Registry<T: 'static> {
    current: AtomicPtr<Generation<T>>,
}

struct Generation<T> {
    birth: u64,
    open: Mutex<Vec<T>>,
}

impl<T> Registry<T> {
    pub const fn new() -> Registry<T> {
        Registry { current: AtomicPtr::new(ptr::null_mut()) }
    }

    /// What this process has open.
    pub fn lock(&self) -> MutexGuard<'static, Vec<T>> {
        self.generation().open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn generation(&self) -> &'static Generation<T> {
        let birth = birth();
        loop {
            let found = self.current.load(Acquire);
            // SAFETY: null, or leaked below and never freed once it was current.
            if let Some(generation) = unsafe { found.as_ref() }
                && generation.birth == birth
            {
                return generation;
            }
            let fresh = Box::into_raw(Box::new(Generation { birth, open: Mutex::new(Vec::new()) }));
            if self.current.compare_exchange(found, fresh, AcqRel, Acquire).is_err() {
                // SAFETY: nobody else has seen it.
                drop(unsafe { Box::from_raw(fresh) });
            }
        }
    }
}
