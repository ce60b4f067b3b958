//! The gate of a device engine, inside a tenant's process: commands pass it while the tenant is on turn.
//!
//! The arbiter of the device gives credit through shared words; every command draws its predicted GPU time from it. The gate
//! learns those times, bounds what is in flight, and follows completions. It never blocks and never sleeps: who may not pass is
//! told what to wait for. Time and device are arguments, so that the same gate runs in a tenant and in a simulation.

/// Commands that are followed together.
mod batch;
/// The tenant's own share, for when there is no arbiter.
mod bucket;
/// By which law a command is judged, and what is drawn for it.
mod credit;
/// What a gate needs of the device.
mod device;
/// What a device is made of, as far as turns go.
mod engine;
/// What a command is let pass for.
mod fare;
/// What a tenant has in flight, as the arbiter sees it.
mod flight;
/// Following what was submitted.
mod follow;
/// Who passes, who waits and for what.
mod gate;
/// What a gate knows behind its lock.
mod inner;
/// What commands pass for and are measured for, side by side.
mod judge;
/// When what is in flight is expected to end.
mod lanes;
/// The open batch, as threads that pass it see it.
mod open;
/// What the arbiter says, and how a process reads it.
mod order;
/// Whether the arbiter is still there.
mod silence;
/// How long commands take.
mod times;
/// A thread that asks.
mod waiter;
/// How many commands of a kind run side by side.
mod wide;
/// The words that arbiter and processes share.
mod words;

pub use device::{Command, Device};
pub use engine::Engine;
pub use flight::Flight;
pub use follow::{Before, Polled, Waited};
pub use gate::{Answer, Gate, Ticket, Wait, Why, Words};
pub use order::Order;
pub use waiter::Waiter;
pub use words::{DrawnWords, FlightWords, TurnWords};
