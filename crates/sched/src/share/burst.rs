//! `burst`: at least its share. What others leave idle is lent in proportion to shares, and given back within one turn.

use super::account::Account;
use super::rank::{Rule, Tier};
use super::{QUANTUM_NS, SHORTEST_TURN_NS};

/// Turn per percent: small shares come in short turns, so that a second holds enough of them.
const TURN_PER_PERCENT_NS: u64 = 220_000;

pub struct Burst;

impl Rule for Burst {
    fn tier(&self, account: &Account, _: bool) -> Option<Tier> {
        Some(guaranteed_or_lent(account))
    }
}

pub fn guaranteed_or_lent(account: &Account) -> Tier {
    if account.saved > 0 { Tier::Guaranteed } else { Tier::Lent }
}

pub fn turn_ns(account: &Account) -> u64 {
    (u64::from(account.share.percent) * TURN_PER_PERCENT_NS).clamp(SHORTEST_TURN_NS, QUANTUM_NS)
}
