//! `exclusive`: the engine is its own. The book lets nobody else onto the device, so there is nothing to decide.

use super::account::Account;
use super::rank::{Rule, Tier};

pub struct Exclusive;

impl Rule for Exclusive {
    fn tier(&self, _: &Account, _: bool) -> Option<Tier> {
        Some(Tier::Own)
    }

    fn turn_ns(&self, _: &Account) -> u64 {
        super::LENT_NS
    }

    fn is_undivided(&self) -> bool {
        true
    }
}
