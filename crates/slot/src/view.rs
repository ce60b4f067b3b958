//! What can be seen of a process in a slot.

use std::sync::atomic::Ordering::Relaxed;

use cleave_ledger::{RecordId, State};

pub use crate::denial::Denial;
use crate::files::Opening;
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
    /// The most bytes it had charged at any moment since the node last forgot peaks. What a driver shows of it at a moment in
    /// that span is no more than this and its true overhead, however fast it charges and releases.
    pub peak: u64,
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
        let held = self.usage.counter.held(self, id);
        let note = self.limits.notes[id.index()].read(now.generation);
        let view = SeatView {
            record: id,
            generation: now.generation,
            pid,
            host_pid: note.map_or(0, |note| note.host_pid),
            name: text::read(&entry.name),
            held: bytes(held),
            peak: bytes(held.max(entry.peak.load(Relaxed))),
            overhead: note.map_or(0, |note| note.overhead),
            contexts: entry.contexts.load(Relaxed),
            launches: entry.launches.load(Relaxed).saturating_sub(entry.earlier_launches.load(Relaxed)),
            unwrapped: entry.unwrapped.load(Relaxed),
            pinned: entry.pinned.load(Relaxed),
            denial: entry.denial.last(entry.earlier_denials.load(Relaxed)),
        };
        // What was read of two owners is nobody's.
        (entry.word.read() == now).then_some(view)
    }
}
