//! The daemon's state: devices, tenants, who waits; and what can be done to it. Knows no socket and no thread.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use cleave_slot::{NodeSlot, Owner, Terms};

use crate::arbiter::Arbiters;
use crate::book::{self, Allowance, Place, Room};
use crate::card::Card;
use crate::config::Config;
use crate::drivers::View;
use crate::lifetime::{self, Watch};
use crate::protocol::{Ask, Enforced, Granted, Hold, Kind, Lifetime, Reason, Refusal, Start, Started};
use crate::queue::Queue;
use crate::reconcile::{ContextSize, Known, Outcome};
use crate::store::{self, Grant, Record, Store, VERSION};
use crate::sys_unsafe::{self, Peer};
use crate::tenant::Tenant;

/// Changing and ending tenants that are there.
mod change;
/// The processes of a tenant, for whoever wants to end them.
mod kill;
/// Pausing tenants and letting them go on.
mod pause;
/// What the daemon tells.
mod report;
/// What is free.
mod rooms;
/// One round of looking after devices and tenants.
mod round;
/// What each tenant is to have of the engines.
mod shares;
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
    /// Who gives turns.
    pub arbiters: Arc<Arbiters>,
    started_unix_ms: u64,
    adopted: u32,
    rounds: u64,
    /// Where the software GPU lives.
    softgpu: Option<PathBuf>,
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
        softgpu: Option<PathBuf>,
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
            arbiters: Arc::default(),
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
        node.resume_overheads();
        node.arrange();
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

    /// The minute of this machine's day.
    fn minute(&self) -> u32 {
        sys_unsafe::minute_of_day(self.now_unix_ms() / 1000)
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
        let waited_for = |uuid: &str| spoken_for.contains(&(parent.clone(), uuid.to_string()));
        if !places.iter().any(|place| waited_for(&place.uuid)) {
            return Ok(Decided { parent, places });
        }
        // What fits best is what others wait for; perhaps there is something nobody waits for.
        let left = |room: Room| match waited_for(&room.uuid) {
            true => Room { free: 0, free_by_turns: 0, ..room },
            false => room,
        };
        let rooms: Vec<Room> = rooms.into_iter().map(left).collect();
        let places = book::decide(&rooms, allowance, &start.ask).map_err(|_| {
            Refusal::new(Reason::NoRoom, "others wait for room on that device: use --wait to stand in line")
        })?;
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
        let terms = places
            .iter()
            .map(|place| self.terms(place, &start.ask))
            .collect::<anyhow::Result<Vec<Terms>>>()?;
        let grants: Vec<Grant> =
            places.iter().map(|place| self.grant(place, &start.ask, parent.as_deref())).collect();
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
            paused: false,
            moving: start.ask.moving,
            to_host: false,
            grants,
        };
        let folder = self.store.create(&name, &record, &terms, owner)?;
        let slot = |number| NodeSlot::open(&folder.join(store::slot(number)));
        let slots = (0..terms.len()).map(slot).collect::<Result<Vec<NodeSlot>, _>>();
        let slots = slots.inspect_err(|_| drop(self.store.remove(&folder)))?;
        // Its processes may come before the next round: they should know that somebody looks.
        slots.iter().for_each(|slot| slot.heartbeat(cleave_ledger::clock::now_ns()));
        self.tenants.insert(id.clone(), Tenant::new(record, folder, slots, watch));
        self.arrange();
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

    fn terms(&self, place: &Place, ask: &Ask) -> anyhow::Result<Terms> {
        Ok(Terms {
            device: place.uuid.parse()?,
            memory: place.memory,
            compute: ask.policy.percent_at(self.minute(), place.compute),
            encode: 100,
            decode: 100,
            priority: ask.priority,
            policy: 0,
            device_total: self.card(&place.uuid).map_or(0, |card| card.total),
            context: self.context.of(&place.uuid),
        })
    }

    fn grant(&self, place: &Place, ask: &Ask, parent: Option<&str>) -> Grant {
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
            compute: ask.policy.percent_at(self.minute(), place.compute),
            policy: ask.policy.clone(),
            priority: ask.priority,
            latency: ask.latency,
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
            policy: grant.policy.clone(),
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
        Enforced { memory: if own { Hold::Cooperative } else { Hold::Enforced }, compute: true }
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
