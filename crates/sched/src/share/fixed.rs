//! `fixed`: never more than its share, even when the device is idle. What it had too much, it waits for.

use super::account::Account;
use super::rank::{Rule, Tier};
use super::{QUANTUM_NS, SHORTEST_TURN_NS, burst};

/// The most it can owe: a kernel of ten seconds, and it is back after that over its share.
const MOST_OWED_NS: i64 = 10_000_000_000;

pub struct Fixed;

impl Rule for Fixed {
    fn tier(&self, account: &Account, _: bool) -> Option<Tier> {
        let tier = if account.share.latency { Tier::First } else { Tier::Guaranteed };
        (account.saved >= SHORTEST_TURN_NS as i64).then_some(tier)
    }

    fn turn_ns(&self, account: &Account) -> u64 {
        burst::turn_ns(account).min(account.saved.max(1).unsigned_abs())
    }

    fn bounds_ns(&self) -> (i64, i64) {
        (QUANTUM_NS as i64, MOST_OWED_NS)
    }

    fn is_cap(&self) -> bool {
        true
    }
}
