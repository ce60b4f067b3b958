//! The node daemon: decides who may use how much of which device of a machine, and keeps the ledger of it.
//!
//! It stands beside the tenants, not in their way: a tenant's process works on its mapped slot alone, and a daemon that dies
//! is followed by one that adopts what it finds on disk.

/// The client's side: connecting, asking, starting a daemon where there is none.
pub mod client;
/// The empty library that stands in the vendor's place.
pub mod dropin;
/// The home folder of a daemon: where it is, what is in it, whom it may belong to.
pub mod home;
/// What clients and the daemon say to each other.
pub mod protocol;
/// The few system calls that the standard library does not have.
#[allow(unsafe_code)]
mod sys_unsafe;

/// A folder for one test.
#[cfg(test)]
mod scratch;

pub use client::Client;
pub use home::Home;
