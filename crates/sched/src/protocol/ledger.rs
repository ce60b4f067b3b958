use std::collections::BTreeMap;
use std::fmt;

use super::commit::{Amount, Claim, Commit, DeviceName, NodeName, PodView, Uid, fits};

/// What one node has granted. It has the last word: whatever schedulers believe, it grants only what fits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ledger {
    node: NodeName,
    devices: BTreeMap<DeviceName, Amount>,
    granted: BTreeMap<Uid, Commit>,
    /// The newest leader heard of; an older one decides nothing here any more.
    epoch: u64,
    /// The newest version seen of each pod, ended ones too.
    seen: BTreeMap<Uid, u64>,
}

/// What the node does with a pod bound to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Its slices are granted; its containers may start.
    Granted,
    /// Not ours, not bound, or over: nothing to do.
    Nothing,
    /// To be deleted with its UID as precondition, and an event that says why: a bound pod cannot be bound again.
    Reject(Rejected),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rejected {
    /// Decided by a leader that is no longer one.
    OldEpoch,
    /// The devices are taken.
    NoRoom,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rejected::OldEpoch => "decided by a scheduler that had been replaced",
            Rejected::NoRoom => "its devices are taken",
        })
    }
}

impl Ledger {
    /// A node that starts, or starts again: `running` is what still runs on it, which is adopted before anything new.
    pub fn new(node: NodeName, devices: BTreeMap<DeviceName, Amount>, running: &[Commit]) -> Ledger {
        let granted: BTreeMap<Uid, Commit> =
            running.iter().map(|commit| (commit.uid, commit.clone())).collect();
        let epoch = running.iter().map(|commit| commit.epoch).max().unwrap_or(0);
        Ledger { node, devices, granted, epoch, seen: BTreeMap::new() }
    }

    /// Takes in an event about a pod: grants, releases, resizes or rejects. Twice is as good as once, late is as good as
    /// never.
    pub fn observe(&mut self, pod: &PodView) -> Verdict {
        if self.seen.get(&pod.uid).is_some_and(|seen| pod.version <= *seen) {
            return Verdict::Nothing;
        }
        self.seen.insert(pod.uid, pod.version);
        let Some(commit) = pod.holds().filter(|commit| commit.node == self.node) else {
            if pod.is_over() {
                self.granted.remove(&pod.uid);
            }
            return Verdict::Nothing;
        };
        self.admit(commit)
    }

    fn admit(&mut self, commit: &Commit) -> Verdict {
        let before = self.granted.get(&commit.uid);
        if before == Some(commit) {
            return Verdict::Granted;
        }
        // A pod that runs keeps what it has when its resize is not possible; a new one has nothing to keep.
        let refuse = |reason| if before.is_some() { Verdict::Granted } else { Verdict::Reject(reason) };
        if commit.epoch < self.epoch {
            return refuse(Rejected::OldEpoch);
        }
        let others = self.granted.values().filter(|other| other.uid != commit.uid);
        if !fits(others.chain([commit]).flat_map(Commit::claims), &self.devices) {
            return refuse(Rejected::NoRoom);
        }
        self.epoch = commit.epoch;
        self.granted.insert(commit.uid, commit.clone());
        Verdict::Granted
    }

    /// What a container of a pod may use, by the pod's UID. `None`: it does not start.
    pub fn start(&self, uid: Uid, container: &str) -> Option<&[Claim]> {
        self.granted.get(&uid)?.slices.get(container).map(Vec::as_slice)
    }

    pub fn granted(&self) -> impl Iterator<Item = &Commit> {
        self.granted.values()
    }
}
