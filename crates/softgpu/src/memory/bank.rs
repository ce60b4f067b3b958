//! This process's part in the memory of one device of the machine.

use std::io;

use cleave_device::Machine;
use cleave_device::chunks::{CHUNK, Chunks, Fill, Holder, Wants};
use cleave_ledger::RecordId;

use super::map_unsafe::{ChunkFile, Window};
use super::run::Run;

/// Takes chunks of a device and makes them usable, in the name of this process's record.
pub struct Bank {
    machine: &'static Machine,
    device: usize,
    record: RecordId,
    file: ChunkFile,
    /// Where the device begins in the file, which holds the memory of all devices.
    first: u64,
}

impl Bank {
    /// `device` is the machine's number of it; `record` this process's.
    pub fn open(machine: &'static Machine, device: usize, record: RecordId) -> io::Result<Bank> {
        let file = ChunkFile::of(machine.memory_file())?;
        let first = device as u64 * (machine.setup().memory / CHUNK);
        Ok(Bank { machine, device, record, file, first })
    }

    /// How full the device is. What the dead held is free.
    pub fn fill(&self) -> Fill {
        self.recover();
        self.chunks().fill()
    }

    pub fn total_bytes(&self) -> u64 {
        self.machine.setup().memory
    }

    /// Takes `count` zeroed chunks for the places from `place` on. `None`: the device, or the file system behind it, is full.
    pub fn take(&self, count: u64, place: u64) -> Option<Vec<u64>> {
        if count > self.chunks().fill().total {
            return None;
        }
        // Nothing is refused before the dead have given back what they held, and what others only keep is used.
        self.try_take(count, place, Wants::Memory).or_else(|| {
            self.recover();
            self.try_take(count, place, Wants::Pages)
        })
    }

    /// Takes room for `count` chunks without memory behind it. `None`: the device is full.
    pub fn take_room(&self, count: u64) -> Option<Vec<u64>> {
        let claim = || self.chunks().claim(self.holder(), count, 0, Wants::Room);
        let claimed = claim().or_else(|| {
            self.recover();
            claim()
        });
        Some(claimed?.iter().map(|claimed| claimed.chunk).collect())
    }

    pub fn give_room(&self, chunks: &[u64]) {
        self.chunks().free(self.holder(), chunks.iter().copied());
    }

    /// Gives held chunks back; their memory returns to the system.
    pub fn give(&self, chunks: &[u64]) {
        for run in Run::join(chunks.iter().copied()) {
            // Still held: nobody else can have the chunk while it is emptied. One that cannot be emptied is left as it
            // is, and cleared by whoever takes it.
            match self.file.release(self.first + run.first, run.count) {
                Ok(()) => self.chunks().give(self.holder(), run.chunks()),
                Err(_) => self.chunks().free(self.holder(), run.chunks()),
            }
        }
    }

    /// Lets held chunks go as they are, to come back to them cheaply.
    pub fn keep(&self, chunks: impl IntoIterator<Item = u64>) {
        self.chunks().keep(self.holder(), chunks);
    }

    /// Takes kept chunks again, given with their places. Says which ones somebody else has taken meanwhile; `None`, and
    /// nothing is taken, if the device is full.
    pub fn retake(&self, kept: &[(u64, u64)]) -> Option<Vec<(u64, u64)>> {
        self.chunks().retake(self.holder(), kept)
    }

    /// Lets other processes hold these chunks too; the numbers they are found by.
    pub fn share(&self, chunks: &[u64]) -> Option<Vec<u64>> {
        self.chunks().share(self.holder(), chunks)
    }

    /// Holds chunks that another process shares, by their numbers.
    pub fn join(&self, first: u64, count: u64) -> Option<Vec<u64>> {
        let joined = self.chunks().join(self.record, first, count);
        if joined.is_none() {
            // For a moment we may have held some of them: whoever let go just then left them to us.
            self.sweep();
        }
        joined
    }

    /// Stops holding shared chunks.
    pub fn leave(&self, chunks: &[u64]) {
        let named = self.machine.shares().named(self.device);
        self.chunks().leave(self.record, chunks.iter().copied(), &named);
    }

    /// Maps chunks at an address inside `window`.
    pub fn map(&self, window: &Window, addr: u64, run: Run) -> io::Result<()> {
        window.map_file(addr, &self.file, self.first + run.first, run.count)
    }

    fn try_take(&self, count: u64, place: u64, wants: Wants) -> Option<Vec<u64>> {
        let claimed = self.chunks().claim(self.holder(), count, place, wants)?;
        let ready = claimed.iter().try_for_each(|claimed| {
            let chunk = self.first + claimed.chunk;
            if claimed.dirty { self.file.clear(chunk) } else { self.file.commit(chunk) }
        });
        let chunks: Vec<u64> = claimed.iter().map(|claimed| claimed.chunk).collect();
        if ready.is_err() {
            self.give(&chunks);
            return None;
        }
        Some(chunks)
    }

    /// Gives back what dead processes held, and shared memory that nobody holds or names any more.
    fn recover(&self) {
        self.machine.recover();
        self.sweep();
    }

    fn sweep(&self) {
        self.chunks().sweep(self.record, &self.machine.shares().named(self.device));
    }

    fn chunks(&self) -> &'static Chunks {
        self.machine.chunks(self.device)
    }

    fn holder(&self) -> Holder<'static> {
        Holder { book: self.machine.seats(self.device), record: self.record }
    }
}
