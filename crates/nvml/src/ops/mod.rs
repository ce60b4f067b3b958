//! One function per function of NVML, under its C name.
//!
//! Each takes the devices, its arguments as safe edge types, and returns the code that NVML documents. Forms that differ
//! only in name are names here too.

/// Clocks, temperature, power.
mod clocks;
/// Identity, topology, modes of a device.
mod device;
/// Event sets.
mod event;
/// PCI and peers.
mod link;
/// Memory.
mod memory;
/// Samples and field values.
mod metrics;
/// Instances of a device, of which it has none.
mod mig;
/// Processes and utilisation.
mod process;
/// Initialisation, versions, whole-system queries.
mod system;
/// S-class units, of which there are none.
mod unit;

pub use clocks::*;
pub use device::*;
pub use event::*;
pub use link::*;
pub use memory::*;
pub use metrics::*;
pub use mig::*;
pub use process::*;
pub use system::*;
pub use unit::*;
