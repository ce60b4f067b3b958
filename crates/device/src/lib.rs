//! The software GPU as the whole machine shares it: a folder with the device's setup, memory, engines and users.
//!
//! No daemon and no lock: every process maps the same files, and every word in them has one writer or changes by
//! compare-exchange, so nobody waits for a process that is stopped or dead. The software GPU is a tool for development and
//! no security boundary: who may use a device can read and damage all of it.

/// How a device appears in its folder, and how it goes again.
mod build;
/// Limits of the chip, by compute capability.
pub mod card;
/// Chunks that several processes hold.
mod chunk_share;
#[cfg(test)]
mod chunk_tests;
/// How a chunk's word is packed.
mod chunk_word;
/// The memory of one device: a word per chunk, and a counter that admits.
pub mod chunks;
/// The device clock.
pub mod clock;
/// What a process asks for: config.toml and variables, checked.
mod config;
/// The driver version that libraries report.
pub mod driver;
/// What processes share of a device's engines.
pub mod engine;
/// Everything that can be wrong with a device, and what to do about it.
mod error;
/// The folder a device lives in.
mod folder;
#[cfg(test)]
mod folder_tests;
/// The first page of the control file.
mod header;
/// Who a device is: name, UUID, PCI address.
pub mod identity;
/// What can be configured, one row per key.
pub mod key;
/// Which struct lies where in the control file.
pub mod layout;
/// The machine's devices, as one process has them open.
mod machine;
/// Taking a record, and recovering those of the dead.
mod member;
/// Where device memory lies.
mod memory_file;
/// Opening devices, and making them.
mod open;
/// Setups with a name.
pub mod preset;
/// Who is on a device.
mod process;
/// All processes' places on one device.
pub mod seats;
/// What a device is like.
mod setup;
/// Sixty-four bytes that name something in any process.
pub mod share_handle;
/// Events that several processes see.
pub mod shared_event;
/// Descriptors that name shared memory and keep it alive.
#[allow(unsafe_code)]
pub mod shares_unsafe;
/// Who may share a device.
mod sharing;
/// Timers that fire when they should.
#[allow(unsafe_code)]
mod slack_unsafe;
/// The few system calls that the standard library does not have.
#[allow(unsafe_code)]
mod sys_unsafe;
/// Turns on GR: who has it and who is next.
pub mod turns;
/// How busy an engine was.
pub mod usage;

pub use config::{Place, Request};
pub use engine::Engine;
pub use error::Error;
pub use folder::Folder;
pub use machine::{Machine, MemoryInfo};
pub use member::Member;
pub use process::{Activity, Process};
pub use setup::{Mode, Setup};
