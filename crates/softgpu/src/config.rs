//! Settings, read once from the environment when the driver is initialised.

use std::env;
use std::ops::RangeInclusive;

use crate::memory::layout::{MAX_DEVICES, MAX_MEMORY};
use crate::memory::map_unsafe::CHUNK;

/// What the machine's devices are like and which of them this process sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Devices of the machine (`CLEAVE_SOFTGPU_DEVICES`).
    pub devices: usize,
    /// Bytes of memory of each (`CLEAVE_SOFTGPU_MEMORY`, with a suffix K, M or G).
    pub memory: u64,
    /// Worker threads that execute kernels (`CLEAVE_SOFTGPU_WORKERS`).
    pub workers: usize,
    /// Seed of the hostile scheduler (`CLEAVE_SOFTGPU_ADVERSARY`).
    pub adversarial: Option<u64>,
    /// `CUDA_VISIBLE_DEVICES`, as it is.
    pub visible: Option<String>,
    /// `CUDA_LAUNCH_BLOCKING`: every launch waits for its end.
    pub launch_blocking: bool,
}

const DEFAULT_MEMORY: u64 = 4 << 30;
const DRIVER_VERSION: &str = "CLEAVE_SOFTGPU_DRIVER_VERSION";

/// The value of a setting in the environment.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The driver version to report. Asked before initialisation, so apart from the rest, which refuses nonsense.
pub fn driver_version() -> u32 {
    const NEWEST: u64 = 13040;
    let version = version(&|name| env::var(name).ok()).ok().flatten().unwrap_or(NEWEST);
    u32::try_from(version).unwrap_or(u32::MAX)
}

fn version(lookup: Lookup) -> Result<Option<u64>, String> {
    setting(lookup, DRIVER_VERSION, 2000..=99_990)
}

impl Config {
    /// Reads the settings; a value that makes no sense is refused, with a sentence that says what would.
    pub fn from_env() -> Result<Config, String> {
        Config::read(&|name| env::var(name).ok())
    }

    fn read(lookup: Lookup) -> Result<Config, String> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let count = |name, default: usize, most: usize| {
            setting(lookup, name, 1..=most as u64).map(|n| n.map_or(default, |n| n as usize))
        };
        version(lookup)?;
        Ok(Config {
            devices: count("CLEAVE_SOFTGPU_DEVICES", 1, MAX_DEVICES)?,
            memory: setting(lookup, "CLEAVE_SOFTGPU_MEMORY", CHUNK..=MAX_MEMORY)?
                .unwrap_or(DEFAULT_MEMORY)
                .next_multiple_of(CHUNK),
            workers: count("CLEAVE_SOFTGPU_WORKERS", cores, 1024)?,
            adversarial: setting(lookup, "CLEAVE_SOFTGPU_ADVERSARY", 0..=u64::MAX)?,
            visible: lookup("CUDA_VISIBLE_DEVICES"),
            launch_blocking: lookup("CUDA_LAUNCH_BLOCKING").is_some_and(|v| v != "0" && !v.is_empty()),
        })
    }
}

/// A setting that is a number in a range; `None` if it is not set.
fn setting(lookup: Lookup, name: &str, allowed: RangeInclusive<u64>) -> Result<Option<u64>, String> {
    let Some(text) = lookup(name) else { return Ok(None) };
    match parse_size(&text).filter(|n| allowed.contains(n)) {
        Some(number) => Ok(Some(number)),
        None => Err(format!("{name}={text} makes no sense: give {} to {}", allowed.start(), allowed.end())),
    }
}

/// A number with an optional binary suffix: `4G`, `512M`, `65536`.
fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, unit) = match text.char_indices().last()? {
        (at, 'k' | 'K') => (&text[..at], 1 << 10),
        (at, 'm' | 'M') => (&text[..at], 1 << 20),
        (at, 'g' | 'G') => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    digits.trim().parse::<u64>().ok()?.checked_mul(unit)
}

/// Which devices `CUDA_VISIBLE_DEVICES` leaves, in its order: indices, or UUIDs by a unique prefix. The list ends at
/// the first entry that names no device; naming one twice leaves none.
pub fn visible(list: &str, uuids: &[String]) -> Vec<usize> {
    let mut seen = Vec::new();
    for entry in list.split(',') {
        let Some(ordinal) = find(entry.trim(), uuids) else { break };
        if seen.contains(&ordinal) {
            return Vec::new();
        }
        seen.push(ordinal);
    }
    seen
}

fn find(entry: &str, uuids: &[String]) -> Option<usize> {
    if let Some(prefix) =
        entry.get(..4).filter(|p| p.eq_ignore_ascii_case("GPU-")).map(|_| entry.to_ascii_lowercase())
    {
        let mut matching =
            uuids.iter().enumerate().filter(|(_, uuid)| uuid.to_ascii_lowercase().starts_with(&prefix));
        let (ordinal, _) = matching.next()?;
        return matching.next().is_none().then_some(ordinal);
    }
    // As strtol reads it: digits up to the first other character.
    let digits = entry.split(|c: char| !c.is_ascii_digit()).next().filter(|d| !d.is_empty())?;
    digits.parse().ok().filter(|&n: &usize| n < uuids.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_devices() {
        let uuids: Vec<String> = ["GPU-aa11", "GPU-aa22", "GPU-bb33"].map(String::from).to_vec();
        let see = |list| visible(list, &uuids);
        assert_eq!(see("0"), [0]);
        assert_eq!(see("2,0"), [2, 0]);
        assert_eq!(see(" 1 , 2"), [1, 2]);
        assert_eq!(see("0,7,1"), [0], "stops at the first invalid entry");
        assert_eq!(see("-1"), []);
        assert_eq!(see(""), []);
        assert_eq!(see("NoDevFiles"), []);
        assert_eq!(see("0,0"), [], "a device named twice hides all");
        assert_eq!(see("GPU-bb"), [2]);
        assert_eq!(see("gpu-AA22,0"), [1, 0]);
        assert_eq!(see("GPU-aa"), [], "a prefix must be unique");
        assert_eq!(see("GPU-cc,0"), []);
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("4G"), Some(4 << 30));
        assert_eq!(parse_size("512m"), Some(512 << 20));
        assert_eq!(parse_size("123"), Some(123));
        assert_eq!(parse_size("many"), None);
        assert_eq!(parse_size(""), None);
        assert_eq!(parse_size("99999999999G"), None);
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        let read = |name: &'static str, value: &'static str| {
            Config::read(&|asked| (asked == name).then(|| value.to_string()))
        };
        assert_eq!(read("CLEAVE_SOFTGPU_DEVICES", "2").map(|c| c.devices), Ok(2));
        assert_eq!(read("CLEAVE_SOFTGPU_MEMORY", "1G").map(|c| c.memory), Ok(1 << 30));
        for (name, value) in [
            ("CLEAVE_SOFTGPU_DEVICES", "0"),
            ("CLEAVE_SOFTGPU_DEVICES", "two"),
            ("CLEAVE_SOFTGPU_MEMORY", "1k"),
            ("CLEAVE_SOFTGPU_MEMORY", "9999999G"),
            ("CLEAVE_SOFTGPU_WORKERS", "-1"),
            ("CLEAVE_SOFTGPU_DRIVER_VERSION", "12"),
        ] {
            let error = read(name, value).expect_err("nonsense");
            assert!(error.contains(name) && error.contains(value), "{error}");
        }
    }
}
