//! The words that the arbiter and the processes of a tenant share, for each engine.
//!
//! All of them are plain numbers that wrap; a difference is read as signed. So whatever stands there, reading it is harmless.

use std::sync::atomic::{AtomicU32, AtomicU64};

use cleave_ledger::shared;

shared! {
    /// What the arbiter says. It alone writes, the tenant only reads.
    #[repr(align(64))]
    #[derive(Default)]
    pub struct TurnWords {
        /// What a process waits on: one more for every order that opens the gate.
        pub seq: AtomicU32,
        /// See [`crate::order`].
        pub(crate) flags: AtomicU32,
        /// How far [`DrawnWords::charged`] may rise.
        pub(crate) allowed: AtomicU64,
        /// Nanoseconds of predicted work a process may have in flight.
        pub(crate) window: AtomicU64,
        /// Until when the arbiter's word holds, and whether it knows of who waits; 0 if there never was an arbiter.
        pub(crate) lease: AtomicU64,
        /// Tells one turn from the next. It changes last.
        pub(crate) turn: AtomicU64,
        /// How often something was let on because the work before it seemed to wait for it.
        pub(crate) let_on: AtomicU64,
        room: [AtomicU64; 2],
    }
}

shared! {
    /// What all processes of a tenant have drawn, ever.
    #[repr(align(64))]
    #[derive(Default)]
    pub struct DrawnWords {
        /// Predicted nanoseconds drawn from the credit.
        pub charged: AtomicU64,
        /// Where there is no arbiter: the moment up to which the tenant's own share is used.
        pub bucket: AtomicU64,
        /// Nanoseconds of work that is done.
        pub gpu_ns: AtomicU64,
        /// Nanoseconds that threads have waited at the gate.
        pub waited_ns: AtomicU64,
        /// Where there is no arbiter: the moment up to which the time of all processes is paid for.
        pub(crate) paid_to: AtomicU64,
        room: [AtomicU64; 3],
    }
}

shared! {
    /// What a process has in flight. It belongs to the process's record and dies with it.
    #[repr(align(64))]
    #[derive(Default)]
    pub struct FlightWords {
        /// Predicted nanoseconds submitted so far.
        pub submitted: AtomicU64,
        /// Predicted nanoseconds known to be done.
        pub retired: AtomicU64,
        /// Commands in flight.
        pub commands: AtomicU32,
        /// Threads that wait at the gate.
        pub waiting: AtomicU32,
        /// When something was last done, or when the first command came after nothing was in flight.
        pub progress_at: AtomicU64,
        room: [AtomicU64; 4],
    }
}

const _: () = assert!(size_of::<TurnWords>() == 64);
const _: () = assert!(size_of::<DrawnWords>() == 64);
const _: () = assert!(size_of::<FlightWords>() == 64);
