//! The counter several processes charge, and the account each of them keeps.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::change::{Cells, Change, Place, Progress, Recovery, held};
use crate::pages_unsafe::shared;
use crate::record::RecordId;
use crate::words::Total;

shared! {
    /// What all records hold together: the truth about how much is used, in the caller's units. Never above the limit of
    /// those who charge, and nothing that fits is refused. All zero is an empty counter.
    ///
    /// No operation waits for another process. Threads of one process act for the same record, so they take turns, by a lock
    /// of the process's own memory.
    pub struct Counter {
        total: AtomicU64,
    }
}

shared! {
    /// One record's part of a counter. It outlives its owners: a new one goes on where the last was recovered. All zero is an
    /// empty account.
    pub struct Account {
        settled: AtomicU64,
        note: AtomicU64,
        confirmed: AtomicU64,
    }
}

/// Where the accounts of a counter are: one for each record.
pub trait Book {
    /// The account of `record`, always the same one.
    fn account(&self, record: RecordId) -> &Account;
}

/// A charge that does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Denied {
    /// What was asked for.
    pub wanted: u32,
    /// What was in use then.
    pub used: u32,
    /// What may be in use.
    pub limit: u32,
}

impl fmt::Display for Denied {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let free = self.limit.saturating_sub(self.used);
        write!(out, "wanted {}, but of {} only {free} are free", self.wanted, self.limit)
    }
}

impl std::error::Error for Denied {}

impl Counter {
    /// What all records hold together.
    pub fn used(&self) -> u32 {
        Total::unpack(self.total.load(Ordering::Acquire)).used
    }

    /// Charges `units` to `me`, whose token the caller's process holds, if no more than `limit()` is in use then. `limit` is
    /// asked after the counter was read: a limit that others lower *before* they release is never exceeded.
    pub fn charge(
        &self,
        book: &(impl Book + ?Sized),
        me: RecordId,
        units: u32,
        limit: impl Fn() -> u32,
    ) -> Result<(), Denied> {
        let _turn = turn(book.account(me));
        let mut change = Change::charge(me, units);
        loop {
            match change.step(&Sheet { counter: self, book }, &limit) {
                Progress::On => {}
                Progress::Done(_) => return Ok(()),
                Progress::Denied { used, limit } => return Err(Denied { wanted: units, used, limit }),
            }
        }
    }

    /// Gives `units` of `me` back, whose token the caller's process holds; at most what it holds. Says how much it was.
    pub fn release(&self, book: &(impl Book + ?Sized), me: RecordId, units: u32) -> u32 {
        let _turn = turn(book.account(me));
        let mut change = Change::release(me, units);
        finish(|| change.step(&Sheet { counter: self, book }, &|| u32::MAX))
    }

    /// What `of` holds, as seen from anywhere.
    pub fn held(&self, book: &(impl Book + ?Sized), of: RecordId) -> u32 {
        held(&Sheet { counter: self, book }, of)
    }

    /// Gives back what the dead record holds, its last and perhaps half done operation included; says how much it was. The
    /// caller's process holds its token. May be called again, by anyone, if the caller dies over it.
    pub fn recover(&self, book: &(impl Book + ?Sized), dead: RecordId) -> u32 {
        let _turn = turn(book.account(dead));
        let mut recovery = Recovery::of(dead);
        finish(|| recovery.step(&Sheet { counter: self, book }))
    }
}

/// Steps on until a release is done.
fn finish(mut step: impl FnMut() -> Progress) -> u32 {
    loop {
        match step() {
            Progress::On => {}
            Progress::Done(delta) => return u32::try_from(-delta).unwrap_or(0),
            Progress::Denied { .. } => return 0,
        }
    }
}

/// The turn of this thread among those of its process that act for the same account.
fn turn(account: &Account) -> MutexGuard<'static, ()> {
    static TURNS: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];
    let line = std::ptr::from_ref(account).addr() / size_of::<Account>();
    // A panic in between leaves the account as a death would: nothing to distrust.
    TURNS[line % TURNS.len()].lock().unwrap_or_else(PoisonError::into_inner)
}

/// A counter with its accounts: the memory of the step machines.
struct Sheet<'a, B: ?Sized> {
    counter: &'a Counter,
    book: &'a B,
}

impl<B: Book + ?Sized> Sheet<'_, B> {
    #[inline]
    fn word(&self, place: Place) -> &AtomicU64 {
        match place {
            Place::Total => &self.counter.total,
            Place::Settled(record) => &self.book.account(record).settled,
            Place::Note(record) => &self.book.account(record).note,
            Place::Confirmed(record) => &self.book.account(record).confirmed,
        }
    }
}

impl<B: Book + ?Sized> Cells for Sheet<'_, B> {
    #[inline]
    fn load(&self, place: Place, order: Ordering) -> u64 {
        self.word(place).load(order)
    }

    #[inline]
    fn store(&self, place: Place, word: u64, order: Ordering) {
        self.word(place).store(word, order);
    }

    #[inline]
    fn exchange(&self, place: Place, old: u64, new: u64) -> bool {
        self.word(place).compare_exchange(old, new, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}
