//! The gate of a device engine, inside a tenant's process: commands pass it while the tenant is on turn.
//!
//! The arbiter of the device gives credit through shared words; every command draws its predicted GPU time from it. The gate
//! learns those times, bounds what is in flight, and follows completions. It never blocks and never sleeps: who may not pass is
//! told what to wait for. Time and device are arguments, so that the same gate runs in a tenant and in a simulation.

/// What a device is made of, as far as turns go.
mod engine;
/// What a tenant has in flight, as the arbiter sees it.
mod flight;
/// What the arbiter says, and how a process reads it.
mod order;
/// The words that arbiter and processes share.
mod words;

pub use engine::Engine;
pub use flight::Flight;
pub use order::Order;
pub use words::{DrawnWords, FlightWords, TurnWords};
