//! Memory pools: what a pool holds is charged as it grows, not each block that is taken from it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;

use crate::books::{Map, lock};
use crate::cards::Card;
use crate::number_unsafe;
use crate::real_unsafe::cuda as real;

/// The pools of this process, by handle.
#[derive(Default)]
pub struct Pools {
    /// Nothing where a pool is not of device memory.
    known: Mutex<Map<Option<Arc<Pool>>>>,
    /// Whether there ever was one.
    any: AtomicBool,
}

/// One pool.
pub struct Pool {
    handle: CUmemoryPool,
    card: &'static Card,
    state: Mutex<State>,
    /// What it grows by, at least; learnt from watching it.
    grain: AtomicU64,
}

#[derive(Default)]
struct State {
    /// Bytes charged for it. Never less than it holds, as far as we can see.
    charged: u64,
    /// Bytes of it that are charged for calls which the driver has not answered yet.
    pending: u64,
    /// Bytes that such calls expect to find in the pool.
    expected: u64,
    /// Blocks that are taken from it.
    live: u64,
    destroyed: bool,
}

/// What a call may take: found in the pool, or charged before it is known.
#[derive(Clone, Copy)]
pub enum Ask {
    Held(u64),
    Grown(u64),
}

/// The least a pool grows by.
const GRAIN: u64 = 2 << 20;

impl Pools {
    /// A pool by handle; met for the first time, it belongs to the device that `card` gives, if to any.
    pub fn get(
        &self,
        handle: CUmemoryPool,
        card: impl FnOnce() -> Result<Option<&'static Card>, CUresult>,
    ) -> Result<Option<Arc<Pool>>, CUresult> {
        let mut known = lock(&self.known);
        if let Some(pool) = known.get(&(handle.0 as u64)) {
            return Ok(pool.clone());
        }
        let make =
            |card| Arc::new(Pool { handle, card, state: Mutex::default(), grain: AtomicU64::new(GRAIN) });
        let pool = card()?.map(make);
        known.insert(handle.0 as u64, pool.clone());
        self.any.store(true, Relaxed);
        Ok(pool)
    }

    /// Forgets a pool before the driver destroys it.
    pub fn take(&self, handle: CUmemoryPool) -> Option<Option<Arc<Pool>>> {
        lock(&self.known).remove(&(handle.0 as u64))
    }

    /// Puts one back that the driver did not destroy.
    pub fn put(&self, handle: CUmemoryPool, pool: Option<Arc<Pool>>) {
        lock(&self.known).insert(handle.0 as u64, pool);
    }

    /// Charges what the pools of a device hold now: frees take effect when streams reach them.
    pub fn settle(&self, card: Option<&Card>) {
        let known: Vec<_> = lock(&self.known).values().flatten().cloned().collect();
        let of = |pool: &&Arc<Pool>| card.is_none_or(|card| pool.card.device == card.device);
        known.iter().filter(of).for_each(|pool| pool.settle());
    }

    /// Has the pools of a device give back what they do not use. Whether anything came back.
    pub fn trim(&self, card: &Card) -> bool {
        let known: Vec<_> = lock(&self.known).values().flatten().cloned().collect();
        let of = |pool: &&Arc<Pool>| pool.card.device == card.device;
        known.iter().filter(of).fold(false, |any, pool| any | pool.trim())
    }

    /// Whether there never was one.
    pub fn is_empty(&self) -> bool {
        !self.any.load(Relaxed)
    }
}

impl Pool {
    pub fn handle(&self) -> CUmemoryPool {
        self.handle
    }

    pub fn card(&self) -> &'static Card {
        self.card
    }

    /// Makes sure that a block may be taken. Growth is charged beforehand wherever that fits, since what a pool has to spare
    /// may be in pieces; what it did not need is given back at once. At the brim pools give back first what is whole, and
    /// then the spare has to do, once: if the driver makes the pool grow all the same, it is not asked `again`.
    pub fn ask(&self, symbol: &'static str, bytes: u64, again: bool) -> Result<Ask, CUresult> {
        let pieces = |grain| bytes.checked_next_multiple_of(grain).unwrap_or(u64::MAX);
        let (grown, least) = (pieces(self.grain.load(Relaxed)), pieces(GRAIN));
        if self.card.take(grown) {
            return Ok(self.grow(grown));
        }
        if self.card.make_room(least) || self.card.take(least) {
            return Ok(self.grow(least));
        }
        let spare = if again { None } else { self.spare(bytes) };
        spare.map_or_else(|| self.card.refuse(symbol, bytes), Ok)
    }

    /// Notes the driver's answer, and charges what the pool holds now. False if that is more than there is.
    pub fn answered(&self, ask: Ask, taken: bool) -> bool {
        let mut state = lock(&self.state);
        match ask {
            Ask::Held(bytes) => state.expected -= bytes,
            Ask::Grown(bytes) => {
                state.pending -= bytes;
                self.learn(&state, bytes);
            }
        }
        state.live += u64::from(taken);
        self.adjust(&mut state)
    }

    /// A block went back to the pool.
    pub fn freed(&self) {
        let mut state = lock(&self.state);
        state.live = state.live.saturating_sub(1);
        match state.destroyed {
            false => drop(self.adjust(&mut state)),
            true => self.close(&mut state),
        }
    }

    /// The driver destroyed it. Its memory lives until the last block is freed.
    pub fn destroyed(&self) {
        let mut state = lock(&self.state);
        state.destroyed = true;
        self.close(&mut state);
    }

    fn close(&self, state: &mut State) {
        if state.live == 0 {
            self.card.release(std::mem::take(&mut state.charged));
        }
    }

    fn settle(&self) {
        self.adjust(&mut lock(&self.state));
    }

    /// Has it give back what it does not use. Whether anything came back.
    pub fn trim(&self) -> bool {
        let before = lock(&self.state).charged;
        let _best_effort = real::cuMemPoolTrimTo(self.handle, 0);
        let mut state = lock(&self.state);
        self.adjust(&mut state);
        state.charged < before
    }

    fn spare(&self, bytes: u64) -> Option<Ask> {
        let mut state = lock(&self.state);
        let (reserved, used) = (self.reserved()?, self.number(CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?);
        let spare = reserved.saturating_sub(used).saturating_sub(state.expected);
        if bytes > spare {
            return None;
        }
        state.expected += bytes;
        Some(Ask::Held(bytes))
    }

    fn grow(&self, bytes: u64) -> Ask {
        let mut state = lock(&self.state);
        state.charged += bytes;
        state.pending += bytes;
        Ask::Grown(bytes)
    }

    /// Sets the charge to what the pool holds and what calls under way may add to it.
    fn adjust(&self, state: &mut State) -> bool {
        let Some(reserved) = self.reserved() else { return true };
        let due = reserved.saturating_add(state.pending);
        if due <= state.charged {
            self.card.release(state.charged - due);
            state.charged = due;
            return true;
        }
        let missing = due - state.charged;
        let fits = self.card.take(missing);
        state.charged += if fits { missing } else { 0 };
        fits
    }

    /// Did it grow by more than was charged for its growth, more is charged next time.
    fn learn(&self, state: &State, charged: u64) {
        let grew = self
            .reserved()
            .unwrap_or(0)
            .saturating_add(state.pending)
            .saturating_sub(state.charged.saturating_sub(charged));
        if grew > charged {
            self.grain.fetch_max(grew.next_multiple_of(GRAIN), Relaxed);
        }
    }

    fn reserved(&self) -> Option<u64> {
        self.number(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)
    }

    fn number(&self, attribute: CUmemPool_attribute) -> Option<u64> {
        number_unsafe::written(|value: Ptr<core::ffi::c_void>| {
            real::cuMemPoolGetAttribute(self.handle, attribute, value)
        })
    }
}
