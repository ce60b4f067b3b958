//! Any bytes in the files of a slot are a slot or an error to whoever opens it, and numbers to whoever has it open already:
//! never a crash, never a hang, and nothing a terminal would obey.

#![no_main]

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use cleave_slot::{NodeSlot, Owner, Seat, Slot, Terms, Uuid};
use libfuzzer_sys::fuzz_target;

/// A slot that is in use all the while.
struct Stage {
    folder: PathBuf,
    node: NodeSlot,
    slot: Slot,
    seat: Seat,
    /// Each file with the bytes it had at first.
    files: [(File, Vec<u8>); 3],
}

impl Stage {
    fn build() -> Stage {
        let folder = PathBuf::from(format!("/dev/shm/cleave-fuzz-slot-{}", std::process::id()));
        let terms = Terms {
            device: Uuid::Gpu([7; 16]),
            memory: 1 << 30,
            compute: 50,
            encode: 100,
            decode: 100,
            priority: 0,
            policy: 0,
            device_total: 1 << 33,
            context: 0,
        };
        let node = NodeSlot::create(&folder, &terms, Owner::Anyone).expect("a slot");
        let slot = Slot::open(&folder).expect("a slot");
        let seat = slot.join("fuzz").expect("a seat");
        seat.charge(1 << 20).expect("it fits");
        seat.denied("cuMemAlloc_v2", 1, 2);
        let files = ["limits", "usage", "lock0"].map(|name| {
            let path = folder.join(name);
            let bytes = std::fs::read(&path).expect("its bytes");
            (OpenOptions::new().write(true).open(path).expect("a file"), bytes)
        });
        Stage { folder, node, slot, seat, files }
    }

    /// Writes what the input says: a byte for the region, two for the place in it, eight to write there.
    fn patch(&self, patches: &[[u8; 11]]) {
        for [region, low, high, word @ ..] in patches {
            let at = u64::from(u16::from_le_bytes([*low, *high]));
            let (file, at) = match region % 8 {
                0 => (0, at % 120),
                1 => (1, at % 120),
                2 => (2, at % 120),
                // The limits behind their header, and what the node has noted.
                3 => (0, 128 + at % (5 * 4096 - 136)),
                // The counter and the bits, each record of the first few, any record.
                4 => (1, 128 + at % 256),
                5..7 => (1, 4096 + u64::from(region / 8 % 8) * 320 + at % 312),
                _ => (1, 4096 + at * 5 % (80 * 4096 - 8)),
            };
            let _ = self.files[file].0.write_at(word, at);
        }
    }

    fn restore(&self) {
        for (file, bytes) in &self.files {
            let _ = file.write_at(bytes, 0);
        }
    }

    fn look(&self, node: &NodeSlot) {
        let _ = (node.terms(), node.used(), node.own(), node.denials(), node.unwrapped(), node.is_damaged());
        for seen in node.seats() {
            assert!(!seen.name.contains(char::is_control));
            assert!(seen.denial.is_none_or(|denial| !denial.symbol.contains(char::is_control)));
            node.note(seen.record, seen.generation, seen.held, seen.pid);
        }
        node.set_own(3 << 20);
        let _ = node.try_own(1 << 20);
        node.recover();
        node.set_own(0);
    }

    fn act(&self, slot: &Slot, seat: &Seat) {
        let _ = (slot.terms(), slot.memory(), slot.used(), slot.free(), slot.seats(), seat.held());
        let _ = seat.charge(4096);
        let _ = seat.charge(u64::MAX);
        seat.denied("cuMemCreate", 1, 2);
        seat.release(4096);
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

thread_local! {
    /// The thread's own, so that it is dropped when the process ends.
    static STAGE: Stage = Stage::build();
}

fuzz_target!(|bytes: &[u8]| {
    STAGE.with(|stage| {
        let patches = bytes.as_chunks().0;
        stage.patch(patches);
        stage.look(&stage.node);
        stage.act(&stage.slot, &stage.seat);
        if let Ok(slot) = Slot::open(&stage.folder)
            && let Ok(seat) = slot.join("another")
        {
            stage.act(&slot, &seat);
        }
        stage.restore();
    });
});
