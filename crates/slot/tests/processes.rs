//! Processes of one slot: their deaths, and the deaths that are none.

#[allow(unsafe_code, dead_code)]
#[path = "../../ledger/tests/process_unsafe/mod.rs"]
mod process_unsafe;
mod support;

use std::cell::Cell;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

use cleave_slot::{Seat, Slot};
use process_unsafe::{close_all, fork, pause, zombie};
use support::{MIB, Place, Signal, terms};

/// Joins the slot at `place` and charges a MiB.
fn joined(place: &Place) -> Seat {
    let seat = Slot::open(&place.slot()).expect("a slot").join("child").expect("a seat");
    seat.charge(MIB).expect("a MiB");
    seat
}

#[test]
fn what_a_dead_process_held_is_given_back_by_whoever_needs_it() {
    let place = Place::new("dead");
    let node = place.create(&terms(2 * MIB));
    let slot = Slot::open(&place.slot()).expect("a slot");
    let seat = slot.join("survivor").expect("a seat");
    seat.charge(MIB).expect("a MiB");

    let ready = Signal::new();
    let start = || {
        fork(|| {
            let _seat = joined(&place);
            ready.give();
            pause();
        })
    };
    let mut child = start();
    ready.wait();
    assert!(seat.charge(MIB).is_err(), "all is taken by the living");
    assert_eq!(node.recover(), 0);
    assert!(node.seats().iter().any(|seen| seen.pid == child.pid() && seen.held == MIB));
    let old = node.seats().into_iter().find(|seen| seen.pid == child.pid()).expect("the child");
    assert!(child.kill());
    assert_eq!(slot.used(), 2 * MIB, "nobody has looked yet");
    assert_eq!(node.seats().len(), 1, "the dead are not shown");
    seat.charge(MIB).expect("the dead one's");
    seat.release(MIB);

    let mut child = start();
    ready.wait();
    let new = node.seats().into_iter().find(|seen| seen.pid == child.pid()).expect("the child");
    assert!((new.record, new.generation) != (old.record, old.generation), "nobody inherits a place");
    assert!(child.kill());
    assert_eq!((node.recover(), node.recover()), (1, 0), "once");
    assert_eq!(slot.used(), MIB);
}

#[test]
fn a_zombie_is_dead() {
    let place = Place::new("zombie");
    let node = place.create(&terms(2 * MIB));
    let child = zombie(|| {
        std::mem::forget(joined(&place));
    });
    assert_eq!(node.used(), MIB);
    assert_eq!(node.recover(), 1);
    assert_eq!(node.used(), 0);
    assert_eq!(child.end(), Ok(0));
}

#[test]
fn a_process_that_closed_every_descriptor_is_alive() {
    let place = Place::new("closed");
    let node = place.create(&terms(2 * MIB));
    let slot = Slot::open(&place.slot()).expect("a slot");
    let (ready, go, done) = (Signal::new(), Signal::new(), Signal::new());
    let mut child = fork(|| {
        let seat = joined(&place);
        close_all();
        ready.give();
        go.wait();
        // It goes on charging, also where it would look for the dead and cannot.
        seat.charge(MIB / 2).expect("it fits");
        assert!(seat.charge(MIB).is_err());
        seat.release(MIB);
        done.give();
        pause();
    });
    ready.wait();
    assert_eq!((node.recover(), slot.used()), (0, MIB), "alive without its token");
    let seen = node.seats();
    assert_eq!((seen.len(), seen[0].pid, seen[0].held), (1, child.pid(), MIB));
    // Nobody else gets its place, however many come.
    let others: Vec<Seat> = (0..1020).map(|_| slot.join("other").expect("a seat")).collect();
    assert!(others.iter().all(|other| other.record() != seen[0].record));
    assert!(slot.join("one too many").is_err());
    drop(others);
    go.give();
    done.wait();
    assert_eq!((node.recover(), slot.used()), (0, MIB / 2));
    assert!(child.kill());
    assert_eq!((node.recover(), slot.used()), (1, 0), "and dead when it is");
}

#[test]
fn a_process_that_became_another_program_holds_nothing() {
    let place = Place::new("exec");
    let node = place.create(&terms(2 * MIB));
    let mut child = fork(|| {
        std::mem::forget(joined(&place));
        let error = Command::new("sleep").arg("100").exec();
        panic!("{error}");
    });
    let program = format!("/proc/{}/comm", child.pid());
    let is_other = || std::fs::read_to_string(&program).is_ok_and(|name| name.trim() == "sleep");
    support::until("exec", is_other);
    assert_eq!(node.used(), MIB);
    assert_eq!((node.recover(), node.used()), (1, 0));
    assert!(child.kill());
}

#[test]
fn a_forked_child_has_nothing_of_its_parents() {
    let place = Place::new("forked");
    let node = place.create(&terms(4 * MIB));
    let seat = Cell::new(Some(joined(&place)));
    let child = fork(|| {
        let (own, seat) = (joined(&place), seat.take().expect("the parent's"));
        assert_ne!(own.record(), seat.record());
        assert_eq!(node.seats().len(), 2);
        // As the ends of statics would: neither the parent's place nor the child's own tokens may go with it.
        drop(seat);
        assert_eq!((own.held(), own.slot().seats().len(), own.slot().used()), (MIB, 2, 2 * MIB));
        std::mem::forget(own);
    });
    assert_eq!(child.end(), Ok(0));
    assert_eq!((node.recover(), node.used()), (1, MIB), "the parent's is the parent's");
}

#[test]
fn a_fork_in_the_middle_of_anything_hangs_nobody() {
    let place = Place::new("fork-hang");
    let node = place.create(&terms(64 * MIB));
    let seat = joined(&place);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Threads that hold every lock of the library much of the time.
        scope.spawn(|| {
            while !over.load(SeqCst) {
                seat.charge(512).expect("it fits");
                seat.release(512);
            }
        });
        scope.spawn(|| {
            while !over.load(SeqCst) {
                drop(Slot::open(&place.slot()).expect("a slot").join("thread").expect("a seat"));
            }
        });
        for _ in 0..200 {
            let child = fork(|| std::mem::forget(joined(&place)));
            assert_eq!(child.end_within(20), Some(Ok(0)), "a child hangs or failed");
        }
        over.store(true, SeqCst);
    });
    node.recover();
    assert_eq!(node.used(), MIB);
}

#[test]
fn a_node_survives_a_tenant_that_cuts_its_files_short() {
    for (name, survives) in [("guarded", true), ("unguarded", false)] {
        let place = Place::new(name);
        let child = fork(|| {
            if survives {
                cleave_slot::survive_truncation().expect("a handler");
            }
            let node = place.create(&terms(2 * MIB));
            node.set_own(512);
            let usage = place.slot().join("usage");
            let file = std::fs::OpenOptions::new().write(true).open(usage).expect("usage");
            file.set_len(0).expect("a cut");
            node.set_own(MIB);
            let _ =
                (node.own(), node.used(), node.try_own(MIB), node.seats(), node.recover(), node.denials());
            assert!(node.is_damaged());
            assert!(cleave_slot::NodeSlot::open(&place.slot()).is_err(), "damaged");
        });
        let end = child.end();
        assert_eq!(end, if survives { Ok(0) } else { Err(support::SIGBUS) }, "{name}");
    }
}
