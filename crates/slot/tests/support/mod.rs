//! What the tests of slots share: a slot in a folder of its own, and signals between processes.
#![allow(dead_code)]

use std::path::PathBuf;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use cleave_ledger::{Pages, futex};
use cleave_slot::{NodeSlot, Owner, Terms, Uuid};

use crate::process_unsafe::Folder;

pub const MIB: u64 = 1 << 20;
pub const SIGBUS: i32 = 7;

pub fn terms(memory: u64) -> Terms {
    Terms {
        device: Uuid::Gpu(*b"0123456789abcdef"),
        memory,
        compute: 30,
        encode: 100,
        decode: 50,
        priority: -3,
        policy: 2,
        device_total: 1 << 34,
        context: 0,
    }
}

/// A folder with room for a slot.
pub struct Place(Folder);

impl Place {
    pub fn new(name: &str) -> Place {
        Place(Folder::new(&format!("slot-{name}")))
    }

    pub fn folder(&self) -> PathBuf {
        self.0.path().to_owned()
    }

    pub fn slot(&self) -> PathBuf {
        self.0.path().join("gpu0")
    }

    pub fn create(&self, terms: &Terms) -> NodeSlot {
        NodeSlot::create(&self.slot(), terms, Owner::Anyone).expect("a slot")
    }
}

/// A word both sides of a fork see, to say that something is done.
pub struct Signal(&'static AtomicU32);

impl Signal {
    pub fn new() -> Signal {
        Signal(Pages::anonymous(4096).expect("a page").view(0))
    }

    pub fn give(&self) {
        self.0.store(1, SeqCst);
        futex::wake(self.0, u32::MAX);
    }

    /// Waits until it is given, and takes it.
    pub fn wait(&self) {
        while self.0.swap(0, SeqCst) == 0 {
            futex::wait(self.0, 0, None);
        }
    }
}

/// Waits for something that only the system knows.
pub fn until(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < end, "{what} never happened");
        std::thread::yield_now();
    }
}

/// Chance that comes out the same each time.
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn roll(&mut self, sides: u32) -> u32 {
        (self.next() % u64::from(sides)) as u32
    }
}
