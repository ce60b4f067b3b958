//! Whose turn it is on one engine.
//!
//! A turn ends when its time is over or its credit used up, when its tenant has nothing to do, or when somebody comes who goes
//! first. The next one is given a little before the last work of the old is done. Work that does not end delays nobody for
//! longer than it was predicted to take: the device itself then goes from one to the other, and both pay.

/// What tenants are told.
mod orders;

use std::collections::BTreeMap;

use super::account::{Account, LONGEST_PATIENCE_NS, Purse};
use super::crowd::Crowd;
use super::rank::{Rank, Tier, rule};
use super::resting::Resting;
use super::stall::{Elsewhere, KNOWN_STALL_NS, Late};
use super::timeline::{self, Stretch};
use super::{HEARTBEAT_NS, Id, LEAD_NS, LENT_NS, Order, QUANTUM_NS, Seen, Share, fixed};

/// Credit of a tenant that does nothing: its first work need not wait for anybody to look.
const STANDING_NS: u64 = 500_000;
/// Who does nothing with its turn for so long is not there: a waiting thread was woken when it began.
const NO_SHOW_NS: u64 = 2_000_000;
/// How long after the end of a watched turn its tenant need not ring for the next: it is looked at by then, mostly for another's turn.
const LOOK_BACK_NS: u64 = 8_000_000;
/// Who is told to ring again may just have begun to wait, and not have rung: it is looked at once more.
const ONCE_MORE_NS: u64 = 500_000;
/// From the beginning of a turn until its first command is there, as a woken thread comes.
const ARRIVAL_NS: u64 = 80_000;
/// How much sooner than a drain is nearly over the next turn may be given, rather than to look once more for it.
const SLACK_NS: u64 = 80_000;
/// For so long it looks again in every quantum, and its word holds no longer than that.
const YOUNG_NS: u64 = 50_000_000;
/// So much later than it should a look may come. Else nobody looked meanwhile (the machine slept, the node was stopped), each went by
/// its own share, and the time is nobody's.
const LATE_NS: u64 = 20_000_000;

/// The arbiter of one engine.
#[derive(Default)]
pub struct Arbiter {
    /// Those of whom something may be new.
    accounts: BTreeMap<Id, Account>,
    /// All others.
    resting: Resting,
    turn: Option<Turn>,
    crowd: Crowd,
    looked_at: u64,
    /// Until when nothing was new.
    same_until: u64,
    /// When it wanted to look again.
    look_at: u64,
    /// When to look whether somebody waits who was told to ring again.
    once_more_at: u64,
    /// Somebody came, went or may have something else.
    changed: bool,
    /// When it first looked.
    begun_at: Option<u64>,
}

#[derive(Clone, Copy)]
struct Turn {
    holder: Id,
    since: u64,
    length: u64,
    /// When what it has credit for should be done, apart from what the last command takes beyond that.
    planned: u64,
    /// When it is over, whatever its holder says. A watched one ends with what its credit is good for, and nobody rings before.
    ends_at: u64,
    watched: bool,
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
        if self.account(id).is_none_or(|account| account.share != share) {
            self.rouse_all();
            let now = self.looked_at;
            self.accounts.entry(id).or_insert_with(|| Account::new(share, now)).share = share;
        }
    }

    /// A tenant is gone.
    pub fn remove(&mut self, id: Id) {
        self.rouse_all();
        self.accounts.remove(&id);
        self.turn = self.turn.filter(|turn| turn.holder != id);
    }

    /// A tenant has its turn on another device, and should have it here too; or no longer.
    pub fn together(&mut self, id: Id, with: bool) {
        if self.account(id).is_some_and(|account| account.together != with) {
            self.rouse(id);
            self.changed = true;
            if let Some(account) = self.accounts.get_mut(&id) {
                account.together = with;
            }
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
        self.account(id).map_or(0, |account| account.served)
    }

    /// Whether a tenant has work here that does not end, so that only the device takes turns.
    pub fn is_stuck(&self, id: Id) -> bool {
        self.account(id).is_some_and(|account| account.stuck)
    }

    /// Whose turn it is.
    pub fn holder(&self) -> Option<Id> {
        self.turn.map(|turn| turn.holder)
    }

    /// Whether a tenant waits or has work here.
    pub fn is_active(&self, id: Id) -> bool {
        self.account(id).is_some_and(|account| account.active)
    }

    /// Looks, decides, and says what is to be done. Where nothing is new and nothing was due, nothing is.
    pub fn step(&mut self, now: u64, seen: &[(Id, Seen)]) -> Step {
        let now = now.max(self.looked_at);
        let mut is_new = false;
        for (id, seen) in seen {
            if self.account(*id).is_some_and(|account| account.seen != *seen) {
                self.rouse(*id);
                is_new = true;
            }
        }
        if !self.changed && now < self.look_at && !is_new {
            self.same_until = now;
            return Step { orders: Vec::new(), wake_at: self.look_at };
        }
        self.changed = false;
        self.begun_at.get_or_insert(now);
        self.look(now, seen);
        self.decide(now);
        let mut orders = self.orders(now);
        self.look_at = self.wake_at(now);
        if self.is_young(now) {
            self.look_at = self.look_at.min(now + QUANTUM_NS);
        }
        self.promise(&mut orders, now);
        self.rest(now);
        Step { orders, wake_at: self.look_at }
    }

    /// Whether it may be one of many that die as soon as they are there: then nobody waits for what it could do next.
    fn is_young(&self, now: u64) -> bool {
        self.begun_at.is_none_or(|at| now < at + YOUNG_NS)
    }

    fn account(&self, id: Id) -> Option<&Account> {
        self.accounts.get(&id).or_else(|| self.resting.get(id))
    }

    /// Something may be new of a tenant.
    fn rouse(&mut self, id: Id) {
        if let Some(account) = self.resting.rouse(id, self.looked_at) {
            self.accounts.insert(id, account);
        }
    }

    /// Something is new that concerns all.
    fn rouse_all(&mut self) {
        self.changed = true;
        for id in self.resting.ids() {
            self.rouse(id);
        }
    }

    /// Who only waits is left alone. Where priorities differ, what each has saved says who is next, and that changes all the time.
    fn rest(&mut self, now: u64) {
        if self.crowd.priorities_differ {
            return;
        }
        let holder = self.turn.map(|turn| turn.holder);
        let rests = |id: &Id, account: &Account| Some(*id) != holder && Resting::suits(account, now);
        let rested: Vec<Id> =
            self.accounts.iter().filter(|(id, account)| rests(id, account)).map(|(id, _)| *id).collect();
        for id in rested {
            if let Some(account) = self.accounts.remove(&id) {
                self.resting.put(id, account);
            }
        }
    }

    /// Takes in what was seen, and charges for the time since the last look.
    fn look(&mut self, now: u64, seen: &[(Id, Seen)]) {
        let unseen = now > self.look_at.max(self.looked_at).saturating_add(LATE_NS);
        let from = if unseen { now } else { self.looked_at };
        if unseen {
            self.rouse_all();
            self.accounts.values_mut().for_each(|account| account.waits.lapse());
        }
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
                let (stands, weight) = (account.stands(now), account.weight());
                stretches.push(Stretch { tenant: *id, from: begin, to: end, progress, stands, weight });
            }
            account.earn(now - from);
        }
        self.resting.earn(now - from);
        // Nobody came for a turn: the host lets none of them run, and whose work was on the device then is chance.
        let passed_over = |account: &Account| account.seen.waiting > 0 && account.absent_until > from;
        let nobody_comes = turn.is_none() && self.accounts.values().any(passed_over);
        let accounts = &mut self.accounts;
        timeline::divide(from, now, &stretches, |id, ns| {
            if let Some(account) = accounts.get_mut(&id) {
                account.charge(ns);
                if !nobody_comes || rule(account).is_cap() {
                    account.count(ns);
                }
            }
        });
        (self.looked_at, self.same_until) = (now, now);
        self.crowd = Crowd::of(&self.accounts, &self.resting);
        self.notice(now);
        self.crowd = Crowd::of(&self.accounts, &self.resting);
        self.turn =
            self.turn.map(|turn| Turn { alone: turn.alone.max(self.last_in_the_way(&turn, now)), ..turn });
    }

    /// When the last work of anybody else was done; now, if it is not.
    fn last_in_the_way(&self, turn: &Turn, now: u64) -> u64 {
        let others = self.accounts.iter().filter(|(id, other)| **id != turn.holder && !other.stuck);
        let last = others.map(|(_, other)| if other.seen.commands > 0 { now } else { other.moved_at }).max();
        last.unwrap_or(0).max(self.resting.moved_at())
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
            || now >= turn.ends_at
            || rival.is_some_and(|rival| self.is_owed(rival, &turn, now));
        if !over {
            return;
        }
        let drain = holder.drains_in(now, turn.alone);
        // Who goes on to submit what it has no credit for is waited for no longer than a long kernel is.
        let closes_by = turn.closes_by.unwrap_or(now + drain + LONGEST_PATIENCE_NS);
        let soon = if turn.watched { LEAD_NS + SLACK_NS } else { LEAD_NS };
        if drain > soon && now < closes_by {
            self.turn = Some(Turn { closes_by: Some(closes_by), ..turn });
            return;
        }
        let next = if silent { rival.or(self.best(None)) } else { self.best(None) };
        self.begin(now, next);
    }

    /// Whether somebody need not wait for the end of a turn.
    fn goes_first(&self, rival: Id, turn: &Turn) -> bool {
        let (Some(rival), Some(holder)) = (self.account(rival), self.account(turn.holder)) else {
            return false;
        };
        let Some(Rank { tier, .. }) = self.rank(rival) else { return false };
        // Who may have no turn now has the one it has from what it saved.
        let held = self.rank(holder).map_or(Tier::Guaranteed, |rank| rank.tier);
        tier < held && (held == Tier::LeftOver || tier == Tier::First && !rule(holder).is_undivided())
    }

    /// Whether somebody who had much less for its share than the holder ends a turn that has lasted a while.
    fn is_owed(&self, rival: Id, turn: &Turn, now: u64) -> bool {
        let (Some(rival), Some(holder)) = (self.account(rival), self.account(turn.holder)) else {
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
        let wanting = wanting.map(|(id, account)| (*id, account));
        let resting = self.resting.least().find_map(|(_, id)| Some((id, self.resting.get(id)?)));
        let ranked = wanting.chain(resting).filter_map(|(id, account)| Some((self.rank(account)?, id)));
        ranked.min().map(|(_, id)| id)
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
        let mut rest = 0;
        if let Some(last) = last
            && let Some(holder) = self.accounts.get_mut(&last.holder)
        {
            rest = holder.drains_in(now, last.alone).min(LEAD_NS);
            if last.watched {
                let done_at = if holder.seen.commands > 0 { now + rest } else { holder.moved_at };
                let beyond = done_at.saturating_sub(last.planned).min(QUANTUM_NS);
                // A look too soon is one look more; the device stands idle until one that is too late.
                holder.beyond = beyond.min(holder.beyond + beyond.saturating_sub(holder.beyond) / 4);
                holder.watched_until = now + LOOK_BACK_NS;
            }
        }
        let Some(id) = next else { return };
        self.rouse(id);
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
        let watched = self.crowd.is_large() && length <= QUANTUM_NS;
        let planned = now.saturating_add(rest + ARRIVAL_NS).saturating_add(length);
        let ends_at = match watched {
            true => planned + account.beyond - LEAD_NS,
            false => now.saturating_add(length),
        };
        let then = account.seen;
        self.turn = Some(Turn {
            holder: id,
            since: now,
            length,
            planned,
            ends_at,
            watched,
            closes_by: None,
            alone,
            then,
        });
    }

    fn wake_at(&self, now: u64) -> u64 {
        let mut at = now + HEARTBEAT_NS;
        if self.once_more_at > now {
            at = at.min(self.once_more_at);
        }
        if let Some(turn) = self.turn
            && let Some(holder) = self.accounts.get(&turn.holder)
        {
            let contended = self.best(Some(turn.holder)).is_some() || rule(holder).is_cap();
            if holder.seen.is_as(&turn.then) && now < turn.since + NO_SHOW_NS && !turn.watched {
                at = at.min(turn.since + NO_SHOW_NS);
            }
            at = at.min(match (holder.is_idle(), turn.closes_by) {
                (true, _) => holder.busy_at().max(turn.since) + rule(holder).grace_ns(),
                (false, Some(by)) => by.min(now + holder.drains_in(now, turn.alone).saturating_sub(LEAD_NS)),
                (false, None) if contended => turn.ends_at,
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
            if account.watched_until > now {
                at = at.min(account.watched_until);
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

/// Whether a tenant would use a turn: it waits for one, or is at work with credit it was given ahead.
fn wants(account: &Account) -> bool {
    !account.stuck && (account.seen.waiting > 0 || account.is_guest())
}
