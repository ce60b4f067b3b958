//! `time-share`: at least its share, but in long turns with the whole device: for jobs that thrash when they are mixed.

use super::account::Account;
use super::rank::{Rule, Tier};
use super::{Policy, QUANTUM_NS, burst};

pub struct TimeShare;

impl Rule for TimeShare {
    fn tier(&self, account: &Account, _: bool) -> Option<Tier> {
        Some(burst::guaranteed_or_lent(account))
    }

    fn turn_ns(&self, account: &Account) -> u64 {
        match account.share.policy {
            Policy::TimeShare { quantum_ns } => quantum_ns.max(QUANTUM_NS),
            _ => QUANTUM_NS,
        }
    }

    /// A job between two steps has not given up its turn: long turns are for those who pay for every change.
    fn grace_ns(&self) -> u64 {
        20_000_000
    }

    fn is_undivided(&self) -> bool {
        true
    }
}
