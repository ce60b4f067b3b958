//! The records of a slot: how a process takes one, and how those of the dead become free.

use std::io;
use std::sync::atomic::Ordering::Relaxed;

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
        for count in [&self.launches, &self.unwrapped, &self.pinned] {
            count.store(0, Relaxed);
        }
        self.earlier_denials.store(self.denial.count(), Relaxed);
    }

    fn identity(&self) -> Identity {
        Identity {
            pid: self.pid.load(Relaxed),
            start: self.start.load(Relaxed),
            space: self.space.load(Relaxed),
        }
    }
}
