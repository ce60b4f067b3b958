//! One look at all tenants, and what is told to them.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;

use cleave_ledger::{clock, futex};
use cleave_sched::share::{self, Course, Desk, Id, Seen};
use cleave_slot::{Engine, Flight, Order};

use super::bell::Bell;
use super::meter::Meter;
use super::places::{Lodging, Places};
use super::recovery::{Doubt, Recovery};
use super::{Busy, Measured, Member, Told};

#[cfg(test)]
mod tests;

/// How often everything is looked at and measured; less often where there are many, for to look at all takes a while.
const REFRESH_NS: u64 = 100_000_000;
const REFRESH_MANY_NS: u64 = 200_000_000;
/// The shortest time from one round to the next.
const APART_NS: u64 = 50_000;
/// How long a tenant that does nothing is still looked at in every round: it may go on without ringing.
const ALERT_NS: u64 = 10_000_000;
/// How often it is heard whether somebody rang who can only wait: another thread of it may copy meanwhile, or it comes late for its turn.
/// Few are listened to in every round.
const LISTEN_NS: u64 = 20_000_000;
const FEW: usize = 16;
/// How long until tenants are looked at that there was no bell for.
const UNHEARD_NS: u64 = 500_000;

/// All grants whose turns are given, and who decides.
pub struct Rounds {
    desk: Desk,
    /// In the order of their numbers.
    seats: Vec<Seat>,
    /// Those of them that are looked at in every round: who can do more than wait.
    awake: Vec<usize>,
    listened_at: u64,
    /// Whether memory of any of them can move.
    movable: bool,
    places: Places,
    /// Devices by their number.
    devices: Vec<String>,
    /// What tenants together had of each compute engine, those that are gone included.
    busy: BTreeMap<String, (u64, Meter)>,
    numbers: Numbers,
    refreshed_at: Option<u64>,
    looked_at: u64,
    recovery: Option<Recovery>,
}

/// A grant.
struct Seat {
    member: Member,
    id: Id,
    device: usize,
    bell: Bell,
    /// What was seen of each engine, and whether that was in this round.
    flights: [Flight; Engine::COUNT],
    fresh: bool,
    /// Whether something was at work or waited when it was last looked at, and when that was last so.
    at_work: bool,
    active_at: u64,
    looked_at: u64,
    /// How long a thread of it waited for turns to compute, in all.
    waited_ns: u64,
    meters: [Meter; Engine::COUNT],
    waiting: Meter,
    doubt: Doubt<(u64, u64)>,
    /// Where its memory is, if that can move.
    lodging: Option<Lodging>,
    /// What the arbiters last said of each engine.
    orders: [Option<share::Order>; Engine::COUNT],
}

/// Numbers of tenants, each of its own however often one comes and goes.
#[derive(Default)]
struct Numbers {
    last: Id,
    of: BTreeMap<String, Id>,
}

impl Numbers {
    fn of(&mut self, tenant: &str) -> Id {
        if let Some(id) = self.of.get(tenant) {
            return *id;
        }
        self.last += 1;
        self.of.insert(tenant.into(), self.last);
        self.last
    }
}

impl Rounds {
    pub fn new(recovery: Option<Recovery>) -> Rounds {
        Rounds {
            desk: Desk::default(),
            seats: Vec::new(),
            awake: Vec::new(),
            listened_at: 0,
            movable: false,
            places: Places::default(),
            devices: Vec::new(),
            busy: BTreeMap::new(),
            numbers: Numbers::default(),
            refreshed_at: None,
            looked_at: 0,
            recovery,
        }
    }

    /// Who is there from now on.
    pub fn arrange(&mut self, members: Vec<Member>, now: u64) {
        let mut before = std::mem::take(&mut self.seats);
        for member in members {
            let id = self.numbers.of(&member.tenant);
            let device = self.device(&member.device);
            let same = |seat: &Seat| std::sync::Arc::ptr_eq(&seat.member.slot, &member.slot);
            let seat = match before.iter().position(same) {
                Some(at) => before.swap_remove(at).with(member),
                None => Seat::new(member, id, device, now),
            };
            self.desk.set(device, id, seat.share());
            self.seats.push(seat);
        }
        for gone in before {
            if !self.seats.iter().any(|seat| seat.id == gone.id) {
                self.desk.remove(gone.id);
                self.numbers.of.remove(&gone.member.tenant);
            }
            gone.farewell(now);
        }
        self.seats.sort_by_key(Seat::key);
        self.movable = self.seats.iter().any(|seat| seat.lodging.is_some());
        // Whoever is there is looked at, and told.
        self.awake.clear();
        self.refreshed_at = None;
    }

    fn device(&mut self, uuid: &str) -> usize {
        let known = self.devices.iter().position(|device| device == uuid);
        known.unwrap_or_else(|| {
            self.devices.push(uuid.into());
            self.devices.len() - 1
        })
    }

    /// Looks, decides and tells; when to look again at the latest.
    pub fn round(&mut self, now: u64) -> u64 {
        let refresh_ns = if self.seats.len() <= FEW { REFRESH_NS } else { REFRESH_MANY_NS };
        let refresh = self.refreshed_at.is_none_or(|at| now >= at + refresh_ns);
        self.looked_at = now;
        self.rouse(refresh, now);
        for at in &self.awake {
            self.seats[*at].look(now, refresh, self.recovery.as_ref());
        }
        let (seats, awake, movable) = (&self.seats, &self.awake, self.movable);
        let seen = |device: usize, engine: share::Engine| {
            let mut here = seats.iter().filter(|seat| seat.device == device);
            let lonely = movable && !here.any(|seat| !seat.is_short() && seat.waits());
            let fresh = awake.iter().map(|at| &seats[*at]).filter(|seat| seat.device == device && seat.fresh);
            fresh.map(|seat| (seat.id, seat.seen(engine, lonely, now))).collect()
        };
        let mut orders = Vec::new();
        let tell = |device: usize, engine: share::Engine, id: Id, order: share::Order| {
            orders.push((device, engine_of(engine), id, order));
        };
        let wake_at = self.desk.step(now, seen, tell);
        for (device, engine, id, order) in orders {
            if let Ok(at) = self.seats.binary_search_by_key(&(id, device), Seat::key) {
                // Who only hears that all is as before has nothing to do but wait.
                if self.seats[at].is_quiet() && order.course != Course::Holds {
                    self.awake.push(at);
                }
                self.seats[at].hear(engine, order);
            }
        }
        if self.movable {
            self.place(now);
        }
        if refresh {
            self.refresh(now);
        }
        let mut lodgings =
            self.seats.iter().filter(|_| self.movable).filter_map(|seat| seat.lodging.as_ref());
        let dozing = lodgings.any(|lodging| lodging.is_dozing(now));
        let wake_at = if dozing { wake_at.min(now + ALERT_NS) } else { wake_at };
        self.awake.sort_unstable();
        self.awake.dedup();
        self.awake.retain(|at| !self.seats[*at].is_quiet());
        let unheard = self.awake.len() >= futex::MOST;
        let wake_at = if unheard { wake_at.min(now + UNHEARD_NS) } else { wake_at };
        wake_at.min(self.refreshed_at.unwrap_or(now) + refresh_ns)
    }

    /// Who can do nothing but wait is left alone until it is told something or rings; now and then all are looked at.
    fn rouse(&mut self, all: bool, now: u64) {
        if all {
            self.awake = (0..self.seats.len()).collect();
        }
        if all || self.seats.len() <= FEW || now >= self.listened_at + LISTEN_NS {
            self.listened_at = now;
            let rang = |seat: &Seat| seat.is_quiet() && seat.bell.rung() != seat.member.slot.bell();
            let rang = self.seats.iter().enumerate().filter(|(_, seat)| rang(seat)).map(|(at, _)| at);
            self.awake.extend(rang.filter(|_| !all));
        }
    }

    /// Has memory move where turns need it. Who is to leave is given no more turns before, and who returns none until it is there.
    fn place(&mut self, now: u64) {
        for device in 0..self.devices.len() {
            let gr = self.desk.arbiter(device, share::Engine::Gr);
            let (holder, places) = (gr.and_then(share::Arbiter::holder), &mut self.places);
            let seats = self.seats.iter_mut().filter(|seat| seat.device == device);
            let mut lodgings: Vec<_> = seats
                .filter_map(|seat| {
                    let waits = seat.waits();
                    Some((seat.id, seat.lodging.as_mut()?, holder == Some(seat.id), waits))
                })
                .collect();
            if lodgings.is_empty() {
                continue;
            }
            for (id, to_host) in places.step(device, now, &mut lodgings) {
                let seat = self.seats.iter_mut().find(|seat| (seat.id, seat.device) == (id, device));
                if let Some(seat) = seat.filter(|seat| seat.member.slot.is_sent() != to_host) {
                    seat.send(to_host, now);
                }
            }
        }
        // Turns that are worth a move, as soon as it is known what one costs.
        for seat in self.seats.iter().filter(|seat| seat.lodging.is_some()) {
            self.desk.set(seat.device, seat.id, seat.share());
        }
    }

    /// Measures.
    fn refresh(&mut self, now: u64) {
        self.refreshed_at = Some(now);
        let devices: Vec<&String> = self.seats.iter().map(|seat| &seat.member.device).collect();
        self.busy.retain(|device, _| devices.contains(&device));
        for seat in &mut self.seats {
            let mut grown = [0; Engine::COUNT];
            for engine in share::Engine::ALL {
                let got = self.desk.arbiter(seat.device, engine).map_or(0, |arbiter| arbiter.got(seat.id));
                let number = engine_of(engine).index();
                grown[number] = seat.meters[number].read(now, got);
            }
            seat.waiting.read(now, seat.waited_ns);
            self.busy.entry(seat.member.device.clone()).or_default().0 += grown[Engine::Gr.index()];
        }
        for (sum, meter) in self.busy.values_mut() {
            meter.read(now, *sum);
        }
    }

    /// What was measured, if that was in this round.
    pub fn tell(&self) -> Option<Told> {
        if self.refreshed_at != Some(self.looked_at) {
            return None;
        }
        let measured = |seat: &Seat| {
            let [compute, copy_in, copy_out] = [0, 1, 2].map(|engine| seat.meters[engine].percent());
            let gr = self.desk.arbiter(seat.device, share::Engine::Gr);
            Measured {
                compute,
                copy_in,
                copy_out,
                waiting: seat.waiting.percent(),
                history: seat.meters[Engine::Gr.index()].history(),
                held_ns: gr.map_or(0, |gr| gr.got(seat.id)),
                stuck: gr.is_some_and(|gr| gr.is_stuck(seat.id)),
            }
        };
        let key = |seat: &Seat| (seat.member.tenant.clone(), seat.member.device.clone());
        let busy =
            |(ns, meter): &(u64, Meter)| Busy { percent: meter.percent(), ns: *ns, history: meter.history() };
        Some(Told {
            tenants: self.seats.iter().map(|seat| (key(seat), measured(seat))).collect(),
            devices: self.busy.iter().map(|(device, had)| (device.clone(), busy(had))).collect(),
        })
    }

    /// Waits until a bell rings, or until it is time. `arranged` is the daemon's own bell.
    pub fn wait(&self, arranged: (&AtomicU32, u32), begun: u64, until: u64) {
        let mut until = until;
        let mut bells = vec![arranged];
        for seat in self.awake.iter().map(|at| &self.seats[*at]) {
            match seat.bell.muted_until() {
                muted if muted > begun => until = until.min(muted),
                _ => bells.push((seat.member.slot.bell_word(), seat.bell.rung())),
            }
        }
        futex::wait_any(&bells, Some(until.max(begun + APART_NS)));
        // Whoever rings the moment it was heard has to wait a little.
        if clock::now_ns() < begun + APART_NS {
            clock::sleep_until(begun + APART_NS);
        }
    }
}

impl Seat {
    fn new(member: Member, id: Id, device: usize, now: u64) -> Seat {
        let lodging = member.moves.map(Lodging::new);
        Seat {
            member,
            id,
            device,
            bell: Bell::default(),
            flights: Default::default(),
            fresh: false,
            at_work: false,
            active_at: now,
            looked_at: now,
            waited_ns: 0,
            meters: Default::default(),
            waiting: Meter::default(),
            doubt: Doubt::default(),
            lodging,
            orders: Default::default(),
        }
    }

    /// Which it is of all.
    fn key(&self) -> (Id, usize) {
        (self.id, self.device)
    }

    /// The same grant, as it is from now on.
    fn with(mut self, member: Member) -> Seat {
        match (&mut self.lodging, member.moves) {
            (Some(lodging), Some(moves)) => lodging.set(moves),
            (lodging, moves) => *lodging = moves.map(Lodging::new),
        }
        Seat { member, ..self }
    }

    /// Whether a thread of it waits for a turn.
    fn waits(&self) -> bool {
        self.flights.iter().any(|flight| flight.waiting > 0)
    }

    /// Whether all it can do until it is given something is wait: nobody has to look meanwhile. Of many tenants most are.
    fn is_quiet(&self) -> bool {
        let number = Engine::Gr.index();
        self.lodging.is_none()
            && !self.member.share.latency
            && self.flights[number].waiting > 0
            && self.flights.iter().all(|flight| flight.commands == 0)
            && self.orders[number].is_some_and(|order| order.credit_ns == 0)
    }

    /// Whether its memory may have to leave.
    fn is_short(&self) -> bool {
        self.lodging.as_ref().is_some_and(|lodging| lodging.short)
    }

    /// What the arbiters are told of it.
    fn share(&self) -> share::Share {
        self.lodging.as_ref().map_or(self.member.share, |lodging| lodging.share(self.member.share))
    }

    /// Looks at the tenant if it rang, is at work or was lately; or in any case.
    fn look(&mut self, now: u64, anyway: bool, recovery: Option<&Recovery>) {
        // Since the last look, as it was then.
        let elapsed = now.saturating_sub(std::mem::replace(&mut self.looked_at, now));
        if self.flights[Engine::Gr.index()].waiting > 0 {
            self.waited_ns = self.waited_ns.saturating_add(elapsed);
        }
        // The bell first: what comes after this look rings again.
        let rang = self.bell.hear(self.member.slot.bell(), now);
        let moving = self.lodging.as_ref().is_some_and(Lodging::is_moving);
        let restless = self.at_work || now < self.active_at + ALERT_NS;
        self.fresh = rang || anyway || moving || restless && !self.is_quiet();
        if !self.fresh {
            return;
        }
        if let Some(lodging) = &mut self.lodging {
            let was_here = lodging.is_here();
            lodging.look(&self.member.slot, now);
            if lodging.is_here() != was_here {
                self.tell_again();
            }
        }
        self.flights = self.member.slot.flights();
        // Between two waits a thread does not wait for a moment: who was there a moment ago is looked at again.
        let before = self.at_work;
        self.at_work = self.flights.iter().any(|flight| flight.commands > 0 || flight.waiting > 0);
        if let Some(lodging) = &mut self.lodging {
            lodging.works(&self.flights, now);
        }
        if self.at_work || before {
            self.active_at = now;
        }
        let sum = |of: fn(&Flight) -> u64| self.flights.iter().map(of).fold(0, u64::wrapping_add);
        let work = (sum(|flight| flight.retired_ns), sum(|flight| flight.in_flight_ns));
        if self.doubt.arises(work, self.at_work, now)
            && let Some(recovery) = recovery
        {
            // Full: the next doubt finds room.
            let _ = recovery.try_send(self.member.slot.clone());
        }
    }

    /// What it has at work on an engine. Where its memory may have to leave, all its engines are one: each needs it.
    fn seen(&self, engine: share::Engine, lonely: bool, now: u64) -> Seen {
        match self.lodging.as_ref().filter(|lodging| lodging.short) {
            Some(lodging) if engine == share::Engine::Gr => {
                lodging.seen(share::Engine::ALL.map(|engine| self.at_work(engine)), lonely, now)
            }
            Some(_) => Seen::default(),
            None => self.at_work(engine),
        }
    }

    fn at_work(&self, engine: share::Engine) -> Seen {
        let flight = &self.flights[engine_of(engine).index()];
        Seen {
            waiting: flight.waiting,
            in_flight_ns: flight.in_flight_ns,
            commands: flight.commands,
            retired_ns: flight.retired_ns,
            progress_at: flight.progress_at,
            moving: false,
            // Who does not wait has nothing to say by ringing.
            rings: if flight.waiting > 0 { self.bell.rung() } else { 0 },
        }
    }

    /// An arbiter has spoken. Where all engines are one, that of the compute engine speaks for all.
    fn hear(&mut self, engine: Engine, order: share::Order) {
        let one = self.is_short();
        for other in Engine::ALL {
            if (other == engine && !one) || (one && engine == Engine::Gr) {
                match &mut self.orders[other.index()] {
                    Some(said) if order.course == Course::Holds => said.lease = order.lease,
                    said => *said = Some(order),
                }
                self.tell(other, &order);
            }
        }
    }

    /// Sends its memory to the host or back; first it has no more turns.
    fn send(&mut self, to_host: bool, now: u64) {
        if let Some(lodging) = &mut self.lodging {
            lodging.told(to_host);
        }
        self.tell_again();
        self.member.slot.send(to_host);
        self.active_at = now;
    }

    /// Says what was said last, as it is meant now that its memory is elsewhere.
    fn tell_again(&self) {
        for engine in Engine::ALL {
            if let Some(order) = &self.orders[engine.index()] {
                self.tell(engine, &share::Order { course: Course::Begins, ..*order });
            }
        }
    }

    fn tell(&self, engine: Engine, order: &share::Order) {
        let here = self.lodging.as_ref().is_none_or(Lodging::is_here);
        let said = Order {
            credit_ns: if here { order.credit_ns } else { 0 },
            window_ns: order.window_ns,
            tracked: order.tracked,
            shared: order.shared,
            watched: order.watched,
            paused: order.paused,
            lets_on: order.lets_on,
            lease_until: order.lease.until,
            knows: order.lease.knows,
        };
        match order.course {
            Course::Begins => self.member.slot.give(engine, &said),
            Course::Renewed => self.member.slot.renew(engine, &said),
            Course::GoesOn => self.member.slot.go_on(engine, &said),
            Course::Holds => self.member.slot.extend(engine, &said),
        }
    }

    /// Nobody looks any more: what still runs keeps to the share it had by itself, and waits for nobody to resume it.
    fn farewell(&self, now: u64) {
        for engine in Engine::ALL {
            self.member.slot.give(engine, &Order { lease_until: now, ..Order::default() });
        }
        self.member.slot.send(false);
    }
}

/// The same engine, as slots call it.
fn engine_of(engine: share::Engine) -> Engine {
    match engine {
        share::Engine::Gr => Engine::Gr,
        share::Engine::CopyIn => Engine::CopyIn,
        share::Engine::CopyOut => Engine::CopyOut,
    }
}
