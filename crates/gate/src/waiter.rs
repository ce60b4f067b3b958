//! A thread at a gate, from when it is first refused until it passes.

use std::sync::atomic::Ordering::AcqRel;

use crate::gate::Why;
use crate::words::FlightWords;

/// Who waits for room for so long is kept from it by threads that came later: what is small finds some all the time.
const OVERDUE: u64 = 4_000_000;

/// A thread that asks a gate. As long as it waits for a turn it is counted, without a break from one wait to the next: who looks
/// in between must not take the tenant for idle.
pub struct Waiter<'a> {
    flight: &'a FlightWords,
    counted: bool,
    /// When it first had to wait for room.
    room_since: Option<u64>,
}

impl<'a> Waiter<'a> {
    pub(crate) fn new(flight: &'a FlightWords) -> Waiter<'a> {
        Waiter { flight, counted: false, room_since: None }
    }

    /// Whether it has waited for a turn and has not passed since.
    pub(crate) fn waits(&self) -> bool {
        self.counted
    }

    /// Whether it is its turn for whatever room there is.
    pub(crate) fn is_overdue(&self, now: u64) -> bool {
        self.room_since.is_some_and(|since| now >= since.saturating_add(OVERDUE))
    }

    pub(crate) fn passes(&mut self) {
        self.count(false);
        self.room_since = None;
    }

    pub(crate) fn refused(&mut self, why: Why, now: u64) {
        self.count(why != Why::Window);
        self.room_since = self.room_since.or((why == Why::Window).then_some(now));
    }

    fn count(&mut self, waits_for_a_turn: bool) {
        match (self.counted, waits_for_a_turn) {
            (false, true) => self.flight.waiting.fetch_add(1, AcqRel),
            (true, false) => self.flight.waiting.fetch_sub(1, AcqRel),
            _ => return,
        };
        self.counted = waits_for_a_turn;
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.count(false);
    }
}
