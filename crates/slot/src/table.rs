//! The records of a slot: how a process takes one, and how those of the dead become free.

use std::io;
use std::sync::atomic::Ordering::Relaxed;

use cleave_gate::FlightWords;
use cleave_ledger::{RecordId, State};

use crate::error::Error;
use crate::files::{Opening, Side};
use crate::layout::{Entry, Usage};
use crate::life::Identity;
use crate::text;

/// What became of the attempt to take a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Taken {
    /// Its owner lives, or somebody else is at it.
    No,
    /// It was free.
    Free,
    /// Its owner was dead; what it held is given back.
    Recovered,
}

impl Opening {
    /// Takes a record for this process. The cost does not depend on how many live: a record to begin with, looked at if it is
    /// taken, and then the next free one.
    pub fn claim(&self, name: &str) -> Result<RecordId, Error> {
        let claims = &self.usage.claims;
        let start = claims.start();
        if claims.has(start) {
            self.recover_one(start);
        }
        if let Some(id) = self.claim_free(start, name)? {
            return Ok(id);
        }
        self.recover(|_| true);
        self.claim_free(start, name)?.ok_or_else(|| Error::Crowded { folder: self.folder.clone() })
    }

    fn claim_free(&self, start: RecordId, name: &str) -> Result<Option<RecordId>, Error> {
        let claims = &self.usage.claims;
        for id in claims.free(start) {
            if self.take(id).map_err(self.trouble("join"))? == Taken::No {
                continue;
            }
            // The bit before the word: whoever is killed in between leaves a bit that recovery finds and takes back. All
            // that is said about the owner also comes before it.
            claims.set(id);
            let entry = self.usage.entry(id);
            entry.describe(name, Identity::own(), &self.usage);
            if entry.word.claim() {
                return Ok(Some(id));
            }
            self.let_go(id);
        }
        Ok(None)
    }

    /// Gives up the record of this process, whose token it holds, and all it has charged.
    pub fn leave(&self, id: RecordId) {
        self.finish(id);
        self.let_go(id);
    }

    /// Recovers the records of the dead among those that `matters` picks; how many there were.
    pub fn recover(&self, matters: impl Fn(RecordId) -> bool) -> usize {
        self.usage.claims.taken().filter(|id| matters(*id) && self.recover_one(*id)).count()
    }

    /// Ends what is left of a record if its process is dead. Where the system does not let us look, nobody is dead.
    fn recover_one(&self, id: RecordId) -> bool {
        let taken = self.take(id).unwrap_or(Taken::No);
        if taken != Taken::No {
            self.let_go(id);
        }
        taken == Taken::Recovered
    }

    /// Takes the token of a record that is nobody's or a dead one's, and makes it free. Whoever is killed in here is followed
    /// by another, who begins anew: every step can be done twice.
    fn take(&self, id: RecordId) -> io::Result<Taken> {
        #[cfg(test)]
        tests::LOOKS.set(tests::LOOKS.get() + 1);
        if !self.tokens.hold(id.get().into())? {
            return Ok(Taken::No);
        }
        let entry = self.usage.entry(id);
        let state = entry.word.read().state;
        if state == State::Claimed && self.is_seen(id) || !self.finish(id) {
            self.let_go(id);
            return Ok(Taken::No);
        }
        Ok(if state == State::Free { Taken::Free } else { Taken::Recovered })
    }

    /// Gives back what a record holds and makes it free; false if others did not let us. The caller holds its token.
    fn finish(&self, id: RecordId) -> bool {
        let entry = self.usage.entry(id);
        if entry.word.bury() {
            self.usage.counter.recover(self, id);
            if self.usage.counter.held(self, id) > 0 {
                return false;
            }
            entry.word.free();
        }
        self.usage.claims.clear(id);
        true
    }

    /// Gives a token back. It falls with the process at the latest.
    fn let_go(&self, id: RecordId) {
        let _ = self.tokens.release(id.get().into());
    }

    /// Whether the owner of a record is seen to live, though it may have lost its token.
    pub fn is_seen(&self, id: RecordId) -> bool {
        let entry = self.usage.entry(id);
        let (own, at) = (entry.identity(), entry.mapped_at.load(Relaxed));
        if own.is_seen(self.inode, at) {
            return true;
        }
        // In a container it has a number that means another here; but the node may know the one it has here.
        let note = self.limits.notes[id.index()].read(entry.word.read().generation);
        let host_pid = note.map_or(0, |note| note.host_pid);
        self.side == Side::Node && host_pid != 0 && own.called(host_pid).is_seen(self.inode, at)
    }
}

impl Entry {
    /// Writes down who we are.
    fn describe(&self, name: &str, own: Identity, usage: &Usage) {
        self.pid.store(own.pid, Relaxed);
        self.start.store(own.start, Relaxed);
        self.space.store(own.space, Relaxed);
        self.mapped_at.store(std::ptr::from_ref(usage).addr() as u64, Relaxed);
        text::write(&self.name, name);
        self.contexts.store(0, Relaxed);
        self.peak.store(0, Relaxed);
        for count in [&self.unwrapped, &self.pinned] {
            count.store(0, Relaxed);
        }
        self.flights.iter().for_each(FlightWords::clear);
        self.stay.clear();
        self.earlier_denials.store(self.denial.count(), Relaxed);
        self.earlier_launches.store(self.launches.load(Relaxed), Relaxed);
    }

    fn identity(&self) -> Identity {
        Identity {
            pid: self.pid.load(Relaxed),
            start: self.start.load(Relaxed),
            space: self.space.load(Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::{NodeSlot, Owner, Seat, Slot, Terms, Uuid};

    thread_local! {
        /// How many records this thread has tried to take: each is a handful of system calls.
        pub static LOOKS: Cell<usize> = const { Cell::new(0) };
    }

    struct Folder(PathBuf);

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn slot(name: &str) -> (Folder, NodeSlot, Slot) {
        let base = Path::new("/dev/shm");
        let base = if base.is_dir() { base.to_owned() } else { std::env::temp_dir() };
        let folder = base.join(format!("cleave-test-table-{name}-{}", std::process::id()));
        let terms = Terms {
            device: Uuid::Gpu([1; 16]),
            memory: 1 << 30,
            compute: 100,
            encode: 100,
            decode: 100,
            priority: 0,
            policy: 0,
            device_total: 1 << 31,
            context: 0,
        };
        let node = NodeSlot::create(&folder, &terms, Owner::Anyone).unwrap();
        let slot = Slot::open(&folder).unwrap();
        (Folder(folder), node, slot)
    }

    fn join(slot: &Slot) -> (Result<Seat, Error>, usize) {
        LOOKS.set(0);
        (slot.join("one of many"), LOOKS.get())
    }

    #[test]
    fn joining_costs_the_same_however_many_live() {
        let (_folder, _node, slot) = slot("joins");
        let mut seats = Vec::new();
        for _ in 0..1021 {
            let (seat, looks) = join(&slot);
            seats.push(seat.unwrap());
            assert_eq!(looks, 1, "with {} there", seats.len() - 1);
        }
        // Nearly full, with gaps anywhere: one look at whoever is in the way, one at the gap.
        for gap in [3, 700, 512, 1000, 3] {
            seats.swap_remove(gap);
            let (seat, looks) = join(&slot);
            seats.push(seat.unwrap());
            assert!(looks <= 2, "{looks} looks");
        }
        let (refused, looks) = join(&slot);
        let text = refused.err().unwrap().to_string();
        assert!(text.contains("all places") && text.contains("cleave ps"), "{text}");
        assert!(looks <= 2 + 1021, "{looks} looks");
        drop(seats);
        assert_eq!(slot.used(), 0);
    }

    #[test]
    fn a_taker_that_died_early_leaves_nothing_behind() {
        let (_folder, node, slot) = slot("early");
        // Killed between the bit and the word.
        let id = RecordId::new(2).unwrap();
        slot.open.usage.claims.set(id);
        assert_eq!(node.recover(), 0, "nobody died");
        assert!(!slot.open.usage.claims.has(id));
        // Killed over a recovery: what is dead stays dead until the next one comes.
        assert!(slot.open.usage.entry(id).word.claim());
        slot.open.usage.claims.set(id);
        slot.open.usage.entry(id).word.bury();
        assert_eq!(node.recover(), 1);
        assert!(!slot.open.usage.claims.has(id));
    }
}
