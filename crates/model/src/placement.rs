use std::fmt;

use crate::{Bounds, MilliPercent};

/// The decision for one container: which devices of which node. One slice per device, no device twice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    pub node: String,
    pub slices: Vec<Slice>,
}

/// A part of one device, with every value absolute.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slice {
    /// The device's uuid.
    pub device: String,
    pub memory_mib: Bounds<u64>,
    pub compute: Bounds<MilliPercent>,
    pub encode: Option<MilliPercent>,
    /// Nothing else may be on the device.
    pub exclusive: bool,
}

/// Why an Ask can never fit on a device, even an empty one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Misfit {
    NotSelected,
    Memory {
        wanted_mib: u64,
        device_mib: u64,
    },
    /// More TFLOPS than the device does, or a device whose speed is not known.
    Compute,
    NoEncoder,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::NotSelected => f.write_str("not among the devices selected"),
            Misfit::Memory { wanted_mib, device_mib } => {
                write!(f, "{wanted_mib} MiB wanted of {device_mib} MiB")
            }
            Misfit::Compute => f.write_str("more TFLOPS than the device is known to do"),
            Misfit::NoEncoder => f.write_str("no video encoder"),
        }
    }
}

impl std::error::Error for Misfit {}
