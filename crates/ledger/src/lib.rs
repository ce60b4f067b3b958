//! Records of processes, death tokens and detectable counters in shared pages: what several processes write and any of them
//! may die over.
//!
//! The rules every part keeps: no lock that a stopped or killed process could hold (a token is never waited for), every word
//! has one writer or changes by compare-exchange, and whatever a dead process left half done is finished in its name, once.

/// A number that tells a process from the one it was forked from.
#[allow(unsafe_code)]
mod birth_unsafe;
/// The step machines that change a counter and recover a dead holder: one shared access per step, over any memory.
mod change;
/// The monotonic clock of the initial time namespace: one time for all containers of a machine.
pub mod clock;
/// The counter several processes charge, and the account each of them keeps.
mod counter;
/// Waiting for a word in a shared page to change.
pub mod futex;
/// Memory several processes map, seen as structs of atomics.
#[allow(unsafe_code)]
mod pages_unsafe;
/// Numbers of records, and the word that says whether one is taken.
mod record;
/// The system calls behind clock, futex and tokens.
#[allow(unsafe_code)]
mod sys_unsafe;
/// Death tokens: locks the kernel drops when their holder dies.
mod tokens;
/// How the counter's words are packed.
mod words;

pub use birth_unsafe::birth;
pub use counter::{Account, Book, Counter, Denied, wait_for};
pub use pages_unsafe::{Mapped, Pages, Shared};
pub use record::{Record, RecordId, RecordWord, State};
pub use tokens::Tokens;
