//! Changing and ending tenants that are there.

use super::{Node, numbers_on};
use crate::book::{self, Allowance, Place, Room};
use crate::policy::{self, Policy};
use crate::protocol::{Ask, Memory, Reason, Refusal, Set};
use crate::store::Grant;
use crate::sys_unsafe::Peer;
use crate::tenant::Tenant;

/// What a grant becomes.
struct Change {
    memory: u64,
    compute: u32,
    policy: Policy,
    priority: i32,
    latency: bool,
}

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
        let changes = changes.collect::<Result<Vec<Change>, Refusal>>()?;
        let parent = tenant.record.parent.clone().filter(|id| self.tenants.contains_key(id));
        if let Some(parent) = &parent {
            let more = |(number, change): (&usize, &Change)| Place {
                uuid: tenant.record.grants[*number].uuid.clone(),
                memory: change.memory.saturating_sub(tenant.committed(*number)),
                compute: 0,
            };
            self.take_from(parent, &numbers.iter().zip(&changes).map(more).collect::<Vec<Place>>())?;
        }
        let id = set.tenant.clone();
        for (number, change) in numbers.into_iter().zip(changes) {
            self.apply(&id, number, change);
        }
        if let Some(parent) = parent {
            self.settle(&parent);
        }
        self.arrange();
        self.write_again(&id)
    }

    /// Writes down what a tenant has become.
    pub(super) fn write_again(&self, id: &str) -> Result<(), Refusal> {
        let Tenant { record, folder, .. } = &self.tenants[id];
        let failed = |error| {
            Refusal::new(Reason::Failed, format!("the change holds, but is not written down: {error:#}"))
        };
        self.store.write(folder, record).map_err(failed)
    }

    /// What a grant becomes, if that fits.
    fn change(&self, tenant: &Tenant, number: usize, set: &Set) -> Result<Change, Refusal> {
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
        let room = without(room, grant, tenant.committed(number));
        let policy = set.policy.clone().unwrap_or_else(|| grant.policy.clone());
        // A share that nobody speaks of stays, where there is one and the policy does not say it.
        let kept =
            Some(grant.compute).filter(|share| set.compute.is_none() && *share > 0 && !policy.says_share());
        let compute = set.compute.or(kept.map(|share| (share * 100 / room.compute.max(1)).max(1)));
        let memory = set.memory.filter(|memory| *memory != Memory::Unsaid);
        let memory = memory.unwrap_or(Memory::Bytes(grant.memory));
        let ask = Ask { memory, compute, policy, moving: tenant.record.moving, ..Ask::default() };
        let places = book::decide(&[room], Allowance::UNLIMITED, &ask)?;
        let share = kept.unwrap_or(places[0].compute);
        Ok(Change {
            memory: places[0].memory,
            compute: ask.policy.percent_at(self.minute(), share),
            policy: ask.policy,
            priority: set.priority.unwrap_or(grant.priority),
            latency: set.latency.unwrap_or(grant.latency),
        })
    }

    fn apply(&mut self, id: &str, number: usize, change: Change) {
        let Some(tenant) = self.tenants.get_mut(id) else { return };
        // What is committed now stays so until the tenant has given it back.
        let committed = tenant.committed(number);
        let grant = &mut tenant.record.grants[number];
        let Change { memory, compute, policy, priority, latency } = change;
        *grant = Grant { memory, compute, policy, priority, latency, committed, ..grant.clone() };
        if let Ok(slot) = &tenant.slots[number] {
            slot.set_memory(memory);
            slot.set_compute(compute);
        }
    }

    /// Takes a tenant's grants back, those of the tenants inside it included.
    pub fn end(&mut self, id: &str, peer: &Peer) -> Result<(), Refusal> {
        if !self.tenants.contains_key(id) {
            return self.end_stray(id, peer);
        }
        self.managed(id, peer)?;
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
        self.arrange();
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

    pub(super) fn no_tenant(&self, id: &str) -> Refusal {
        Refusal::new(Reason::NoTenant, format!("there is no tenant {id}: `cleave ps` shows those there are"))
    }
}

/// A room as it would be without one of its grants: what the tenant has already is its to keep.
fn without(room: Room, grant: &Grant, committed: u64) -> Room {
    let steady = room.compute_free.saturating_add(policy::peak(&room.tides));
    let mut tides = room.tides.clone();
    let steady = match grant.policy.timetable() {
        Some(table) => {
            if let Some(own) = tides.iter().position(|other| other == table) {
                tides.remove(own);
            }
            steady
        }
        None => steady.saturating_add(grant.compute),
    };
    Room {
        free: room.free.saturating_add(committed),
        compute_free: steady.saturating_sub(policy::peak(&tides)).min(room.compute),
        tides,
        tenants: room.tenants.saturating_sub(1),
        exclusive: room.exclusive && grant.policy != Policy::Exclusive,
        ..room
    }
}
