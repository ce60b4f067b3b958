//! One look at all tenants, and what is told to them.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;

use cleave_ledger::{clock, futex};
use cleave_sched::share::{self, Desk, Id, Seen};
use cleave_slot::{Engine, Flight, Order};

use super::bell::Bell;
use super::meter::Meter;
use super::recovery::{Doubt, Recovery};
use super::{Busy, Measured, Member, Told};

#[cfg(test)]
mod tests;

/// How long what a tenant is told holds without being said again. A daemon that is gone is missed after so long at the latest.
const LEASE_NS: u64 = 500_000_000;
/// How often it is said again, and everything is measured.
const REFRESH_NS: u64 = 100_000_000;
/// The shortest time from one round to the next.
const APART_NS: u64 = 50_000;
/// How long a tenant that does nothing is still looked at in every round: it may go on without ringing.
const ALERT_NS: u64 = 5_000_000;
/// How long until tenants are looked at that there was no bell for.
const UNHEARD_NS: u64 = 500_000;

/// All grants whose turns are given, and who decides.
pub struct Rounds {
    desk: Desk,
    seats: Vec<Seat>,
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
    /// When something was last at work or waited.
    active_at: u64,
    /// How long a thread of it waited for turns to compute, in all.
    waited_ns: u64,
    meters: [Meter; Engine::COUNT],
    waiting: Meter,
    doubt: Doubt<(u64, u64)>,
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
            self.desk.set(device, id, member.share);
            let same = |seat: &Seat| std::sync::Arc::ptr_eq(&seat.member.slot, &member.slot);
            let seat = match before.iter().position(same) {
                Some(at) => Seat { member, ..before.swap_remove(at) },
                None => Seat::new(member, id, device, now),
            };
            self.seats.push(seat);
        }
        for gone in before {
            if !self.seats.iter().any(|seat| seat.id == gone.id) {
                self.desk.remove(gone.id);
                self.numbers.of.remove(&gone.member.tenant);
            }
            gone.farewell(now);
        }
        // Whoever is there is looked at, and told.
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
        let refresh = self.refreshed_at.is_none_or(|at| now >= at + REFRESH_NS);
        let elapsed = now.saturating_sub(self.looked_at);
        self.looked_at = now;
        for seat in &mut self.seats {
            seat.look(now, elapsed, refresh, self.recovery.as_ref());
        }
        let seats = &self.seats;
        let seen = |device: usize, engine: share::Engine| {
            let fresh = seats.iter().filter(|seat| seat.fresh && seat.device == device);
            fresh.map(|seat| (seat.id, seat.seen(engine))).collect()
        };
        let tell = |device: usize, engine: share::Engine, id: Id, order: share::Order| {
            if let Some(seat) = seats.iter().find(|seat| (seat.id, seat.device) == (id, device)) {
                seat.tell(engine_of(engine), &order, now);
            }
        };
        let wake_at = self.desk.step(now, seen, tell);
        if refresh {
            self.refresh(now);
        }
        let unheard = self.seats.len() >= futex::MOST;
        let wake_at = if unheard { wake_at.min(now + UNHEARD_NS) } else { wake_at };
        wake_at.min(self.refreshed_at.unwrap_or(now) + REFRESH_NS)
    }

    /// Says again what holds, and measures.
    fn refresh(&mut self, now: u64) {
        self.refreshed_at = Some(now);
        let devices: Vec<&String> = self.seats.iter().map(|seat| &seat.member.device).collect();
        self.busy.retain(|device, _| devices.contains(&device));
        for seat in &mut self.seats {
            seat.member.slot.lease(now + LEASE_NS);
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
        for seat in &self.seats {
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
        Seat {
            member,
            id,
            device,
            bell: Bell::default(),
            flights: Default::default(),
            fresh: false,
            active_at: now,
            waited_ns: 0,
            meters: Default::default(),
            waiting: Meter::default(),
            doubt: Doubt::default(),
        }
    }

    /// Looks at the tenant if it rang, is at work or was lately; or in any case.
    fn look(&mut self, now: u64, elapsed: u64, anyway: bool, recovery: Option<&Recovery>) {
        // Since the last round, as it was then.
        if self.flights[Engine::Gr.index()].waiting > 0 {
            self.waited_ns = self.waited_ns.saturating_add(elapsed);
        }
        // The bell first: what comes after this look rings again.
        let rang = self.bell.hear(self.member.slot.bell(), now);
        self.fresh = rang || anyway || now < self.active_at + ALERT_NS;
        if !self.fresh {
            return;
        }
        self.flights = Engine::ALL.map(|engine| self.member.slot.flight(engine));
        let at_work = self.flights.iter().any(|flight| flight.commands > 0 || flight.waiting > 0);
        if at_work {
            self.active_at = now;
        }
        let sum = |of: fn(&Flight) -> u64| self.flights.iter().map(of).fold(0, u64::wrapping_add);
        let work = (sum(|flight| flight.retired_ns), sum(|flight| flight.in_flight_ns));
        if self.doubt.arises(work, at_work, now)
            && let Some(recovery) = recovery
        {
            // Full: the next doubt finds room.
            let _ = recovery.try_send(self.member.slot.clone());
        }
    }

    fn seen(&self, engine: share::Engine) -> Seen {
        let flight = &self.flights[engine_of(engine).index()];
        Seen {
            waiting: flight.waiting,
            in_flight_ns: flight.in_flight_ns,
            commands: flight.commands,
            retired_ns: flight.retired_ns,
            progress_at: flight.progress_at,
            ..Seen::default()
        }
    }

    fn tell(&self, engine: Engine, order: &share::Order, now: u64) {
        let said = Order {
            credit_ns: order.credit_ns,
            window_ns: order.window_ns,
            tracked: order.tracked,
            shared: order.shared,
            paused: order.paused,
            lease_until: now + LEASE_NS,
        };
        match order.new_turn {
            true => self.member.slot.give(engine, &said),
            false => self.member.slot.renew(engine, &said),
        }
    }

    /// Nobody looks any more: what still runs keeps to the share it had by itself, and waits for nobody to resume it.
    fn farewell(&self, now: u64) {
        for engine in Engine::ALL {
            self.member.slot.give(engine, &Order { lease_until: now, ..Order::default() });
        }
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
