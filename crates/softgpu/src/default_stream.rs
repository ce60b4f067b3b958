//! Which stream the handle 0 means: the legacy one, or in the `_ptsz` and `_ptds` forms the calling thread's own.

use std::cell::Cell;

thread_local! {
    static PER_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// While it lives, handle 0 means the thread's own stream. Calls do not nest, so dropping it restores the legacy meaning.
pub struct PerThread(());

/// Begins a call of a per-thread form.
pub fn per_thread() -> PerThread {
    PER_THREAD.set(true);
    PerThread(())
}

impl Drop for PerThread {
    fn drop(&mut self) {
        PER_THREAD.set(false);
    }
}

/// Whether handle 0 means the thread's own stream in the call being made.
pub fn is_per_thread() -> bool {
    PER_THREAD.get()
}
