//! Whose turn it is on one engine.
//!
//! A turn ends when its time is over or its credit used up, when its tenant has nothing to do, or when somebody comes who goes
//! first. The next one is given a little before the last work of the old is done. Work that does not end delays nobody for
//! longer than it was predicted to take: the device itself then goes from one to the other, and both pay.

use std::collections::BTreeMap;

use super::account::{Account, LONGEST_PATIENCE_NS, Purse};
use super::crowd::Crowd;
use super::rank::{Rank, Tier, rule};
use super::stall::{Elsewhere, KNOWN_STALL_NS, Late};
use super::timeline::{self, Stretch};
use super::{
    ALONE_WINDOW_NS, HEARTBEAT_NS, Id, LEAD_NS, LENT_NS, NARROW_WINDOW_NS, Order, QUANTUM_NS,
    SHORTEST_TURN_NS, Seen, Share, WINDOW_NS, fixed,
};

/// Credit of a tenant that does nothing: its first work need not wait for anybody to look.
const STANDING_NS: u64 = 500_000;
/// Who does nothing with its turn for so long is not there: a waiting thread was woken when it began.
const NO_SHOW_NS: u64 = 2_000_000;
/// Time that passed unseen (the machine slept, the node was stopped) is nobody's: what is beyond the moment of the next look and
/// this.
const LATE_NS: u64 = 20_000_000;

/// The arbiter of one engine.
#[derive(Default)]
pub struct Arbiter {
    accounts: BTreeMap<Id, Account>,
    turn: Option<Turn>,
    crowd: Crowd,
    looked_at: u64,
    /// Until when nothing was new.
    same_until: u64,
    /// When it wanted to look again.
    look_at: u64,
    /// Somebody came, went or may have something else.
    changed: bool,
}

#[derive(Clone, Copy)]
struct Turn {
    holder: Id,
    since: u64,
    length: u64,
    /// No more credit: it ends with the work that is there, and then at the latest.
    closes_by: Option<u64>,
    /// Since when nobody else has work on the engine.
    alone: u64,
    /// What its processes said when it began.
    then: Seen,
}

/// What others should know of a tenant that is held to a cap.
pub struct Capped {
    /// What it has at work.
    pub late: Option<Late>,
    /// It owes for work that stood still.
    pub stood: bool,
    pub purse: Option<Purse>,
}

/// What is to be done now, and when to look again at the latest.
#[derive(Clone, Debug, Default)]
pub struct Step {
    pub orders: Vec<(Id, Order)>,
    pub wake_at: u64,
}

impl Arbiter {
    pub fn new() -> Arbiter {
        Arbiter::default()
    }

    /// A tenant comes, or may have something else from now on. What it had stays.
    pub fn set(&mut self, id: Id, share: Share) {
        let now = self.looked_at;
        self.changed |= self.accounts.get(&id).is_none_or(|account| account.share != share);
        self.accounts.entry(id).or_insert_with(|| Account::new(share, now)).share = share;
    }

    /// A tenant is gone.
    pub fn remove(&mut self, id: Id) {
        self.changed |= self.accounts.remove(&id).is_some();
        self.turn = self.turn.filter(|turn| turn.holder != id);
    }

    /// A tenant has its turn on another device, and should have it here too; or no longer.
    pub fn together(&mut self, id: Id, with: bool) {
        if let Some(account) = self.accounts.get_mut(&id) {
            self.changed |= account.together != with;
            account.together = with;
        }
    }

    /// Those that are held to a cap.
    pub fn capped(&self) -> impl Iterator<Item = (Id, Capped)> {
        let capped = self.accounts.iter().filter(|(_, account)| rule(account).is_cap());
        capped.map(|(id, account)| {
            (*id, Capped { late: account.late(), stood: account.stood, purse: account.purse() })
        })
    }

    /// Work elsewhere that may wait for what a tenant is kept from here, and what it has saved where it has least; when to look
    /// again at the latest.
    pub fn hears(&mut self, id: Id, elsewhere: Elsewhere, poorest: Option<Purse>) -> u64 {
        if let Some(account) = self.accounts.get_mut(&id) {
            account.hears(elsewhere, poorest);
            let lets_on_at = account.lets_on_at().filter(|_| self.turn.is_none_or(|turn| turn.holder != id));
            self.look_at = lets_on_at.map_or(self.look_at, |at| self.look_at.min(at.max(self.looked_at + 1)));
        }
        self.look_at
    }

    /// Time a tenant had, ever.
    pub fn got(&self, id: Id) -> u64 {
        self.accounts.get(&id).map_or(0, |account| account.served)
    }

    /// Whether a tenant has work here that does not end, so that only the device takes turns.
    pub fn is_stuck(&self, id: Id) -> bool {
        self.accounts.get(&id).is_some_and(|account| account.stuck)
    }

    /// Whose turn it is.
    pub fn holder(&self) -> Option<Id> {
        self.turn.map(|turn| turn.holder)
    }

    /// Whether a tenant waits or has work here.
    pub fn is_active(&self, id: Id) -> bool {
        self.accounts.get(&id).is_some_and(|account| account.active)
    }

    /// Looks, decides, and says what is to be done. Where nothing is new and nothing was due, nothing is.
    pub fn step(&mut self, now: u64, seen: &[(Id, Seen)]) -> Step {
        let now = now.max(self.looked_at);
        let is_new = |(id, seen): &(Id, Seen)| self.accounts.get(id).is_some_and(|it| it.seen != *seen);
        if !self.changed && now < self.look_at && !seen.iter().any(is_new) {
            self.same_until = now;
            return Step { orders: Vec::new(), wake_at: self.look_at };
        }
        self.changed = false;
        self.look(now, seen);
        self.decide(now);
        let orders = self.orders(now);
        self.look_at = self.wake_at(now);
        Step { orders, wake_at: self.look_at }
    }

    /// Takes in what was seen, and charges for the time since the last look.
    fn look(&mut self, now: u64, seen: &[(Id, Seen)]) {
        let longest = self.look_at.saturating_sub(self.looked_at).saturating_add(LATE_NS);
        let from = self.looked_at.max(now.saturating_sub(longest));
        let turn = self.turn;
        let mut stretches = Vec::new();
        for (id, account) in &mut self.accounts {
            account.was_so_until(self.same_until);
            // Few of many are looked at in one round.
            let after = seen.iter().find(|(one, _)| one == id).map_or(account.seen, |(_, seen)| *seen);
            let held = turn.filter(|turn| turn.holder == *id);
            let alone = held.is_some_and(|turn| turn.alone <= from);
            if let Some((begin, end, progress)) =
                account.observe(after, from, now, held.map(|turn| turn.since), alone)
            {
                stretches.push(Stretch { tenant: *id, from: begin, to: end, progress });
            }
            account.earn(now - from);
        }
        let accounts = &mut self.accounts;
        timeline::divide(from, now, &stretches, |id, ns| {
            if let Some(account) = accounts.get_mut(&id) {
                account.charge(ns);
            }
        });
        (self.looked_at, self.same_until) = (now, now);
        self.crowd = Crowd::of(&self.accounts);
        self.notice(now);
        self.crowd = Crowd::of(&self.accounts);
        self.turn =
            self.turn.map(|turn| Turn { alone: turn.alone.max(self.last_in_the_way(&turn, now)), ..turn });
    }

    /// When the last work of anybody else was done; now, if it is not.
    fn last_in_the_way(&self, turn: &Turn, now: u64) -> u64 {
        let others = self.accounts.iter().filter(|(id, other)| **id != turn.holder && !other.stuck);
        others.map(|(_, other)| if other.seen.commands > 0 { now } else { other.moved_at }).max().unwrap_or(0)
    }

    /// Tenants begin to want the engine, or have had enough of it.
    fn notice(&mut self, now: u64) {
        for (id, account) in &mut self.accounts {
            let least = self.crowd.least_had(*id, account.has_share());
            let held = self.turn.filter(|turn| turn.holder == *id).map_or(0, |turn| turn.since);
            if !account.is_idle() {
                account.enter(least, now);
            } else if account.active && now >= account.busy_at().max(held) + rule(account).grace_ns() {
                account.leave(least);
            }
        }
    }

    fn decide(&mut self, now: u64) {
        let Some(turn) = self.turn else {
            return self.begin(now, self.best(None));
        };
        let gone = self.accounts.get(&turn.holder).is_none_or(|holder| {
            holder.share.paused
                || (holder.is_idle() && now >= holder.busy_at().max(turn.since) + rule(holder).grace_ns())
        });
        if gone {
            return self.begin(now, self.best(Some(turn.holder)));
        }
        let Some(holder) = self.accounts.get_mut(&turn.holder) else { return };
        // Silent: what it said it had at work should be done, and it does not say so.
        let silent = holder.seen.commands > 0 && holder.drains_in(now, turn.alone) == 0;
        let expected = if holder.seen.commands > 0 { silent } else { holder.seen.waiting > 0 };
        let no_show = expected && holder.seen.is_as(&turn.then) && !holder.seen.moving;
        if no_show && now >= turn.since + NO_SHOW_NS {
            holder.is_absent(now);
            return self.begin(now, self.best(Some(turn.holder)));
        }
        let Some(holder) = self.accounts.get(&turn.holder) else { return };
        let rival = self.best(Some(turn.holder));
        if rival.is_none() && !rule(holder).is_cap() {
            if turn.closes_by.is_some() || (holder.seen.waiting > 0 && !holder.seen.is_as(&turn.then)) {
                self.begin(now, Some(turn.holder));
            }
            return;
        }
        if let Some(rival) = rival.filter(|rival| self.goes_first(*rival, &turn)) {
            return self.begin(now, Some(rival));
        }
        let over = turn.closes_by.is_some()
            || (holder.seen.waiting > 0 && !holder.seen.is_as(&turn.then))
            || holder.stuck
            || now >= turn.since.saturating_add(turn.length)
            || rival.is_some_and(|rival| self.is_owed(rival, &turn, now));
        if !over {
            return;
        }
        let drain = holder.drains_in(now, turn.alone);
        // Who goes on to submit what it has no credit for is waited for no longer than a long kernel is.
        let closes_by = turn.closes_by.unwrap_or(now + drain + LONGEST_PATIENCE_NS);
        if drain > LEAD_NS && now < closes_by {
            self.turn = Some(Turn { closes_by: Some(closes_by), ..turn });
            return;
        }
        let next = if silent { rival.or(self.best(None)) } else { self.best(None) };
        self.begin(now, next);
    }

    /// Whether somebody need not wait for the end of a turn.
    fn goes_first(&self, rival: Id, turn: &Turn) -> bool {
        let (Some(rival), Some(holder)) = (self.accounts.get(&rival), self.accounts.get(&turn.holder)) else {
            return false;
        };
        let Some(Rank { tier, .. }) = self.rank(rival) else { return false };
        // Who may have no turn now has the one it has from what it saved.
        let held = self.rank(holder).map_or(Tier::Guaranteed, |rank| rank.tier);
        tier < held && (held == Tier::LeftOver || tier == Tier::First && !rule(holder).is_undivided())
    }

    /// Whether somebody who had much less for its share than the holder ends a turn that has lasted a while.
    fn is_owed(&self, rival: Id, turn: &Turn, now: u64) -> bool {
        let (Some(rival), Some(holder)) = (self.accounts.get(&rival), self.accounts.get(&turn.holder)) else {
            return false;
        };
        let shortest = self.crowd.shortest_turn_ns();
        !rule(holder).is_undivided()
            && now >= turn.since + shortest
            && holder.had.saturating_sub(rival.had) >= rival.scaled(shortest)
    }

    /// Who should have a turn, of all who want one; `but` does not count.
    fn best(&self, but: Option<Id>) -> Option<Id> {
        let wanting = self.accounts.iter().filter(|(id, account)| {
            Some(**id) != but && wants(account) && account.absent_until <= self.looked_at
        });
        wanting.filter_map(|(id, account)| Some((self.rank(account)?, *id))).min().map(|(_, id)| id)
    }

    fn rank(&self, account: &Account) -> Option<Rank> {
        let own = usize::from(Crowd::is_share_at_work(account));
        match account.share.paused {
            true => None,
            false => Rank::of(account, self.crowd.shares_at_work > own, self.crowd.priorities_differ),
        }
    }

    /// The turn is over, and the next begins if there is somebody for it.
    fn begin(&mut self, now: u64, next: Option<Id>) {
        let last = self.turn.take();
        let Some(id) = next else { return };
        let Some(account) = self.accounts.get_mut(&id) else { return };
        let lent = account.saved <= 0 && !rule(account).is_cap();
        account.told = None;
        account.active = true;
        account.lent = lent;
        let alone = last.filter(|last| last.holder == id).map_or(now, |last| last.alone);
        let length = match rule(account).is_cap() {
            true => rule(account).turn_ns(account),
            false => rule(account).turn_ns(account).max(self.crowd.shortest_turn_ns()),
        };
        self.turn = Some(Turn { holder: id, since: now, length, closes_by: None, alone, then: account.seen });
    }

    /// What tenants are to be told that they have not been told, or not lately: lent credit is renewed before it ends.
    fn orders(&mut self, now: u64) -> Vec<(Id, Order)> {
        let guests = self.accounts.values().filter(|account| account.is_guest()).count();
        let news = self.accounts.iter().filter_map(|(id, account)| {
            let order = self.order(*id, account, guests, now);
            let is_old = match order.credit_ns {
                LENT_NS.. => now >= account.told_at + LENT_NS / 2,
                0 => false,
                _ => account.stuck && account.seen.waiting > 0 && now >= account.told_at + QUANTUM_NS,
            };
            // Nobody knows which of those that wait is the one: they are let on one after the other.
            let another = account.seen.waiting > 0 && now >= account.told_at + KNOWN_STALL_NS;
            let lets_on = order.lets_on && (another || !account.is_let_on());
            let is_news = account.told != Some(Order { new_turn: false, ..order }) || is_old || lets_on;
            is_news.then_some((*id, order))
        });
        let news: Vec<_> = news.collect();
        let told = news.into_iter().filter_map(|(id, order)| {
            let account = self.accounts.get_mut(&id)?;
            if order.lets_on {
                account.let_on(now);
            }
            (account.told, account.told_at) = (Some(Order { new_turn: false, ..order }), now);
            let said = |ns| account.pace.predicted(ns);
            Some((id, Order { credit_ns: said(order.credit_ns), window_ns: said(order.window_ns), ..order }))
        });
        told.collect()
    }

    fn order(&self, id: Id, account: &Account, guests: usize, now: u64) -> Order {
        let turn = self.turn.filter(|turn| turn.holder == id);
        let alone = self.accounts.len() == 1 && !rule(account).is_cap();
        let credit_ns = match turn {
            _ if account.share.paused => 0,
            _ if alone => LENT_NS,
            Some(turn) if turn.closes_by.is_some() => 0,
            Some(turn) if self.is_contended(id) || rule(account).is_cap() => turn.length,
            Some(turn) => turn.length.max(LENT_NS),
            // Work that waits for work that waits here: one more command at a time passes, beside whoever has the turn.
            None if lets_on(account, now) => STANDING_NS,
            None if account.stuck && !rule(account).is_cap() => STANDING_NS,
            None if account.active => 0,
            None => self.standing(id, account),
        };
        let window_ns = match self.crowd.is_anybody_near(account) {
            _ if alone => ALONE_WINDOW_NS,
            true => NARROW_WINDOW_NS,
            false => WINDOW_NS,
        };
        let before = account.told.map(|told| told.credit_ns);
        Order {
            credit_ns,
            window_ns,
            tracked: !alone,
            // Who has no credit begins nothing that it could measure: that others come and go is not said to all.
            shared: credit_ns > 0 && guests > usize::from(account.is_guest()),
            paused: account.share.paused,
            lets_on: turn.is_none() && lets_on(account, now),
            new_turn: before != Some(credit_ns),
        }
    }

    /// What a tenant that does nothing may begin with.
    fn standing(&self, id: Id, account: &Account) -> u64 {
        let Some(rank) = self.rank(account) else { return 0 };
        if rank.tier == Tier::First {
            return QUANTUM_NS;
        }
        let holder = self.turn.and_then(|turn| self.accounts.get(&turn.holder));
        let closed = holder.is_some_and(|holder| {
            rule(holder).is_undivided() || holder.share.latency || rank.tier == Tier::LeftOver
        });
        let least = self.crowd.least_had(id, account.has_share());
        let ahead = least.is_some_and(|least| account.had > least + account.scaled(SHORTEST_TURN_NS));
        if closed || ahead { 0 } else { STANDING_NS }
    }

    /// Whether anybody but `id` wants turns. Who was at work a moment ago still does.
    fn is_contended(&self, id: Id) -> bool {
        let mut others = self.accounts.iter().filter(|(other, _)| **other != id);
        others.any(|(_, account)| {
            let there = account.active && !account.stuck && account.absent_until <= self.looked_at;
            there && self.rank(account).is_some()
        })
    }

    fn wake_at(&self, now: u64) -> u64 {
        let mut at = now + HEARTBEAT_NS;
        if let Some(turn) = self.turn
            && let Some(holder) = self.accounts.get(&turn.holder)
        {
            let contended = self.best(Some(turn.holder)).is_some() || rule(holder).is_cap();
            if holder.seen.is_as(&turn.then) && now < turn.since + NO_SHOW_NS {
                at = at.min(turn.since + NO_SHOW_NS);
            }
            at = at.min(match (holder.is_idle(), turn.closes_by) {
                (true, _) => holder.busy_at().max(turn.since) + rule(holder).grace_ns(),
                (false, Some(by)) => by.min(now + holder.drains_in(now, turn.alone).saturating_sub(LEAD_NS)),
                (false, None) if contended => turn.since.saturating_add(turn.length),
                (false, None) => now + LENT_NS / 2,
            });
        }
        let holder = self.turn.map(|turn| turn.holder);
        for (id, account) in &self.accounts {
            if account.stuck {
                at = at.min(now + QUANTUM_NS);
            } else if account.seen.waiting > 0 && account.absent_until > now {
                at = at.min(account.absent_until);
            } else if account.active && account.is_idle() && holder != Some(*id) {
                // Whether it is still there, or what is its own can be lent.
                at = at.min(account.busy_at() + rule(account).grace_ns());
            }
            if !rule(account).is_cap() {
                continue;
            }
            if let Some(lets_on_at) = account.lets_on_at().filter(|_| holder != Some(*id)) {
                at = at.min(lets_on_at);
            } else if account.is_let_on() {
                at = at.min(now + KNOWN_STALL_NS);
            }
            // Who is kept by its cap, until it has saved enough.
            let missing = fixed::enough(account).saturating_sub(account.least_saved()).max(0).unsigned_abs();
            if wants(account) && missing > 0 {
                at = at.min(now + account.scaled(missing));
            }
        }
        at.max(now + 1)
    }
}

/// Whether a tenant is let on that its cap keeps from what its own work seems to wait for. It pays for that work as long as it
/// lasts; to let more commands pass makes that shorter.
fn lets_on(account: &Account, now: u64) -> bool {
    let lets_on = account.is_let_on() || account.lets_on_at().is_some_and(|at| now >= at);
    rule(account).is_cap() && !account.share.paused && lets_on
}

/// Whether a tenant would use a turn: it waits for one, or is at work with credit it was given ahead.
fn wants(account: &Account) -> bool {
    !account.stuck && (account.seen.waiting > 0 || account.is_guest())
}
