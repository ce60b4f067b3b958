//! Files of a slot that are not what they should be: at opening a sentence, later an answer, never a crash or a hang.

#[allow(unsafe_code, dead_code)]
#[path = "../../ledger/tests/process_unsafe/mod.rs"]
mod process_unsafe;
mod support;

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use cleave_slot::{NodeSlot, Seat, Slot};
use support::{Dice, MIB, Place, terms};

const FILES: [&str; 3] = ["limits", "usage", "lock0"];

/// What both sides say about the slot, which neither can use.
fn refusal(place: &Place) -> String {
    let tenant = Slot::open(&place.slot()).and_then(|slot| slot.join("tenant"));
    let tenant = tenant.err().expect("no slot for a tenant").to_string();
    let node = NodeSlot::open(&place.slot()).err().expect("no slot for a node").to_string();
    assert_eq!(tenant, node);
    tenant
}

#[test]
fn what_is_wrong_is_said_with_path_and_remedy() {
    for file in FILES {
        let place = Place::new(&format!("wrong-{file}"));
        drop(place.create(&terms(MIB)));
        let path = place.slot().join(file);
        let good = fs::read(&path).expect("a file");
        let said = |words: &str| {
            let text = refusal(&place);
            assert!(text.starts_with(&*path.to_string_lossy()) && text.contains(words), "{text}");
        };

        fs::remove_file(&path).expect("removed");
        said("is not there");
        fs::create_dir(&path).expect("a folder");
        assert!(refusal(&place).contains(&*path.to_string_lossy()));
        fs::remove_dir(&path).expect("removed");
        std::os::unix::fs::symlink("/etc/passwd", &path).expect("a link");
        assert!(refusal(&place).contains(&*path.to_string_lossy()), "links are not followed");
        fs::remove_file(&path).expect("removed");
        let fifo = std::process::Command::new("mkfifo").arg(&path).status();
        if fifo.is_ok_and(|status| status.success()) {
            said("not a regular file");
            fs::remove_file(&path).expect("removed");
        }

        fs::write(&path, b"").expect("written");
        said("no file of a grant");
        fs::write(&path, &good[..good.len() / 2]).expect("written");
        assert!(refusal(&place).contains("start it again"), "truncated");
        let newer = String::from_utf8_lossy(&good[..128]).replace("layout 3", "layout 9");
        fs::write(&path, newer).expect("written");
        said("another version of cleave (layout 9, this one has 3)");
        let mut other = good.clone();
        other[30] ^= 1;
        fs::write(&path, &other).expect("written");
        said("changed since it was made");

        fs::write(&path, &good).expect("written");
        NodeSlot::open(&place.slot()).expect("as it was");
        Slot::open(&place.slot()).expect("as it was");
    }
}

#[test]
fn files_of_two_slots_are_no_slot() {
    for file in ["usage", "lock0"] {
        let (place, other) = (Place::new(&format!("mixed-{file}")), Place::new(&format!("other-{file}")));
        drop((place.create(&terms(MIB)), other.create(&terms(MIB))));
        fs::copy(other.slot().join(file), place.slot().join(file)).expect("copied");
        assert!(refusal(&place).contains("belongs to another grant"));
    }
}

/// Everything a node does with a slot.
fn look(node: &NodeSlot) {
    let _ = (node.used(), node.own(), node.terms(), node.denials(), node.is_damaged());
    for seen in node.seats() {
        assert!(!seen.name.contains(char::is_control), "{:?}", seen.name);
        assert!(seen.denial.is_none_or(|denial| !denial.symbol.contains(char::is_control)));
        node.note(seen.record, seen.generation, seen.held, seen.pid);
    }
    node.set_own(5 * MIB);
    let _ = node.try_own(MIB);
    node.recover();
    node.set_own(0);
}

/// Everything a tenant does with a slot.
fn use_up(slot: &Slot, seat: &Seat) {
    let _ = (slot.terms(), slot.free(), slot.used(), slot.seats(), slot.denials());
    let _ = seat.charge(MIB);
    seat.denied("cuMemAlloc_v2", 1, 2);
    seat.release(MIB);
    if let Ok(other) = slot.join("other") {
        let _ = other.charge(u64::MAX / 2);
        let _ = other.charge(512);
    }
}

/// Writes random words at random places behind the header, more often near the beginning.
fn scribble(file: &File, bytes: u64, dice: &mut Dice) {
    for _ in 0..=dice.roll(6) {
        let span = if dice.roll(2) == 0 { bytes } else { 5000 };
        let at = 128 + u64::from(dice.roll((span - 128 - 8) as u32));
        let word = match dice.roll(4) {
            0 => 0,
            1 => u64::MAX,
            2 => u64::from(dice.roll(1 << 24)) << dice.roll(40),
            _ => dice.next(),
        };
        let at = if dice.roll(4) == 0 { at } else { at & !7 };
        file.write_at(&word.to_le_bytes(), at).expect("written");
    }
}

#[test]
fn random_bytes_under_a_slot_in_use_harm_nobody() {
    let place = Place::new("random");
    let node = place.create(&terms(64 * MIB));
    let slot = Slot::open(&place.slot()).expect("a slot");
    let files = ["limits", "usage"].map(|name| {
        let file = OpenOptions::new().write(true).open(place.slot().join(name)).expect("a file");
        let bytes = file.metadata().expect("about it").len();
        (file, bytes)
    });
    let mut dice = Dice(0x5eed_0006);
    let end = Instant::now() + Duration::from_secs(2);
    let mut rounds = 0;
    while Instant::now() < end {
        let (file, bytes) = &files[dice.roll(4).min(1) as usize];
        scribble(file, *bytes, &mut dice);
        look(&node);
        match slot.join("tenant") {
            Ok(seat) => use_up(&slot, &seat),
            Err(error) => assert!(error.to_string().contains("are taken"), "{error}"),
        }
        rounds += 1;
        // As a tenant could that means it: everything at once.
        if rounds % 50 == 0 {
            let noise: Vec<u8> = (0..files[1].1 - 128).map(|_| dice.next() as u8).collect();
            files[1].0.write_at(&noise, 128).expect("written");
        }
        if rounds % 100 == 0 {
            files[1].0.write_at(&vec![0; files[1].1 as usize - 128], 128).expect("written");
        }
    }
    assert!(rounds > 100, "only {rounds} rounds");
}

#[test]
fn a_tenant_that_never_stops_writing_does_not_stop_the_node() {
    let place = Place::new("hostile");
    let node = place.create(&terms(64 * MIB));
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let file = OpenOptions::new().write(true).open(place.slot().join("usage")).expect("usage");
            let bytes = file.metadata().expect("about it").len();
            let mut dice = Dice(77);
            while !over.load(SeqCst) {
                scribble(&file, bytes, &mut dice);
                // Again and again over the counter and the node's own account.
                file.write_at(&dice.next().to_le_bytes(), 128).expect("written");
                file.write_at(&dice.next().to_le_bytes(), 4096 + 320 + 24).expect("written");
            }
        });
        for _ in 0..300 {
            look(&node);
        }
        over.store(true, SeqCst);
    });
}
