//! A thread at a gate, from when it is first refused until it passes.

use std::sync::atomic::Ordering::AcqRel;

use crate::words::FlightWords;

/// A thread that asks a gate. As long as it waits for a turn it is counted, without a break from one wait to the next: who looks
/// in between must not take the tenant for idle.
pub struct Waiter<'a> {
    flight: &'a FlightWords,
    counted: bool,
}

impl<'a> Waiter<'a> {
    pub(crate) fn new(flight: &'a FlightWords) -> Waiter<'a> {
        Waiter { flight, counted: false }
    }

    /// Whether it has waited for a turn and has not passed since.
    pub(crate) fn waits(&self) -> bool {
        self.counted
    }

    pub(crate) fn count(&mut self, waits_for_a_turn: bool) {
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
