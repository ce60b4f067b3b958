//! One function per function of the driver API, under its C name.
//!
//! Each takes the driver's state, its arguments as safe edge types, and returns the code hardware documents. Forms that
//! differ only in name are names here too; what handle 0 means in a per-thread form is [`crate::default_stream`]'s matter.

/// Contexts and primary contexts.
mod context;
/// Initialisation, versions, errors, look-up.
mod core;
/// Devices.
mod device;

pub use self::core::*;
pub use context::*;
pub use device::*;
