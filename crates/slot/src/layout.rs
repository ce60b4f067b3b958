//! Where everything stands in the files of a slot.
//!
//! Every field has one writer or changes by compare-exchange. The node believes no number of `usage` beyond what it means for
//! that tenant alone.

use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64};

use cleave_gate::{DrawnWords, Engine, FlightWords, TurnWords};
use cleave_ledger::{Account, Counter, RecordId, RecordWord, shared};

use crate::claims::Claims;
use crate::denial::DenialWords;
use crate::header;
use crate::note::NoteWords;
use crate::place::{PlaceWords, StayWords};

const HEADER_WORDS: usize = header::BYTES / 8;
/// Words of the digits of the device's name.
pub const UUID_WORDS: usize = 2;
/// Words of a process's name.
pub const NAME_WORDS: usize = 4;

shared! {
    /// The file `limits`, written by the node alone.
    #[repr(align(64))]
    pub struct Limits {
        header: [AtomicU64; HEADER_WORDS],
        pub memory: AtomicU64,
        pub compute: AtomicU32,
        pub encode: AtomicU32,
        pub decode: AtomicU32,
        pub priority: AtomicI32,
        pub policy: AtomicU32,
        /// Whether it is a whole device (0) or an instance of one (1).
        pub device_kind: AtomicU32,
        pub device_total: AtomicU64,
        pub context: AtomicU64,
        pub device: [AtomicU64; UUID_WORDS],
        /// One more for each change of the fields above.
        pub changes: AtomicU64,
        /// When the node last looked, on the clock of the initial time namespace.
        pub heartbeat: AtomicU64,
        pad_turns: [AtomicU64; 6],
        /// Whose turn it is on each engine, as far as this tenant is concerned.
        pub turns: [TurnWords; Engine::COUNT],
        /// Where the tenant's memory should be.
        pub place: PlaceWords,
        room: [AtomicU64; 454],
        /// What the node knows of each record.
        pub notes: [NoteWords; RecordId::TABLE],
    }
}

shared! {
    /// The file `usage`.
    #[repr(align(64))]
    pub struct Usage {
        header: [AtomicU64; HEADER_WORDS],
        pub counter: Counter,
        pad_counter: [AtomicU64; 7],
        pub claims: Claims,
        /// How often something was refused, by all processes there ever were.
        pub denials: AtomicU64,
        /// How many functions were handed out unwrapped, likewise.
        pub unwrapped: AtomicU64,
        pad_drawn: [AtomicU64; 5],
        /// What was drawn from the credit of each engine.
        pub drawn: [DrawnWords; Engine::COUNT],
        /// What the node waits on: one more whenever a process wants to be looked at.
        pub bell: AtomicU32,
        pad_bell: AtomicU32,
        room: [AtomicU64; 439],
        pub entries: [Entry; RecordId::TABLE],
    }
}

shared! {
    /// A record: a process of the tenant, and the node in the first one. It is written by its process, but for what the
    /// ledger does in a dead one's name.
    #[repr(align(64))]
    pub struct Entry {
        pub word: RecordWord,
        pub account: Account,
        pub pid: AtomicU32,
        pub contexts: AtomicU32,
        /// See [`crate::life::Identity`].
        pub start: AtomicU64,
        pub space: AtomicU64,
        pub mapped_at: AtomicU64,
        pub name: [AtomicU64; NAME_WORDS],
        /// Launches by all owners it ever had: what one counted outlives it, however it ends.
        pub launches: AtomicU64,
        pub unwrapped: AtomicU64,
        pub pinned: AtomicU64,
        pub denial: DenialWords,
        /// How many denials the record had seen before its owner took it.
        pub earlier_denials: AtomicU64,
        /// The most units held since the node last looked. Its process raises it, the node lowers it.
        pub peak: AtomicU32,
        pad: AtomicU32,
        /// Where its memory is.
        pub stay: StayWords,
        /// How many launches the record had seen before its owner took it.
        pub earlier_launches: AtomicU64,
        room: AtomicU64,
        /// What is in flight on each engine.
        pub flights: [FlightWords; Engine::COUNT],
    }
}

const _: () = assert!(size_of::<Limits>() == 5 * 4096);
const _: () = assert!(size_of::<Usage>() == 129 * 4096);
const _: () = assert!(size_of::<Entry>() == 512);

impl Usage {
    pub fn entry(&self, record: RecordId) -> &Entry {
        &self.entries[record.index()]
    }
}
