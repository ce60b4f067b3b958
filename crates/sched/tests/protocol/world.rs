use std::collections::BTreeMap;
use std::sync::Arc;

use cleave_sched::protocol::{Amount, Claim, Devices, NodeName, Slices, Uid};

use crate::help::Helped;

/// A mistake to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    None,
    /// Containers start with whatever is bound to their node.
    NodeTrusts,
    /// Devices are given back when the pod's object is gone, though a container may still run.
    ReleaseOnGone,
    /// Nodes remember a pod's slices by its name, and the next one of that name gets them.
    ByName,
    /// A container gets the next slice of its pod that nobody has taken, in the order of the commit.
    ByOrder,
    /// A rejected pod is left where it is.
    LeaveRejected,
    /// A request without an answer is taken for one that will be answered.
    NeverRead,
    /// Members of a gang are bound one by one, as if they were alone.
    OneByOne,
    /// A new leader does not read the plan of a gang.
    PlanLost,
    /// Devices are given back when the pod is deleted, not when it ends.
    ReleaseOnDelete,
    /// Reservations have no end.
    NoExpiry,
    /// A conflict is taken for a refusal, though it may be with an earlier try of the same request.
    ConflictFrees,
    /// A node rejects what does not fit by what it has heard so far.
    RejectOnHearsay,
}

/// A pod of the world: units of a device for each container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    pub units: &'static [u64],
    /// What it may be resized to.
    pub resize: Option<&'static [u64]>,
    /// The gang it belongs to.
    pub gang: Option<u8>,
    /// It may displace pods that may not.
    pub preempts: bool,
    /// It waits for something else, and is not bound before all that are not late are over.
    pub late: bool,
}

pub const fn pod(units: &'static [u64]) -> Spec {
    Spec { units, resize: None, gang: None, preempts: false, late: false }
}

/// What may still go wrong, or be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Faults {
    /// Schedulers lose all they know, each so often.
    pub crashes: [u8; 2],
    /// Node daemons start again, each so often.
    pub restarts: [u8; 2],
    /// A scheduler becomes leader while the old one, or a request of it, is still under way.
    pub rivals: u8,
    /// Pods are deleted by force and come back under their name.
    pub recreations: u8,
    /// A node is thought lost and comes back.
    pub losses: u8,
    /// A request is sent again, though the first one arrives too.
    pub retries: u8,
    pub resizes: u8,
    pub preemptions: u8,
    pub reservations: u8,
}

pub const CALM: Faults = Faults {
    crashes: [0; 2],
    restarts: [0; 2],
    rivals: 0,
    recreations: 0,
    losses: 0,
    retries: 0,
    resizes: 0,
    preemptions: 0,
    reservations: 0,
};

/// Two schedulers, two nodes, their devices, and pods.
#[derive(Clone, Debug)]
pub struct World {
    pub bug: Bug,
    pub pods: &'static [Spec],
    /// Of each node.
    pub devices: usize,
    pub faults: Faults,
    /// Old events come again after newer ones. They change nothing, so large worlds leave them out.
    pub echoes: bool,
    /// States from which the rest is known to go well.
    pub helped: Helped,
}

impl World {
    pub fn new(pods: &'static [Spec], faults: Faults) -> World {
        World { bug: Bug::None, pods, devices: 1, faults, echoes: false, helped: Helped::default() }
    }

    /// All devices of all nodes: node and index.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let devices = self.devices;
        (0..2).flat_map(move |node| (0..devices).map(move |device| Place { node, device }))
    }

    pub fn all_devices(&self, is_there: impl Fn(usize) -> bool) -> Devices {
        let there = self.places().filter(|place| is_there(place.node));
        Arc::new(there.map(|place| (place.name(), amount(UNITS))).collect::<BTreeMap<_, _>>())
    }

    /// The slices of a pod: its first container at a place, each further one on the next device of that node.
    pub fn slices(&self, units: &[u64], place: Place) -> Slices {
        let claims = |(at, units): (usize, &u64)| {
            let place = Place { device: (place.device + at) % self.devices, ..place };
            vec![Claim { device: place.name(), amount: amount(*units) }]
        };
        let claims = units.iter().enumerate().map(claims);
        CONTAINERS.into_iter().map(Arc::from).zip(claims).collect()
    }
}

/// What a device has.
pub const UNITS: u64 = 2;

pub const CONTAINERS: [&str; 2] = ["a", "b"];

pub fn amount(units: u64) -> Amount {
    Amount { memory_mib: units, compute: units as u32 }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub node: usize,
    pub device: usize,
}

impl Place {
    pub fn name(self) -> Arc<str> {
        NAMES.with(|names| names.devices[self.node][self.device].clone())
    }
}

pub fn node_name(node: usize) -> NodeName {
    NAMES.with(|names| names.nodes[node].clone())
}

pub fn node_of(name: &str) -> usize {
    usize::from(name == "n1")
}

struct Names {
    nodes: [Arc<str>; 2],
    devices: [[Arc<str>; 2]; 2],
}

thread_local! {
    static NAMES: Names = Names {
        nodes: ["n0", "n1"].map(Arc::from),
        devices: [["d00", "d01"].map(Arc::from), ["d10", "d11"].map(Arc::from)],
    };
}

/// The UID of the `life`-th pod of a name.
pub fn uid(name: usize, life: usize) -> Uid {
    Uid(((life as u128) << 8) | name as u128)
}

pub fn name_of(uid: Uid) -> usize {
    (uid.0 & 0xff) as usize
}

pub fn life_of(uid: Uid) -> usize {
    (uid.0 >> 8) as usize
}
