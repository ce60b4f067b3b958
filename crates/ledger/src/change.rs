//! One change of the counter, and the recovery of a holder that died in the middle of one, as step machines.
//!
//! A step touches the shared memory once. So a test can stop, interleave and kill at every place where it matters, and the
//! machine that runs in a process is the one that was tested: it differs only in the memory it is given.
//!
//! How it works. An operation of a record has a sequence number. The record *notes* {sequence, delta} in its account, *swaps*
//! the counter to {used + delta, record, sequence}, and *settles* {held + delta, sequence} in its account. Whoever swaps next
//! first *confirms* the operation it is about to overwrite, in the account of the record the counter names. So if a record
//! dies after its note, its operation happened exactly if the counter still names it or its account confirms it.
//!
//! What this rests on: between reading the counter and swapping it, a process is not stopped for exactly a whole turn of
//! another record's sequence (1,048,575 operations, or a multiple) at whose end the same amount is in use. Even then the
//! amounts are right, unless that other record is also killed between its swap and its settling.

#[cfg(test)]
mod every_step;
#[cfg(test)]
mod weak_memory;

use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

use crate::record::RecordId;
use crate::words::{self, Confirmed, Note, Settled, Total};

/// A word of the shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// The counter: compare-exchange only.
    Total,
    /// Written by who acts for the record.
    Settled(RecordId),
    /// Written by who acts for the record.
    Note(RecordId),
    /// Written by anyone: compare-exchange only.
    Confirmed(RecordId),
}

/// The shared memory as the machines need it.
pub trait Cells {
    /// Sequence numbers run 1 to this and around again.
    const SEQUENCES: u32 = words::SEQUENCES;

    fn load(&self, place: Place, order: Ordering) -> u64;
    fn store(&self, place: Place, word: u64, order: Ordering);
    /// Compare-exchange; false if the word was another. Orders as `AcqRel`.
    fn exchange(&self, place: Place, old: u64, new: u64) -> bool;
}

/// How far a step came.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Progress {
    /// There are more steps.
    On,
    /// The operation is done: it changed the counter by so much.
    Done(i64),
    /// The operation did not fit.
    Denied { used: u32, limit: u32 },
}

/// One charge or release of one record.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Change {
    me: RecordId,
    delta: i64,
    /// The record's account before the operation.
    from: Settled,
    stage: Stage,
}

/// `seen` is the counter as it was read: a word that nobody could have packed is overwritten like any other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Stage {
    Begin,
    Void,
    Note,
    Look,
    Find { seen: u64, of: RecordId },
    Validate { seen: u64, of: RecordId, found: Confirmed },
    Confirm { seen: u64, of: RecordId, found: Confirmed },
    Swap { seen: u64 },
    Settle,
}

impl Change {
    pub fn charge(me: RecordId, units: u32) -> Change {
        Change::by(me, i64::from(units))
    }

    /// A release gives back at most what the record holds.
    pub fn release(me: RecordId, units: u32) -> Change {
        Change::by(me, -i64::from(units))
    }

    fn by(me: RecordId, delta: i64) -> Change {
        Change { me, delta, from: Settled::unpack(0), stage: Stage::Begin }
    }

    /// Does the next step. The caller is the only one that acts for the record. `limit` is asked after each reading of the
    /// counter, and its answer is used only if the counter is still the same at the swap.
    #[inline(always)]
    pub fn step<C: Cells>(&mut self, cells: &C, limit: &impl Fn() -> u32) -> Progress {
        let me = self.me;
        let sequence = following::<C>(self.from.sequence);
        self.stage = match self.stage {
            Stage::Begin => {
                self.from = Settled::unpack(cells.load(Place::Settled(me), Relaxed));
                self.delta = self.delta.max(-i64::from(self.from.held));
                if self.delta == 0 {
                    return Progress::Done(0);
                }
                if voids::<C>(following::<C>(self.from.sequence)) { Stage::Void } else { Stage::Note }
            }
            // A reading and an exchange are one step here: what comes between makes the exchange fail.
            Stage::Void => {
                let old = Confirmed::unpack(cells.load(Place::Confirmed(me), Acquire));
                let done = cells.exchange(Place::Confirmed(me), old.pack(), old.then(0).pack());
                if done { Stage::Note } else { Stage::Void }
            }
            Stage::Note => {
                cells.store(Place::Note(me), Note { delta: self.delta, sequence }.pack(), Release);
                Stage::Look
            }
            Stage::Look => {
                let seen = cells.load(Place::Total, Acquire);
                let limit = limit();
                let Total { used, record, .. } = Total::unpack(seen);
                if self.delta > 0 && i64::from(used) + self.delta > i64::from(limit) {
                    return Progress::Denied { used, limit };
                }
                match record {
                    // Our own last operation is settled, or we would not be here.
                    Some(of) if of != me => Stage::Find { seen, of },
                    _ => Stage::Swap { seen },
                }
            }
            Stage::Find { seen, of } => {
                let found = Confirmed::unpack(cells.load(Place::Confirmed(of), Acquire));
                let known = found.sequence == Total::unpack(seen).sequence;
                if known { Stage::Swap { seen } } else { Stage::Validate { seen, of, found } }
            }
            // Between this look and the exchange below the counter may move on. If somebody else moved it, he confirmed
            // first, and the exchange fails; if the record itself did, what we write is old but true, and no newer
            // confirmation is lost, or the exchange would fail.
            Stage::Validate { seen, of, found } => {
                let same = cells.load(Place::Total, Acquire) == seen;
                if same { Stage::Confirm { seen, of, found } } else { Stage::Look }
            }
            Stage::Confirm { seen, of, found } => {
                let confirmed = found.then(Total::unpack(seen).sequence);
                let done = cells.exchange(Place::Confirmed(of), found.pack(), confirmed.pack());
                if done { Stage::Swap { seen } } else { Stage::Find { seen, of } }
            }
            Stage::Swap { seen } => {
                let used = moved(Total::unpack(seen).used, self.delta);
                let total = Total { used, record: Some(me), sequence };
                let done = cells.exchange(Place::Total, seen, total.pack());
                if done { Stage::Settle } else { Stage::Look }
            }
            Stage::Settle => {
                let held = moved(self.from.held, self.delta);
                cells.store(Place::Settled(me), Settled { held, sequence }.pack(), Release);
                return Progress::Done(self.delta);
            }
        };
        Progress::On
    }

    /// Ends an operation that is given up: what it did to the counter is settled, and how much that was is said; an operation
    /// that did nothing to it yet stays undone.
    pub fn finish<C: Cells>(&mut self, cells: &C) -> Option<i64> {
        if self.stage != Stage::Settle {
            return None;
        }
        match self.step(cells, &|| 0) {
            Progress::Done(delta) => Some(delta),
            _ => None,
        }
    }
}

/// The recovery of a dead record: finds out whether its last operation happened, then releases all it holds in its name.
/// A recoverer that dies is followed by another, which begins anew.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Recovery {
    dead: RecordId,
    /// Whether the record keeps what it holds.
    keeps: bool,
    stage: Finding,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Finding {
    Settled,
    Note { from: Settled },
    Total { from: Settled, note: Note },
    Confirmed { from: Settled, note: Note },
    Settle { to: Settled },
    Release(Change),
}

impl Recovery {
    pub fn of(dead: RecordId) -> Recovery {
        Recovery { dead, keeps: false, stage: Finding::Settled }
    }

    /// As [`of`](Recovery::of), but nothing is released: the next owner goes on with it.
    pub fn keeping(dead: RecordId) -> Recovery {
        Recovery { keeps: true, ..Recovery::of(dead) }
    }

    /// Does the next step. The caller is the only one that acts for the record, and its owner is dead.
    #[inline(always)]
    pub fn step<C: Cells>(&mut self, cells: &C) -> Progress {
        let dead = self.dead;
        self.stage = match &mut self.stage {
            Finding::Settled => {
                Finding::Note { from: Settled::unpack(cells.load(Place::Settled(dead), Acquire)) }
            }
            &mut Finding::Note { from } => {
                let note = Note::unpack(cells.load(Place::Note(dead), Acquire));
                let open = note.sequence == following::<C>(from.sequence);
                if open { Finding::Total { from, note } } else { self.give_back() }
            }
            // The counter before the confirmation: whoever overwrote it had confirmed.
            &mut Finding::Total { from, note } => {
                let total = Total::unpack(cells.load(Place::Total, Acquire));
                if total.record == Some(dead) && total.sequence == note.sequence {
                    Finding::Settle { to: after(from, note) }
                } else {
                    Finding::Confirmed { from, note }
                }
            }
            &mut Finding::Confirmed { from, note } => {
                let confirmed = Confirmed::unpack(cells.load(Place::Confirmed(dead), Acquire));
                let happened = confirmed.sequence == note.sequence;
                if happened { Finding::Settle { to: after(from, note) } } else { self.give_back() }
            }
            &mut Finding::Settle { to } => {
                cells.store(Place::Settled(dead), to.pack(), Release);
                self.give_back()
            }
            Finding::Release(change) => return change.step(cells, &|| u32::MAX),
        };
        Progress::On
    }

    /// Ends a recovery that is given up, as [`Change::finish`] does. Another may begin it anew.
    pub fn finish<C: Cells>(&mut self, cells: &C) -> Option<i64> {
        if let Finding::Release(change) = &mut self.stage { change.finish(cells) } else { None }
    }

    fn give_back(&self) -> Finding {
        Finding::Release(Change::release(self.dead, if self.keeps { 0 } else { u32::MAX }))
    }
}

/// What `record` holds, for a reader that does not act for it: the settled amount and the operation that happened since. A
/// record in the middle of an operation is never waited for; one that is faster than the reader gives an amount of just now.
pub fn held<C: Cells>(cells: &C, record: RecordId) -> u32 {
    let read = || {
        let from = Settled::unpack(cells.load(Place::Settled(record), Acquire));
        (from, Note::unpack(cells.load(Place::Note(record), Acquire)))
    };
    let (from, note) = read();
    if note.sequence != following::<C>(from.sequence) {
        return from.held;
    }
    let total = Total::unpack(cells.load(Place::Total, Acquire));
    let happened = total.record == Some(record) && total.sequence == note.sequence
        || Confirmed::unpack(cells.load(Place::Confirmed(record), Acquire)).sequence == note.sequence;
    let (later, same) = read();
    if happened && (later, same) == (from, note) { after(from, note).held } else { later.held }
}

fn after(from: Settled, note: Note) -> Settled {
    Settled { held: moved(from.held, note.delta), sequence: note.sequence }
}

/// The sequence number after `sequence`: never 0, which is no operation at all.
fn following<C: Cells>(sequence: u32) -> u32 {
    if sequence >= C::SEQUENCES { 1 } else { sequence + 1 }
}

/// Twice per turn of the sequence, a record voids what was confirmed: a confirmation of half a turn ago, written or still on
/// its way, would otherwise speak for a number that comes again.
fn voids<C: Cells>(sequence: u32) -> bool {
    sequence == 1 || sequence == C::SEQUENCES / 2 + 1
}

/// Only a damaged page leaves the range.
fn moved(amount: u32, delta: i64) -> u32 {
    (i64::from(amount) + delta).clamp(0, i64::from(u32::MAX)) as u32
}
