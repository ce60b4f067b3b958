//! The daemon's state: devices, tenants, who waits; and what can be done to it. Knows no socket and no thread.

use std::collections::{BTreeMap, BTreeSet};

use cleave_slot::{NodeSlot, Owner, Terms};

use crate::book::{self, Allowance, Place, Room};
use crate::card::{Card, Mode};
use crate::config::Config;
use crate::drivers::View;
use crate::lifetime::{self, Watch};
use crate::protocol::{
    Ask, Driver, Enforced, Granted, Hold, Kind, Lifetime, Memory, Reason, Refusal, Set, Start, Started,
};
use crate::queue::Queue;
use crate::reconcile::{ContextSize, Known, Outcome};
use crate::store::{self, Grant, Record, Store, VERSION};
use crate::sys_unsafe::{self, Peer};
use crate::tenant::Tenant;

/// What the daemon tells.
mod report;
/// One round of looking after devices and tenants.
mod round;
#[cfg(test)]
mod tests;

/// What somebody waits for: a device, or a parent's grant on it.
pub type Spot = (Option<String>, String);

pub struct Node {
    pub config: Config,
    store: Store,
    /// The user the daemon acts as.
    uid: u32,
    /// Tells the milliseconds since 1970.
    clock: Box<dyn Fn() -> u64 + Send>,
    pub view: View,
    tenants: BTreeMap<String, Tenant>,
    /// Folders that are no tenants: their names, and what is wrong with them.
    strays: Vec<(String, String)>,
    outcome: Outcome,
    known: Known,
    context: ContextSize,
    pub queue: Queue<Waiter>,
    started_unix_ms: u64,
    adopted: u32,
    rounds: u64,
    /// Where the software GPU lives.
    softgpu: Option<std::path::PathBuf>,
}

/// Who waits.
pub struct Waiter {
    pub name: String,
    pub uid: u32,
    pub command: Vec<String>,
    pub since_unix_ms: u64,
    pub why: String,
    /// What it could be given.
    pub wants: Vec<Spot>,
}

/// Somebody who asks.
pub struct Asker {
    pub peer: Peer,
    /// Its process, if it lives and can be seen.
    pub watch: Option<Watch>,
}

/// What an ask gets, before anything is made.
struct Decided {
    parent: Option<String>,
    places: Vec<Place>,
}

impl Node {
    /// Takes over what is in the store.
    pub fn new(
        config: Config,
        store: Store,
        view: View,
        softgpu: Option<std::path::PathBuf>,
        clock: Box<dyn Fn() -> u64 + Send>,
    ) -> anyhow::Result<Node> {
        let mut node = Node {
            started_unix_ms: clock(),
            config,
            uid: sys_unsafe::user(),
            clock,
            view,
            tenants: BTreeMap::new(),
            strays: Vec::new(),
            outcome: Outcome::default(),
            known: Known::new(),
            context: ContextSize::default(),
            queue: Queue::default(),
            adopted: 0,
            rounds: 0,
            softgpu,
            store,
        };
        for found in node.store.adopt()? {
            let kind = |uuid: &str| node.card(uuid).map_or(Kind::Real, |card| card.kind);
            match Tenant::adopt(found, kind) {
                Ok(tenant) => node.take_over(tenant),
                Err(stray) => node.strays.push(stray),
            }
        }
        Ok(node)
    }

    fn take_over(&mut self, tenant: Tenant) {
        self.adopted += 1;
        for (grant, slot) in tenant.grants() {
            if let Some(slot) = slot {
                self.context.remember(&grant.uuid, slot.terms().context);
            }
        }
        self.tenants.insert(tenant.record.id.clone(), tenant);
    }

    fn card(&self, uuid: &str) -> Option<&Card> {
        self.view.cards.iter().find(|card| card.uuid == uuid)
    }

    /// Whether a tenant has grants on the software GPU: then it must be looked at.
    pub fn wants_soft(&self) -> bool {
        self.tenants.values().flat_map(|tenant| &tenant.record.grants).any(|grant| grant.kind == Kind::Soft)
    }

    pub fn now_unix_ms(&self) -> u64 {
        (self.clock)()
    }

    pub fn has_tenants(&self) -> bool {
        !self.tenants.is_empty()
    }

    /// Makes a tenant, or says why not. Nothing of `spoken_for` is given.
    pub fn start(
        &mut self,
        start: &Start,
        asker: Asker,
        spoken_for: &BTreeSet<Spot>,
    ) -> Result<Started, (Refusal, Option<Asker>)> {
        if let Some(id) = self.with_ticket(start, &asker.peer) {
            return Ok(self.started(&id));
        }
        match self.decide(start, &asker.peer, spoken_for) {
            Ok(decided) => self.make(start, asker, decided),
            Err(refusal) => Err((refusal, Some(asker))),
        }
    }

    /// What a tenant that has to wait waits for; nothing of it is given to those behind it. Who has all a user may have waits for
    /// himself alone.
    pub fn spots(&self, start: &Start, peer: &Peer, refusal: &Refusal) -> Vec<Spot> {
        if refusal.reason != Reason::NoRoom {
            return Vec::new();
        }
        let Ok(parent) = self.parent(start, peer) else { return Vec::new() };
        let rooms = self.rooms(start, parent.as_deref()).unwrap_or_default();
        let rooms = book::candidates(&rooms, &start.ask).unwrap_or_default();
        rooms.into_iter().map(|room| (parent.clone(), room.uuid.clone())).collect()
    }

    /// The tenant that was made for this very request, if one was.
    fn with_ticket(&self, start: &Start, peer: &Peer) -> Option<String> {
        let same = |tenant: &&Tenant| {
            let record = &tenant.record;
            !start.ticket.is_empty() && record.ticket == start.ticket && record.uid == peer.uid
        };
        self.tenants.values().find(same).map(|tenant| tenant.record.id.clone())
    }

    fn decide(&self, start: &Start, peer: &Peer, spoken_for: &BTreeSet<Spot>) -> Result<Decided, Refusal> {
        check_texts(start)?;
        if start.lifetime == Lifetime::Process && peer.pid == 0 {
            let why = "the daemon cannot see your process, which is in another pid namespace: use `cleave grant` for \
                       containers";
            return Err(Refusal::new(Reason::NotAllowed, why));
        }
        let parent = self.parent(start, peer)?;
        let rooms = self.rooms(start, parent.as_deref())?;
        let allowance = if parent.is_some() { Allowance::UNLIMITED } else { self.allowance(peer.uid) };
        let places = book::decide(&rooms, allowance, &start.ask)?;
        let free: Vec<Room> = rooms
            .into_iter()
            .filter(|room| !spoken_for.contains(&(parent.clone(), room.uuid.clone())))
            .collect();
        if !places.iter().all(|place| free.iter().any(|room| room.uuid == place.uuid)) {
            // What fits is what others wait for; perhaps there is something nobody waits for.
            let behind = |_| {
                let why = "others wait for room on that device: use --wait to stand in line";
                Refusal::new(Reason::NoRoom, why)
            };
            let named = |uuid: &String| free.iter().any(|room| room.uuid.eq_ignore_ascii_case(uuid));
            let ask = Ask {
                devices: start.ask.devices.iter().filter(|uuid| named(uuid)).cloned().collect(),
                ..start.ask.clone()
            };
            if ask.devices.is_empty() && !start.ask.devices.is_empty() {
                return Err(behind(()));
            }
            let places = book::decide(&free, allowance, &ask).map_err(|_| behind(()))?;
            return Ok(Decided { parent, places });
        }
        Ok(Decided { parent, places })
    }

    /// The tenant the new one is nested in: the one it names, or the one whose process started it.
    fn parent(&self, start: &Start, peer: &Peer) -> Result<Option<String>, Refusal> {
        if let Some(id) = &start.parent {
            let parent = self.tenants.get(id).ok_or_else(|| {
                let why = format!(
                    "the tenant {id} you are in is not known here: unset CLEAVE_TENANT, or start anew"
                );
                Refusal::new(Reason::NoTenant, why)
            })?;
            if !self.may_manage(peer, parent) {
                return Err(Refusal::new(
                    Reason::NotAllowed,
                    format!("the tenant {id} belongs to another user"),
                ));
            }
            return Ok(Some(id.clone()));
        }
        let above = lifetime::ancestors("/proc".as_ref(), peer.pid);
        let main = |tenant: &Tenant| tenant.watch.as_ref().map(|watch| watch.main().pid);
        let near =
            above.iter().find_map(|pid| self.tenants.values().find(|tenant| main(tenant) == Some(*pid)));
        Ok(near.map(|tenant| tenant.record.id.clone()))
    }

    /// What can be given to whom asks so: of devices, or of the parent's grants.
    fn rooms(&self, start: &Start, parent: Option<&str>) -> Result<Vec<Room>, Refusal> {
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
        let cards = self.view.cards.iter().filter(|card| card.kind == kind && card.mode != Mode::Prohibited);
        let rooms: Vec<Room> = cards.map(|card| self.room(card)).collect();
        if rooms.is_empty() {
            return Err(self.no_device(kind));
        }
        Ok(rooms)
    }

    fn usual(&self) -> Kind {
        if self.view.has(Kind::Real) { Kind::Real } else { Kind::Soft }
    }

    fn no_device(&self, kind: Kind) -> Refusal {
        let (what, why) = match kind {
            Kind::Real => ("device of a vendor's driver", &self.view.no_real),
            Kind::Soft => ("software GPU", &self.view.no_soft),
        };
        let why = why.as_deref().unwrap_or("none was found");
        Refusal::new(Reason::NoDevice, format!("there is no {what} here: {why}"))
    }

    /// What is free of a device.
    fn room(&self, card: &Card) -> Room {
        let (granted, compute) = self.granted(&card.uuid);
        let unmanaged = self.unmanaged(&card.uuid);
        let reserved = self.config.rules.reserve.on(&card.uuid).saturating_add(card.kept);
        let taken = granted.saturating_add(unmanaged).saturating_add(reserved);
        Room {
            uuid: card.uuid.clone(),
            name: card.name.clone(),
            total: card.total,
            free: card.total.saturating_sub(taken),
            compute: 100,
            compute_free: 100_u32.saturating_sub(compute),
            unmanaged,
        }
    }

    /// What is free of a grant, for a tenant inside.
    fn inner_room(&self, parent: &Tenant, number: usize) -> Option<Room> {
        let grant = &parent.record.grants[number];
        let slot = parent.slots.get(number)?.as_ref().ok()?;
        let Terms { memory, compute, .. } = slot.terms();
        let inside = self.nested_in(&parent.record.id, &grant.uuid);
        let inside: u32 = inside.map(|(tenant, number)| tenant.record.grants[number].compute).sum();
        Some(Room {
            uuid: grant.uuid.clone(),
            name: format!("{}, of your grant", grant.device),
            total: memory,
            free: memory.saturating_sub(slot.used()),
            compute,
            compute_free: compute.saturating_sub(inside),
            unmanaged: 0,
        })
    }

    /// Memory and compute of a device that tenants have; what nested ones have is in their parents' already.
    fn granted(&self, uuid: &str) -> (u64, u32) {
        let outer = self.tenants.values().filter(|tenant| !self.is_nested(tenant));
        outer.flat_map(|tenant| numbers_on(tenant, uuid).map(move |number| (tenant, number))).fold(
            (0, 0),
            |(memory, compute), (tenant, number)| {
                let grant = &tenant.record.grants[number];
                (tenant.committed(number).saturating_add(memory), grant.compute.saturating_add(compute))
            },
        )
    }

    /// A tenant whose parent is gone (a record was lost) counts for itself.
    fn is_nested(&self, tenant: &Tenant) -> bool {
        tenant.record.parent.as_ref().is_some_and(|parent| self.tenants.contains_key(parent))
    }

    /// Grants on a device that were taken from a tenant's.
    fn nested_in<'a>(&'a self, parent: &'a str, uuid: &'a str) -> impl Iterator<Item = (&'a Tenant, usize)> {
        let children =
            self.tenants.values().filter(move |tenant| tenant.record.parent.as_deref() == Some(parent));
        children.flat_map(move |tenant| numbers_on(tenant, uuid).map(move |number| (tenant, number)))
    }

    fn nested_bytes(&self, parent: &str, uuid: &str) -> u64 {
        self.nested_in(parent, uuid).map(|(tenant, number)| tenant.committed(number)).sum()
    }

    fn unmanaged(&self, uuid: &str) -> u64 {
        let holders = self.outcome.unmanaged.get(uuid).map_or(&[][..], Vec::as_slice);
        holders.iter().fold(0, |sum, holder| holder.memory.saturating_add(sum))
    }

    fn allowance(&self, uid: u32) -> Allowance {
        let cap = self.config.rules.caps.of(uid, &sys_unsafe::user_name(uid));
        let mine: Vec<&Tenant> = self
            .tenants
            .values()
            .filter(|tenant| tenant.record.uid == uid && !self.is_nested(tenant))
            .collect();
        let grants = || mine.iter().flat_map(|tenant| &tenant.record.grants);
        let memory: u64 = grants().fold(0, |sum, grant| grant.memory.saturating_add(sum));
        let compute: u32 = grants().fold(0, |sum, grant| grant.compute.saturating_add(sum));
        let tenants = u32::try_from(mine.len()).unwrap_or(u32::MAX);
        Allowance {
            memory: cap.memory.map_or(u64::MAX, |most| most.saturating_sub(memory)),
            compute: cap.compute.map_or(u32::MAX, |most| most.saturating_sub(compute)),
            tenants: cap.tenants.map_or(u32::MAX, |most| most.saturating_sub(tenants)),
        }
    }

    /// Makes the tenant that was decided for. A failure gives the asker back where asking again may help.
    fn make(
        &mut self,
        start: &Start,
        asker: Asker,
        decided: Decided,
    ) -> Result<Started, (Refusal, Option<Asker>)> {
        if start.lifetime == Lifetime::Process && asker.watch.is_none() {
            return Err((Refusal::new(Reason::Failed, "the process that asked is gone"), None));
        }
        let parent = decided.parent.clone();
        if let Some(parent) = &parent
            && let Err(refusal) = self.take_from(parent, &decided.places)
        {
            return Err((refusal, Some(asker)));
        }
        let made = self.write_down(start, asker, decided);
        // What was taken for a tenant that did not come to be goes back.
        if let (Err(_), Some(parent)) = (&made, &parent) {
            self.settle(parent);
        }
        let failed = |error| Refusal::new(Reason::Failed, format!("cannot make a tenant: {error:#}"));
        made.map_err(|error| (failed(error), None))
    }

    fn write_down(&mut self, start: &Start, asker: Asker, decided: Decided) -> anyhow::Result<Started> {
        let Asker { peer, watch } = asker;
        let watch = watch.filter(|_| start.lifetime == Lifetime::Process);
        let Decided { parent, places } = decided;
        let terms = places.iter().map(|place| self.terms(place)).collect::<anyhow::Result<Vec<Terms>>>()?;
        let grants: Vec<Grant> = places.iter().map(|place| self.grant(place, parent.as_deref())).collect();
        let id = self.new_id()?;
        // A container's users are not known, and a daemon that is not root can make files for nobody but itself: there the folder
        // is for whoever knows its name.
        let anyone = start.lifetime == Lifetime::Grant || (self.uid != 0 && peer.uid != self.uid);
        let (name, owner) = if anyone {
            (format!("{id}.{}", sys_unsafe::random_name()?), Owner::Anyone)
        } else {
            (id.clone(), Owner::Uid(peer.uid, peer.gid))
        };
        let record = Record {
            version: VERSION,
            name: name_of(&start.ask, &id),
            id: id.clone(),
            uid: peer.uid,
            gid: peer.gid,
            command: start.ask.command.clone(),
            lifetime: start.lifetime,
            parent,
            ticket: start.ticket.clone(),
            main: watch.as_ref().map(|watch| watch.main().clone()),
            started_unix_ms: self.now_unix_ms(),
            grants,
        };
        let folder = self.store.create(&name, &record, &terms, owner)?;
        let slot = |number| NodeSlot::open(&folder.join(store::slot(number)));
        let slots = (0..terms.len()).map(slot).collect::<Result<Vec<NodeSlot>, _>>()?;
        self.tenants.insert(id.clone(), Tenant::new(record, folder, slots, watch));
        Ok(self.started(&id))
    }

    /// Takes a nested tenant's memory from its parent's slots: all of it, or none.
    fn take_from(&self, parent: &str, places: &[Place]) -> Result<(), Refusal> {
        let tenant = &self.tenants[parent];
        for place in places {
            let slot = numbers_on(tenant, &place.uuid).find_map(|number| tenant.slots[number].as_ref().ok());
            if slot.is_none_or(|slot| slot.try_own(place.memory).is_err()) {
                self.settle(parent);
                let why = "the tenant you are in has just used what was free of its grant: ask for less, or use --wait";
                return Err(Refusal::new(Reason::NoRoom, why));
            }
        }
        Ok(())
    }

    /// Makes what the daemon holds in a tenant's slots what it should be: overhead and nested tenants.
    fn settle(&self, id: &str) {
        let tenant = &self.tenants[id];
        for (number, (grant, slot)) in tenant.grants().enumerate() {
            if let Some(slot) = slot {
                slot.set_own(tenant.overhead[number].saturating_add(self.nested_bytes(id, &grant.uuid)));
            }
        }
    }

    fn terms(&self, place: &Place) -> anyhow::Result<Terms> {
        Ok(Terms {
            device: place.uuid.parse()?,
            memory: place.memory,
            compute: place.compute,
            encode: 100,
            decode: 100,
            priority: 0,
            policy: 0,
            device_total: self.card(&place.uuid).map_or(0, |card| card.total),
            context: self.context.of(&place.uuid),
        })
    }

    fn grant(&self, place: &Place, parent: Option<&str>) -> Grant {
        let inherited = parent.and_then(|id| {
            let parent = &self.tenants[id];
            numbers_on(parent, &place.uuid).next().map(|number| &parent.record.grants[number])
        });
        let card = self.card(&place.uuid);
        let device = card.map(|card| card.name.clone()).or(inherited.map(|grant| grant.device.clone()));
        let kind = card.map(|card| card.kind).or(inherited.map(|grant| grant.kind));
        Grant {
            uuid: place.uuid.clone(),
            device: device.unwrap_or_default(),
            kind: kind.unwrap_or(Kind::Real),
            memory: place.memory,
            compute: place.compute,
            total: card.map(|card| card.total).or(inherited.map(|grant| grant.total)).unwrap_or(0),
            committed: 0,
        }
    }

    fn new_id(&self) -> anyhow::Result<String> {
        loop {
            let id = sys_unsafe::random_name()?[..8].to_string();
            if !self.tenants.contains_key(&id) {
                return Ok(id);
            }
        }
    }

    fn started(&self, id: &str) -> Started {
        let Tenant { record, folder, .. } = &self.tenants[id];
        let granted = |grant: &Grant| Granted {
            uuid: grant.uuid.clone(),
            device: grant.device.clone(),
            kind: grant.kind,
            memory: grant.memory,
            compute: grant.compute,
            total: grant.total,
        };
        let soft = record.grants.iter().any(|grant| grant.kind == Kind::Soft);
        Started {
            tenant: id.into(),
            name: record.name.clone(),
            folder: folder.clone(),
            grants: record.grants.iter().map(granted).collect(),
            libraries: self.config.libraries.clone(),
            softgpu: self.softgpu.clone().filter(|_| soft),
            enforced: self.enforced(record),
        }
    }

    fn enforced(&self, record: &Record) -> Enforced {
        let own = record.uid == self.uid || record.uid == 0;
        Enforced { memory: if own { Hold::Cooperative } else { Hold::Enforced }, compute: false }
    }

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
        let id = set.tenant.clone();
        for (number, (memory, compute)) in numbers.into_iter().zip(changes) {
            self.apply(&id, number, memory, compute);
        }
        if let Some(parent) =
            self.tenants[&id].record.parent.clone().filter(|id| self.tenants.contains_key(id))
        {
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

    fn forget(&mut self, id: &str) -> Result<(), Refusal> {
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

    fn is_manager(&self, peer: &Peer) -> bool {
        peer.uid == 0 || peer.uid == self.uid
    }

    fn may_manage(&self, peer: &Peer, tenant: &Tenant) -> bool {
        self.is_manager(peer) || peer.uid == tenant.record.uid
    }
}

/// Which grants of a tenant are on a device.
fn numbers_on<'a>(tenant: &'a Tenant, uuid: &'a str) -> impl Iterator<Item = usize> + 'a {
    (0..tenant.record.grants.len()).filter(move |number| tenant.record.grants[*number].uuid == uuid)
}

/// What people call it: what it says, else its program.
fn name_of(ask: &Ask, id: &str) -> String {
    let program =
        ask.command.first().and_then(|path| path.rsplit('/').next()).filter(|name| !name.is_empty());
    let name = Some(ask.name.as_str()).filter(|name| !name.is_empty()).or(program).unwrap_or(id);
    name.chars().filter(|c| !c.is_control()).take(64).collect()
}

/// What a client sends is kept on disk and shown to others: within bounds.
fn check_texts(start: &Start) -> Result<(), Refusal> {
    let long = start.ask.command.iter().map(String::len).sum::<usize>() > 256 << 10;
    if long || start.ask.name.len() > 256 || start.ticket.len() > 256 || start.ask.devices.len() > 1024 {
        return Err(Refusal::new(
            Reason::Nonsense,
            "the name, the command or the list of devices is too long",
        ));
    }
    Ok(())
}
