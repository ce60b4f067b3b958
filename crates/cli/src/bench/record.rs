//! What a worker leaves behind: the host's time of each completion, and how long its kernels are.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::driver_unsafe::Kernel;

/// Something that was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// When it was asked for; 0 where nobody waited for it.
    pub from: u64,
    /// When the worker saw its end.
    pub at: u64,
    /// GPU time of it in nanoseconds as it takes alone, or bytes of a copy, or one for an empty kernel.
    pub work: u64,
}

/// A device, and how kernels grow on it with their iterations, as measured alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    pub device: String,
    /// How many devices the worker saw.
    pub devices: u32,
    /// Of any kernel, and of each iteration besides.
    pub fixed_ns: f64,
    pub turn_ns: f64,
}

impl Calibration {
    /// A kernel that takes about so long, and how long it is.
    pub fn kernel(&self, ns: u64) -> (Kernel, u64) {
        if ns == 0 {
            return (Kernel::Empty, 1);
        }
        let turns = ((ns as f64 - self.fixed_ns) / self.turn_ns).round().clamp(1.0, f64::from(u32::MAX));
        (Kernel::Work(turns as u32), (self.fixed_ns + turns * self.turn_ns).round().max(1.0) as u64)
    }
}

/// When a run begins and ends, for all workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub start: u64,
    pub end: u64,
}

/// The folder in which the bench and its workers meet.
#[derive(Clone, Debug)]
pub struct Meeting(PathBuf);

impl Meeting {
    pub fn at(folder: impl Into<PathBuf>) -> Meeting {
        Meeting(folder.into())
    }

    pub fn folder(&self) -> &Path {
        &self.0
    }

    pub fn ready(&self, worker: &str) -> PathBuf {
        self.0.join(format!("{worker}.ready"))
    }

    pub fn done(&self, worker: &str) -> PathBuf {
        self.0.join(format!("{worker}.done"))
    }

    pub fn go(&self) -> PathBuf {
        self.0.join("go")
    }

    pub fn calibration(&self) -> PathBuf {
        self.0.join("calibration")
    }
}

/// Writes a file that appears whole.
pub fn put(path: &Path, text: &str) -> Result<()> {
    let fresh = path.with_extension("new");
    fs::write(&fresh, text)
        .and_then(|()| fs::rename(&fresh, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

pub fn write(path: &Path, done: &[Done]) -> Result<()> {
    put(path, &done.iter().map(|Done { from, at, work }| format!("{from} {at} {work}\n")).collect::<String>())
}

pub fn read(path: &Path) -> Result<Vec<Done>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let line = |line: &str| {
        let mut numbers = line.split(' ').map(|number| number.parse().ok());
        let mut next = || numbers.next().flatten();
        Some(Done { from: next()?, at: next()?, work: next()? })
    };
    let done: Option<Vec<Done>> = text.lines().map(line).collect();
    done.with_context(|| format!("{} was not written by a worker", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn records_read_back() {
        let scratch = Scratch::new();
        let path = Meeting::at(scratch.path()).done("a-0");
        let done = [Done { from: 0, at: 5, work: 7 }, Done { from: 5, at: 9, work: 7 }];
        write(&path, &done).unwrap();
        assert_eq!(read(&path).unwrap(), done);
        fs::write(&path, "0 x 1\n").unwrap();
        assert!(read(&path).is_err());
    }

    #[test]
    fn lengths_become_iterations_and_back() {
        let calibration = Calibration { device: "d".into(), devices: 1, fixed_ns: 2_000.0, turn_ns: 100.0 };
        assert_eq!(calibration.kernel(1_000_000), (Kernel::Work(9_980), 1_000_000));
        assert_eq!(calibration.kernel(1), (Kernel::Work(1), 2_100), "as short as the device can");
        assert_eq!(calibration.kernel(0), (Kernel::Empty, 1));
    }
}
