use std::collections::BTreeMap;
use std::sync::Arc;

/// A pod's UID. Names come back, UIDs do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uid(pub u128);

pub type NodeName = Arc<str>;

/// A device's uuid.
pub type DeviceName = Arc<str>;

/// An amount of one device: MiB, and thousandths of a percent of compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Amount {
    pub memory_mib: u64,
    pub compute: u32,
}

impl Amount {
    pub fn plus(self, other: Amount) -> Amount {
        Amount { memory_mib: self.memory_mib + other.memory_mib, compute: self.compute + other.compute }
    }

    pub fn fits_in(self, whole: Amount) -> bool {
        self.memory_mib <= whole.memory_mib && self.compute <= whole.compute
    }
}

/// A part of one device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    pub device: DeviceName,
    pub amount: Amount,
}

/// What is written with the Binding: everything a node needs to know, and who decided it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Commit {
    pub uid: Uid,
    /// The leader's epoch. The API server does not check it; the node does.
    pub epoch: u64,
    pub node: NodeName,
    /// By container.
    pub slices: BTreeMap<Arc<str>, Vec<Claim>>,
}

impl Commit {
    pub(super) fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.slices.values().flatten()
    }
}

/// How far a pod is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    Pending,
    Running,
    /// Succeeded or failed: its devices are free, whether or not the object is still there.
    Ended,
    /// Deleted for good.
    Gone,
}

/// A pod as a watch event or a listing shows it. Events may come twice, late and out of order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PodView {
    pub uid: Uid,
    /// The resource version: greater is newer, over all objects.
    pub version: u64,
    pub phase: Phase,
    pub commit: Option<Commit>,
}

impl PodView {
    /// Whether it has ended for good.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Ended | Phase::Gone)
    }

    /// Whether this pod holds devices.
    pub fn holds(&self) -> Option<&Commit> {
        // A commit that names another pod was copied from it, by a restore or by hand: it is nobody's.
        self.commit.as_ref().filter(|commit| !self.is_over() && commit.uid == self.uid)
    }
}

/// Sums over claims, by device.
pub(super) fn sums<'a>(claims: impl Iterator<Item = &'a Claim>) -> BTreeMap<DeviceName, Amount> {
    let mut sums: BTreeMap<DeviceName, Amount> = BTreeMap::new();
    for claim in claims {
        let sum = sums.entry(claim.device.clone()).or_default();
        *sum = sum.plus(claim.amount);
    }
    sums
}

/// Whether the claims fit into the devices; an unknown device has nothing.
pub(super) fn fits<'a>(
    claims: impl Iterator<Item = &'a Claim>,
    devices: &BTreeMap<DeviceName, Amount>,
) -> bool {
    let whole = |device: &DeviceName| devices.get(device).copied().unwrap_or_default();
    sums(claims).iter().all(|(device, sum)| sum.fits_in(whole(device)))
}
