//! A device as NVML sees it: who it is, what it holds, how busy it is.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cleave_api::nvml::types::*;
use cleave_device::chunks::CHUNK;
use cleave_device::identity::Device;
use cleave_device::layout::Record;
use cleave_device::usage::{BUCKET_NS, Used};
use cleave_device::{Engine, Machine, MemoryInfo, Setup};
use cleave_ledger::RecordId;

use crate::living::{Living, Owner};
use crate::proc;

/// Handles are numbers that look like nothing else and are looked up, never followed.
const HANDLE: usize = 0x6e76_6d6c_0000;

/// Buckets that are offered as samples: those of the last two seconds, which every ring still has.
pub const SAMPLES: usize = 20;

/// One device.
pub struct Gpu {
    machine: &'static Machine,
    living: &'static Living,
    index: usize,
}

/// What can be busy. Of a device's memory it shows while something is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Gr,
    Copy,
    Encode,
    Decode,
}

/// A process that uses a device, as far as it can be seen from here.
pub struct Process {
    pub pid: u32,
    /// Bytes it holds there, its context included.
    pub memory: u64,
    record: &'static Record,
    used: Used,
    now: u64,
}

impl Process {
    /// What the operating system calls it, or what it called itself when it came.
    pub fn name(&self) -> String {
        proc::name(self.pid).unwrap_or_else(|| self.record.name())
    }

    /// How busy it kept a part in the last full second, in percent.
    pub fn load(&self, part: Part) -> u32 {
        part.percent(SECOND_NS, |engine| self.used.last_second_ns(engine, self.now))
    }

    /// Whether it kept any part busy.
    pub fn is_busy(&self) -> bool {
        Part::ALL.into_iter().any(|part| self.load(part) > 0)
    }
}

impl Part {
    pub const ALL: [Part; 4] = [Part::Gr, Part::Copy, Part::Encode, Part::Decode];

    /// From what each engine was busy in a time of `of_ns`. Of several engines the busiest counts.
    fn percent(self, of_ns: u64, busy_ns: impl Fn(Engine) -> u64) -> u32 {
        let engines: &[Engine] = match self {
            Part::Gr => &[Engine::Gr],
            Part::Copy => &[Engine::Ce0, Engine::Ce1],
            Part::Encode => &[Engine::Enc],
            Part::Decode => &[Engine::Dec],
        };
        let busiest = engines.iter().map(|engine| busy_ns(*engine)).max().unwrap_or(0);
        ((busiest * 100 + of_ns / 2) / of_ns).min(100) as u32
    }
}

const SECOND_NS: u64 = 1_000_000_000;

impl Gpu {
    /// Every device of the machine. What a process may see of it in CUDA does not matter here.
    pub fn all(machine: &'static Machine) -> Vec<Gpu> {
        let living: &'static Living = Box::leak(Box::new(Living::new(machine)));
        (0..machine.devices().len()).map(|index| Gpu { machine, living, index }).collect()
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
        let owners = self.living.owners();
        let dead = owners.iter().filter(|owner| owner.pid.is_none()).map(|owner| owner.record);
        self.machine.memory_without(self.index, dead)
    }

    /// The processes that have something on the device, and whose id means something in this pid namespace.
    pub fn processes(&self) -> Vec<Process> {
        let now = self.now();
        let owners = self.living.owners();
        let records: Vec<RecordId> = owners.iter().map(|owner| owner.record).collect();
        let held = self.machine.chunks(self.index).held_each(self.machine.seats(self.index), &records);
        let seen = owners.iter().zip(held).filter_map(|(owner, held)| self.process(owner, held * CHUNK, now));
        seen.filter(|process| process.memory > 0 || process.is_busy()).collect()
    }

    fn process(&self, owner: &Owner, memory: u64, now: u64) -> Option<Process> {
        let pid = owner.pid.filter(|pid| *pid != 0)?;
        let record = self.machine.record(owner.record);
        // The same owner still, or what was read is another's.
        let same = record.word.read().generation == owner.generation;
        let used = self.machine.used(self.index, owner.record);
        same.then_some(Process { pid, memory, record, used, now })
    }

    /// How busy a part of the device was in the last full second, in percent.
    pub fn load(&self, part: Part) -> u32 {
        let now = self.now();
        part.percent(SECOND_NS, |engine| {
            self.machine.used_by_all(self.index).map(|used| used.last_second_ns(engine, now)).sum()
        })
    }

    /// How busy a part was in each of the last buckets of time, oldest first, with the wall time in microseconds at which
    /// each ended: those that ended after `after_us`.
    pub fn samples(&self, part: Part, after_us: u64) -> Vec<(u64, u32)> {
        let (now, wall) = (self.now(), wall_us());
        let end = now / BUCKET_NS;
        let buckets = (end.saturating_sub(SAMPLES as u64)..end).map(|bucket| {
            let age_us = (now - (bucket + 1) * BUCKET_NS) / 1000;
            (bucket, wall.saturating_sub(age_us))
        });
        let load = |bucket| {
            let busy = |engine| {
                self.machine.used_by_all(self.index).map(|used| used.bucket_ns(engine, bucket, now)).sum()
            };
            part.percent(BUCKET_NS, busy)
        };
        buckets.filter(|(_, at)| *at > after_us).map(|(bucket, at)| (at, load(bucket))).collect()
    }

    /// How long the device has been there, and how much of that it computed.
    pub fn life_ns(&self) -> (u64, u64) {
        let now = self.now();
        (now, self.machine.used_by_all(self.index).map(|used| used.total_ns(Engine::Gr, now)).sum())
    }

    fn now(&self) -> u64 {
        self.machine.clock(self.index).now()
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
        let gr = |busy| Part::Gr.percent(SECOND_NS, |engine| if engine == Engine::Gr { busy } else { 0 });
        let busy = [0, 4_999_999, 5_000_000, 333_000_000, SECOND_NS, 2 * SECOND_NS];
        assert_eq!(busy.map(gr), [0, 0, 1, 33, 100, 100]);
        let copies =
            |part: Part| part.percent(SECOND_NS, |engine| u64::from(engine == Engine::Ce1) * SECOND_NS / 2);
        assert_eq!(Part::ALL.map(copies), [0, 50, 0, 0]);
    }
}
