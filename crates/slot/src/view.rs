//! What can be seen of a process in a slot.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cleave_ledger::{RecordId, State};

pub use crate::denial::Denial;
use crate::files::Opening;
use crate::layout::NoteWords;
use crate::slot::bytes;
use crate::text;

/// A process of a tenant, as seen from outside. All of it but `overhead` and `host_pid` is what the process itself says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatView {
    /// Its place.
    pub record: RecordId,
    /// Tells the owner of the place from earlier and later ones.
    pub generation: u32,
    /// Its pid as the caller sees it; 0 where it cannot.
    pub pid: u32,
    /// Its pid as the node sees it; 0 while the node has not looked.
    pub host_pid: u32,
    /// Its name, printable.
    pub name: String,
    /// Bytes it has charged.
    pub held: u64,
    /// Bytes only the driver knows of, as the node found them.
    pub overhead: u64,
    /// Contexts on the device.
    pub contexts: u32,
    /// Launches so far.
    pub launches: u64,
    /// Functions of the allocation or launch class it was given unwrapped.
    pub unwrapped: u64,
    /// Bytes of host memory it has pinned.
    pub pinned: u64,
    /// Its last refusal.
    pub denial: Option<Denial>,
}

impl Opening {
    /// The living processes of the tenant. One without its token is looked for in the system as long as there is `time`.
    pub fn seats(&self, time: impl Fn() -> bool) -> Vec<SeatView> {
        self.usage.claims.taken().filter_map(|id| self.seat(id, &time)).collect()
    }

    fn seat(&self, id: RecordId, time: &impl Fn() -> bool) -> Option<SeatView> {
        let entry = self.usage.entry(id);
        let now = entry.word.read();
        if now.state != State::Claimed {
            return None;
        }
        let pid = match self.tokens.probe(id.get().into()) {
            Ok(Some(pid)) => pid,
            // It lost its token, but may be there all the same.
            Ok(None) if time() && self.is_seen(id) => entry.pid.load(Relaxed),
            Ok(None) => return None,
            // Where the system does not say, careful: it lives.
            Err(_) => 0,
        };
        let note = self.limits.notes[id.index()].read(now.generation);
        let view = SeatView {
            record: id,
            generation: now.generation,
            pid,
            host_pid: note.map_or(0, |note| note.host_pid),
            name: text::read(&entry.name),
            held: bytes(self.usage.counter.held(self, id)),
            overhead: note.map_or(0, |note| note.overhead),
            contexts: entry.contexts.load(Relaxed),
            launches: entry.launches.load(Relaxed),
            unwrapped: entry.unwrapped.load(Relaxed),
            pinned: entry.pinned.load(Relaxed),
            denial: entry.denial.last(entry.earlier_denials.load(Relaxed)),
        };
        // What was read of two owners is nobody's.
        (entry.word.read() == now).then_some(view)
    }
}

/// What the node knows of the owner of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Note {
    pub overhead: u64,
    /// Its pid in the node's pid namespace, 0 if the node does not know.
    pub host_pid: u32,
}

impl NoteWords {
    /// No process has this number: the note is being written.
    const NOBODY: u64 = u64::MAX;

    /// Writes down what is known of the owner of that generation. The node alone does.
    pub fn write(&self, generation: u32, note: Note) {
        let about = u64::from(generation) << 32 | u64::from(note.host_pid);
        if self.about.load(Relaxed) != about {
            // Between two owners the overhead is nobody's.
            self.about.swap(Self::NOBODY, Acquire);
        }
        self.overhead.store(note.overhead, Release);
        self.about.store(about, Release);
    }

    /// What is known of the owner of that generation.
    pub fn read(&self, generation: u32) -> Option<Note> {
        let about = self.about.load(Acquire);
        let overhead = self.overhead.load(Acquire);
        let same = self.about.load(Relaxed) == about;
        let fits = same && about != Self::NOBODY && (about >> 32) as u32 == generation;
        fits.then_some(Note { overhead, host_pid: about as u32 })
    }
}
