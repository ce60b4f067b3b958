//! Changing and ending tenants that are there.

use super::{Node, numbers_on};
use crate::book::{self, Allowance, Place, Room};
use crate::protocol::{Ask, Memory, Reason, Refusal, Set};
use crate::store::Grant;
use crate::sys_unsafe::{self, Peer};
use crate::tenant::Tenant;

impl Node {
    /// Changes what a tenant may use, all of it or nothing.
    pub fn set(&mut self, set: &Set, peer: &Peer) -> Result<(), Refusal> {
        if !self.is_manager(peer) {
            let why = "only root and the user the daemon runs as may change limits";
            return Err(Refusal::new(Reason::NotAllowed, why));
        }
        let tenant = self.tenants.get(&set.tenant).ok_or_else(|| self.no_tenant(&set.tenant))?;
        let chosen =
            |grant: &Grant| set.device.as_ref().is_none_or(|uuid| uuid.eq_ignore_ascii_case(&grant.uuid));
        let numbers: Vec<usize> =
            (0..tenant.record.grants.len()).filter(|number| chosen(&tenant.record.grants[*number])).collect();
        if numbers.is_empty() {
            let why = format!("the tenant {} has no grant on that device", set.tenant);
            return Err(Refusal::new(Reason::NoDevice, why));
        }
        let changes = numbers.iter().map(|number| self.change(tenant, *number, set));
        let changes = changes.collect::<Result<Vec<(u64, u32)>, Refusal>>()?;
        let parent = tenant.record.parent.clone().filter(|id| self.tenants.contains_key(id));
        if let Some(parent) = &parent {
            let more = |(number, (memory, _)): (&usize, &(u64, u32))| Place {
                uuid: tenant.record.grants[*number].uuid.clone(),
                memory: memory.saturating_sub(tenant.committed(*number)),
                compute: 0,
            };
            self.take_from(parent, &numbers.iter().zip(&changes).map(more).collect::<Vec<Place>>())?;
        }
        let id = set.tenant.clone();
        for (number, (memory, compute)) in numbers.into_iter().zip(changes) {
            self.apply(&id, number, memory, compute);
        }
        if let Some(parent) = parent {
            self.settle(&parent);
        }
        let Tenant { record, folder, .. } = &self.tenants[&id];
        let failed = |error| {
            Refusal::new(Reason::Failed, format!("the change holds, but is not written down: {error:#}"))
        };
        self.store.write(folder, record).map_err(failed)
    }

    /// What a grant becomes, if that fits.
    fn change(&self, tenant: &Tenant, number: usize, set: &Set) -> Result<(u64, u32), Refusal> {
        let grant = &tenant.record.grants[number];
        if tenant.slots[number].is_err() {
            return Err(Refusal::new(
                Reason::Failed,
                "the tenant's slot cannot be used: end it and start it again",
            ));
        }
        let parent = tenant.record.parent.as_ref().and_then(|id| self.tenants.get(id));
        let room = match parent {
            Some(parent) => {
                numbers_on(parent, &grant.uuid).next().and_then(|number| self.inner_room(parent, number))
            }
            None => self.card(&grant.uuid).map(|card| self.room(card)),
        };
        let room =
            room.ok_or_else(|| Refusal::new(Reason::NoDevice, format!("the device {} is gone", grant.uuid)))?;
        // What the tenant has already is its to keep: the rest of the room is what it may get on top.
        let room = Room {
            free: room.free.saturating_add(tenant.committed(number)),
            compute_free: room.compute_free.saturating_add(grant.compute).min(room.compute),
            ..room
        };
        let ask = Ask {
            memory: set
                .memory
                .filter(|memory| *memory != Memory::Unsaid)
                .unwrap_or(Memory::Bytes(grant.memory)),
            compute: Some(set.compute.unwrap_or(grant.compute * 100 / room.compute.max(1)).max(1)),
            ..Ask::default()
        };
        let places = book::decide(&[room], Allowance::UNLIMITED, &ask)?;
        Ok((places[0].memory, if set.compute.is_some() { places[0].compute } else { grant.compute }))
    }

    fn apply(&mut self, id: &str, number: usize, memory: u64, compute: u32) {
        let Some(tenant) = self.tenants.get_mut(id) else { return };
        // What is committed now stays so until the tenant has given it back.
        let committed = tenant.committed(number);
        let grant = &mut tenant.record.grants[number];
        (grant.memory, grant.compute, grant.committed) = (memory, compute, committed);
        if let Ok(slot) = &tenant.slots[number] {
            slot.set_memory(memory);
            slot.set_compute(compute);
        }
    }

    /// Takes a tenant's grants back, those of the tenants inside it included.
    pub fn end(&mut self, id: &str, peer: &Peer) -> Result<(), Refusal> {
        let Some(tenant) = self.tenants.get(id) else { return self.end_stray(id, peer) };
        if !self.may_manage(peer, tenant) {
            let why = format!("the tenant {id} belongs to {}", sys_unsafe::user_name(tenant.record.uid));
            return Err(Refusal::new(Reason::NotAllowed, why));
        }
        // Its processes may go on: they keep what they have, as strangers, and get no more.
        self.tenants[id].grants().filter_map(|(_, slot)| slot).for_each(|slot| slot.set_memory(0));
        let children = self.tenants.values().filter(|tenant| tenant.record.parent.as_deref() == Some(id));
        let children: Vec<String> = children.map(|tenant| tenant.record.id.clone()).collect();
        for child in children {
            self.end(&child, peer)?;
        }
        self.forget(id)
    }

    pub(super) fn forget(&mut self, id: &str) -> Result<(), Refusal> {
        let Some(tenant) = self.tenants.remove(id) else { return Ok(()) };
        let parent = tenant.record.parent.clone().filter(|parent| self.tenants.contains_key(parent));
        let removed = self.store.remove(&tenant.folder);
        if let Some(parent) = parent {
            self.settle(&parent);
        }
        removed.map_err(|error| Refusal::new(Reason::Failed, format!("{error:#}")))
    }

    fn end_stray(&mut self, id: &str, peer: &Peer) -> Result<(), Refusal> {
        let stray = self.strays.iter().position(|(name, _)| name == id);
        let Some(at) = stray.filter(|_| self.is_manager(peer)) else { return Err(self.no_tenant(id)) };
        let folder = self.config.home.tenants().join(&self.strays[at].0);
        self.store.remove(&folder).map_err(|error| Refusal::new(Reason::Failed, format!("{error:#}")))?;
        self.strays.remove(at);
        Ok(())
    }

    fn no_tenant(&self, id: &str) -> Refusal {
        Refusal::new(Reason::NoTenant, format!("there is no tenant {id}: `cleave ps` shows those there are"))
    }
}
