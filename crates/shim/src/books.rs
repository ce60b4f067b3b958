//! What this process holds, and on which device: made for tenants only, and never dropped, since destructors of the program
//! may free late.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cleave_api::cuda::types::*;

use crate::cards::{Card, Cards};
use crate::contexts::Contexts;
use crate::entries::{Entries, Entry};
use crate::graphs::Graphs;
use crate::movable;
use crate::pools::Pools;
use crate::process_unsafe::PerProcess;
use crate::real_unsafe::cuda as real;
use crate::tenancy;
use crate::vmm::Vmm;

/// The books of a process.
pub struct Books {
    pub cards: Cards,
    /// Memory with an address.
    pub linear: Entries,
    pub arrays: Entries,
    pub mipmaps: Entries,
    pub contexts: Contexts,
    pub pools: Pools,
    pub graphs: Graphs,
    pub vmm: Mutex<Vmm>,
}

/// Where a call works: the device and the context that are current on this thread.
#[derive(Clone, Copy)]
pub struct Here {
    pub card: &'static Card,
    pub context: CUcontext,
}

static BOOKS: PerProcess<Option<Books>> = PerProcess::new();

/// The books, if this process is a tenant's.
#[inline]
pub fn get() -> Option<&'static Books> {
    BOOKS.get_or(Books::open).as_ref()
}

impl Books {
    fn open() -> Option<Books> {
        (!tenancy::current().is_unlimited()).then(|| Books {
            cards: Cards::default(),
            linear: Entries::default(),
            arrays: Entries::default(),
            mipmaps: Entries::default(),
            contexts: Contexts::default(),
            pools: Pools::default(),
            graphs: Graphs::default(),
            vmm: Mutex::default(),
        })
    }

    /// Where a call of this thread works. An error is the driver's, which knows better what is missing.
    pub fn here(&'static self) -> Result<Here, CUresult> {
        let (mut device, mut context) = (CUdevice(0), CUcontext(0));
        real::cuCtxGetDevice((&mut device).into()).ok()?;
        real::cuCtxGetCurrent((&mut context).into()).ok()?;
        Ok(Here { card: self.cards.get(device)?, context })
    }

    /// Charges what pools and graphs hold on a device now, if there are any.
    pub fn settle(&self, card: &Card) {
        if !self.pools.is_empty() {
            self.pools.settle(Some(card));
        }
        self.graphs.settle_if_any(card);
    }

    /// Gives back what an entry held.
    pub fn release(&self, entry: Entry) {
        match entry.pool {
            None => entry.card.release(entry.bytes),
            Some(pool) => pool.freed(),
        }
    }

    /// A context is gone, and all that was made in it.
    pub fn forget(&self, context: CUcontext) {
        if let Some(movable) = movable::get() {
            movable.forget(context);
        }
        for entries in [&self.linear, &self.arrays, &self.mipmaps] {
            for entry in entries.take_of(context) {
                self.release(entry);
            }
        }
    }
}

/// A lock that a panic elsewhere does not close: each map is right after every single step.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A map whose keys are handles and addresses.
pub type Map<V> = HashMap<u64, V, Mix>;

/// Hashes a single number.
#[derive(Clone, Copy, Default)]
pub struct Mix(u64);

impl BuildHasher for Mix {
    type Hasher = Mix;

    fn build_hasher(&self) -> Mix {
        Mix(0)
    }
}

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, key: u64) {
        let product = (self.0 ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}
