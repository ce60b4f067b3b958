//! A process's place in a slot: what it charges and counts.

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use cleave_ledger::{Book, RecordId, birth, clock};

use crate::files::Opening;
use crate::layout::Entry;
use crate::slot::{Slot, bytes, units, whole_units};

/// A charge that does not fit, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Denied {
    /// What was asked for.
    pub wanted: u64,
    /// What was in use then.
    pub used: u64,
    /// What may be in use.
    pub limit: u64,
}

impl Denied {
    /// What was free.
    pub fn free(&self) -> u64 {
        self.limit.saturating_sub(self.used)
    }
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wanted {} bytes, but of {} only {} are free", self.wanted, self.limit, self.free())
    }
}

impl std::error::Error for Denied {}

/// A process's place in a slot. All its threads use it. It is given back when it is dropped, or by the process's end.
///
/// A forked child must not use its parent's; it joins anew.
pub struct Seat {
    slot: Slot,
    record: RecordId,
    generation: u32,
    birth: u64,
}

impl Seat {
    pub(crate) fn new(slot: Slot, record: RecordId) -> Seat {
        let generation = slot.open.usage.entry(record).word.read().generation;
        Seat { slot, record, generation, birth: birth() }
    }

    /// The slot this place is in.
    pub fn slot(&self) -> &Slot {
        &self.slot
    }

    /// The number of the place.
    pub fn record(&self) -> RecordId {
        self.record
    }

    /// Tells this owner of the place from earlier and later ones.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Reserves memory before the driver is asked for it, if it fits. `bytes` is rounded up to 512.
    #[inline]
    pub fn charge(&self, bytes: u64) -> Result<(), Denied> {
        self.charge_within(bytes, u64::MAX)
    }

    /// As [`charge`](Seat::charge), if no more than `cap` bytes are in use by the tenant then, should that be less than it may.
    #[inline]
    pub fn charge_within(&self, bytes: u64, cap: u64) -> Result<(), Denied> {
        self.slot.open.charge(self.record, bytes, cap)?;
        self.raise_peak();
        Ok(())
    }

    /// Before the driver is asked, so that it never shows more than the peak explains.
    #[inline]
    fn raise_peak(&self) {
        let open = &*self.slot.open;
        let (held, peak) = (open.usage.counter.held(open, self.record), &self.entry().peak);
        if held > peak.load(Relaxed) {
            peak.fetch_max(held, Relaxed);
        }
    }

    /// Gives reserved memory back, at most what this process holds; what was charged at once is given back in the same size.
    #[inline]
    pub fn release(&self, bytes: u64) {
        let open = &*self.slot.open;
        open.usage.counter.release(open, self.record, units(bytes).unwrap_or(u32::MAX));
    }

    /// Bytes this process holds.
    pub fn held(&self) -> u64 {
        let open = &*self.slot.open;
        bytes(open.usage.counter.held(open, self.record))
    }

    /// Writes down that `symbol` was refused, for whoever wants to know why.
    pub fn denied(&self, symbol: &str, wanted: u64, free: u64) {
        let open = &*self.slot.open;
        open.usage.denials.fetch_add(1, Relaxed);
        let _turn = open.turn(self.record);
        self.entry().denial.write(symbol, wanted, free, clock::now_ns());
    }

    /// Counts a launch.
    #[inline]
    pub fn count_launch(&self) {
        self.entry().launches.fetch_add(1, Relaxed);
    }

    /// Counts a function of the allocation or launch class that was handed out unwrapped.
    pub fn count_unwrapped(&self) {
        self.slot.open.usage.unwrapped.fetch_add(1, Relaxed);
        self.entry().unwrapped.fetch_add(1, Relaxed);
    }

    /// Says how many contexts this process has on the device.
    pub fn set_contexts(&self, count: u32) {
        self.entry().contexts.store(count, Relaxed);
    }

    /// Counts host memory that was pinned: it is shown, never limited.
    pub fn pin(&self, bytes: u64) {
        add(&self.entry().pinned, bytes);
    }

    /// Counts host memory that is no longer pinned.
    pub fn unpin(&self, bytes: u64) {
        let pinned = &self.entry().pinned;
        let _ = pinned.fetch_update(Relaxed, Relaxed, |now| Some(now.saturating_sub(bytes)));
    }

    pub(crate) fn entry(&self) -> &Entry {
        self.slot.open.usage.entry(self.record)
    }
}

fn add(count: &AtomicU64, more: u64) {
    let _ = count.fetch_update(Relaxed, Relaxed, |now| Some(now.saturating_add(more)));
}

impl Drop for Seat {
    fn drop(&mut self) {
        if self.birth == birth() {
            self.slot.open.leave(self.record);
        }
    }
}

impl Opening {
    /// Charges `wanted` bytes to `me`, if they fit into the limit and into `cap`. Before it refuses, what the dead hold is
    /// given back.
    #[inline]
    pub fn charge(&self, me: RecordId, wanted: u64, cap: u64) -> Result<(), Denied> {
        let limit = || self.limit().min(whole_units(cap));
        let Some(units) = units(wanted) else {
            return Err(Denied { wanted, used: self.used(), limit: bytes(limit()) });
        };
        let counter = &self.usage.counter;
        if counter.charge(self, me, units, limit).is_ok() {
            return Ok(());
        }
        self.recover_holders(me);
        let answer = counter.charge(self, me, units, limit);
        answer.map_err(|denied| Denied { wanted, used: bytes(denied.used), limit: bytes(denied.limit) })
    }

    #[cold]
    fn recover_holders(&self, me: RecordId) {
        self.recover(|id| id != me && self.usage.counter.held(self, id) > 0);
    }
}
