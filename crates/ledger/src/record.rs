//! Numbers of records, and the word that says whether one is taken.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Release};

use crate::pages_unsafe::shared;

/// The number of a record: 1 to [`RecordId::LAST`]; 0 is nobody.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RecordId(u16);

impl RecordId {
    /// The highest number a record can have.
    pub const LAST: u16 = 1022;
    /// How many entries a table needs that is indexed by record number (0 and one beyond the last are never used).
    pub const TABLE: usize = 1024;

    /// The record of that number, if records can have it.
    pub const fn new(number: u16) -> Option<RecordId> {
        if 1 <= number && number <= Self::LAST { Some(RecordId(number)) } else { None }
    }

    /// The number.
    pub const fn get(self) -> u16 {
        self.0
    }

    /// Where the record stands in a table of [`RecordId::TABLE`] entries.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Every record, in order.
    pub fn all() -> impl Iterator<Item = RecordId> {
        (1..=Self::LAST).map(RecordId)
    }
}

/// Whose a record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Nobody's.
    Free,
    /// A process's: it lives as long as it holds the record's token.
    Claimed,
    /// A dead process's, whose recovery has begun. Whoever holds the token now is the recoverer, not the owner.
    Dead,
}

/// A reading of a [`RecordWord`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// Whose it is.
    pub state: State,
    /// How often the record has been freed: tells one owner from the next.
    pub generation: u32,
}

shared! {
    /// Whether a record is taken, and by which owner in the row of its owners. Read by all; written only by who holds the
    /// record's token.
    pub struct RecordWord {
        word: AtomicU64,
    }
}

impl RecordWord {
    /// What the word says.
    pub fn read(&self) -> Record {
        let word = self.word.load(Acquire);
        let state = match word as u32 {
            0 => State::Free,
            1 => State::Claimed,
            // A number nobody writes is a damaged page; to recover such a record is the careful answer.
            _ => State::Dead,
        };
        Record { state, generation: (word >> 32) as u32 }
    }

    /// Makes a free record the caller's, who holds its token. False if it is not free: then its owner is dead, and the caller
    /// recovers it before it claims it.
    pub fn claim(&self) -> bool {
        self.turn(State::Free, State::Claimed, 0)
    }

    /// Says that the owner is dead and its recovery has begun; the caller holds the token. False if the record is free.
    pub fn bury(&self) -> bool {
        self.turn(State::Claimed, State::Dead, 0) || self.read().state == State::Dead
    }

    /// Frees the record after the last step of its recovery, or at its owner's orderly end; the caller holds the token.
    pub fn free(&self) {
        let now = self.read();
        if now.state != State::Free {
            self.write(State::Free, now.generation.wrapping_add(1));
        }
    }

    fn turn(&self, from: State, to: State, generations: u32) -> bool {
        let now = self.read();
        let fits = now.state == from;
        if fits {
            self.write(to, now.generation.wrapping_add(generations));
        }
        fits
    }

    fn write(&self, state: State, generation: u32) {
        let state = match state {
            State::Free => 0,
            State::Claimed => 1,
            State::Dead => 2,
        };
        self.word.store(u64::from(generation) << 32 | state, Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_goes_from_owner_to_owner() {
        let word = RecordWord { word: AtomicU64::new(0) };
        assert_eq!(word.read(), Record { state: State::Free, generation: 0 });
        assert!(!word.bury(), "nobody to bury");
        assert!(word.claim());
        assert!(!word.claim(), "taken");
        assert!(word.bury());
        assert!(word.bury(), "a second recoverer goes on where the first died");
        assert!(!word.claim(), "not before it is recovered");
        word.free();
        word.free();
        assert_eq!(word.read(), Record { state: State::Free, generation: 1 });
    }

    #[test]
    fn a_damaged_word_is_recovered_before_use() {
        let word = RecordWord { word: AtomicU64::new(5 << 32 | 77) };
        assert!(!word.claim());
        assert!(word.bury());
        word.free();
        assert_eq!(word.read(), Record { state: State::Free, generation: 6 });
    }

    #[test]
    fn numbers_outside_the_table_are_no_records() {
        assert!(RecordId::new(0).is_none() && RecordId::new(1023).is_none());
        assert_eq!(RecordId::all().count(), 1022);
    }
}
