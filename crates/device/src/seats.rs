//! All processes' places on one device, by record.

use cleave_ledger::{Account, Book, RecordId, Tokens};

use crate::clock::Places;
use crate::engine::EngineFields;
use crate::layout::Seat;

#[derive(Clone, Copy)]
pub struct Seats {
    seats: &'static [Seat],
    tokens: &'static Tokens,
}

impl Seats {
    /// `seats` has an entry for every record.
    pub(crate) fn new(seats: &'static [Seat], tokens: &'static Tokens) -> Seats {
        Seats { seats, tokens }
    }

    pub fn of(&self, record: RecordId) -> &'static Seat {
        &self.seats[record.index()]
    }
}

impl Book for Seats {
    fn account(&self, record: RecordId) -> &Account {
        &self.of(record).account
    }
}

impl Places for Seats {
    fn fields(&self, record: u16) -> &EngineFields {
        // Whatever number stands in a shared word, it finds a place; that of record 0 is nobody's.
        &self.seats[usize::from(record) % self.seats.len()].engine
    }

    fn is_alive(&self, record: u16) -> bool {
        is_held(self.tokens, record)
    }
}

/// Whether somebody holds the token of a record. When the kernel does not say, careful: as if somebody did.
pub(crate) fn is_held(tokens: &Tokens, record: u16) -> bool {
    tokens.probe(record.into()).map_or(true, |holder| holder.is_some())
}
