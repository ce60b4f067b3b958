//! Limits of the chip, by compute capability: what libcuda reports, what the engine keeps to, what the model reckons with.

use crate::setup::Setup;

pub const WARP: u32 = 32;
pub const THREADS_PER_BLOCK: u32 = 1024;
pub const BLOCK: [u32; 3] = [1024, 1024, 64];
pub const GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];
pub const REGISTERS_PER_SM: u32 = 65536;
pub const SHARED_PER_BLOCK: u32 = 48 << 10;
pub const CONSTANT: u32 = 64 << 10;
/// Bytes of a kernel's parameters.
pub const PARAMETERS: u32 = 32_764;
pub const PITCH: u64 = 512;
pub const MAX_PITCH: u64 = i32::MAX as u64;

/// What differs from one compute capability to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub threads_per_sm: u32,
    pub blocks_per_sm: u32,
    pub shared_per_sm: u32,
    /// Shared memory a block may have after asking for more by attribute.
    pub shared_per_block_optin: u32,
    /// Taken from each block's share by the system.
    pub shared_reserved: u32,
}

/// The limits that compute capability `capability` has.
pub fn limits(capability: (u32, u32)) -> Limits {
    let (threads_per_sm, blocks_per_sm, shared_kib, reserved_kib) = match capability {
        (7, 0) => (2048, 32, 96, 0),
        (7, _) => (1024, 16, 64, 0),
        (8, 6) => (1536, 16, 100, 1),
        (8, 9) => (1536, 24, 100, 1),
        _ => (2048, 32, 164, 1),
    };
    Limits {
        threads_per_sm,
        blocks_per_sm,
        shared_per_sm: shared_kib << 10,
        shared_per_block_optin: (shared_kib - reserved_kib) << 10,
        shared_reserved: reserved_kib << 10,
    }
}

impl Setup {
    pub fn limits(&self) -> Limits {
        limits(self.capability)
    }

    /// The device as the model of its time sees it.
    pub fn card(&self) -> cleave_pace::Card {
        let limits = self.limits();
        cleave_pace::Card {
            sms: self.sms,
            clock_khz: self.clock_khz,
            threads_per_sm: limits.threads_per_sm,
            blocks_per_sm: limits.blocks_per_sm,
            registers_per_sm: REGISTERS_PER_SM,
            shared_per_sm: limits.shared_per_sm,
            slice_ns: self.slice_ns,
            switch_ns: self.switch_ns,
            copy_bytes_per_us: self.copy_bytes_per_us,
            ..match self.mode {
                crate::Mode::Free => cleave_pace::Card::default(),
                crate::Mode::Paced => cleave_pace::Card::paced(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::preset::preset;

    #[test]
    fn the_paced_preset_is_the_card_the_model_was_calibrated_for() {
        let setup = preset("paced").expect("a preset").setup();
        assert_eq!(setup.card(), cleave_pace::Card::paced());
    }
}
