//! The ruler: the modelled time of a GPU. Pure: the clock is an argument, nothing sleeps, nothing is shared, and all times are integers
//! of nanoseconds, so that the same input gives the same times on every machine.
//!
//! What is modelled and what is not: `docs/decisions/0006-modelled-time.md`.
#![forbid(unsafe_code)]

/// What a modelled device is made of.
mod card;
/// The block dispatcher: which block starts when, and on which multiprocessor.
mod chip;
/// The device clock as a function of monotonic time.
pub mod clock;
/// Copy engines, booked in pieces.
pub mod copies;
/// A device with several contexts in virtual time.
mod sim;
/// Multiprocessors and what is free on them.
mod sm;
/// Turns of processes on an engine.
pub mod turns;

pub use card::{CLASSES, Card, Shape};
pub use chip::{Chip, KernelId, Start};
pub use sim::{Context, Report, Sim, Span, Stream, Work};
