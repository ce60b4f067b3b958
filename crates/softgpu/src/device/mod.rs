//! The devices a process sees: what they are called, what they have, what they can.

/// Answers of cuDeviceGetAttribute.
mod attributes;

pub use attributes::attribute;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::context::Context;
use crate::memory::space::Space;

/// Compute capability all devices report. It steers what compilers emit: 8.0 has mma, cp.async and ldmatrix, but neither
/// fp8 nor wgmma.
pub const CAPABILITY: (u32, u32) = (8, 0);

/// Limits of the modelled chip.
pub mod limits {
    pub const WARP: u32 = 32;
    pub const SMS: u32 = 108;
    pub const THREADS_PER_BLOCK: u32 = 1024;
    pub const BLOCK: [u32; 3] = [1024, 1024, 64];
    pub const GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];
    pub const THREADS_PER_SM: u32 = 2048;
    pub const BLOCKS_PER_SM: u32 = 32;
    pub const REGISTERS_PER_SM: u32 = 65536;
    pub const SHARED_PER_BLOCK: u32 = 48 << 10;
    /// What a kernel may have after asking for more by attribute.
    pub const SHARED_PER_BLOCK_OPTIN: u32 = 163 << 10;
    pub const SHARED_PER_SM: u32 = 164 << 10;
    /// Taken from each block's share by the system.
    pub const SHARED_RESERVED: u32 = 1 << 10;
    pub const CONSTANT: u32 = 64 << 10;
    /// Bytes of a kernel's parameters.
    pub const PARAMETERS: u32 = 32_764;
    pub const PITCH: u64 = 512;
    pub const MAX_PITCH: u64 = i32::MAX as u64;
    pub const CLOCK_KHZ: u32 = 1_000_000;
}

/// One device as this process numbers it.
pub struct Device {
    /// Its number on the machine, whatever the process is shown.
    pub machine_ordinal: usize,
    pub uuid: [u8; 16],
    pub space: Arc<Space>,
    primary: Mutex<Primary>,
}

/// The context that the runtime and its users share.
#[derive(Default)]
pub struct Primary {
    pub context: Option<Arc<Context>>,
    pub users: u32,
    pub flags: u32,
}

impl Device {
    pub fn new(machine_ordinal: usize, space: Arc<Space>) -> Device {
        Device { machine_ordinal, uuid: uuid(machine_ordinal), space, primary: Mutex::default() }
    }

    pub fn name(&self) -> &'static str {
        "Cleave Software GPU"
    }

    /// PCI domain, bus and device number.
    pub fn pci(&self) -> (u32, u32, u32) {
        (0, 1 + self.machine_ordinal as u32, 0)
    }

    pub fn pci_text(&self) -> String {
        let (domain, bus, device) = self.pci();
        format!("{domain:04x}:{bus:02x}:{device:02x}.0")
    }

    pub fn primary(&self) -> MutexGuard<'_, Primary> {
        self.primary.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The same device has the same UUID in every process and after every start.
pub fn uuid(machine_ordinal: usize) -> [u8; 16] {
    let mut uuid = *b"\xc1\xea\x7e\x50\xf7\x69\x4b\x0a\x9d\x3e\x52\x1b\x86\x04\x6f\x00";
    uuid[0] = uuid[0].wrapping_add(machine_ordinal as u8);
    uuid[15] = machine_ordinal as u8;
    uuid
}

/// `GPU-` and the usual groups of hexadecimal digits.
pub fn uuid_text(uuid: &[u8; 16]) -> String {
    let hex: String = uuid.iter().map(|b| format!("{b:02x}")).collect();
    format!("GPU-{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_differ_early_and_look_right() {
        assert_eq!(uuid_text(&uuid(0)), "GPU-c1ea7e50-f769-4b0a-9d3e-521b86046f00");
        assert_ne!(uuid_text(&uuid(0))[..6], uuid_text(&uuid(1))[..6]);
    }
}
