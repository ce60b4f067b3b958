//! Where a tenant's memory is: the node says where it should be, and each process where its own is.
//!
//! Only tenants that were started so have memory that can move. A process says how much it has before it makes it, and looks
//! at the node's word once more afterwards: of the two, one always sees the other.

use std::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use std::sync::atomic::{AtomicU32, AtomicU64};

use cleave_ledger::{State, futex, shared};

use crate::node::NodeSlot;
use crate::seat::Seat;
use crate::slot::Slot;

shared! {
    /// What the node says.
    pub struct PlaceWords {
        /// One more for each change of the wish; waited on.
        seq: AtomicU32,
        /// 0: on the device, 1: on the host.
        wish: AtomicU32,
        /// 1: the tenant's memory can move.
        movable: AtomicU32,
        pad: AtomicU32,
    }
}

shared! {
    /// What a process says.
    pub struct StayWords {
        /// See [`Place`].
        state: AtomicU32,
        /// Threads that wait until its memory is on the device.
        wanting: AtomicU32,
        /// Bytes of it that can move, wherever they are.
        movable: AtomicU64,
        /// Bytes that were moved so far, either way.
        moved: AtomicU64,
        /// How long it took to bring all of it out and in again, at last.
        swap_ns: AtomicU64,
    }
}

impl StayWords {
    /// A process that has nothing yet.
    pub fn clear(&self) {
        self.state.store(Place::Device as u32, Relaxed);
        self.wanting.store(0, Relaxed);
        for count in [&self.movable, &self.moved, &self.swap_ns] {
            count.store(0, Relaxed);
        }
    }
}

/// Where memory is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Place {
    Device = 0,
    /// On its way to the host.
    Leaving = 1,
    Host = 2,
    /// On its way to the device.
    Returning = 3,
}

impl Place {
    fn from(number: u32) -> Place {
        match number {
            1 => Place::Leaving,
            2 => Place::Host,
            3 => Place::Returning,
            _ => Place::Device,
        }
    }
}

/// What a tenant's processes say of their memory, together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stay {
    /// Whether none of it is on the device.
    pub away: bool,
    /// Whether all of it is.
    pub here: bool,
    pub wanting: u32,
    pub movable: u64,
    pub moved: u64,
    /// The longest time of any of them.
    pub swap_ns: u64,
}

impl NodeSlot {
    /// Says, before the tenant starts, that its memory can move.
    pub fn make_movable(&self) {
        self.open.limits.place.movable.store(1, SeqCst);
    }

    /// Whether the tenant's memory can move.
    pub fn is_movable(&self) -> bool {
        self.open.limits.place.movable.load(Relaxed) != 0
    }

    /// Says where the tenant's memory should be.
    pub fn send(&self, to_host: bool) {
        let place = &self.open.limits.place;
        if place.wish.swap(u32::from(to_host), SeqCst) != u32::from(to_host) {
            place.seq.fetch_add(1, SeqCst);
            futex::wake(&place.seq, u32::MAX);
        }
    }

    /// Whether its memory should be on the host.
    pub fn is_sent(&self) -> bool {
        self.open.limits.place.wish.load(SeqCst) != 0
    }

    /// Where the tenant's memory is, as its processes say. A process without any is nowhere.
    pub fn stay(&self) -> Stay {
        let mut stay = Stay { away: true, here: true, ..Stay::default() };
        let usage = &self.open.usage;
        for entry in usage.claims.taken().map(|id| usage.entry(id)) {
            if entry.word.read().state != State::Claimed {
                continue;
            }
            let words = &entry.stay;
            let movable = words.movable.load(SeqCst);
            if movable > 0 {
                let state = Place::from(words.state.load(SeqCst));
                stay.away &= state == Place::Host;
                stay.here &= state == Place::Device;
            }
            stay.movable = stay.movable.saturating_add(movable);
            stay.wanting = stay.wanting.saturating_add(words.wanting.load(Relaxed));
            stay.moved = stay.moved.saturating_add(words.moved.load(Relaxed));
            stay.swap_ns = stay.swap_ns.max(words.swap_ns.load(Relaxed));
        }
        stay
    }
}

impl Slot {
    /// Whether the tenant's memory can move.
    pub fn is_movable(&self) -> bool {
        self.open.limits.place.movable.load(Relaxed) != 0
    }

    /// Whether its memory should be on the host.
    #[inline]
    pub fn is_sent(&self) -> bool {
        self.open.limits.place.wish.load(SeqCst) != 0
    }

    /// How often that changed, and the word to wait on.
    pub fn sendings(&self) -> (&AtomicU32, u32) {
        let seq = &self.open.limits.place.seq;
        (seq, seq.load(Acquire))
    }
}

impl Seat {
    /// Says where this process's memory is.
    pub fn stays(&self, place: Place) {
        self.entry().stay.state.store(place as u32, SeqCst);
    }

    /// Says that this process has so many bytes more that can move.
    pub fn add_movable(&self, bytes: u64) {
        self.entry().stay.movable.fetch_add(bytes, SeqCst);
    }

    /// Says that it has so many bytes less.
    pub fn remove_movable(&self, bytes: u64) {
        let _ =
            self.entry().stay.movable.fetch_update(SeqCst, Relaxed, |had| Some(had.saturating_sub(bytes)));
    }

    /// Says that bytes were moved, and how long it takes there and back.
    pub fn moved(&self, bytes: u64, swap_ns: u64) {
        self.entry().stay.moved.fetch_add(bytes, Relaxed);
        self.entry().stay.swap_ns.store(swap_ns, Relaxed);
    }

    /// Says that a thread more waits for its memory, and asks the node to look; or that one waits no longer.
    pub fn wants(&self, waits: bool) {
        let wanting = &self.entry().stay.wanting;
        match waits {
            true => {
                wanting.fetch_add(1, SeqCst);
                self.ring();
            }
            false => {
                wanting.fetch_sub(1, SeqCst);
            }
        }
    }
}
