//! A tenant on an engine: what it may have, what it had, and how it is doing.

use super::rank::rule;
use super::{Order, Policy, QUANTUM_NS, Seen, Share};

/// The longest predicted time of a drain that is waited for without any progress. Who is charged for what it holds gains
/// nothing by a longer one; the others would lose patience.
const LONGEST_PATIENCE_NS: u64 = 100_000_000;

pub struct Account {
    pub share: Share,
    /// Time it had, ever.
    pub served: u64,
    /// Time it had over its share, in nanoseconds per percent times 100: who has the least is next.
    pub had: u64,
    /// What its share earned and it did not use; less than nothing if it had more.
    pub saved: i64,
    pub seen: Seen,
    /// When something of its work was last seen to move.
    pub moved_at: u64,
    /// Wants the engine, or is at work on it.
    pub active: bool,
    /// Has work on the engine that does not end.
    pub stuck: bool,
    /// Has its turn on another device now, and needs this one for it.
    pub together: bool,
    pub told: Option<Order>,
}

impl Account {
    pub fn new(share: Share, now: u64) -> Account {
        Account {
            share,
            served: 0,
            had: 0,
            saved: 0,
            seen: Seen::default(),
            moved_at: now,
            active: false,
            stuck: false,
            together: false,
            told: None,
        }
    }

    /// Its weight where time is divided; nobody has none.
    fn weight(&self) -> u64 {
        u64::from(self.share.percent.max(1))
    }

    pub fn has_share(&self) -> bool {
        self.share.policy != Policy::BestEffort
    }

    /// A while of the engine's time is over, of which it had `ns`.
    pub fn charge(&mut self, ns: u64) {
        self.served = self.served.saturating_add(ns);
        self.had = self.had.saturating_add(self.scaled(ns));
        self.save(-(ns as i64));
    }

    /// Its share of a while.
    pub fn earn(&mut self, ns: u64) {
        self.save((ns * u64::from(self.share.percent) / 100) as i64);
    }

    fn save(&mut self, ns: i64) {
        let (saved, owed) = rule(self).bounds_ns();
        self.saved = self.saved.saturating_add(ns).clamp(-owed, saved);
    }

    /// Time over its share.
    pub fn scaled(&self, ns: u64) -> u64 {
        ns.saturating_mul(100) / self.weight()
    }

    /// Whether nothing of it waits or is at work.
    pub fn is_idle(&self) -> bool {
        self.seen.waiting == 0 && self.seen.commands == 0
    }

    /// What is left of its work, as far as it can be foretold.
    pub fn drains_in(&self, now: u64) -> u64 {
        if self.seen.commands == 0 {
            return 0;
        }
        self.seen.in_flight_ns.min(LONGEST_PATIENCE_NS).saturating_sub(now.saturating_sub(self.moved_at))
    }

    /// Takes in what its processes say now, after the last look at `from`. Gives the stretch of time in which it had the
    /// engine; a holder has it from when its turn began, short pauses included.
    pub fn observe(&mut self, after: Seen, from: u64, now: u64, held: Option<u64>) -> Option<(u64, u64)> {
        let before = std::mem::replace(&mut self.seen, after);
        let at = after.progress_at.clamp(from.min(now), now);
        let began = before.commands == 0 && after.commands > 0;
        if began || before.retired_ns != after.retired_ns {
            self.moved_at = at.max(self.moved_at);
        }
        let overdue = now >= self.patience_ends();
        self.stuck = after.commands > 0 && overdue;
        if let Some(since) = held {
            let end = match self.is_idle() {
                true => now.min(self.moved_at.max(since) + rule(self).grace_ns()),
                false => now,
            };
            return Some((since.max(from), end)).filter(|(begin, end)| begin < end);
        }
        if self.stuck || before.commands == 0 && after.commands == 0 {
            return None;
        }
        let begin = if before.commands > 0 { from } else { at };
        let end = if after.commands > 0 { now } else { at };
        Some((begin, end)).filter(|(begin, end)| begin < end)
    }

    /// When its work, if nothing of it moves, is given up on.
    fn patience_ends(&self) -> u64 {
        let predicted = self.seen.in_flight_ns.min(LONGEST_PATIENCE_NS);
        self.moved_at.saturating_add(QUANTUM_NS.max(predicted + predicted / 2))
    }
}
