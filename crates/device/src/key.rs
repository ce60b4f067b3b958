//! What can be configured: one row per key, read the same way from a file, a variable and a device's header.

use std::ops::RangeInclusive;

use crate::chunks::CHUNK;
use crate::layout::MAX_DEVICES;
use crate::setup::{CAPABILITIES, Mode, Setup};

/// One thing that can be configured and that is a number.
pub struct Key {
    /// In config.toml; the variable is `CLEAVE_SOFTGPU_` and the same in capitals.
    pub name: &'static str,
    pub meaning: &'static str,
    pub unit: Unit,
    allowed: RangeInclusive<u64>,
    pub get: fn(&Setup) -> u64,
    pub set: fn(&mut Setup, u64),
}

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Count,
    /// Bytes: `4G`, `512M`, `65536`.
    Bytes,
    /// Nanoseconds: `2ms`, `50us`.
    Time,
    /// Kilohertz: `1410MHz`.
    Clock,
    /// Bytes per microsecond: `12GB/s`.
    Rate,
    /// Ten times the major number and the minor: `8.0`.
    Capability,
    /// `free` or `paced`.
    Mode,
}

/// Most memory of one device: half of the window of addresses it has in a process.
pub const MAX_MEMORY: u64 = 256 << 30;

pub static KEYS: &[Key] = &[
    Key {
        name: "mode",
        meaning: "`free` runs as fast as the processor does, `paced` takes a modelled device's time",
        unit: Unit::Mode,
        allowed: 0..=1,
        get: |setup| u64::from(setup.mode == Mode::Paced),
        set: |setup, value| setup.mode = if value == 0 { Mode::Free } else { Mode::Paced },
    },
    Key {
        name: "devices",
        meaning: "number of devices",
        unit: Unit::Count,
        allowed: 1..=MAX_DEVICES as u64,
        get: |setup| setup.devices as u64,
        set: |setup, value| setup.devices = value as usize,
    },
    Key {
        name: "memory",
        meaning: "memory of each device",
        unit: Unit::Bytes,
        allowed: CHUNK..=MAX_MEMORY,
        get: |setup| setup.memory,
        set: |setup, value| setup.memory = value.next_multiple_of(CHUNK),
    },
    Key {
        name: "sms",
        meaning: "multiprocessors of each device",
        unit: Unit::Count,
        allowed: 1..=256,
        get: |setup| u64::from(setup.sms),
        set: |setup, value| setup.sms = value as u32,
    },
    Key {
        name: "capability",
        meaning: "compute capability, which steers what compilers emit",
        unit: Unit::Capability,
        allowed: 0..=u64::MAX,
        get: |setup| u64::from(setup.capability.0 * 10 + setup.capability.1),
        set: |setup, value| setup.capability = (value as u32 / 10, value as u32 % 10),
    },
    Key {
        name: "clock",
        meaning: "clock of the multiprocessors",
        unit: Unit::Clock,
        allowed: 1_000..=10_000_000,
        get: |setup| u64::from(setup.clock_khz),
        set: |setup, value| setup.clock_khz = value as u32,
    },
    Key {
        name: "context",
        meaning: "memory that a context takes and no allocation shows",
        unit: Unit::Bytes,
        allowed: 0..=MAX_MEMORY,
        get: |setup| setup.context,
        set: |setup, value| setup.context = value.next_multiple_of(CHUNK),
    },
    Key {
        name: "slice",
        meaning: "time a process keeps the device while others wait",
        unit: Unit::Time,
        allowed: 100_000..=1_000_000_000,
        get: |setup| setup.slice_ns,
        set: |setup, value| setup.slice_ns = value,
    },
    Key {
        name: "switch",
        meaning: "time it takes to change from one process to another",
        unit: Unit::Time,
        allowed: 0..=1_000_000_000,
        get: |setup| setup.switch_ns,
        set: |setup, value| setup.switch_ns = value,
    },
    Key {
        name: "copy",
        meaning: "bandwidth of each copy engine",
        unit: Unit::Rate,
        allowed: 1..=1_000_000,
        get: |setup| setup.copy_bytes_per_us,
        set: |setup, value| setup.copy_bytes_per_us = value,
    },
];

impl Key {
    pub fn variable(&self) -> String {
        variable(self.name)
    }

    /// Reads a value, or says which would make sense.
    pub fn read(&self, text: &str) -> Result<u64, String> {
        self.unit.parse(text).filter(|value| self.allows(*value)).ok_or_else(|| self.wanted())
    }

    pub fn show(&self, setup: &Setup) -> String {
        self.unit.show((self.get)(setup))
    }

    fn allows(&self, value: u64) -> bool {
        match self.unit {
            Unit::Capability => {
                CAPABILITIES.iter().any(|&(major, minor)| u64::from(major * 10 + minor) == value)
            }
            _ => self.allowed.contains(&value),
        }
    }

    fn wanted(&self) -> String {
        match self.unit {
            Unit::Mode => "give free or paced".into(),
            Unit::Capability => {
                let known: Vec<String> =
                    CAPABILITIES.iter().map(|(major, minor)| format!("{major}.{minor}")).collect();
                format!("give one of {}", known.join(", "))
            }
            unit => {
                format!("give {} to {}", unit.show(*self.allowed.start()), unit.show(*self.allowed.end()))
            }
        }
    }
}

/// The variable that sets the key `name`.
pub fn variable(name: &str) -> String {
    format!("CLEAVE_SOFTGPU_{}", name.to_ascii_uppercase())
}

/// Suffixes of each unit, largest first, with what they stand for.
const BYTES: &[(&str, u64)] = &[("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10), ("", 1)];
const TIME: &[(&str, u64)] = &[("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];
const CLOCK: &[(&str, u64)] = &[("GHz", 1_000_000), ("MHz", 1_000), ("kHz", 1)];
const RATE: &[(&str, u64)] = &[("TB/s", 1_000_000), ("GB/s", 1_000), ("MB/s", 1)];

impl Unit {
    /// The number that a text means in this unit.
    pub fn parse(self, text: &str) -> Option<u64> {
        let text = text.trim();
        match self {
            Unit::Count => digits(text),
            Unit::Bytes => scaled(text.trim_end_matches(['B', 'b']).trim_end_matches('i'), BYTES),
            Unit::Time => scaled(text, TIME),
            Unit::Clock => scaled(text, CLOCK),
            Unit::Rate => scaled(text, RATE),
            Unit::Capability => {
                let (major, minor) = text.split_once('.')?;
                let (major, minor) = (digits(major)?, digits(minor)?);
                (minor < 10 && major < 100).then_some(major * 10 + minor)
            }
            Unit::Mode => match text {
                "free" => Some(0),
                "paced" => Some(1),
                _ => None,
            },
        }
    }

    /// The shortest text that means the number.
    pub fn show(self, value: u64) -> String {
        match self {
            Unit::Count => value.to_string(),
            Unit::Bytes => unscaled(value, BYTES),
            Unit::Time => unscaled(value, TIME),
            Unit::Clock => unscaled(value, CLOCK),
            Unit::Rate => unscaled(value, RATE),
            Unit::Capability => format!("{}.{}", value / 10, value % 10),
            Unit::Mode => if value == 0 { "free" } else { "paced" }.into(),
        }
    }
}

fn digits(text: &str) -> Option<u64> {
    // `parse` alone would take a sign.
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Digits and a suffix. Zero needs none.
fn scaled(text: &str, suffixes: &[(&str, u64)]) -> Option<u64> {
    if text == "0" {
        return Some(0);
    }
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, suffix) = text.split_at(split);
    let suffix = suffix.trim();
    let (_, scale) = suffixes.iter().find(|(name, _)| name.eq_ignore_ascii_case(suffix))?;
    digits(number)?.checked_mul(*scale)
}

fn unscaled(value: u64, suffixes: &[(&str, u64)]) -> String {
    let fits = suffixes.iter().find(|(_, scale)| value != 0 && value.is_multiple_of(*scale));
    fits.map_or_else(|| value.to_string(), |(suffix, scale)| format!("{}{suffix}", value / scale))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset::PRESETS;

    #[test]
    fn every_figure_of_every_preset_reads_back_from_what_is_shown() {
        for preset in PRESETS {
            let setup = preset.setup();
            for key in KEYS {
                let text = key.show(&setup);
                assert_eq!(key.read(&text), Ok((key.get)(&setup)), "{} {} {text}", preset.name, key.name);
            }
        }
    }

    #[test]
    fn numbers_are_written_as_people_write_them() {
        for (unit, text, value) in [
            (Unit::Bytes, "4G", 4 << 30),
            (Unit::Bytes, "512m", 512 << 20),
            (Unit::Bytes, "1GiB", 1 << 30),
            (Unit::Bytes, "123", 123),
            (Unit::Time, "2ms", 2_000_000),
            (Unit::Time, "50 us", 50_000),
            (Unit::Time, "0", 0),
            (Unit::Clock, "1410MHz", 1_410_000),
            (Unit::Rate, "12GB/s", 12_000),
            (Unit::Capability, "8.6", 86),
            (Unit::Mode, "paced", 1),
        ] {
            assert_eq!(unit.parse(text), Some(value), "{text}");
        }
        assert_eq!(Unit::Bytes.show(1536 << 20), "1536M");
        assert_eq!(Unit::Time.show(50_000), "50us");
    }

    #[test]
    fn nonsense_is_refused_for_every_key() {
        for key in KEYS {
            for text in [
                "",
                " ",
                "-1",
                "+1",
                "many",
                "1e9",
                "99999999999999999999",
                "18446744073709551615G",
                "4Q",
                "8",
                "1.2.3",
                "\u{b2}",
            ] {
                let takes_eight = key.unit == Unit::Count || key.name == "context";
                let fine = text == "8" && takes_eight;
                assert_eq!(key.read(text).is_ok(), fine, "{} = {text:?}", key.name);
            }
            assert!(key.read("nonsense").unwrap_err().starts_with("give "), "{}", key.name);
        }
    }
}
