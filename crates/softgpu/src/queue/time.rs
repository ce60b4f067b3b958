//! The device's time, as far as commands care.
//!
//! In free mode a command is done when it has run. In paced mode commands carry *modelled* times: a command is **retired** when it has been emulated,
//! and what follows it on the device goes on from there; it is **done**, for the host, when the device's clock has reached its end.

use cleave_device::engine::Engine;

/// Time on one device, in nanoseconds since it was made.
pub trait Time: Send + Sync {
    /// Whether commands have modelled times.
    fn is_modelled(&self) -> bool;

    fn now(&self) -> u64;

    /// Whether the clock shows `at` or more.
    fn reached(&self, at: u64) -> bool;

    /// Blocks until it does.
    fn sleep_until(&self, at: u64);

    /// Whether a copy of so many bytes, free to start at `ready`, is over so soon that no other thread need be bothered.
    fn is_short(&self, bytes: u64, ready: u64) -> bool;

    /// A copy whose bytes were moved from `began` until now, and which could start at `ready`: when it ends. May block until the engine is free.
    fn copied(&self, engine: Engine, bytes: u64, ready: u64, began: u64) -> u64;
}
