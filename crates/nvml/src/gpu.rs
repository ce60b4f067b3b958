//! A device as NVML sees it: who it is, what it holds, how busy it is.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cleave_api::nvml::types::*;
use cleave_device::identity::Device;
use cleave_device::usage::{BUCKET_NS, Usage};
use cleave_device::{Engine, Machine, MemoryInfo, Setup};

use crate::proc;

/// Handles are numbers that look like nothing else and are looked up, never followed.
const HANDLE: usize = 0x6e76_6d6c_0000;

/// Buckets that are offered as samples: those of the last two seconds, which every ring still has.
pub const SAMPLES: usize = 20;

/// One device.
pub struct Gpu {
    machine: &'static Machine,
    index: usize,
}

/// How busy engines were, in percent of the time. The memory of a device is busy, as far as it shows, while something is
/// copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    pub gr: u32,
    pub copy: u32,
    pub encode: u32,
    pub decode: u32,
}

/// A process that uses a device, as far as it can be seen from here.
pub struct Process {
    pub pid: u32,
    /// Bytes it holds there, its context included.
    pub memory: u64,
    pub load: Load,
    /// What it called itself when it came.
    short_name: String,
}

impl Process {
    /// What the operating system calls it.
    pub fn name(&self) -> String {
        proc::name(self.pid).unwrap_or_else(|| self.short_name.clone())
    }
}

impl Load {
    /// From what each engine was busy in a time of `of_ns`.
    fn of(busy_ns: impl Fn(Engine) -> u64, of_ns: u64) -> Load {
        let percent = |engine| ((busy_ns(engine) * 100 + of_ns / 2) / of_ns).min(100) as u32;
        Load {
            gr: percent(Engine::Gr),
            copy: percent(Engine::Ce0).max(percent(Engine::Ce1)),
            encode: percent(Engine::Enc),
            decode: percent(Engine::Dec),
        }
    }

    pub fn any(&self) -> bool {
        *self != Load::default()
    }
}

const SECOND_NS: u64 = 1_000_000_000;

impl Gpu {
    /// Every device of the machine. What a process may see of it in CUDA does not matter here.
    pub fn all(machine: &'static Machine) -> Vec<Gpu> {
        (0..machine.devices().len()).map(|index| Gpu { machine, index }).collect()
    }

    pub fn handle(&self) -> nvmlDevice_t {
        nvmlDevice_t(HANDLE + self.index)
    }

    pub fn index(&self) -> usize {
        self.index
    }

    pub fn device(&self) -> &Device {
        self.machine.device(self.index)
    }

    pub fn setup(&self) -> &Setup {
        self.machine.setup()
    }

    /// A number for people, taken from the UUID.
    pub fn serial(&self) -> String {
        let [a, b, c, d, ..] = self.device().uuid;
        format!("{:010}", u32::from_be_bytes([a, b, c, d]))
    }

    pub fn memory(&self) -> MemoryInfo {
        self.machine.memory(self.index)
    }

    /// The processes that have something on the device, and whose id means something in this pid namespace.
    pub fn processes(&self) -> Vec<Process> {
        let now = self.now();
        let all = self.machine.processes(self.index).into_iter().filter(|process| process.pid != 0);
        let seen = all.map(|process| Process {
            pid: process.pid,
            memory: process.memory,
            load: Load::of(|engine| process.last_second_ns(engine, now), SECOND_NS),
            short_name: process.name,
        });
        seen.filter(|process| process.memory > 0 || process.load.any()).collect()
    }

    /// How busy the device was in the last full second.
    pub fn load(&self) -> Load {
        let now = self.now();
        self.sum(|usage, engine| usage.of(engine).last_second_ns(now), SECOND_NS)
    }

    /// How busy it was in each of the last buckets of time, oldest first, with the wall time in microseconds at which each
    /// ended.
    pub fn samples(&self) -> Vec<(u64, Load)> {
        let (now, wall) = (self.now(), wall_us());
        let end = now / BUCKET_NS;
        let buckets = end.saturating_sub(SAMPLES as u64)..end;
        let sample = |bucket: u64| {
            let age_us = (now - (bucket + 1) * BUCKET_NS) / 1000;
            let load = self.sum(|usage, engine| usage.of(engine).bucket_ns(bucket, now), BUCKET_NS);
            (wall.saturating_sub(age_us), load)
        };
        buckets.map(sample).collect()
    }

    /// How long the device has been there, and how much of that it computed.
    pub fn life_ns(&self) -> (u64, u64) {
        let now = self.now();
        (now, self.users().map(|usage| usage.of(Engine::Gr).total_ns(now)).sum())
    }

    fn now(&self) -> u64 {
        self.machine.clock(self.index).now()
    }

    fn sum(&self, busy_ns: impl Fn(&Usage, Engine) -> u64, of_ns: u64) -> Load {
        Load::of(|engine| self.users().map(|usage| busy_ns(usage, engine)).sum(), of_ns)
    }

    /// What each process used and what those did that have ended.
    fn users(&self) -> impl Iterator<Item = &'static Usage> {
        let here = self.machine.claimed().map(|record| self.machine.usage(self.index, record));
        here.chain([self.machine.departed(self.index)])
    }
}

/// The time that NVML stamps its samples with: microseconds since 1970.
pub fn wall_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    since.as_micros() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_are_rounded_and_never_above_a_hundred() {
        let load = |busy| Load::of(|engine| if engine == Engine::Gr { busy } else { 0 }, SECOND_NS).gr;
        assert_eq!(
            [0, 4_999_999, 5_000_000, 333_000_000, SECOND_NS, 2 * SECOND_NS].map(load),
            [0, 0, 1, 33, 100, 100]
        );
        let copies = Load::of(|engine| if engine == Engine::Ce1 { SECOND_NS / 2 } else { 0 }, SECOND_NS);
        assert_eq!(copies, Load { copy: 50, ..Load::default() });
        assert!(copies.any() && !Load::default().any());
    }
}
