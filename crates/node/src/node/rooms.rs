//! What is free: of devices, of a tenant's grants for those inside it, and of what one user may have.

use std::collections::BTreeSet;

use cleave_slot::Terms;

use super::{Node, numbers_on};
use crate::book::{Allowance, Room};
use crate::card::{Card, Mode};
use crate::policy::{self, Policy};
use crate::protocol::{Driver, Kind, Moving, Reason, Refusal, Start};
use crate::store::Grant;
use crate::sys_unsafe;
use crate::tenant::Tenant;

impl Node {
    /// What can be given to whom asks so: of devices, or of the parent's grants.
    pub(super) fn rooms(&self, start: &Start, parent: Option<&str>) -> Result<Vec<Room>, Refusal> {
        if let Some(parent) = parent {
            let parent = &self.tenants[parent];
            return Ok((0..parent.record.grants.len())
                .filter_map(|number| self.inner_room(parent, number))
                .collect());
        }
        let named = |card: &&Card| start.ask.devices.iter().any(|uuid| uuid.eq_ignore_ascii_case(&card.uuid));
        let kind = match start.driver {
            Driver::Real => Kind::Real,
            Driver::Soft => Kind::Soft,
            // Whoever names devices has decided.
            Driver::Auto if !start.ask.devices.is_empty() => {
                let kinds: BTreeSet<Kind> =
                    self.view.cards.iter().filter(named).map(|card| card.kind).collect();
                if kinds.len() > 1 {
                    let why = "a tenant is on real devices or on the software GPU, not on both";
                    return Err(Refusal::new(Reason::Nonsense, why));
                }
                kinds.first().copied().unwrap_or(self.usual())
            }
            Driver::Auto => self.usual(),
        };
        if let Some(whole) = self.view.cards.iter().filter(named).find(|card| card.mode == Mode::Partitioned)
        {
            let why = "is partitioned (MIG): its instances are given out in its place, name one that `cleave ps` shows";
            return Err(Refusal::new(Reason::NoDevice, format!("{} {why}", whole.uuid)));
        }
        let cards = self.view.cards.iter().filter(|card| card.kind == kind && card.mode.is_grantable());
        let rooms: Vec<Room> = cards.map(|card| self.room(card)).collect();
        if rooms.is_empty() {
            return Err(self.no_device(kind));
        }
        Ok(rooms)
    }

    pub(super) fn usual(&self) -> Kind {
        if self.view.has(Kind::Real) { Kind::Real } else { Kind::Soft }
    }

    fn no_device(&self, kind: Kind) -> Refusal {
        let (what, why) = match kind {
            Kind::Real => ("device of a vendor's driver", &self.view.no_real),
            Kind::Soft => ("software GPU", &self.view.no_soft),
        };
        let partitioned =
            self.view.cards.iter().any(|card| card.kind == kind && card.mode == Mode::Partitioned);
        let why = why.as_deref().unwrap_or(match partitioned {
            true => {
                "what there is is partitioned (MIG) and has no instance; `nvidia-smi mig -cgi … -C` makes one"
            }
            false => "none was found",
        });
        Refusal::new(Reason::NoDevice, format!("there is no {what} here: {why}"))
    }

    /// What is free of a device.
    pub(super) fn room(&self, card: &Card) -> Room {
        let (granted, compute) = self.granted(&card.uuid);
        let by_turns = self.largest_by_turns(&card.uuid);
        let grants: Vec<&Grant> =
            self.outer_grants(&card.uuid).map(|(tenant, number)| &tenant.record.grants[number]).collect();
        let unmanaged = self.unmanaged(&card.uuid);
        let reserved = self.config.rules.reserve.on(&card.uuid).saturating_add(card.kept);
        let taken = granted.saturating_add(unmanaged).saturating_add(reserved);
        let free = card.total.saturating_sub(taken);
        Room {
            uuid: card.uuid.clone(),
            name: card.name.clone(),
            total: card.total,
            free,
            free_by_turns: card.total.saturating_sub(taken.saturating_sub(by_turns)),
            compute: 100,
            compute_free: 100_u32.saturating_sub(compute),
            tides: grants.iter().filter_map(|grant| grant.policy.timetable().cloned()).collect(),
            unmanaged,
            tenants: grants.len(),
            exclusive: grants.iter().any(|grant| grant.policy == Policy::Exclusive),
            inner: false,
        }
    }

    /// What is free of a grant, for a tenant inside.
    pub(super) fn inner_room(&self, parent: &Tenant, number: usize) -> Option<Room> {
        let grant = &parent.record.grants[number];
        let slot = parent.slots.get(number)?.as_ref().ok()?;
        let Terms { memory, .. } = slot.terms();
        let compute = grant.policy.least(grant.compute);
        let inside = self.nested_in(&parent.record.id, &grant.uuid);
        let inside: u32 = inside.map(|(tenant, number)| tenant.record.grants[number].compute).sum();
        Some(Room {
            uuid: grant.uuid.clone(),
            name: format!("{}, of your grant", grant.device),
            total: memory,
            free: memory.saturating_sub(slot.used()),
            free_by_turns: 0,
            compute,
            compute_free: compute.saturating_sub(inside),
            inner: true,
            ..Room::default()
        })
    }

    /// Memory of a device that tenants have, and the most compute they have at any minute of the day; what nested ones have is
    /// in their parents' already. Of those whose memory moves at turns the largest counts.
    pub(super) fn granted(&self, uuid: &str) -> (u64, u32) {
        let (mut memory, mut steady, mut tides) = (0_u64, 0_u32, Vec::new());
        for (tenant, number) in self.outer_grants(uuid) {
            let grant = &tenant.record.grants[number];
            if tenant.record.moving != Moving::Turns {
                memory = memory.saturating_add(tenant.committed(number));
            }
            match grant.policy.timetable() {
                Some(table) => tides.push(table),
                None => steady = steady.saturating_add(grant.compute),
            }
        }
        (memory.saturating_add(self.largest_by_turns(uuid)), steady.saturating_add(policy::peak(tides)))
    }

    /// The largest grant on a device of those whose memory moves at turns.
    fn largest_by_turns(&self, uuid: &str) -> u64 {
        let moving = self.outer_grants(uuid).filter(|(tenant, _)| tenant.record.moving == Moving::Turns);
        moving.map(|(tenant, number)| tenant.committed(number)).max().unwrap_or(0)
    }

    /// What a device has for all tenants together whose memory moves at turns.
    pub(super) fn room_by_turns(&self, uuid: &str) -> u64 {
        self.card(uuid).map_or(0, |card| self.room(card).free_by_turns)
    }

    /// Grants on a device that were not taken from another tenant's.
    fn outer_grants<'a>(&'a self, uuid: &'a str) -> impl Iterator<Item = (&'a Tenant, usize)> {
        let outer = self.tenants.values().filter(|tenant| !self.is_nested(tenant));
        outer.flat_map(move |tenant| numbers_on(tenant, uuid).map(move |number| (tenant, number)))
    }

    /// A tenant whose parent is gone (a record was lost) counts for itself.
    pub(super) fn is_nested(&self, tenant: &Tenant) -> bool {
        tenant.record.parent.as_ref().is_some_and(|parent| self.tenants.contains_key(parent))
    }

    /// Grants on a device that were taken from a tenant's.
    pub(super) fn nested_in<'a>(
        &'a self,
        parent: &'a str,
        uuid: &'a str,
    ) -> impl Iterator<Item = (&'a Tenant, usize)> {
        let children =
            self.tenants.values().filter(move |tenant| tenant.record.parent.as_deref() == Some(parent));
        children.flat_map(move |tenant| numbers_on(tenant, uuid).map(move |number| (tenant, number)))
    }

    pub(super) fn nested_bytes(&self, parent: &str, uuid: &str) -> u64 {
        self.nested_in(parent, uuid).map(|(tenant, number)| tenant.committed(number)).sum()
    }

    pub(super) fn unmanaged(&self, uuid: &str) -> u64 {
        let holders = self.outcome.unmanaged.get(uuid).map_or(&[][..], Vec::as_slice);
        holders.iter().fold(0, |sum, holder| holder.memory.saturating_add(sum))
    }

    pub(super) fn allowance(&self, uid: u32) -> Allowance {
        let cap = self.config.rules.caps.of(uid, &sys_unsafe::user_name(uid));
        let mine: Vec<&Tenant> = self
            .tenants
            .values()
            .filter(|tenant| tenant.record.uid == uid && !self.is_nested(tenant))
            .collect();
        let grants = || mine.iter().flat_map(|tenant| &tenant.record.grants);
        let memory: u64 = grants().fold(0, |sum, grant| grant.memory.saturating_add(sum));
        let compute: u32 =
            grants().fold(0, |sum, grant| grant.policy.most(grant.compute).saturating_add(sum));
        let tenants = u32::try_from(mine.len()).unwrap_or(u32::MAX);
        Allowance {
            memory: cap.memory.map_or(u64::MAX, |most| most.saturating_sub(memory)),
            compute: cap.compute.map_or(u32::MAX, |most| most.saturating_sub(compute)),
            tenants: cap.tenants.map_or(u32::MAX, |most| most.saturating_sub(tenants)),
        }
    }
}
