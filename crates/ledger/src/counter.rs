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

    /// The turn of this thread among those of its process that act for `record`. A book that a forked child goes on with has
    /// locks of its own: one of the process could be held by a thread the child does not have.
    fn turn(&self, record: RecordId) -> MutexGuard<'_, ()> {
        static TURNS: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];
        let line = std::ptr::from_ref(self.account(record)).addr() / size_of::<Account>();
        wait_for(&TURNS[line % TURNS.len()])
    }

    /// After how many steps an operation that did not come about is given up. Those who keep to the rules never need it: each
    /// step that one has to repeat is another's success. It is for a book in which others may write anything.
    fn patience(&self) -> u32 {
        u32::MAX
    }
}

/// Waits for `turn`. A panic in one leaves the account as a death would: nothing to distrust.
pub fn wait_for(turn: &Mutex<()>) -> MutexGuard<'_, ()> {
    turn.lock().unwrap_or_else(PoisonError::into_inner)
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
    /// asked after the counter was read, so a limit that others lower *before* they release is never exceeded; it must not
    /// charge or release itself.
    pub fn charge(
        &self,
        book: &(impl Book + ?Sized),
        me: RecordId,
        units: u32,
        limit: impl Fn() -> u32,
    ) -> Result<(), Denied> {
        let _turn = book.turn(me);
        let mut change = Change::charge(me, units);
        for _ in 0..book.patience() {
            match change.step(&Sheet { counter: self, book }, &limit) {
                Progress::On => {}
                Progress::Done(_) => return Ok(()),
                Progress::Denied { used, limit } => return Err(Denied { wanted: units, used, limit }),
            }
        }
        let given_up = Denied { wanted: units, used: self.used(), limit: limit() };
        change.finish(&Sheet { counter: self, book }).map(|_| ()).ok_or(given_up)
    }

    /// Gives `units` of `me` back, whose token the caller's process holds; at most what it holds. Says how much it was.
    pub fn release(&self, book: &(impl Book + ?Sized), me: RecordId, units: u32) -> u32 {
        let _turn = book.turn(me);
        let sheet = Sheet { counter: self, book };
        let mut change = Change::release(me, units);
        let done = (0..book.patience()).find_map(|_| done(change.step(&sheet, &|| u32::MAX)));
        given_back(done.or_else(|| change.finish(&sheet)))
    }

    /// What `of` holds, as seen from anywhere.
    pub fn held(&self, book: &(impl Book + ?Sized), of: RecordId) -> u32 {
        held(&Sheet { counter: self, book }, of)
    }

    /// Gives back what the dead record holds, its last and perhaps half done operation included; says how much it was. The
    /// caller's process holds its token. May be called again, by anyone, if the caller dies over it or loses patience.
    pub fn recover(&self, book: &(impl Book + ?Sized), dead: RecordId) -> u32 {
        self.settle(book, Recovery::of(dead), dead)
    }

    /// Makes the dead record's last and perhaps half done operation certain and lets it keep what it holds: for a new owner
    /// that goes on where the last one died. The caller's process holds its token.
    pub fn resume(&self, book: &(impl Book + ?Sized), dead: RecordId) {
        self.settle(book, Recovery::keeping(dead), dead);
    }

    fn settle(&self, book: &(impl Book + ?Sized), mut recovery: Recovery, dead: RecordId) -> u32 {
        let _turn = book.turn(dead);
        let sheet = Sheet { counter: self, book };
        let done = (0..book.patience()).find_map(|_| done(recovery.step(&sheet)));
        given_back(done.or_else(|| recovery.finish(&sheet)))
    }
}

/// The change of an operation that has ended.
fn done(progress: Progress) -> Option<i64> {
    match progress {
        Progress::On => None,
        Progress::Done(delta) => Some(delta),
        Progress::Denied { .. } => Some(0),
    }
}

fn given_back(delta: Option<i64>) -> u32 {
    delta.and_then(|delta| u32::try_from(-delta).ok()).unwrap_or(0)
}

/// A counter with its accounts: the memory of the step machines.
struct Sheet<'a, B: ?Sized> {
    counter: &'a Counter,
    book: &'a B,
}

impl<B: Book + ?Sized> Sheet<'_, B> {
    #[inline(always)]
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
    #[inline(always)]
    fn load(&self, place: Place, order: Ordering) -> u64 {
        self.word(place).load(order)
    }

    #[inline(always)]
    fn store(&self, place: Place, word: u64, order: Ordering) {
        self.word(place).store(word, order);
    }

    #[inline(always)]
    fn exchange(&self, place: Place, old: u64, new: u64) -> bool {
        self.word(place).compare_exchange(old, new, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Accounts(Vec<Account>);

    impl Book for Accounts {
        fn account(&self, record: RecordId) -> &Account {
            &self.0[record.index()]
        }
    }

    fn empty() -> (Counter, Accounts) {
        let account =
            || Account { settled: AtomicU64::new(0), note: AtomicU64::new(0), confirmed: AtomicU64::new(0) };
        let accounts = std::iter::repeat_with(account).take(RecordId::TABLE).collect();
        (Counter { total: AtomicU64::new(0) }, Accounts(accounts))
    }

    fn id(number: u16) -> RecordId {
        RecordId::new(number).unwrap()
    }

    #[test]
    fn what_fits_is_charged_and_given_back() {
        let (counter, book) = empty();
        assert_eq!(counter.charge(&book, id(1), 6, || 10), Ok(()));
        assert_eq!(counter.charge(&book, id(2), 5, || 10), Err(Denied { wanted: 5, used: 6, limit: 10 }));
        assert_eq!(counter.charge(&book, id(2), 4, || 10), Ok(()), "to the last unit");
        assert_eq!((counter.used(), counter.held(&book, id(1)), counter.held(&book, id(2))), (10, 6, 4));
        assert_eq!(counter.release(&book, id(2), 9), 4, "no more than it holds");
        assert_eq!(counter.recover(&book, id(1)), 6);
        assert_eq!(counter.recover(&book, id(1)), 0, "once");
        assert_eq!(counter.used(), 0);
        assert_eq!(counter.charge(&book, id(1), u32::MAX, || u32::MAX), Ok(()));
        assert!(counter.charge(&book, id(2), 1, || u32::MAX).is_err());
        let denied = Denied { wanted: 5, used: 6, limit: 10 };
        assert_eq!(denied.to_string(), "wanted 5, but of 10 only 4 are free");
    }

    #[test]
    fn a_limit_that_falls_is_seen_with_the_counter_it_belongs_to() {
        let (counter, book) = empty();
        counter.charge(&book, id(1), 10, || 10).unwrap();
        // Somebody lowers the limit by four, then releases four: at no moment do four fit.
        let asked = std::cell::Cell::new(0);
        let lowering = || {
            asked.set(asked.get() + 1);
            if asked.get() == 1 {
                counter.release(&book, id(1), 4);
                return 14;
            }
            6
        };
        assert!(counter.charge(&book, id(2), 4, lowering).is_err());
        assert_eq!((asked.get(), counter.used()), (2, 6));
    }

    #[test]
    fn words_nobody_wrote_are_survived() {
        for damage in [u64::MAX, 0xfff << 20, 5 << 32 | 1023 << 20 | 7, 77] {
            let (counter, book) = empty();
            counter.total.store(damage, Ordering::Relaxed);
            book.account(id(3)).settled.store(damage, Ordering::Relaxed);
            book.account(id(3)).note.store(damage.rotate_left(20), Ordering::Relaxed);
            let _ = counter.charge(&book, id(1), 1, || 10);
            counter.recover(&book, id(3));
            assert_eq!(counter.held(&book, id(3)), 0);
        }
    }

    /// A book whose counter somebody changes at every look, against all rules.
    struct Hostile<'a>(&'a Counter, Accounts);

    impl Book for Hostile<'_> {
        fn account(&self, record: RecordId) -> &Account {
            self.0.total.fetch_xor(1, Ordering::Relaxed);
            self.1.account(record).confirmed.fetch_add(1 << 20, Ordering::Relaxed);
            self.1.account(record)
        }

        fn patience(&self) -> u32 {
            1000
        }
    }

    #[test]
    fn a_book_that_never_rests_is_given_up() {
        let (counter, book) = empty();
        counter.charge(&book, id(2), 3, || 10).unwrap();
        counter.charge(&book, id(1), 3, || 10).unwrap();
        let book = Hostile(&counter, book);
        assert!(counter.charge(&book, id(2), 1, || 10).is_err(), "given up");
        assert_eq!(counter.release(&book, id(2), 1), 0, "given up");
        counter.recover(&book, id(2));
        counter.resume(&book, id(2));
        // What was given up did not happen, so those who keep to the rules find all as it was.
        let Hostile(_, book) = book;
        assert_eq!((counter.used(), counter.held(&book, id(1)), counter.held(&book, id(2))), (6, 3, 3));
        assert_eq!(counter.recover(&book, id(2)), 3);
    }

    #[test]
    fn a_new_owner_goes_on_with_what_the_last_one_held() {
        let (counter, book) = empty();
        counter.charge(&book, id(1), 6, || 10).unwrap();
        let mut change = Change::charge(id(1), 3);
        let sheet = Sheet { counter: &counter, book: &book };
        while Total::unpack(counter.total.load(Ordering::Relaxed)).used == 6 {
            change.step(&sheet, &|| 10);
        }
        // Killed between the swap and its settling; then another overwrites the counter.
        counter.charge(&book, id(2), 1, || 10).unwrap();
        counter.resume(&book, id(1));
        counter.resume(&book, id(1));
        assert_eq!((counter.used(), counter.held(&book, id(1))), (10, 9));
        assert_eq!(counter.release(&book, id(1), 9), 9);
    }

    #[test]
    fn threads_of_a_process_share_a_record() {
        let (counter, book) = empty();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..2000 {
                        counter.charge(&book, id(1), 3, || 12).unwrap();
                        assert!(counter.used() <= 12);
                        assert_eq!(counter.release(&book, id(1), 3), 3);
                    }
                });
            }
        });
        assert_eq!((counter.used(), counter.held(&book, id(1))), (0, 0));
    }

    #[test]
    fn records_compete_and_none_is_refused_what_always_fits() {
        let (counter, book) = empty();
        std::thread::scope(|scope| {
            for record in 1..=3 {
                let (counter, book) = (&counter, &book);
                scope.spawn(move || {
                    for _ in 0..2000 {
                        counter.charge(book, id(record), 4, || 12).unwrap();
                        assert_eq!(counter.held(book, id(record)), 4);
                        counter.release(book, id(record), 4);
                    }
                });
            }
        });
        assert_eq!(counter.used(), 0);
    }
}
