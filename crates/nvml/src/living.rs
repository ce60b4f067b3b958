//! Who lives. To ask for a process's token is a system call, so within a burst of calls a known process is not asked for
//! again; a new one always is.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cleave_device::Machine;
use cleave_ledger::{RecordId, State};

/// How late a death may be noticed.
const STALE: Duration = Duration::from_millis(5);

pub struct Living {
    machine: &'static Machine,
    seen: Mutex<Option<Seen>>,
}

struct Seen {
    at: Instant,
    owners: Vec<Owner>,
}

/// Who has a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    pub record: RecordId,
    /// Tells it from earlier and later owners.
    pub generation: u32,
    /// Its number in this pid namespace, 0 if it has none; `None` if it is dead.
    pub pid: Option<u32>,
}

impl Living {
    pub fn new(machine: &'static Machine) -> Living {
        Living { machine, seen: Mutex::new(None) }
    }

    /// The owners of all records that are taken, the dead included, by record.
    pub fn owners(&self) -> Vec<Owner> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let known = seen.take().filter(|seen| now.duration_since(seen.at) < STALE);
        let at = known.as_ref().map_or(now, |known| known.at);
        let known = known.map_or_else(Vec::new, |known| known.owners);
        let owners: Vec<Owner> = self.machine.claimed().map(|record| self.owner(record, &known)).collect();
        *seen = Some(Seen { at, owners: owners.clone() });
        owners
    }

    fn owner(&self, record: RecordId, known: &[Owner]) -> Owner {
        let word = self.machine.record(record).word.read();
        let same = known.binary_search_by_key(&record, |owner| owner.record).ok().map(|at| known[at]);
        let same = same.filter(|owner| owner.generation == word.generation && word.state == State::Claimed);
        same.unwrap_or_else(|| Owner { record, generation: word.generation, pid: self.machine.owner(record) })
    }
}
