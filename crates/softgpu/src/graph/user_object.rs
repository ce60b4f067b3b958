//! Objects of the program that graphs keep alive: a pointer, a count, and a function for the end.

use crate::queue::callback_unsafe;
use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

pub struct UserObject {
    pub handle: CUuserObject,
    object: Ptr<c_void>,
    destructor: CUhostFn,
    count: AtomicU64,
}

impl UserObject {
    pub fn new(handle: usize, object: Ptr<c_void>, destructor: CUhostFn, count: u32) -> UserObject {
        UserObject { handle: CUuserObject(handle), object, destructor, count: AtomicU64::new(count.into()) }
    }

    pub fn retain(&self, count: u32) {
        self.count.fetch_add(count.into(), Ordering::Relaxed);
    }

    /// True for the one caller who let go last. Letting go more often than held counts as the last time.
    pub fn release(&self, count: u32) -> bool {
        let update = |held: u64| (held > 0).then(|| held.saturating_sub(count.into()));
        match self.count.fetch_update(Ordering::AcqRel, Ordering::Relaxed, update) {
            Ok(before) => before <= count.into(),
            Err(_) => false,
        }
    }

    /// Calls the program's destructor.
    pub fn destroy(&self) {
        callback_unsafe::host_function(self.destructor, self.object);
    }
}
