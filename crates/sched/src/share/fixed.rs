//! `fixed`: never more than its share, even when the device is idle. What it had too much, it waits for.

use super::account::Account;
use super::rank::{Rule, Tier};
use super::{SHORTEST_TURN_NS, burst};

pub struct Fixed;

impl Rule for Fixed {
    fn tier(&self, account: &Account, _: bool) -> Option<Tier> {
        let tier = if account.share.latency { Tier::First } else { Tier::Guaranteed };
        (account.least_saved() >= enough(account)).then_some(tier)
    }

    fn turn_ns(&self, account: &Account) -> u64 {
        burst::turn_ns(account).min(account.least_saved().max(1).unsigned_abs())
    }

    fn is_cap(&self) -> bool {
        true
    }
}

/// What it must have saved for a turn: half of one, so that it does not come in crumbs.
pub fn enough(account: &Account) -> i64 {
    (burst::turn_ns(account) / 2).max(SHORTEST_TURN_NS / 2) as i64
}
