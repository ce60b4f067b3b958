//! A slot as its two sides see it, within one process.

#[allow(unsafe_code, dead_code)]
#[path = "../../ledger/tests/process_unsafe/mod.rs"]
mod process_unsafe;

mod support;

use std::path::{Path, PathBuf};

use cleave_slot::{Denied, Error, NodeSlot, Owner, Slot, Terms};
use process_unsafe::fork;
use support::{MIB, Place, terms};

#[test]
fn what_the_node_writes_the_tenant_reads() {
    let place = Place::new("terms");
    let node = NodeSlot::create(&place.slot(), &terms(64 * MIB), Owner::Anyone).unwrap();
    let slot = Slot::open(&place.slot()).unwrap();
    assert_eq!(slot.terms(), terms(64 * MIB));
    node.set_memory(32 * MIB);
    node.set_compute(70);
    node.learn_context(MIB);
    node.heartbeat(99);
    assert_eq!(slot.terms(), Terms { compute: 70, context: MIB, ..terms(32 * MIB) });
    assert_eq!((slot.memory(), slot.free(), slot.heartbeat()), (32 * MIB, 32 * MIB, 99));
    assert_eq!(node.terms(), slot.terms());
}

#[test]
fn what_fits_is_charged_and_what_does_not_is_refused_in_bytes() {
    let place = Place::new("charge");
    let node = NodeSlot::create(&place.slot(), &terms(10 * 512 + 511), Owner::Anyone).unwrap();
    let slot = Slot::open(&place.slot()).unwrap();
    let (first, second) = (slot.join("first").unwrap(), slot.join("second").unwrap());
    assert_ne!(first.record(), second.record());
    first.charge(6 * 512 - 5).unwrap();
    assert_eq!(second.charge(5 * 512), Err(Denied { wanted: 5 * 512, used: 6 * 512, limit: 10 * 512 }));
    second.charge(4 * 512).unwrap();
    assert_eq!((first.held(), second.held(), slot.used(), slot.free()), (6 * 512, 4 * 512, 10 * 512, 0));
    assert_eq!(second.charge(u64::MAX).unwrap_err().wanted, u64::MAX);
    second.release(u64::MAX);
    assert_eq!(node.used(), 6 * 512);
    let capped = Denied { wanted: 1024, used: 6 * 512, limit: 7 * 512 };
    assert_eq!(second.charge_within(1024, 8 * 512 - 1), Err(capped), "a cap below the limit");
    second.charge_within(1024, 8 * 512).unwrap();
    assert!(second.charge_within(3 * 512, u64::MAX).is_err(), "a cap above it is none");
    second.release(1024);

    node.set_memory(512);
    assert_eq!(slot.free(), 0, "it keeps what it has");
    assert!(second.charge(1).is_err());
    second.charge(0).unwrap();
    drop(first);
    assert_eq!(slot.used(), 0, "who leaves gives back");
    second.charge(1).unwrap();
}

#[test]
fn the_node_holds_what_it_finds_whatever_the_limit() {
    let place = Place::new("own");
    let node = NodeSlot::create(&place.slot(), &terms(10 * MIB), Owner::Anyone).unwrap();
    let slot = Slot::open(&place.slot()).unwrap();
    let seat = slot.join("tenant").unwrap();
    seat.charge(6 * MIB).unwrap();
    node.set_own(7 * MIB);
    assert_eq!((node.own(), node.used(), slot.free()), (7 * MIB, 13 * MIB, 0));
    assert!(seat.charge(512).is_err(), "growth stops");
    node.set_own(3 * MIB);
    assert_eq!(node.try_own(2 * MIB).unwrap_err().free(), MIB);
    node.try_own(MIB).unwrap();
    assert_eq!((node.own(), slot.free()), (4 * MIB, 0));
    assert_eq!(node.recover(), 0, "all live");

    drop(node);
    assert!(seat.charge(512).is_err(), "a slot without its daemon keeps its limit");
    let node = NodeSlot::open(&place.slot()).unwrap();
    assert_eq!((node.own(), node.used()), (4 * MIB, 10 * MIB), "the next one goes on");
    assert_eq!(node.seats()[0].held, 6 * MIB);
}

#[test]
fn a_process_is_seen_with_what_it_says() {
    let place = Place::new("seen");
    let node = NodeSlot::create(&place.slot(), &terms(10 * MIB), Owner::Anyone).unwrap();
    let slot = Slot::open(&place.slot()).unwrap();
    assert_eq!(node.seats(), []);
    let seat = slot.join("a\tname that is longer than there is room for").unwrap();
    seat.charge(MIB).unwrap();
    seat.count_launch();
    seat.count_launch();
    seat.count_unwrapped();
    seat.set_contexts(3);
    seat.pin(100);
    seat.unpin(30);
    seat.denied("cuMemAlloc_v2", 5, 4);
    node.note(seat.record(), seat.generation(), 77, 4242);

    let [seen] = &node.seats()[..] else { panic!("one process") };
    assert_eq!(
        (seen.record, seen.generation, seen.pid),
        (seat.record(), seat.generation(), std::process::id())
    );
    assert_eq!(seen.name, "a?name that is longer than there");
    assert_eq!((seen.held, seen.overhead, seen.contexts, seen.launches), (MIB, 77, 3, 2));
    assert_eq!((seen.unwrapped, seen.pinned, seen.host_pid), (1, 70, 4242));
    assert_eq!((node.denials(), node.unwrapped(), node.launches()), (1, 1, 2));
    let denial = seen.denial.clone().unwrap();
    assert_eq!((&denial.symbol[..], denial.wanted, denial.free, denial.count), ("cuMemAlloc_v2", 5, 4, 1));
    assert_eq!(slot.seats(), node.seats());

    let (record, generation) = (seat.record(), seat.generation());
    drop(seat);
    assert_eq!(node.seats(), []);
    // Whoever takes the place next is somebody else: nothing of the last one is his.
    let next = loop {
        let next = slot.join("next").unwrap();
        if next.record() == record {
            break next;
        }
    };
    assert_ne!(next.generation(), generation);
    let seen = &node.seats()[0];
    assert_eq!((seen.held, seen.overhead, seen.launches, seen.pinned, &seen.denial), (0, 0, 0, 0, &None));
    next.count_launch();
    assert_eq!((node.seats()[0].launches, node.launches()), (1, 3), "what was launched stays launched");
}

#[test]
fn what_cannot_be_made_leaves_nothing() {
    let place = Place::new("made");
    let _node = NodeSlot::create(&place.slot(), &terms(1), Owner::Anyone).unwrap();
    let there = NodeSlot::create(&place.slot(), &terms(1), Owner::Anyone).err();
    assert!(matches!(there, Some(Error::Exists { .. })), "{there:?}");
    assert!(NodeSlot::create(&place.folder().join("no/gpu0"), &terms(1), Owner::Anyone).is_err());
    let there: Vec<_> =
        std::fs::read_dir(place.folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(there, ["gpu0"]);
    assert!(matches!(Slot::open(&place.folder().join("gpu1")), Err(Error::Missing { .. })));
    let busy = NodeSlot::open(&place.slot()).err().unwrap();
    assert!(matches!(&busy, Error::Busy { folder } if *folder == place.slot()), "{busy}");
    // Nor has the attempt cost the slot that is there its token: others still see it held.
    let other = fork(|| assert!(matches!(NodeSlot::open(&place.slot()), Err(Error::Busy { .. }))));
    assert_eq!(other.end(), Ok(0));
}

#[test]
fn the_most_that_was_held_is_known_until_it_is_forgotten() {
    let place = Place::new("peak");
    let node = NodeSlot::create(&place.slot(), &terms(10 * MIB), Owner::Anyone).unwrap();
    let seat = Slot::open(&place.slot()).unwrap().join("seat").unwrap();
    let seen = || (node.seats()[0].held, node.seats()[0].peak);
    seat.charge(MIB).unwrap();
    seat.charge(4 * MIB).unwrap();
    seat.release(4 * MIB);
    assert_eq!((seen(), seen()), ((MIB, 5 * MIB), (MIB, 5 * MIB)), "to look is not to forget");
    node.forget_peaks();
    assert_eq!(seen(), (MIB, MIB));
    seat.charge(MIB).unwrap();
    seat.release(2 * MIB);
    assert_eq!(seen(), (0, 2 * MIB));
}

/// Descriptors and mappings this process has of the files in `folder`.
fn traces(folder: &Path) -> usize {
    let names = |link: PathBuf| link.starts_with(folder);
    let open = std::fs::read_dir("/proc/self/fd").expect("descriptors").filter_map(Result::ok);
    let open = open.filter(|entry| std::fs::read_link(entry.path()).is_ok_and(names)).count();
    let maps = std::fs::read_to_string("/proc/self/maps").expect("mappings");
    open + maps.lines().filter(|line| line.contains(&*folder.to_string_lossy())).count()
}

#[test]
fn what_is_dropped_is_closed() {
    let place = Place::new("closed");
    let node = NodeSlot::create(&place.slot(), &terms(1), Owner::Anyone).unwrap();
    let (slot, again) = (Slot::open(&place.slot()).unwrap(), Slot::open(&place.slot()).unwrap());
    let seat = slot.join("seat").unwrap();
    // The lock, the usage once, and the limits of each.
    assert_eq!(traces(&place.slot()), 5);
    drop((node, slot, again));
    assert_eq!(traces(&place.slot()), 3);
    assert_eq!(seat.slot().seats().len(), 1, "the seat keeps what it needs, its token too");
    drop(seat);
    assert_eq!(traces(&place.slot()), 0);
}
