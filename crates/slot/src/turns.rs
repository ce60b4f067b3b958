//! Turns on the engines of the device: the node gives them, the tenant's processes use them.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{AcqRel, Acquire};

use cleave_gate::{DrawnWords, Engine, Flight, FlightWords, Order, TurnWords, Words};
use cleave_ledger::{State, futex};

use crate::node::NodeSlot;
use crate::seat::Seat;
use crate::slot::Slot;

impl NodeSlot {
    /// Gives or takes a turn. What processes drew ahead in the last one is void.
    pub fn give(&self, engine: Engine, order: &Order) {
        let (turn, drawn) = self.words(engine);
        if turn.give(drawn, order) {
            futex::wake(&turn.seq, u32::MAX);
        }
    }

    /// Goes on with a turn: so much credit from now on.
    pub fn renew(&self, engine: Engine, order: &Order) {
        let (turn, drawn) = self.words(engine);
        if turn.renew(drawn, order) {
            futex::wake(&turn.seq, u32::MAX);
        }
    }

    /// Goes on with a turn: what holds besides the credit that is left of it.
    pub fn go_on(&self, engine: Engine, order: &Order) {
        let (turn, _) = self.words(engine);
        if turn.go_on(order) {
            futex::wake(&turn.seq, u32::MAX);
        }
    }

    /// What was said holds for so long.
    pub fn extend(&self, engine: Engine, order: &Order) {
        let (turn, _) = self.words(engine);
        turn.extend(order);
    }

    /// What the tenant's processes say they have in flight on each engine. Nothing of it is believed beyond their own account.
    pub fn flights(&self) -> [Flight; Engine::COUNT] {
        let usage = &self.open.usage;
        let mut flights = Engine::ALL.map(|engine| Flight::of(&usage.drawn[engine.index()]));
        for entry in usage.claims.taken().map(|id| usage.entry(id)) {
            if entry.word.read().state == State::Claimed {
                flights.iter_mut().zip(&entry.flights).for_each(|(sum, own)| sum.add(own));
            }
        }
        flights
    }

    /// How often the bell rang.
    pub fn bell(&self) -> u32 {
        self.bell_word().load(Acquire)
    }

    /// The bell, to wait on.
    pub fn bell_word(&self) -> &AtomicU32 {
        &self.open.usage.bell
    }

    fn words(&self, engine: Engine) -> (&TurnWords, &DrawnWords) {
        (&self.open.limits.turns[engine.index()], &self.open.usage.drawn[engine.index()])
    }
}

impl Slot {
    /// What a gate to an engine works with; `flight` is the process's, and no more than `cap` percent of the device counts.
    pub fn words<'a>(&'a self, engine: Engine, flight: &'a FlightWords, cap: u32) -> Words<'a> {
        Words {
            turn: &self.open.limits.turns[engine.index()],
            drawn: &self.open.usage.drawn[engine.index()],
            flight,
            percent: &self.open.limits.compute,
            cap,
        }
    }

    /// Asks the node to look.
    pub fn ring(&self) {
        let bell = &self.open.usage.bell;
        bell.fetch_add(1, AcqRel);
        futex::wake(bell, 1);
    }
}

impl Seat {
    /// What this process has in flight.
    pub fn flight(&self, engine: Engine) -> &FlightWords {
        &self.entry().flights[engine.index()]
    }

    /// Asks the node to look.
    pub fn ring(&self) {
        self.slot().ring();
    }
}
