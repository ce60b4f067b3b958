//! The node daemon: decides who may use how much of which device of a machine, and keeps the ledger of it.
//!
//! It stands beside the tenants, not in their way: a tenant's process works on its mapped slot alone, and a daemon that dies
//! is followed by one that adopts what it finds on disk.

/// Amounts of memory as people write and read them.
pub mod amount;
/// Turns: who may use an engine, and for how long.
mod arbiter;
/// The decision: which devices a tenant gets, and how much of each.
mod book;
/// Devices as their driver shows them to the daemon.
mod card;
/// What is wrong on this machine, as far as the daemon sees it.
mod check;
/// The client's side: connecting, asking, starting a daemon where there is none.
pub mod client;
/// What the daemon is told: a TOML file, and what its command line adds.
mod config;
/// A process that outlives whoever started it.
#[allow(unsafe_code)]
mod detach_unsafe;
/// The drivers of a machine: the vendor's, the software GPU.
mod drivers;
/// The empty library that stands in the vendor's place.
pub mod dropin;
/// Whose memory is on a device when not all that is granted fits.
mod floor;
/// The home folder of a daemon: where it is, what is in it, whom it may belong to.
pub mod home;
/// How long a tenant lasts.
mod lifetime;
/// The numbers of the status document for Prometheus.
mod metrics;
/// The daemon's state, and what can be done to it.
mod node;
/// A driver's NVML, loaded at run time.
#[allow(unsafe_code)]
mod nvml_unsafe;
/// How a tenant's share of compute is kept.
pub mod policy;
/// What clients and the daemon say to each other.
pub mod protocol;
/// Who waits for room, first come first served.
mod queue;
/// What only the driver knows, held against what the tenants' processes charged.
mod reconcile;
/// The daemon's life: one per home.
mod serve;
/// The daemon's socket.
mod server;
/// Tenants on disk.
mod store;
/// The few system calls that the standard library does not have.
#[allow(unsafe_code)]
mod sys_unsafe;
/// A tenant in the daemon's hands.
mod tenant;

/// A folder for one test.
#[cfg(test)]
mod scratch;

pub use client::Client;
pub use config::Config;
pub use home::Home;
pub use serve::{embed, serve};
/// For the fuzz targets alone.
#[cfg(feature = "fuzzing")]
pub use server::fuzzing::Machine;
