//! The latency class: its work goes first as long as it is within its share, and what it did not use is kept for its next
//! request. Beyond its share it is like `burst`.

use super::account::Account;
use super::rank::{Rule, Tier};

/// Saved up by a tenant that waits for requests: a long one is still served at once.
const MOST_SAVED_NS: i64 = 100_000_000;

pub struct Latency;

impl Rule for Latency {
    fn tier(&self, account: &Account, _: bool) -> Option<Tier> {
        Some(if account.saved > 0 { Tier::First } else { Tier::Lent })
    }

    /// Requests have pauses: the host looks at a result, and goes on.
    fn grace_ns(&self) -> u64 {
        500_000
    }

    fn most_saved_ns(&self) -> i64 {
        MOST_SAVED_NS
    }
}
