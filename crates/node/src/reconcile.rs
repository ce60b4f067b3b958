//! What only the driver knows, held against what the tenants' processes charged: overheads, strangers, the size of a context.
//! Pure: a list of what each process holds by the driver and a list of seats in, what to write down out.

use std::collections::{BTreeMap, BTreeSet};

use cleave_slot::RecordId;

use crate::card::{Card, Holder};

/// A process of a tenant, as its seat in a slot shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sitter {
    /// Which slot, as the caller numbers them.
    pub slot: usize,
    /// UUID of the slot's device.
    pub device: String,
    pub record: RecordId,
    pub generation: u32,
    /// 0 if it cannot be seen from here.
    pub pid: u32,
    /// What it charged.
    pub held: u64,
    pub contexts: u32,
}

/// What the driver holds for one process beyond what it charged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overhead {
    pub slot: usize,
    pub record: RecordId,
    pub generation: u32,
    pub pid: u32,
    pub bytes: u64,
    /// All the driver holds for it.
    pub driver: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// One for each sitter on a device that was looked at, in their order.
    pub overheads: Vec<Overhead>,
    /// Who holds memory of a device and sits in no slot, by UUID.
    pub unmanaged: BTreeMap<String, Vec<Holder>>,
    /// What one context seems to take, by UUID: the least that was seen.
    pub context: BTreeMap<String, u64>,
}

/// Processes that sit or sat a moment ago, by device: a process that died between two looks is no stranger.
pub type Known = BTreeSet<(String, u32)>;

/// Holds `cards`, looked at before the `sitters` were, against the sitters.
pub fn reconcile(cards: &[Card], sitters: &[Sitter], before: &Known) -> Outcome {
    let mut held: BTreeMap<(&str, u32), u64> = BTreeMap::new();
    for card in cards {
        for Holder { pid, memory } in card.holders.iter().flatten() {
            // A driver may list a process once for compute and once for graphics, with the same memory.
            let entry = held.entry((&card.uuid, *pid)).or_default();
            *entry = (*entry).max(*memory);
        }
    }
    let mut outcome = Outcome::default();
    let mut taken: BTreeMap<(&str, u32), u64> = BTreeMap::new();
    let looked_at = |sitter: &&Sitter| cards.iter().any(|card| card.uuid == sitter.device);
    for sitter in sitters.iter().filter(looked_at) {
        let key = (sitter.device.as_str(), sitter.pid);
        // Somebody who sits twice on a device shows there once: what the first seat explains is not asked of the second.
        let explained = taken.entry(key).or_default();
        let driver = held.get(&key).copied().unwrap_or(0);
        let driver = driver.saturating_sub(*explained);
        let bytes = driver.saturating_sub(sitter.held);
        *explained = explained.saturating_add(sitter.held).saturating_add(bytes);
        let Sitter { slot, record, generation, pid, .. } = *sitter;
        outcome.overheads.push(Overhead { slot, record, generation, pid, bytes, driver });
        if sitter.contexts == 1 && bytes > 0 {
            let least = outcome.context.entry(sitter.device.clone()).or_insert(bytes);
            *least = (*least).min(bytes);
        }
    }
    for (&(uuid, pid), &memory) in &held {
        let known = taken.contains_key(&(uuid, pid)) || before.contains(&(uuid.to_string(), pid));
        if !known && memory > 0 {
            outcome.unmanaged.entry(uuid.into()).or_default().push(Holder { pid, memory });
        }
    }
    outcome
}

/// Who sits now.
pub fn known(sitters: &[Sitter]) -> Known {
    sitters.iter().map(|sitter| (sitter.device.clone(), sitter.pid)).collect()
}

/// The size of a context, believed when it was the same at two looks: one that is being made still grows.
#[derive(Debug, Default)]
pub struct ContextSize {
    last: BTreeMap<String, u64>,
    learnt: BTreeMap<String, u64>,
}

impl ContextSize {
    pub fn of(&self, uuid: &str) -> u64 {
        self.learnt.get(uuid).copied().unwrap_or(0)
    }

    /// What an earlier daemon had learnt.
    pub fn remember(&mut self, uuid: &str, bytes: u64) {
        if bytes > 0 {
            self.learnt.entry(uuid.into()).or_insert(bytes);
        }
    }

    /// Takes in one look; says for which devices the size has become known by it.
    pub fn learn(&mut self, seen: &BTreeMap<String, u64>) -> Vec<(String, u64)> {
        let steady = seen.iter().filter(|(uuid, bytes)| self.last.get(*uuid) == Some(bytes));
        let new: Vec<(String, u64)> = steady
            .filter(|(uuid, _)| !self.learnt.contains_key(*uuid))
            .map(|(uuid, bytes)| (uuid.clone(), *bytes))
            .collect();
        self.learnt.extend(new.iter().cloned());
        self.last.clone_from(seen);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::Mode;
    use crate::protocol::Kind;

    fn card(holders: &[(u32, u64)]) -> Card {
        Card {
            uuid: "GPU-1".into(),
            name: "A".into(),
            kind: Kind::Real,
            total: 1000,
            kept: 0,
            holders: Some(holders.iter().map(|&(pid, memory)| Holder { pid, memory }).collect()),
            mode: Mode::Shared,
        }
    }

    fn sitter(slot: usize, pid: u32, held: u64) -> Sitter {
        let record = RecordId::new(pid as u16).unwrap();
        Sitter { slot, device: "GPU-1".into(), record, generation: 1, pid, held, contexts: 1 }
    }

    fn overheads(outcome: &Outcome) -> Vec<u64> {
        outcome.overheads.iter().map(|overhead| overhead.bytes).collect()
    }

    #[test]
    fn what_the_driver_holds_beyond_the_charge_is_overhead() {
        let cards = [card(&[(10, 150), (11, 80), (12, 0)])];
        let outcome =
            reconcile(&cards, &[sitter(0, 10, 100), sitter(0, 11, 100), sitter(1, 12, 5)], &Known::new());
        assert_eq!(overheads(&outcome), [50, 0, 0], "a charge the driver does not show yet is no debt");
        assert_eq!(outcome.context["GPU-1"], 50);
        assert!(outcome.unmanaged.is_empty());
    }

    #[test]
    fn who_sits_nowhere_is_a_stranger() {
        let cards =
            [card(&[(10, 150), (66, 40), (67, 0)]), Card { uuid: "GPU-2".into(), ..card(&[(10, 30)]) }];
        let outcome = reconcile(&cards, &[sitter(0, 10, 100)], &Known::new());
        assert_eq!(outcome.unmanaged["GPU-1"], [Holder { pid: 66, memory: 40 }]);
        assert_eq!(
            outcome.unmanaged["GPU-2"],
            [Holder { pid: 10, memory: 30 }],
            "a seat counts on its device only"
        );
        let before = known(&[sitter(0, 66, 0)]);
        let outcome = reconcile(&cards[..1], &[sitter(0, 10, 100)], &before);
        assert!(outcome.unmanaged.is_empty(), "it died a moment ago");
    }

    #[test]
    fn a_process_listed_or_sitting_twice_counts_once() {
        let cards = [card(&[(10, 150), (10, 150)])];
        let outcome = reconcile(&cards, &[sitter(0, 10, 100), sitter(1, 10, 20)], &Known::new());
        assert_eq!(overheads(&outcome), [50, 0]);
    }

    #[test]
    fn a_driver_that_does_not_say_gives_no_overhead() {
        let cards = [Card { holders: None, ..card(&[]) }];
        let outcome = reconcile(&cards, &[sitter(0, 10, 100)], &Known::new());
        assert_eq!(overheads(&outcome), [0]);
        assert_eq!((outcome.unmanaged.len(), outcome.context.len()), (0, 0));
    }

    #[test]
    fn a_context_is_learnt_when_it_stopped_growing() {
        let seen = |bytes: u64| BTreeMap::from([("GPU-1".to_string(), bytes)]);
        let mut size = ContextSize::default();
        assert!(size.learn(&seen(10)).is_empty());
        assert!(size.learn(&seen(50)).is_empty());
        assert_eq!(size.learn(&seen(50)), [("GPU-1".to_string(), 50)]);
        assert_eq!(size.of("GPU-1"), 50);
        size.learn(&seen(7));
        assert!(size.learn(&seen(7)).is_empty(), "contexts that were reserved show no longer");
        assert_eq!((size.of("GPU-1"), size.of("GPU-2")), (50, 0));
    }
}
