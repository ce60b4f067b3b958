//! Tenants that wait for a turn and can do nothing else before they have one. Of many tenants nearly all are such, and a look
//! does not go over them: what they earn meanwhile is reckoned when they are roused.

use std::collections::{BTreeMap, BTreeSet};

use super::account::Account;
use super::lease::{LATE_WORD_NS, Standing};
use super::{Id, Order, Policy};

#[derive(Default)]
pub struct Resting {
    accounts: BTreeMap<Id, Rested>,
    /// By what they had for their shares.
    order: BTreeSet<(u64, Id)>,
    /// By when what they were told is over.
    leases: BTreeSet<(u64, Id)>,
    /// Time of which all had their share, ever.
    earned: u64,
    /// When work of any that ever rested was last seen to move.
    moved_at: u64,
}

struct Rested {
    account: Account,
    /// What [`Resting::earned`] was when it began to rest.
    since: u64,
}

impl Resting {
    /// Whether nothing of an account changes unless it is given a turn or says something new.
    pub fn suits(account: &Account, now: u64) -> bool {
        let waits = account.seen.waiting > 0 && account.seen.commands == 0 && !account.seen.moving;
        let plain = account.share.policy == Policy::Burst && !account.share.latency && !account.share.paused;
        let told = account.told.is_some_and(|told| told.credit_ns == 0);
        waits && plain && told && account.active && !account.together && account.absent_until <= now
    }

    pub fn put(&mut self, id: Id, account: Account) {
        self.moved_at = self.moved_at.max(account.moved_at);
        self.order.insert((account.had, id));
        self.leases.insert((account.waits.told_until(), id));
        self.accounts.insert(id, Rested { account, since: self.earned });
    }

    /// All have their share of a while.
    pub fn earn(&mut self, ns: u64) {
        self.earned = self.earned.saturating_add(ns);
    }

    /// One rests no longer, which was last looked at `at`.
    pub fn rouse(&mut self, id: Id, at: u64) -> Option<Account> {
        let Rested { mut account, since } = self.accounts.remove(&id)?;
        self.order.remove(&(account.had, id));
        self.leases.remove(&(account.waits.told_until(), id));
        account.earn(self.earned - since);
        account.was_so_until(at);
        Some(account)
    }

    /// What those are told again whose word would be over soon after the next look.
    pub fn say_again(&mut self, look_at: u64) -> Vec<(Id, Order)> {
        let soon = look_at.saturating_add(LATE_WORD_NS);
        let over: Vec<(u64, Id)> = self.leases.range(..(soon, 0)).copied().collect();
        let again = over.into_iter().filter_map(|(until, id)| {
            let account = &mut self.accounts.get_mut(&id)?.account;
            let order = account.holds(Standing::Kept, look_at)?;
            self.leases.remove(&(until, id));
            self.leases.insert((account.waits.told_until(), id));
            Some((id, order))
        });
        again.collect()
    }

    pub fn get(&self, id: Id) -> Option<&Account> {
        self.accounts.get(&id).map(|rested| &rested.account)
    }

    pub fn ids(&self) -> Vec<Id> {
        self.accounts.keys().copied().collect()
    }

    pub fn len(&self) -> usize {
        self.accounts.len()
    }

    /// Those who had least for their shares, the least first.
    pub fn least(&self) -> impl Iterator<Item = (u64, Id)> {
        self.order.iter().copied()
    }

    pub fn moved_at(&self) -> u64 {
        self.moved_at
    }
}
