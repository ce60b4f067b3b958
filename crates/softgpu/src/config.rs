//! Settings, read once from the environment when the driver is initialised.

use std::env;

use crate::memory::layout::MAX_DEVICES;
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

/// The driver version to report (`CLEAVE_SOFTGPU_DRIVER_VERSION`). Asked before initialisation, so apart from the rest.
pub fn driver_version() -> u32 {
    const NEWEST: u32 = 13000;
    number("CLEAVE_SOFTGPU_DRIVER_VERSION")
        .and_then(|n| u32::try_from(n).ok())
        .filter(|&n| n >= 2000)
        .unwrap_or(NEWEST)
}

impl Config {
    pub fn from_env() -> Config {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let count = |name, default, most| {
            number(name).and_then(|n| usize::try_from(n).ok()).filter(|&n| n > 0).unwrap_or(default).min(most)
        };
        Config {
            devices: count("CLEAVE_SOFTGPU_DEVICES", 1, MAX_DEVICES),
            memory: number("CLEAVE_SOFTGPU_MEMORY")
                .unwrap_or(DEFAULT_MEMORY)
                .max(CHUNK)
                .next_multiple_of(CHUNK),
            workers: count("CLEAVE_SOFTGPU_WORKERS", cores, 1024),
            adversarial: number("CLEAVE_SOFTGPU_ADVERSARY"),
            visible: env::var("CUDA_VISIBLE_DEVICES").ok(),
            launch_blocking: env::var("CUDA_LAUNCH_BLOCKING").is_ok_and(|v| v != "0" && !v.is_empty()),
        }
    }
}

fn number(name: &str) -> Option<u64> {
    parse_size(&env::var(name).ok()?)
}

/// A number with an optional binary suffix: `4G`, `512M`, `65536`.
fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, shift) = match text.chars().last()?.to_ascii_uppercase() {
        'K' => (&text[..text.len() - 1], 10),
        'M' => (&text[..text.len() - 1], 20),
        'G' => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let n: u64 = digits.trim().parse().ok()?;
    n.checked_mul(1 << shift).filter(|&n| n <= 1 << 38 || shift == 0)
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
}
