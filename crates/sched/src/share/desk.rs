//! Several devices at once: a tenant on several of them has its turns together, so that kernels which wait for each other
//! across devices meet.

use std::collections::BTreeMap;

use super::arbiter::Capped;
use super::stall::{Elsewhere, Late};
use super::{Arbiter, Id, Order, Seen, Share, Step};

/// What of a device is shared out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Engine {
    /// Kernels and graphics.
    Gr,
    /// Copies to the device and within it.
    CopyIn,
    /// Copies to the host.
    CopyOut,
}

impl Engine {
    pub const ALL: [Engine; 3] = [Engine::Gr, Engine::CopyIn, Engine::CopyOut];
}

/// A device, as the node numbers it.
pub type Device = usize;

/// The arbiters of a node.
#[derive(Default)]
pub struct Desk {
    arbiters: BTreeMap<(Device, Engine), Arbiter>,
    devices_of: BTreeMap<Id, Vec<Device>>,
}

impl Desk {
    /// What a tenant may have of a device.
    pub fn set(&mut self, device: Device, id: Id, share: Share) {
        for engine in Engine::ALL {
            self.arbiters.entry((device, engine)).or_default().set(id, share);
        }
        let devices = self.devices_of.entry(id).or_default();
        if !devices.contains(&device) {
            devices.push(device);
            devices.sort_unstable();
        }
    }

    /// A tenant is gone from all devices.
    pub fn remove(&mut self, id: Id) {
        self.arbiters.values_mut().for_each(|arbiter| arbiter.remove(id));
        self.devices_of.remove(&id);
    }

    pub fn arbiter(&self, device: Device, engine: Engine) -> Option<&Arbiter> {
        self.arbiters.get(&(device, engine))
    }

    /// One look at everything. `seen` tells what a tenant has at work.
    pub fn step(
        &mut self,
        now: u64,
        mut seen: impl FnMut(Device, Engine) -> Vec<(Id, Seen)>,
        mut tell: impl FnMut(Device, Engine, Id, Order),
    ) -> u64 {
        let mut wake_at = u64::MAX;
        let keys: Vec<(Device, Engine)> = self.arbiters.keys().copied().collect();
        let several = keys.len() > Engine::ALL.len();
        for (device, engine) in keys {
            if engine == Engine::Gr && several {
                self.join(device);
            }
            let Some(arbiter) = self.arbiters.get_mut(&(device, engine)) else { continue };
            let step: Step = arbiter.step(now, &seen(device, engine));
            step.orders.into_iter().for_each(|(id, order)| tell(device, engine, id, order));
            wake_at = wake_at.min(step.wake_at);
        }
        wake_at.min(self.tell_of_elsewhere())
    }

    /// Work may wait for what a cap keeps from another device: of the same tenant, or of one that had to wait for another's work
    /// as well. When to look again at the latest.
    fn tell_of_elsewhere(&mut self) -> u64 {
        let arbiters = self.arbiters.iter().filter(|((_, engine), _)| *engine == Engine::Gr);
        let mut capped: Vec<(Id, Device, Capped)> =
            arbiters.flat_map(|((device, _), gr)| gr.capped().map(|(id, it)| (id, *device, it))).collect();
        capped.sort_unstable_by_key(|(id, device, _)| (*id, *device));
        let mut late: Vec<(Late, Id)> =
            capped.iter().filter_map(|(id, _, it)| Some((it.late?, *id))).collect();
        late.sort_unstable();
        let mut look_at = u64::MAX;
        for of_one in capped.chunk_by(|(one, ..), (other, ..)| one == other) {
            for (id, device, it) in of_one {
                let own = || of_one.iter().filter(|(_, there, _)| there != device).map(|(_, _, it)| it);
                let others = it.stood.then(|| late.iter().find(|(_, other)| other != id));
                let elsewhere = Elsewhere {
                    own: own().filter_map(|it| it.late).min(),
                    others: others.flatten().map(|(late, _)| *late),
                };
                let poorest = own().filter_map(|it| it.purse).min_by_key(|purse| purse.saved);
                if let Some(arbiter) = self.arbiters.get_mut(&(*device, Engine::Gr)) {
                    look_at = look_at.min(arbiter.hears(*id, elsewhere, poorest));
                }
            }
        }
        look_at
    }

    /// Tenants that have their turn on an earlier device have it on this one as well.
    fn join(&mut self, device: Device) {
        for (id, devices) in self.devices_of.iter().filter(|(_, devices)| devices.len() > 1) {
            if !devices.contains(&device) {
                continue;
            }
            let gr = |device: &Device| self.arbiters.get(&(*device, Engine::Gr));
            let lead = devices.iter().find(|device| gr(device).is_some_and(|gr| gr.is_active(*id)));
            let with = lead
                .is_some_and(|lead| *lead != device && gr(lead).is_some_and(|gr| gr.holder() == Some(*id)));
            if let Some(arbiter) = self.arbiters.get_mut(&(device, Engine::Gr)) {
                arbiter.together(*id, with);
            }
        }
    }
}
