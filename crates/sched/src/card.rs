use cleave_model::{Accountant, Class, Device, Isolation, MilliPercent, Slice};

use crate::room::WHOLE;
use crate::{Oversubscription, Reason};

/// One device and the sum of what is on it.
#[derive(Clone, Debug)]
pub struct Card {
    pub device: Device,
    /// Index into the cluster's device classes.
    pub(crate) class: u16,
    pub(crate) used: Used,
}

/// The account of one device: sums over the slices on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    pub slices: u32,
    /// Memory of tenants whose memory always stays on the device.
    pub memory_mib: u64,
    /// Memory of tenants that asked for oversubscription by name: it may be moved out.
    pub movable_mib: u64,
    /// Thousandths of a percent of GR time, online tenants.
    pub online: u32,
    /// The same, offline tenants: online ones may take it at any moment.
    pub offline: u32,
    pub encode: u32,
    /// One tenant has the device for itself.
    pub exclusive: bool,
}

/// One slice of an Ask resolved on a class of device, with what decides whether it may lie beside others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    pub memory_mib: u64,
    pub compute: u32,
    pub encode: u32,
    pub offline: bool,
    pub exclusive: bool,
    pub movable: bool,
}

impl Need {
    /// What a committed slice needs: its reserved values count, its ceilings do not.
    pub fn of(slice: &Slice, class: Class, movable: bool) -> Need {
        Need {
            memory_mib: slice.memory_mib.reserved,
            compute: slice.compute.reserved.thousandths(),
            encode: slice.encode.map_or(0, MilliPercent::thousandths),
            offline: class == Class::Offline,
            exclusive: slice.exclusive,
            movable,
        }
    }

    /// Thousandths of an empty `device`, rounded up.
    pub fn share(&self, device: &Device) -> u16 {
        if self.exclusive {
            return WHOLE;
        }
        let memory = (self.memory_mib * u64::from(WHOLE)).div_ceil(device.memory_mib.max(1));
        let compute = u64::from(self.compute.div_ceil(100));
        u16::try_from(memory.max(compute)).unwrap_or(WHOLE).min(WHOLE)
    }
}

impl Used {
    pub fn add(&mut self, need: &Need) {
        self.slices += 1;
        *self.memory(need) += need.memory_mib;
        *self.compute(need) += need.compute;
        self.encode += need.encode;
        self.exclusive |= need.exclusive;
    }

    /// Takes back what [`Used::add`] added.
    pub fn remove(&mut self, need: &Need) {
        self.slices = self.slices.saturating_sub(1);
        let memory = self.memory(need);
        *memory = memory.saturating_sub(need.memory_mib);
        let compute = self.compute(need);
        *compute = compute.saturating_sub(need.compute);
        self.encode = self.encode.saturating_sub(need.encode);
        // An exclusive tenant is alone, so whoever leaves an exclusive device was that tenant.
        self.exclusive &= !need.exclusive;
    }

    fn memory(&mut self, need: &Need) -> &mut u64 {
        if need.movable { &mut self.movable_mib } else { &mut self.memory_mib }
    }

    fn compute(&mut self, need: &Need) -> &mut u32 {
        if need.offline { &mut self.offline } else { &mut self.online }
    }
}

impl Card {
    /// Whether one more slice has room beside what `used` says is there, or the first reason why not.
    pub(crate) fn has_room(&self, used: &Used, need: &Need, over: &Oversubscription) -> Result<(), Reason> {
        const ALL: u32 = MilliPercent::WHOLE.thousandths();
        if used.exclusive || (need.exclusive && used.slices > 0) {
            return Err(Reason::InUse);
        }
        if used.slices >= self.device.max_slices {
            return Err(Reason::Slots);
        }
        let resident = used.memory_mib + if need.movable { 0 } else { need.memory_mib };
        let promised = used.memory_mib + used.movable_mib + need.memory_mib;
        // What must stay on the device never exceeds it; what may be moved out never exceeds the class.
        if resident > self.device.memory_mib || promised > over.limit(used, need, self.device.memory_mib) {
            return Err(Reason::Memory);
        }
        // Offline work runs in what online work leaves, so the two are counted apart.
        let compute = if need.offline { used.offline } else { used.online };
        if compute + need.compute > ALL {
            return Err(Reason::Compute);
        }
        if used.encode + need.encode > ALL {
            return Err(Reason::Encode);
        }
        Ok(())
    }

    /// Why no slice of ours may be put on this device, whatever its size.
    pub(crate) fn closed(&self, accountant: &Accountant) -> Option<Reason> {
        if self.device.health != cleave_model::Health::Healthy {
            return Some(Reason::Unhealthy);
        }
        if self.device.cordoned {
            return Some(Reason::DeviceCordoned);
        }
        (self.device.accountant != *accountant).then_some(Reason::Accountant)
    }

    /// Thousandths left for online slices when `used` is on the device: the scarcer of memory and compute.
    pub(crate) fn left(&self, used: &Used) -> u16 {
        if used.exclusive || used.slices >= self.device.max_slices {
            return 0;
        }
        let whole = u64::from(WHOLE);
        let promised = used.memory_mib + used.movable_mib;
        let memory =
            (self.device.memory_mib.saturating_sub(promised) * whole) / self.device.memory_mib.max(1);
        let compute = u64::from(MilliPercent::WHOLE.thousandths().saturating_sub(used.online)) / 100;
        u16::try_from(memory.min(compute)).unwrap_or(WHOLE).min(WHOLE)
    }
}

/// Offline work is only put where online work can take the engine back: behind an arbiter. A hardware partition, a
/// device given away whole and a device elsewhere have none on this node.
pub(crate) fn may_be_taken_back(isolation: Isolation) -> bool {
    matches!(isolation, Isolation::Soft | Isolation::Strict)
}
