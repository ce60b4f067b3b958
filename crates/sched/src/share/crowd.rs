//! What holds for all tenants of an engine together, found once for each look.

use std::collections::BTreeMap;

use super::account::Account;
use super::resting::Resting;
use super::{Id, Policy, QUANTUM_NS, SHORTEST_TURN_NS};

/// Where many are at work turns become longer, so that giving them costs no more.
const TURN_PER_TENANT_NS: u64 = 60_000;

#[derive(Default)]
pub struct Crowd {
    /// How many with a share want the engine or are at work on it.
    pub shares_at_work: usize,
    pub priorities_differ: bool,
    /// How many have work that goes first.
    latency: usize,
    /// The two of those at work who had least for their shares: with a share, and without.
    least: [[Option<(u64, Id)>; 2]; 2],
}

impl Crowd {
    pub fn of(accounts: &BTreeMap<Id, Account>, resting: &Resting) -> Crowd {
        // Those who rest have shares, and all the same priority.
        let mut crowd = Crowd { shares_at_work: resting.len(), ..Crowd::default() };
        resting.least().take(2).for_each(|one| crowd.note(1, one));
        let rests = resting.least().next().and_then(|(_, id)| resting.get(id));
        let first = rests.or(accounts.values().next()).map(|account| account.share.priority);
        for (id, account) in accounts {
            crowd.shares_at_work += usize::from(Crowd::is_share_at_work(account));
            crowd.priorities_differ |= Some(account.share.priority) != first;
            crowd.latency += usize::from(Crowd::is_near(account));
            // Who is kept by its own cap is behind for another reason.
            if account.active && account.share.policy != Policy::Fixed {
                crowd.note(usize::from(account.has_share()), (account.had, *id));
            }
        }
        crowd
    }

    pub fn is_share_at_work(account: &Account) -> bool {
        account.has_share() && account.active && !account.share.paused && !account.stuck
    }

    /// The shortest turn that is worth giving.
    pub fn shortest_turn_ns(&self) -> u64 {
        (self.shares_at_work as u64 * TURN_PER_TENANT_NS).clamp(SHORTEST_TURN_NS, QUANTUM_NS)
    }

    /// Whether so many are at work that what a look costs counts for more than the exact end of a turn.
    pub fn is_large(&self) -> bool {
        self.shortest_turn_ns() > SHORTEST_TURN_NS
    }

    fn is_near(account: &Account) -> bool {
        account.share.latency && !account.share.paused
    }

    /// Whether work of anybody but this one goes first.
    pub fn is_anybody_near(&self, but: &Account) -> bool {
        self.latency > usize::from(Crowd::is_near(but))
    }

    fn note(&mut self, kind: usize, one: (u64, Id)) {
        let [least, second] = &mut self.least[kind];
        if least.is_none_or(|least| one < least) {
            *second = least.replace(one);
        } else if second.is_none_or(|second| one < second) {
            *second = Some(one);
        }
    }

    /// The least that anybody but `id` had.
    pub fn least_had(&self, id: Id, has_share: bool) -> Option<u64> {
        let mut those = self.least[usize::from(has_share)].iter().flatten();
        those.find(|(_, other)| *other != id).map(|(had, _)| *had)
    }
}
