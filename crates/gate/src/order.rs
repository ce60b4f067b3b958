//! What the arbiter says to a tenant about an engine, and how a process reads it.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::words::{DrawnWords, TurnWords};

/// Others contend for the engine, or a cap holds: completions are followed closely and the bell is rung.
const TRACKED: u32 = 1;
/// Nothing passes.
const PAUSED: u32 = 2;
/// Others may be on the device at the same time: what is measured now is not one's own alone.
const SHARED: u32 = 4;
/// The arbiter looks by itself when the credit should be used up.
const WATCHED: u32 = 8;

/// The bit of the lease that says that the arbiter knows of who waits. Of the moment it is a nanosecond.
const KNOWS: u64 = 1;

/// Nanoseconds in flight where nobody said otherwise.
pub const WINDOW: u64 = 2_000_000;
/// Bounds of the window, whatever a page says: less would stop a process, more would not be a bound.
const WINDOWS: std::ops::RangeInclusive<u64> = 100_000..=1_000_000_000;

/// A turn as the arbiter gives or takes it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Order {
    /// Predicted nanoseconds that may be drawn from now on; 0 takes the turn away.
    pub credit_ns: u64,
    /// Predicted nanoseconds a process may have in flight; 0 for the usual.
    pub window_ns: u64,
    /// Others contend, or a cap holds.
    pub tracked: bool,
    /// Others may be on the device now.
    pub shared: bool,
    /// The arbiter looks by itself when the credit should be used up: who then waits need not ring.
    pub watched: bool,
    /// Nothing passes, credit or not.
    pub paused: bool,
    /// What is at work seems to wait for what waits here, and that is let on.
    pub lets_on: bool,
    /// Until when this holds, on the clock of shared pages.
    pub lease_until: u64,
    /// The arbiter knows that the tenant waits, or will: who does need not be answered before the lease is over.
    pub knows: bool,
}

/// What stands there at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Standing {
    pub seq: u32,
    pub turn: u64,
    pub allowed: u64,
    pub window: u64,
    /// Tells one word of the arbiter's from the next.
    pub word: u64,
    /// Until when it holds.
    pub lease: u64,
    pub knows: bool,
    pub tracked: bool,
    pub paused: bool,
    pub shared: bool,
    pub watched: bool,
    /// How often something was let on because the work before it seemed to wait for it.
    pub let_on: u64,
}

impl TurnWords {
    /// Begins another turn, or ends one: what processes had drawn ahead in the last one is void. True if threads may wait for
    /// it, who are to be woken on [`TurnWords::seq`]: to go on, or to follow completions from now on.
    #[must_use = "waiters are woken by the caller"]
    pub fn give(&self, drawn: &DrawnWords, order: &Order) -> bool {
        let was_tracked = self.flags.load(Relaxed) & TRACKED != 0;
        self.say(drawn, order);
        // The turn's number after all that it stands for, and what is waited on after that. Who waits at a gate that stays
        // closed has no reason to look, nor to say again that it waits.
        self.turn.fetch_add(1, Release);
        let wakes = order.credit_ns > 0 && !order.paused || order.tracked && !was_tracked;
        self.end(wakes, order)
    }

    /// The turn goes on, with so much credit from now on. True if threads may wait for it.
    #[must_use = "waiters are woken by the caller"]
    pub fn renew(&self, drawn: &DrawnWords, order: &Order) -> bool {
        let was_open = (self.allowed.load(Relaxed).wrapping_sub(drawn.charged.load(Relaxed)) as i64) > 0;
        self.say(drawn, order);
        let opens = !was_open && order.credit_ns > 0 && !order.paused;
        self.end(opens, order)
    }

    /// The turn goes on, with what is left of its credit. True if completions are to be followed from now on, by threads that
    /// may wait.
    #[must_use = "waiters are woken by the caller"]
    pub fn go_on(&self, order: &Order) -> bool {
        let was_tracked = self.flags.load(Relaxed) & TRACKED != 0;
        self.say_besides(order);
        let wakes = order.tracked && !was_tracked;
        self.end(wakes, order)
    }

    /// How long all this holds comes last: of an arbiter that dies before it has said everything the last word holds, and that is
    /// over when this one was due.
    fn end(&self, wakes: bool, order: &Order) -> bool {
        if wakes {
            self.seq.fetch_add(1, Release);
        }
        self.extend(order);
        wakes
    }

    /// What was said holds for as long as this does.
    pub fn extend(&self, order: &Order) {
        self.lease.store(order.lease_until & !KNOWS | if order.knows { KNOWS } else { 0 }, Release);
    }

    fn say(&self, drawn: &DrawnWords, order: &Order) {
        self.say_besides(order);
        if order.lets_on {
            self.let_on.fetch_add(1, Relaxed);
        }
        self.allowed.store(drawn.charged.load(Relaxed).wrapping_add(order.credit_ns), Release);
    }

    fn say_besides(&self, order: &Order) {
        let flag = |is: bool, flag: u32| if is { flag } else { 0 };
        let flags = flag(order.tracked, TRACKED) | flag(order.paused, PAUSED);
        let flags = flags | flag(order.shared, SHARED) | flag(order.watched, WATCHED);
        self.flags.store(flags, Relaxed);
        self.window.store(order.window_ns, Relaxed);
    }

    /// Whether completions are followed closely.
    pub(crate) fn is_tracked(&self) -> bool {
        self.flags.load(Relaxed) & TRACKED != 0
    }

    /// What holds now.
    pub(crate) fn read(&self) -> Standing {
        // The number to wait on before what is judged by it: an order in between makes the wait end at once.
        let seq = self.seq.load(Acquire);
        let word = self.lease.load(Acquire);
        let turn = self.turn.load(Acquire);
        let flags = self.flags.load(Relaxed);
        let window = match self.window.load(Relaxed) {
            0 => WINDOW,
            window => window.clamp(*WINDOWS.start(), *WINDOWS.end()),
        };
        Standing {
            seq,
            turn,
            allowed: self.allowed.load(Acquire),
            window,
            word,
            lease: word & !KNOWS,
            knows: word & KNOWS != 0,
            tracked: flags & TRACKED != 0,
            paused: flags & PAUSED != 0,
            shared: flags & SHARED != 0,
            watched: flags & WATCHED != 0,
            let_on: self.let_on.load(Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: Order = Order {
        credit_ns: 1000,
        window_ns: 0,
        tracked: true,
        shared: false,
        watched: false,
        paused: false,
        lets_on: false,
        lease_until: 6,
        knows: true,
    };

    #[test]
    fn a_turn_is_credit_from_what_was_drawn() {
        let (words, drawn) = (TurnWords::default(), DrawnWords::default());
        drawn.charged.store(u64::MAX - 9, Relaxed);
        assert!(words.give(&drawn, &TURN));
        let first = words.read();
        assert_eq!(first.allowed.wrapping_sub(drawn.charged.load(Relaxed)), 1000, "numbers wrap");
        assert_eq!((first.window, first.lease, first.knows, first.tracked), (WINDOW, 6, true, true));
        assert!(!words.renew(&drawn, &TURN), "nobody waits at an open gate");
        assert_eq!(words.read().turn, first.turn);
        drawn.charged.fetch_add(2000, Relaxed);
        assert!(words.renew(&drawn, &TURN));
        assert_eq!((words.read().turn, words.read().seq), (first.turn, first.seq + 1));
        let seq = words.read().seq;
        assert!(!words.give(&drawn, &Order { credit_ns: 0, ..TURN }), "nobody is woken to find it closed");
        assert_ne!(words.read().turn, first.turn);
        assert_eq!(words.read().seq, seq, "nor has anything to look at");
    }

    #[test]
    fn what_is_said_besides_is_no_credit() {
        let (words, drawn) = (TurnWords::default(), DrawnWords::default());
        assert!(words.give(&drawn, &Order { tracked: false, ..TURN }));
        let before = words.read();
        drawn.charged.fetch_add(900, Relaxed);
        assert!(!words.go_on(&Order { tracked: false, shared: true, window_ns: 7_000_000, ..TURN }));
        let after = words.read();
        assert_eq!((after.allowed, after.turn, after.seq), (before.allowed, before.turn, before.seq));
        assert_eq!((after.shared, after.window), (true, 7_000_000));
        assert!(words.go_on(&TURN), "who sleeps has to follow completions");
        assert!(!words.go_on(&TURN) && words.read().allowed == before.allowed);
    }

    #[test]
    fn a_pause_wakes_nobody_and_a_window_has_bounds() {
        let (words, drawn) = (TurnWords::default(), DrawnWords::default());
        assert!(words.give(&drawn, &TURN));
        assert!(!words.give(&drawn, &Order { paused: true, window_ns: 1, ..TURN }));
        assert!(words.read().paused);
        assert_eq!(words.read().window, 100_000);
    }
}
