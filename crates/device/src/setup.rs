//! What a device is like. Fixed when it is created, the same for every process that finds it.

use crate::chunks::CHUNK;
use crate::key::KEYS;

/// How time passes on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// As fast as the processor goes.
    Free,
    /// As a modelled device takes.
    Paced,
}

/// A checked description of a machine's devices, which are all alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    pub mode: Mode,
    pub devices: usize,
    /// Bytes of each device: whole chunks.
    pub memory: u64,
    pub sms: u32,
    pub capability: (u32, u32),
    pub clock_khz: u32,
    /// Bytes a context costs: whole chunks.
    pub context: u64,
    pub slice_ns: u64,
    pub switch_ns: u64,
    pub copy_bytes_per_us: u64,
    /// What a program is told the device is called.
    pub name: String,
}

/// What the engine executes, as compilers know it. Later ones have instructions that it refuses.
pub const CAPABILITIES: &[(u32, u32)] = &[(7, 0), (7, 5), (8, 0), (8, 6), (8, 9)];

/// Longest name, so that it fits the driver API's and NVML's buffers.
pub const MAX_NAME: usize = 63;

impl Setup {
    /// Chunks of one device.
    pub fn chunks(&self) -> usize {
        (self.memory / CHUNK) as usize
    }

    /// Bytes of the file with all devices' memory.
    pub fn memory_file_len(&self) -> u64 {
        self.memory * self.devices as u64
    }

    /// What no single key can tell: whether the figures go together.
    pub fn check(&self) -> Result<(), String> {
        check_name(&self.name)?;
        if self.context >= self.memory {
            let (context, memory) = (show("context", self), show("memory", self));
            return Err(format!(
                "a context of {context} does not fit a device of {memory}: give less context or more memory"
            ));
        }
        if self.switch_ns > self.slice_ns {
            let (switch, slice) = (show("switch", self), show("slice", self));
            return Err(format!(
                "a switch of {switch} is longer than a slice of {slice}: give a shorter switch or a longer slice"
            ));
        }
        Ok(())
    }
}

/// A name is one line of printable ASCII.
pub fn check_name(name: &str) -> Result<(), String> {
    let fine = (1..=MAX_NAME).contains(&name.len())
        && name.bytes().all(|b| (b' '..=b'~').contains(&b))
        && name.trim() == name;
    if fine { Ok(()) } else { Err(format!("give 1 to {MAX_NAME} printable ASCII characters")) }
}

fn show(name: &str, setup: &Setup) -> String {
    KEYS.iter().find(|key| key.name == name).map_or_else(String::new, |key| key.show(setup))
}

#[cfg(test)]
mod tests {
    use crate::preset::PRESETS;

    #[test]
    fn figures_must_go_together() {
        let mut setup = PRESETS[0].setup();
        assert_eq!(setup.check(), Ok(()));
        setup.context = setup.memory;
        assert!(setup.check().unwrap_err().contains("4G does not fit a device of 4G"));
        setup = PRESETS[0].setup();
        setup.switch_ns = 3_000_000;
        assert!(setup.check().unwrap_err().contains("3ms is longer than a slice of 2ms"));
        for name in ["", " x", "a\nb", "é", &"x".repeat(64)] {
            setup = PRESETS[0].setup();
            setup.name = name.into();
            assert!(setup.check().is_err(), "{name:?}");
        }
    }
}
