use crate::Host;

/// Most devices of one node, hardware partitions counted one by one.
pub const MAX_DEVICES: usize = 64;

/// A whole device in the unit policies count in.
pub const WHOLE: u16 = 1000;

/// What is left on a node as a policy sees it: numbers only, small enough to be copied for every candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    pub host: Host,
    /// Index into the cluster's kinds: nodes of one kind have the same devices in the same order.
    pub kind: u16,
    devices: u8,
    free: [u16; MAX_DEVICES],
}

impl Room {
    /// Room on a node whose devices have `free` thousandths left, at most [`MAX_DEVICES`] of them.
    pub fn new(host: Host, kind: u16, free: impl Iterator<Item = u16>) -> Room {
        let mut room = Room { host, kind, devices: 0, free: [0; MAX_DEVICES] };
        for (place, left) in room.free.iter_mut().zip(free) {
            *place = left;
            room.devices += 1;
        }
        room
    }

    /// Thousandths left on each device.
    pub fn free(&self) -> &[u16] {
        &self.free[..usize::from(self.devices)]
    }

    /// The same room after one device changed.
    pub fn with(mut self, device: usize, left: u16) -> Room {
        self.free[device] = left;
        self
    }

    /// Thousandths left on all devices together.
    pub fn idle(&self) -> u32 {
        self.free().iter().map(|left| u32::from(*left)).sum()
    }
}

/// A candidate: what a pod turns a node into.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// Index of the node.
    pub node: usize,
    /// What the node has when empty.
    pub total: Host,
    pub before: &'a Room,
    pub after: &'a Room,
    pub size: &'a Size,
}

/// A pod as a policy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Size {
    pub host: Host,
    /// Slices over all containers.
    pub slices: u32,
    /// Thousandths of one device, of the largest slice on the first device that admits it.
    pub share: u16,
}

impl Size {
    /// Thousandths of devices in all.
    pub fn total(&self) -> u32 {
        self.slices * u32::from(self.share)
    }
}
