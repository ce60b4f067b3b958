//! Who is on a device.

use std::sync::atomic::Ordering::Relaxed;

use cleave_ledger::{RecordId, State};
use cleave_pace::turns::Tenure;

use crate::chunks::CHUNK;
use crate::engine::Engine;
use crate::machine::Machine;
use crate::usage::Used;

/// A living process, as seen from one device.
pub struct Process {
    pub record: RecordId,
    /// Its number where this process can see it, else 0.
    pub pid: u32,
    /// Its number as it sees it itself: for people, in case the other is 0.
    pub own_pid: u32,
    pub uid: u32,
    pub name: String,
    /// Bytes it holds on the device, contexts included.
    pub memory: u64,
    pub activity: Activity,
    used: Used,
}

/// What a process does on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It has nothing to do.
    Idle,
    /// It has the device.
    Running,
    /// It has work, and others have the device.
    Waiting,
    /// It had its turn and showed no sign of life.
    Silent,
}

impl Process {
    /// Busy nanoseconds in the last full second before `now`, in device time.
    pub fn last_second_ns(&self, engine: Engine, now: u64) -> u64 {
        self.used.last_second_ns(engine, now)
    }
}

impl Machine {
    /// The living processes on a device, by record. Tokens are looked at and not taken.
    pub fn processes(&self, device: usize) -> Vec<Process> {
        self.claimed().filter_map(|record| self.process(device, record)).collect()
    }

    fn process(&self, device: usize, id: RecordId) -> Option<Process> {
        let record = self.record(id);
        let before = record.word.read();
        let pid = self.tokens.probe(id.get().into()).ok().flatten()?;
        let process = Process {
            record: id,
            pid,
            own_pid: record.pid.load(Relaxed),
            uid: record.uid.load(Relaxed),
            name: record.name(),
            memory: self.chunks(device).held(self.seats(device), id) * CHUNK,
            activity: self.activity(device, id),
            used: self.used(device, id),
        };
        // The same owner from the first look to the last, or what we read may be of two.
        (before.state == State::Claimed && record.word.read() == before).then_some(process)
    }

    fn activity(&self, device: usize, id: RecordId) -> Activity {
        let (words, fields) = (self.engine_words(device), self.fields(device, id));
        let owner = Tenure::unpack(words.turn.load(Relaxed), self.clock(device).now()).owner;
        if fields.parked.load(Relaxed) != 0 {
            Activity::Silent
        } else if fields.running.load(Relaxed) == 0 {
            Activity::Idle
        } else if owner == id.get() {
            Activity::Running
        } else {
            Activity::Waiting
        }
    }

    /// What the process of a record used of a device, to be read.
    pub fn used(&self, device: usize, id: RecordId) -> Used {
        let owner =
            Tenure::unpack(self.engine_words(device).turn.load(Relaxed), self.clock(device).now()).owner;
        let lost_gr = (owner != id.get()).then(|| self.turns(device).lost_at(id.get()));
        Used::new(self.usage(device, id), lost_gr)
    }

    /// What everybody used of a device, the ended included.
    pub fn used_by_all(&self, device: usize) -> impl Iterator<Item = Used> {
        let here = self.claimed().map(move |record| self.used(device, record));
        here.chain([Used::new(self.departed(device), None)])
    }

    /// Busy nanoseconds of an engine in the last full second, by whomever.
    pub fn last_second_ns(&self, device: usize, engine: Engine) -> u64 {
        let now = self.clock(device).now();
        let busy = self.used_by_all(device).map(|used| used.last_second_ns(engine, now));
        busy.sum::<u64>().min(1_000_000_000)
    }
}
