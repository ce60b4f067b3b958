use std::collections::BTreeMap;
use std::sync::Arc;

/// A pod's UID. Names come back, UIDs do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uid(pub u128);

pub type NodeName = Arc<str>;

/// A device's uuid.
pub type DeviceName = Arc<str>;

pub type ContainerName = Arc<str>;

/// What there is of each device.
pub type Devices = Arc<BTreeMap<DeviceName, Amount>>;

/// What each container of a pod may use.
pub type Slices = BTreeMap<ContainerName, Vec<Claim>>;

/// An amount of one device: MiB, and thousandths of a percent of compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Amount {
    pub memory_mib: u64,
    pub compute: u32,
}

impl Amount {
    /// The sum. What does not fit into the type fits into no device either, so it may stop at the greatest.
    pub fn plus(self, other: Amount) -> Amount {
        Amount {
            memory_mib: self.memory_mib.saturating_add(other.memory_mib),
            compute: self.compute.saturating_add(other.compute),
        }
    }

    pub fn less(self, other: Amount) -> Amount {
        Amount {
            memory_mib: self.memory_mib.saturating_sub(other.memory_mib),
            compute: self.compute.saturating_sub(other.compute),
        }
    }

    pub fn max(self, other: Amount) -> Amount {
        Amount { memory_mib: self.memory_mib.max(other.memory_mib), compute: self.compute.max(other.compute) }
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
    /// The leader's epoch. The API server does not check it; on a node the newest goes first.
    pub epoch: u64,
    pub node: NodeName,
    pub slices: Slices,
    /// Of a resize: what the pod may still use until the node says that the new slices are in force.
    pub before: Option<Slices>,
    /// The whole gang's places, this pod's among them. The first Binding commits all of them: whoever leads next finds the
    /// plan in it and keeps room for the rest.
    pub gang: Arc<[Member]>,
}

/// A place in a gang.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    pub uid: Uid,
    pub node: NodeName,
    pub slices: Slices,
}

impl Commit {
    /// A pod's place by itself.
    pub fn new(uid: Uid, node: NodeName, slices: Slices) -> Commit {
        Commit { uid, epoch: 0, node, slices, before: None, gang: Arc::from([]) }
    }

    /// What it takes of a device for good.
    pub(super) fn on(&self, device: &DeviceName) -> Amount {
        on(&self.slices, device)
    }

    /// The most it may take of a device before it is known to be in force.
    pub(super) fn most_on(&self, device: &DeviceName) -> Amount {
        let before = self.before.as_ref().map(|slices| on(slices, device));
        self.on(device).max(before.unwrap_or_default())
    }

    /// Devices it takes something of, or may still.
    pub(super) fn devices(&self) -> impl Iterator<Item = &DeviceName> {
        devices(&self.slices).chain(self.before.iter().flat_map(devices))
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
    pub commit: Option<Arc<Commit>>,
    /// Whether the node has said that this commit is in force. Only a resize needs it.
    pub in_force: bool,
}

impl PodView {
    /// Whether it has ended for good.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Ended | Phase::Gone)
    }

    /// Whether this pod holds devices.
    pub fn holds(&self) -> Option<&Arc<Commit>> {
        // A commit that names another pod was copied from it, by a restore or by hand: it is nobody's.
        self.commit.as_ref().filter(|commit| !self.is_over() && commit.uid == self.uid)
    }
}

/// What slices take of a device.
pub(super) fn on(slices: &Slices, device: &DeviceName) -> Amount {
    let here = slices.values().flatten().filter(|claim| claim.device == *device);
    here.fold(Amount::default(), |sum, claim| sum.plus(claim.amount))
}

/// Devices that slices take something of; one may come twice.
pub(super) fn devices(slices: &Slices) -> impl Iterator<Item = &DeviceName> {
    slices.values().flatten().map(|claim| &claim.device)
}

/// Container by container and device by device the greater of both.
pub(super) fn greater(one: &Slices, other: &Slices) -> Slices {
    let mut most = one.clone();
    for (container, claims) in other {
        let mine = most.entry(container.clone()).or_default();
        for claim in claims {
            match mine.iter_mut().find(|own| own.device == claim.device) {
                Some(own) => own.amount = own.amount.max(claim.amount),
                None => mine.push(claim.clone()),
            }
        }
    }
    most
}

/// What a device has; an unknown one has nothing.
pub(super) fn whole(devices: &Devices, device: &DeviceName) -> Amount {
    devices.get(device).copied().unwrap_or_default()
}
