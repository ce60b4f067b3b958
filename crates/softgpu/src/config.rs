//! Settings of this process, read once from the environment when the driver is initialised. What the devices are like is
//! the machine's matter and not of one process: see `cleave_device::Request`.

use std::env;
use std::ops::RangeInclusive;

use cleave_device::driver;

#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Worker threads that execute kernels (`CLEAVE_SOFTGPU_WORKERS`).
    pub workers: usize,
    /// Seed of the hostile scheduler (`CLEAVE_SOFTGPU_ADVERSARY`).
    pub adversarial: Option<u64>,
    /// `CUDA_VISIBLE_DEVICES`, as it is.
    pub visible: Option<String>,
    /// `CUDA_LAUNCH_BLOCKING`: every launch waits for its end.
    pub launch_blocking: bool,
}

/// The value of a setting in the environment.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The driver version to report. Asked before initialisation, so apart from the rest, which refuses nonsense.
pub fn driver_version() -> u32 {
    driver::version(&|name| env::var(name).ok()).unwrap_or(driver::NEWEST)
}

impl Config {
    /// Reads the settings; a value that makes no sense is refused, with a sentence that says what would.
    pub fn from_env() -> Result<Config, String> {
        Config::read(&|name| env::var(name).ok())
    }

    fn read(lookup: Lookup) -> Result<Config, String> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        driver::version(lookup).map_err(|error| error.to_string())?;
        let workers = setting(lookup, "CLEAVE_SOFTGPU_WORKERS", 1..=1024)?;
        Ok(Config {
            workers: workers.map_or(cores, |n| n as usize),
            adversarial: setting(lookup, "CLEAVE_SOFTGPU_ADVERSARY", 0..=u64::MAX)?,
            visible: lookup("CUDA_VISIBLE_DEVICES"),
            launch_blocking: lookup("CUDA_LAUNCH_BLOCKING").is_some_and(|v| v != "0" && !v.is_empty()),
        })
    }
}

/// A setting that is a number in a range; `None` if it is not set.
fn setting(lookup: Lookup, name: &str, allowed: RangeInclusive<u64>) -> Result<Option<u64>, String> {
    let Some(text) = lookup(name) else { return Ok(None) };
    match text.trim().parse().ok().filter(|n| allowed.contains(n)) {
        Some(number) => Ok(Some(number)),
        None => Err(format!("{name}={text} makes no sense: give {} to {}", allowed.start(), allowed.end())),
    }
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
    fn nonsense_is_refused_by_name() {
        let read = |name: &'static str, value: &'static str| {
            Config::read(&|asked| (asked == name).then(|| value.to_string()))
        };
        assert_eq!(read("CLEAVE_SOFTGPU_WORKERS", "7").map(|c| c.workers), Ok(7));
        for (name, value) in [
            ("CLEAVE_SOFTGPU_WORKERS", "0"),
            ("CLEAVE_SOFTGPU_WORKERS", "-1"),
            ("CLEAVE_SOFTGPU_ADVERSARY", "evil"),
            ("CLEAVE_SOFTGPU_DRIVER_VERSION", "12"),
        ] {
            let error = read(name, value).expect_err("nonsense");
            assert!(error.contains(name) && error.contains(value), "{error}");
        }
    }
}
