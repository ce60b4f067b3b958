//! Who goes before whom: first the tier, then priority, then who had the least for its share.

use std::cmp::Reverse;

use super::account::Account;
use super::{Policy, best_effort, burst, exclusive, fixed, latency, time_share};

/// What a turn would be taken from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tier {
    /// The engine is its own.
    Own,
    /// Guaranteed, and to be served first.
    First,
    /// Guaranteed.
    Guaranteed,
    /// Lent.
    Lent,
    /// Left over.
    LeftOver,
}

/// The place of a tenant among those who want a turn; the least goes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rank {
    pub tier: Tier,
    priority: Reverse<i32>,
    /// What it had, over its share.
    pub had: u64,
}

/// What a policy says of a tenant.
pub trait Rule {
    /// The tier of its next turn; None if it may have none now.
    fn tier(&self, account: &Account, others_have_shares_at_work: bool) -> Option<Tier>;

    /// How long its turn is.
    fn turn_ns(&self, account: &Account) -> u64 {
        burst::turn_ns(account)
    }

    /// How long it may do nothing before its turn is over.
    fn grace_ns(&self) -> u64 {
        super::GRACE_NS
    }

    /// How much of what it did not use is kept for it.
    fn most_saved_ns(&self) -> i64 {
        2 * super::QUANTUM_NS as i64
    }

    /// Whether a lone tenant is held to it too.
    fn is_cap(&self) -> bool {
        false
    }

    /// Whether nobody of the guaranteed tier may cut its turn short.
    fn is_undivided(&self) -> bool {
        false
    }
}

/// The rule of an account.
pub fn rule(account: &Account) -> &dyn Rule {
    match account.share.policy {
        Policy::Fixed => &fixed::Fixed,
        Policy::BestEffort => &best_effort::BestEffort,
        Policy::Exclusive => &exclusive::Exclusive,
        Policy::TimeShare { .. } => &time_share::TimeShare,
        Policy::Burst if account.share.latency => &latency::Latency,
        Policy::Burst => &burst::Burst,
    }
}

impl Rank {
    /// Among tenants of one priority it makes no difference whether a turn is guaranteed or lent: who had less is next.
    pub fn of(account: &Account, others_have_shares_at_work: bool, priorities_differ: bool) -> Option<Rank> {
        let tier = rule(account).tier(account, others_have_shares_at_work)?;
        let tier = if account.together { tier.min(Tier::First) } else { tier };
        let tier = if tier == Tier::Guaranteed && !priorities_differ { Tier::Lent } else { tier };
        Some(Rank { tier, priority: Reverse(account.share.priority), had: account.had })
    }
}
