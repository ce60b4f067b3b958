//! A tenant on an engine: what it may have, what it had, and how it is doing.

use super::lease::{Standing, Waits};
use super::pace::Pace;
use super::rank::rule;
use super::stall::{Elsewhere, Late, STALL_NS, Stall};
use super::{Course, Order, Policy, QUANTUM_NS, Seen, Share};

/// The longest predicted time of a drain that is waited for without any progress. Who is charged for what it holds gains
/// nothing by a longer one; the others would lose patience.
pub const LONGEST_PATIENCE_NS: u64 = 100_000_000;

/// A kernel that nobody knows yet may take that long; turns are passed on meanwhile.
const SHORTEST_PATIENCE_NS: u64 = 60_000_000;
/// The most a tenant can owe: after a kernel of ten seconds it waits for the rest of its share of them, and not for ever.
const MOST_OWED_NS: i64 = 10_000_000_000;

/// Work that is so late stands.
const STANDS_NS: u64 = 5_000_000;

/// A tenant that did not come for its turn is asked again after this time, then after twice as long, and so on.
const FIRST_ABSENCE_NS: u64 = 4_000_000;
const LONGEST_ABSENCE_NS: u64 = 1_000_000_000;

/// What a tenant that was idle can catch up on.
const LAG_NS: u64 = QUANTUM_NS;
/// How far ahead of the others a tenant can be.
const LONGEST_LEAD_NS: u64 = 100_000_000;

/// What a tenant has saved on an engine at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Purse {
    pub saved: i64,
    at: u64,
    /// Nothing is at work there: it grows.
    idle: bool,
}

pub struct Account {
    pub share: Share,
    /// Time it had, ever.
    pub served: u64,
    /// Time it had over its share, in nanoseconds per percent times 100: who has the least is next.
    pub had: u64,
    /// What its share earned and it did not use; less than nothing if it had more.
    pub saved: i64,
    /// Its turn was lent: beyond a turn it need not give back what it has of it.
    pub lent: bool,
    pub seen: Seen,
    /// When something of its work was last seen to move.
    pub moved_at: u64,
    /// When it was last seen to wait or to be at work: between two waits a thread does neither for a moment.
    seen_at: u64,
    /// Time it was given the engine since then.
    unmoved: u64,
    /// Wants the engine, or is at work on it.
    pub active: bool,
    /// When it last stopped wanting it.
    left_at: u64,
    /// What it was behind the others then, over its share.
    claim: u64,
    /// Has work on the engine that does not end.
    pub stuck: bool,
    /// Did not come when it had a turn: it is not asked again before this time, and then not for so long.
    pub absent_until: u64,
    pub absence: u64,
    /// Has its turn on another device now, and needs this one for it.
    pub together: bool,
    pub pace: Pace,
    /// What its last watched turn took beyond what was planned.
    pub beyond: u64,
    /// It need not ring until then: it is looked at.
    pub watched_until: u64,
    /// It was told so; by another node before this one perhaps.
    pub watched: bool,
    pub told: Option<Order>,
    pub told_at: u64,
    pub waits: Waits,
    /// Whether work waits for what its cap keeps out.
    stall: Stall,
    /// What it has saved on the other device where it has least, of those where its work waited for other work of its own. What it
    /// began here would wait for what it is kept from there, and it would owe here too.
    poorest: Option<Purse>,
    looked_at: u64,
    /// It owes for work that stood still, as work does that waits for another's.
    pub stood: bool,
}

impl Account {
    pub fn new(share: Share, now: u64) -> Account {
        let mut account = Account {
            share,
            served: 0,
            had: 0,
            saved: 0,
            lent: false,
            seen: Seen::default(),
            moved_at: now,
            seen_at: 0,
            unmoved: 0,
            active: false,
            left_at: 0,
            claim: 0,
            stuck: false,
            absent_until: 0,
            absence: 0,
            together: false,
            pace: Pace::default(),
            beyond: 0,
            watched_until: 0,
            watched: true,
            told: None,
            told_at: now,
            waits: Waits::default(),
            stall: Stall::default(),
            poorest: None,
            looked_at: now,
            stood: false,
        };
        // Who comes has not had anything for a while.
        account.saved = rule(&account).most_saved_ns();
        account
    }

    /// Its weight where time is divided; nobody has none.
    pub fn weight(&self) -> u64 {
        u64::from(self.share.percent.max(1))
    }

    pub fn has_share(&self) -> bool {
        self.share.policy != Policy::BestEffort
    }

    /// A while of the engine's time is over, of which it had `ns`.
    pub fn charge(&mut self, ns: u64) {
        self.served = self.served.saturating_add(ns);
        self.unmoved = self.unmoved.saturating_add(ns);
    }

    /// It had that for its share.
    pub fn count(&mut self, ns: u64) {
        self.had = self.had.saturating_add(self.scaled(ns));
        let owed = self.saved.min(-(QUANTUM_NS as i64));
        self.save(-(ns as i64));
        if self.lent {
            self.saved = self.saved.max(owed);
        }
    }

    /// Its share of a while.
    pub fn earn(&mut self, ns: u64) {
        self.save((ns * u64::from(self.share.percent) / 100) as i64);
    }

    fn save(&mut self, ns: i64) {
        self.saved = self.saved.saturating_add(ns).clamp(-MOST_OWED_NS, rule(self).most_saved_ns());
    }

    /// What it has saved here, if its work was seen to wait for other work of its own.
    pub fn purse(&self) -> Option<Purse> {
        let purse = Purse { saved: self.saved, at: self.looked_at, idle: self.seen.commands == 0 };
        (self.stood || self.stall.waits_for_itself()).then_some(purse)
    }

    /// What it has saved wherever it has least.
    pub fn least_saved(&self) -> i64 {
        let elsewhere = self.poorest.map(|purse| {
            let since = if purse.idle { self.looked_at.saturating_sub(purse.at) } else { 0 };
            purse.saved.saturating_add((since * u64::from(self.share.percent) / 100) as i64)
        });
        elsewhere.map_or(self.saved, |saved| saved.min(self.saved))
    }

    /// Time over its share.
    pub fn scaled(&self, ns: u64) -> u64 {
        ns.saturating_mul(100) / self.weight()
    }

    /// Whether nothing of it waits or is at work.
    pub fn is_idle(&self) -> bool {
        self.seen.waiting == 0 && self.seen.commands == 0 && !self.seen.moving
    }

    /// Until when it is known to have wanted something.
    pub fn busy_at(&self) -> u64 {
        self.moved_at.max(self.seen_at)
    }

    /// What it is seen to do it did until then.
    pub fn was_so_until(&mut self, now: u64) {
        if !self.is_idle() {
            self.seen_at = self.seen_at.max(now);
        }
    }

    /// It wants the engine no more, of which any other had at least `least`.
    pub fn leave(&mut self, least: Option<u64>) {
        self.active = false;
        self.left_at = self.busy_at();
        self.claim = least.unwrap_or(0).saturating_sub(self.had);
        self.told = None;
    }

    /// It wants the engine, of which any other had at least `least`.
    pub fn enter(&mut self, least: Option<u64>, now: u64) {
        if let Some(least) = least {
            // Who was away, or was kept from it by its own cap, has no claim to all it missed. What it was behind before it
            // left is not forgotten at once: a thread that the host does not let run looks idle too.
            let kept = match self.active {
                false => self.claim.saturating_sub(self.scaled(now.saturating_sub(self.left_at))),
                true if self.share.policy == Policy::Fixed => 0,
                true => u64::MAX,
            };
            self.had = self.had.max(least.saturating_sub(self.scaled(LAG_NS).max(kept)));
            // What was charged may have been another's: nobody waits longer for that than for a long kernel.
            self.had = self.had.min(least.saturating_add(self.scaled(LONGEST_LEAD_NS)));
        }
        self.active = true;
    }

    /// For how long what it was told holds from now on.
    pub fn holds(&mut self, standing: Standing, look_at: u64) -> Option<Order> {
        let lease = self.waits.word(standing, look_at);
        Some(Order { course: Course::Holds, lease, ..self.told? })
    }

    /// Whether it is at work with credit: by its turn, by what it was given ahead, or because it is stuck.
    pub fn is_guest(&self) -> bool {
        self.seen.commands > 0 && self.told.is_some_and(|told| told.credit_ns > 0)
    }

    /// It had a turn and did not come: its process may be stopped.
    pub fn is_absent(&mut self, now: u64) {
        self.absence = (2 * self.absence).clamp(FIRST_ABSENCE_NS, LONGEST_ABSENCE_NS);
        self.absent_until = now + self.absence;
    }

    /// What is left of its work, as far as it can be foretold; since `alone` nobody else was in its way.
    pub fn drains_in(&self, now: u64, alone: u64) -> u64 {
        if self.seen.commands == 0 {
            return 0;
        }
        self.seen
            .in_flight_ns
            .min(LONGEST_PATIENCE_NS)
            .saturating_sub(now.saturating_sub(self.moved_at.max(alone)))
    }

    /// Takes in what its processes say now, after the last look at `from`. Gives the stretch of time in which it had the
    /// engine; a holder has it from when its turn began, short pauses included.
    pub fn observe(
        &mut self,
        after: Seen,
        from: u64,
        now: u64,
        held: Option<u64>,
        alone: bool,
    ) -> Option<(u64, u64, u64)> {
        self.looked_at = now;
        let late = self.late();
        let before = std::mem::replace(&mut self.seen, after);
        if before != after {
            (self.absent_until, self.absence) = (0, 0);
        }
        self.was_so_until(now);
        let at = after.progress_at.clamp(from.min(now), now);
        let began = before.commands == 0 && after.commands > 0;
        // Of what began since the last look some may be done already, and part of what is done now was paid for before.
        let did = after.retired_ns.saturating_sub(before.retired_ns);
        let done = self.pace.real(did);
        let first = at.saturating_sub(done).max(from);
        // Nothing done is not nothing used: what is at work seems to have gone on, as long as it is not late.
        let paid = self.unmoved.min(from.saturating_sub(self.moved_at));
        let left = if did > 0 { done } else { self.in_flight() }.saturating_sub(paid);
        let progress = if did > 0 { left } else { left.min((now - from) / 2) }.max((now - from) / 16);
        if began || before.retired_ns != after.retired_ns {
            self.moved_at = at.max(self.moved_at);
            self.unmoved = 0;
        }
        self.stall.judge(self.late(), before.retired_ns != after.retired_ns, now);
        let still_until = if before.retired_ns == after.retired_ns { now } else { at };
        let stands = late.is_some_and(|late| still_until >= late.at.saturating_add(STALL_NS));
        self.stood = stands || self.stood && self.saved < 0;
        // Of the time it was charged for at the last look, part came before it moved.
        self.unmoved = self.unmoved.min(now - self.moved_at.min(now));
        self.stuck = after.commands > 0 && self.unmoved >= self.patience();
        if let Some(since) = held {
            if alone && since <= from && before.commands > 0 && after.commands > 0 {
                self.pace.look(now - from, did);
            }
            let end = match self.is_idle() {
                true => now.min(self.moved_at.max(since) + rule(self).grace_ns()),
                false => now,
            };
            // Until its first work is there, a turn costs nothing.
            let begin = if began { first } else { from };
            return Some((since.max(begin), end, progress)).filter(|(begin, end, _)| begin < end);
        }
        if before.commands == 0 && after.commands == 0 {
            return None;
        }
        let begin = if before.commands > 0 { from } else { first };
        let end = if after.commands > 0 { now } else { at };
        Some((begin, end, progress)).filter(|(begin, end, _)| begin < end)
    }

    /// What is in flight, as it turns out to be.
    fn in_flight(&self) -> u64 {
        self.pace.real(self.seen.in_flight_ns).min(LONGEST_PATIENCE_NS)
    }

    /// What it has at work here.
    pub fn late(&self) -> Option<Late> {
        let at = self.moved_at.saturating_add(self.in_flight());
        (self.seen.commands > 0).then_some(Late { at, since: self.moved_at })
    }

    /// Whether what it has at work should have been done long ago.
    pub fn stands(&self, now: u64) -> bool {
        self.late().is_some_and(|late| now >= late.at.saturating_add(STANDS_NS))
    }

    /// What others have told of work elsewhere that may wait for it.
    pub fn hears(&mut self, elsewhere: Elsewhere, poorest: Option<Purse>) {
        (self.stall.elsewhere, self.poorest) = (elsewhere, poorest);
    }

    /// From when on more of it is to be let on, if something waits and it is held to a cap.
    pub fn lets_on_at(&self) -> Option<u64> {
        let waits = self.seen.waiting > 0 && !self.share.paused && rule(self).is_cap();
        self.stall.lets_on_at(self.late()).filter(|_| waits)
    }

    /// Whether more of it was let on, and it is not known whether that helps.
    pub fn is_let_on(&self) -> bool {
        self.stall.is_let_on()
    }

    /// More of it is let on from now on.
    pub fn let_on(&mut self, now: u64) {
        self.stall.let_on(self.late(), now);
    }

    /// How long its work may have the engine without an end of anything before it is given up on.
    fn patience(&self) -> u64 {
        let predicted = self.in_flight();
        SHORTEST_PATIENCE_NS.max(predicted + predicted / 2)
    }
}
