//! NVML (`libnvidia-ml.so.1`) for the software GPU: what monitors show is read from the device that all processes share.
//!
//! A call goes one way: [`exports_unsafe`] (C symbols) → [`dispatch`] (initialised? implemented?) → `ops` (one function per
//! NVML function, named like it) → [`gpu`], a device as NVML sees it. Rows of `cleave-api` derive the first two. The library
//! is only ever a reader: it takes no record, holds no lock, and cleans up after nobody.

#![allow(non_snake_case, non_upper_case_globals)]

/// `impl Nvml`, derived from the rows.
pub mod dispatch;
/// Arguments as NVML's conventions want them filled.
mod edge;
/// Sets of events.
mod event_sets;
/// C symbols, derived from the rows.
#[allow(unsafe_code)]
pub mod exports_unsafe;
/// A device as NVML sees it.
mod gpu;
/// Power and temperature, derived from load.
mod heat;
/// Who lives.
mod living;
/// One event, one line.
mod log;
/// CPUs and memory nodes of the machine.
mod near;
/// One function per function of NVML.
mod ops;
/// PCI addresses as text.
mod pci;
/// Functions of the private table about PCI addresses.
#[allow(unsafe_code)]
mod private_pci_unsafe;
/// The private table that nvidia-smi asks for.
#[allow(unsafe_code)]
mod private_table_unsafe;
/// What the operating system knows about a process.
mod proc;
/// Percents as samples.
mod shares;
/// Whether the library is initialised in this process.
mod state;
/// Which driver this seems to be.
mod version;
