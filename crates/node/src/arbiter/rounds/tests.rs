//! Rounds over real slots, at times that the tests make up.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use cleave_sched::share::{Policy, Share};
use cleave_slot::{NodeSlot, Owner, Seat as Process, Slot};

use super::*;
use crate::scratch::Scratch;
use crate::store::tests::terms;

const MS: u64 = 1_000_000;
const START: u64 = 1_000_000 * MS;

/// A tenant with one process that the test plays.
struct Tenant {
    member: Member,
    slot: Slot,
    process: Process,
}

fn tenant(scratch: &Scratch, name: &str, percent: u32) -> Tenant {
    let folder = scratch.path().join(name);
    let slot = NodeSlot::create(&folder, &terms(1 << 30), Owner::Anyone).unwrap();
    let share = Share { percent, policy: Policy::Burst, ..Share::default() };
    let member =
        Member { tenant: name.into(), device: "GPU-1".into(), slot: Arc::new(slot), share, moves: None };
    let slot = Slot::open(&folder).unwrap();
    let process = slot.join(name).unwrap();
    Tenant { member, slot, process }
}

impl Tenant {
    /// One command of a millisecond is on the engine, and those before it are done.
    fn works(&self, now: u64) {
        let flight = self.process.flight(Engine::Gr);
        flight.progress_at.store(now, Relaxed);
        flight.retired.store(flight.submitted.load(Relaxed), Relaxed);
        flight.submitted.fetch_add(MS, Relaxed);
        flight.commands.store(1, Relaxed);
    }

    fn measured(&self, told: &Told) -> Measured {
        told.tenants[&(self.member.tenant.clone(), self.member.device.clone())].clone()
    }
}

/// Rounds every millisecond; `each` is called before each.
fn run(rounds: &mut Rounds, from: u64, ms: u64, mut each: impl FnMut(u64)) -> Told {
    let mut last = Told::default();
    for now in (0..ms).map(|n| from + n * MS) {
        each(now);
        rounds.round(now);
        last = rounds.tell().unwrap_or(last);
    }
    last
}

#[test]
fn what_a_tenant_has_is_measured_and_told() {
    let scratch = Scratch::new();
    let [busy, idle] = [tenant(&scratch, "busy", 60), tenant(&scratch, "idle", 40)];
    let mut rounds = Rounds::new(None);
    rounds.arrange(vec![busy.member.clone(), idle.member.clone()], START);
    busy.process.flight(Engine::CopyIn).waiting.store(1, Relaxed);
    let told = run(&mut rounds, START, 2500, |now| busy.works(now));
    let [had, nothing] = [busy.measured(&told), idle.measured(&told)];
    assert!(had.compute > 98.0 && nothing.compute == 0.0, "{had:?} {nothing:?}");
    assert_eq!((had.history.len(), nothing.history), (2, vec![0.0, 0.0]));
    assert!(told.devices["GPU-1"].percent > 98.0 && !had.stuck);
    assert_eq!(had.waiting, 0.0, "it waits for a copy, not for its turn to compute");

    // Nothing ends any more.
    let told = run(&mut rounds, START + 2500 * MS, 1500, |_| ());
    assert!(busy.measured(&told).stuck && !idle.measured(&told).stuck);
    rounds.arrange(vec![idle.member.clone()], START + 4000 * MS);
    let told = run(&mut rounds, START + 4000 * MS, 1500, |_| ());
    assert_eq!(told.tenants.len(), 1);
    assert_eq!(told.devices["GPU-1"].percent, 0.0);
}

#[test]
fn a_tenant_that_waits_is_told_and_waiting_is_measured() {
    let scratch = Scratch::new();
    let [one, other] = [tenant(&scratch, "one", 50), tenant(&scratch, "other", 50)];
    let mut rounds = Rounds::new(None);
    rounds.arrange(vec![one.member.clone(), other.member.clone()], START);
    rounds.round(START);
    let words = |tenant: &Tenant| {
        let words = tenant.slot.words(Engine::Gr, tenant.process.flight(Engine::Gr), 100);
        words.turn.seq.load(Relaxed)
    };
    let before = words(&other);
    other.process.flight(Engine::Gr).waiting.store(1, Relaxed);
    other.process.ring();
    let last = run(&mut rounds, START + MS, 1200, |now| one.works(now));
    assert!(words(&other) > before, "it was given a turn");
    assert!(other.measured(&last).waiting > 99.0);
    // A second later than said, a lease is over; it is renewed in time.
    assert!(rounds.round(START + 1300 * MS) <= START + 1400 * MS);
}

#[test]
fn who_can_only_wait_is_left_alone_until_it_rings() {
    let scratch = Scratch::new();
    let [one, other] = [tenant(&scratch, "one", 90), tenant(&scratch, "other", 10)];
    let mut rounds = Rounds::new(None);
    rounds.arrange(vec![one.member.clone(), other.member.clone()], START);
    for tenant in [&one, &other] {
        tenant.process.flight(Engine::Gr).waiting.store(1, Relaxed);
        tenant.process.ring();
    }
    rounds.round(START);
    let seat = |rounds: &Rounds, name: &str| {
        let seat = rounds.seats.iter().find(|seat| seat.member.tenant == name).unwrap();
        (seat.is_quiet(), seat.fresh && seat.looked_at == rounds.looked_at)
    };
    assert_eq!(seat(&rounds, "one"), (false, true), "it has the turn");
    assert_eq!(seat(&rounds, "other"), (true, true));
    // The first works; the second has nothing to say until it rings.
    one.process.flight(Engine::Gr).waiting.store(0, Relaxed);
    one.works(START + MS);
    rounds.round(START + MS);
    assert_eq!(seat(&rounds, "one"), (false, true));
    assert_eq!(seat(&rounds, "other"), (true, false));
    other.process.ring();
    rounds.round(START + MS + 100_000);
    assert_eq!(seat(&rounds, "other"), (true, true), "it rang");
    // Who has something at work is looked at, turn or none.
    other.works(START + MS + 200_000);
    other.process.ring();
    rounds.round(START + MS + 200_000);
    rounds.round(START + MS + 300_000);
    assert_eq!(seat(&rounds, "other"), (false, true));
}

#[test]
fn of_many_who_can_only_wait_are_heard_now_and_then() {
    let scratch = Scratch::new();
    let tenants: Vec<Tenant> = (0..=FEW).map(|number| tenant(&scratch, &format!("t{number}"), 5)).collect();
    let mut rounds = Rounds::new(None);
    rounds.arrange(tenants.iter().map(|tenant| tenant.member.clone()).collect(), START);
    for tenant in &tenants {
        tenant.process.flight(Engine::Gr).waiting.store(1, Relaxed);
        tenant.process.ring();
    }
    rounds.round(START);
    assert_eq!(rounds.awake.len(), 1, "all but who has the turn");
    let quiet = rounds.seats.iter().position(Seat::is_quiet).unwrap();
    let tenant = tenants.iter().find(|tenant| tenant.member == rounds.seats[quiet].member).unwrap();
    tenant.process.ring();
    let looked_at = |rounds: &mut Rounds, now: u64| {
        rounds.round(now);
        rounds.seats[quiet].looked_at == now
    };
    assert!(!looked_at(&mut rounds, START + 100_000));
    assert!(looked_at(&mut rounds, START + LISTEN_NS));
}

/// Whatever a tenant writes into its page, its neighbours have their share.
#[test]
fn a_liar_takes_nothing_from_others() {
    let scratch = Scratch::new();
    let [liar, honest] = [tenant(&scratch, "liar", 50), tenant(&scratch, "honest", 50)];
    let mut rounds = Rounds::new(None);
    rounds.arrange(vec![liar.member.clone(), honest.member.clone()], START);
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let told = run(&mut rounds, START, 3000, |now| {
        for engine in Engine::ALL {
            let words = liar.process.flight(engine);
            for word in [&words.submitted, &words.retired, &words.progress_at] {
                word.store(next(), Relaxed);
            }
            words.commands.store(next() as u32, Relaxed);
            words.waiting.store(next() as u32, Relaxed);
            liar.slot.words(engine, words, 100).drawn.charged.store(next(), Relaxed);
        }
        liar.process.ring();
        honest.works(now);
    });
    let had = honest.measured(&told);
    // What overlaps is divided by what both say: less is charged then, and less charged is no loss.
    assert!(had.compute >= 40.0, "{had:?}");
}

/// Work that is there is looked at in every round, however long ago the last one was: what is done is not charged.
#[test]
fn what_is_done_is_not_charged_however_late_it_is_seen() {
    let scratch = Scratch::new();
    let one = tenant(&scratch, "one", 100);
    let mut rounds = Rounds::new(None);
    rounds.arrange(vec![one.member.clone()], START);
    rounds.round(START);
    one.works(START + 10 * MS);
    one.process.ring();
    rounds.round(START + 10 * MS);
    // Done after a millisecond, and seen much later, without a ring.
    let flight = one.process.flight(Engine::Gr);
    flight.progress_at.store(START + 11 * MS, Relaxed);
    flight.retired.store(flight.submitted.load(Relaxed), Relaxed);
    flight.commands.store(0, Relaxed);
    rounds.round(START + 40 * MS);
    rounds.round(START + 101 * MS);
    let had = one.measured(&rounds.tell().unwrap()).held_ns;
    assert!(had < 2 * MS, "{had} ns");
}
