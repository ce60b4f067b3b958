//! How often a function that allocates or launches was handed out unwrapped: it is newer than this library, and what it does
//! is not seen by any limit. The count is shown where people look, so that it is not silent.

use std::sync::atomic::{AtomicU64, Ordering::*};

use crate::tenancy;

/// Handed out before there was a seat to count them in.
static EARLY: AtomicU64 = AtomicU64::new(0);

/// Counts one.
pub fn count() {
    match tenancy::if_open().and_then(|tenancy| tenancy.first_seat()) {
        Some(seat) => seat.count_unwrapped(),
        None => drop(EARLY.fetch_add(1, Relaxed)),
    }
}

/// What was counted so far, for the seat that takes it over.
pub fn take() -> u64 {
    EARLY.swap(0, Relaxed)
}
