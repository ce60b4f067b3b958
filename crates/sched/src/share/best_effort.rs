//! `best-effort`: only what nobody with a share wants; stopped as soon as one of them returns.

use super::account::Account;
use super::rank::{Rule, Tier};

pub struct BestEffort;

impl Rule for BestEffort {
    fn tier(&self, _: &Account, others_have_shares_at_work: bool) -> Option<Tier> {
        (!others_have_shares_at_work).then_some(Tier::LeftOver)
    }

    fn turn_ns(&self, _: &Account) -> u64 {
        super::QUANTUM_NS
    }
}
