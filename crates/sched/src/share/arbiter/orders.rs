//! What tenants are told of the turn that is.

use super::{Account, Arbiter, ONCE_MORE_NS, STANDING_NS, rule};
use crate::share::lease::{Lease, Standing};
use crate::share::rank::Tier;
use crate::share::stall::KNOWN_STALL_NS;
use crate::share::{
    ALONE_WINDOW_NS, Course, Id, LENT_NS, NARROW_WINDOW_NS, Order, QUANTUM_NS, SHORTEST_TURN_NS, WINDOW_NS,
};

impl Arbiter {
    /// What tenants are to be told that they have not been told, or not lately: lent credit is renewed before it ends.
    pub(super) fn orders(&mut self, now: u64) -> Vec<(Id, Order)> {
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
            let course = match order.course {
                Course::GoesOn if is_old || lets_on => Course::Renewed,
                course => course,
            };
            let is_news = account.told != Some(order) || course != Course::GoesOn;
            is_news.then_some((*id, Order { course, ..order }))
        });
        let news: Vec<_> = news.collect();
        let told = news.into_iter().filter_map(|(id, order)| {
            let account = self.accounts.get_mut(&id)?;
            if order.lets_on {
                account.let_on(now);
            }
            if std::mem::replace(&mut account.watched, order.watched) && !order.watched {
                self.once_more_at = now + ONCE_MORE_NS;
            }
            account.told = Some(Order { course: Course::GoesOn, ..order });
            if order.course != Course::GoesOn {
                account.told_at = now;
            }
            let said = |ns| account.pace.predicted(ns);
            Some((id, Order { credit_ns: said(order.credit_ns), window_ns: said(order.window_ns), ..order }))
        });
        told.collect()
    }

    /// Says for how long the orders hold, and says again to others what they were told before that is over. Who does nothing has nothing to
    /// wait for.
    pub(super) fn promise(&mut self, orders: &mut Vec<(Id, Order)>, now: u64) {
        let (look_at, holder) = (self.look_at, self.turn.map(|turn| turn.holder));
        let young = self.is_young(now);
        let mut again = Vec::new();
        for (id, account) in &mut self.accounts {
            let Some(told) = account.told else { continue };
            let standing = standing(account, &told, holder == Some(*id), now);
            if !young {
                account.waits.see(standing, now);
            }
            if let Some((_, order)) = orders.iter_mut().find(|(other, _)| other == id) {
                order.lease = account.waits.word(standing, look_at);
            } else if account.waits.needs_word(standing, account.is_idle(), look_at) {
                again.extend(account.holds(standing, look_at).map(|order| (*id, order)));
            }
        }
        orders.append(&mut again);
        orders.extend(self.resting.say_again(look_at));
    }

    fn order(&self, id: Id, account: &Account, guests: usize, now: u64) -> Order {
        let turn = self.turn.filter(|turn| turn.holder == id);
        let alone = self.accounts.len() + self.resting.len() == 1 && !rule(account).is_cap();
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
            watched: match turn {
                Some(turn) => turn.watched && credit_ns < LENT_NS,
                None => now < account.watched_until && credit_ns == 0,
            },
            paused: account.share.paused,
            lets_on: turn.is_none() && lets_on(account, now),
            course: if before == Some(credit_ns) { Course::GoesOn } else { Course::Begins },
            lease: Lease::default(),
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
        self.resting.len() > 0
            || others.any(|(_, account)| {
                let there = account.active && !account.stuck && account.absent_until <= self.looked_at;
                there && self.rank(account).is_some()
            })
    }
}

/// How one stands to turns who was told so. Who did not come for its turn is not waited for: if it is there after all, it asks.
fn standing(account: &Account, told: &Order, holds: bool, now: u64) -> Standing {
    // Who waits although it has the turn has used it up, or cannot use it yet.
    let has_come = account.seen.waiting == 0 || account.told_at == now;
    match told.credit_ns {
        1..LENT_NS if holds && has_come => {
            Standing::Holds { since: account.told_at, credit_ns: told.credit_ns }
        }
        _ if account.seen.waiting > 0 && account.absent_until <= now => Standing::Kept,
        _ => Standing::Else,
    }
}

/// Whether a tenant is let on that its cap keeps from what its own work seems to wait for. It pays for that work as long as it
/// lasts; to let more commands pass makes that shorter.
fn lets_on(account: &Account, now: u64) -> bool {
    let lets_on = account.is_let_on() || account.lets_on_at().is_some_and(|at| now >= at);
    rule(account).is_cap() && !account.share.paused && lets_on
}
