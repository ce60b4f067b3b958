use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Amount, Claim, Commit, Devices, Phase, PodView, Slices, Uid};

/// Two devices of ten units.
pub fn devices() -> Devices {
    let ten = Amount { memory_mib: 10, compute: 10 };
    Arc::new(BTreeMap::from([(Arc::from("d0"), ten), (Arc::from("d1"), ten)]))
}

/// One container with so many units of a device.
pub fn slices(device: &str, units: u64) -> Slices {
    let amount = Amount { memory_mib: units, compute: units as u32 };
    Slices::from([(Arc::from("main"), vec![Claim { device: Arc::from(device), amount }])])
}

pub fn commit(uid: u128, device: &str, units: u64) -> Arc<Commit> {
    Arc::new(Commit::new(Uid(uid), Arc::from("n"), slices(device, units)))
}

pub fn waits(uid: u128, version: u64) -> PodView {
    PodView { uid: Uid(uid), version, phase: Phase::Pending, commit: None, in_force: false }
}

pub fn bound(commit: &Arc<Commit>, version: u64) -> PodView {
    PodView { commit: Some(commit.clone()), ..waits(commit.uid.0, version) }
}

pub fn ended(uid: u128, version: u64) -> PodView {
    PodView { phase: Phase::Ended, ..waits(uid, version) }
}
