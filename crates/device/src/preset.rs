//! Setups with a name.

use crate::setup::{Mode, Setup};

/// A row of the table below.
#[derive(Debug)]
pub struct Preset {
    pub name: &'static str,
    /// One line for people.
    pub what: &'static str,
    mode: Mode,
    memory_mib: u64,
    sms: u32,
    capability: (u32, u32),
    clock_mhz: u32,
    context_mib: u64,
    switch_us: u64,
    copy_mb_per_s: u64,
    device: &'static str,
}

/// Time slice of all presets.
const SLICE_NS: u64 = 2_000_000;

/// The presets. Those named after cards have their memory, multiprocessors, clock and link; the compute capability is
/// the nearest the engine executes, which for Hopper is Ampere's.
#[rustfmt::skip]
pub static PRESETS: &[Preset] = &[
    Preset { name: "default", what: "as fast as the processor goes",                mode: Mode::Free,  memory_mib: 4 << 10,  sms: 108, capability: (8, 0), clock_mhz: 1000, context_mib: 8,   switch_us: 0,  copy_mb_per_s: 12_000, device: "Cleave Software GPU" },
    Preset { name: "paced",   what: "a small slow card whose time can be measured", mode: Mode::Paced, memory_mib: 4 << 10,  sms: 4,   capability: (7, 5), clock_mhz: 1,    context_mib: 8,   switch_us: 50, copy_mb_per_s: 500,    device: "Cleave Software GPU (paced)" },
    Preset { name: "t4",      what: "the shape of a T4",                            mode: Mode::Free,  memory_mib: 15 << 10, sms: 40,  capability: (7, 5), clock_mhz: 1590, context_mib: 300, switch_us: 0,  copy_mb_per_s: 12_000, device: "Cleave Software GPU (T4 shape)" },
    Preset { name: "l4",      what: "the shape of an L4",                           mode: Mode::Free,  memory_mib: 23 << 10, sms: 58,  capability: (8, 9), clock_mhz: 2040, context_mib: 400, switch_us: 0,  copy_mb_per_s: 25_000, device: "Cleave Software GPU (L4 shape)" },
    Preset { name: "a10",     what: "the shape of an A10",                          mode: Mode::Free,  memory_mib: 23 << 10, sms: 72,  capability: (8, 6), clock_mhz: 1695, context_mib: 350, switch_us: 0,  copy_mb_per_s: 25_000, device: "Cleave Software GPU (A10 shape)" },
    Preset { name: "a100",    what: "the shape of an A100 40GB",                    mode: Mode::Free,  memory_mib: 40 << 10, sms: 108, capability: (8, 0), clock_mhz: 1410, context_mib: 400, switch_us: 0,  copy_mb_per_s: 25_000, device: "Cleave Software GPU (A100 40GB shape)" },
    Preset { name: "h100",    what: "the shape of an H100 80GB",                    mode: Mode::Free,  memory_mib: 80 << 10, sms: 132, capability: (8, 0), clock_mhz: 1980, context_mib: 500, switch_us: 0,  copy_mb_per_s: 50_000, device: "Cleave Software GPU (H100 80GB shape)" },
];

/// The preset called `name`.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// All names, for messages.
pub fn names() -> String {
    PRESETS.iter().map(|preset| preset.name).collect::<Vec<_>>().join(", ")
}

impl Preset {
    pub fn setup(&self) -> Setup {
        Setup {
            mode: self.mode,
            devices: 1,
            memory: self.memory_mib << 20,
            sms: self.sms,
            capability: self.capability,
            clock_khz: self.clock_mhz * 1000,
            context: self.context_mib << 20,
            slice_ns: SLICE_NS,
            switch_ns: self.switch_us * 1000,
            copy_bytes_per_us: self.copy_mb_per_s,
            name: self.device.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_makes_sense() {
        for preset in PRESETS {
            assert_eq!(preset.setup().check(), Ok(()), "{}", preset.name);
            assert!(preset.name != "private" && !preset.name.contains('/'), "{}", preset.name);
        }
    }
}
