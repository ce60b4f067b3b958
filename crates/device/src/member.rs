//! A process among those that share the devices: how it takes a record, and how the records of the dead become free.

use std::io;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use cleave_ledger::RecordId;

use crate::error::Error;
use crate::layout::{Claims, NAME_WORDS, Record};
use crate::machine::Machine;
use crate::sys_unsafe;

/// This process's place among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    record: RecordId,
    generation: u32,
}

impl Member {
    pub fn record(&self) -> RecordId {
        self.record
    }

    /// Tells this owner of the record from earlier and later ones.
    pub fn generation(&self) -> u32 {
        self.generation
    }
}

impl Machine {
    /// Takes a record for this process, once; it is given back by the process's end. `name` is for people.
    pub fn join(&self, name: &str) -> Result<&Member, Error> {
        if let Some(member) = self.member.get() {
            return Ok(member);
        }
        self.recover();
        let member = self.claim(name)?;
        let ours = self.member.get_or_init(|| member);
        if *ours != member {
            // Another thread was faster; its record is the one we use.
            self.leave(member.record).map_err(|error| self.trouble("leave", error))?;
        }
        Ok(ours)
    }

    fn claim(&self, name: &str) -> Result<Member, Error> {
        for id in RecordId::all().filter(|id| !self.claims.has(*id)) {
            let (record, token) = (self.record(id), u32::from(id.get()));
            if !self.tokens.hold(token).map_err(|error| self.trouble("join", error))? {
                continue;
            }
            // The bit before the word: whoever is killed in between leaves a bit that recovery finds and takes back.
            self.claims.set(id);
            if record.word.claim() {
                record.describe(name);
                return Ok(Member { record: id, generation: record.word.read().generation });
            }
            self.finish(id);
            self.tokens.release(token).map_err(|error| self.trouble("join", error))?;
        }
        Err(Error::Crowded { folder: self.folder().map(Into::into).unwrap_or_default() })
    }

    /// Gives back what dead processes had; how many there were.
    pub fn recover(&self) -> usize {
        self.claimed().filter(|id| matches!(self.recover_one(*id), Ok(true))).count()
    }

    /// Ends what is left of a record if its process is dead. Whoever is killed in here is followed by another, who begins
    /// anew: every step can be done twice.
    fn recover_one(&self, id: RecordId) -> io::Result<bool> {
        let token = u32::from(id.get());
        // First without taking it, so that the living are not disturbed: that also sees what this process holds by itself.
        if self.tokens.probe(token)?.is_some() || !self.tokens.hold(token)? {
            return Ok(false);
        }
        self.finish(id);
        self.tokens.release(token)?;
        Ok(true)
    }

    /// Gives up the record of this process, whose token it holds.
    fn leave(&self, id: RecordId) -> io::Result<()> {
        self.finish(id);
        self.tokens.release(id.get().into())
    }

    /// Ends all that a record has and makes it free. The caller holds its token.
    fn finish(&self, id: RecordId) {
        let record = self.record(id);
        if record.word.bury() {
            for device in 0..self.devices().len() {
                self.turns(device).forget(id.get());
                self.departed(device).inherit(self.usage(device, id));
                self.chunks(device).recover(self.seats(device), id, &self.shares().named(device));
            }
            self.events().recover(id);
            record.word.free();
        }
        self.claims.clear(id);
    }

    /// The records that somebody has, or had when he died.
    pub fn claimed(&self) -> impl Iterator<Item = RecordId> {
        self.claims.all()
    }

    fn trouble(&self, doing: &'static str, error: io::Error) -> Error {
        Error::System { path: self.folder().map(Into::into).unwrap_or_default(), doing, error }
    }
}

impl Claims {
    fn word(&self, id: RecordId) -> (&AtomicU64, u64) {
        (&self.bits[id.index() / 64], 1 << (id.index() % 64))
    }

    fn has(&self, id: RecordId) -> bool {
        let (word, bit) = self.word(id);
        word.load(Acquire) & bit != 0
    }

    fn set(&self, id: RecordId) {
        let (word, bit) = self.word(id);
        word.fetch_or(bit, AcqRel);
    }

    fn clear(&self, id: RecordId) {
        let (word, bit) = self.word(id);
        word.fetch_and(!bit, AcqRel);
    }

    fn all(&self) -> impl Iterator<Item = RecordId> {
        self.bits.iter().enumerate().flat_map(|(at, word)| {
            let bits = word.load(Acquire);
            (0..64)
                .filter(move |bit| bits >> bit & 1 != 0)
                .filter_map(move |bit| RecordId::new((at * 64 + bit) as u16))
        })
    }
}

impl Record {
    /// Writes down who we are.
    fn describe(&self, name: &str) {
        self.uid.store(sys_unsafe::user(), Relaxed);
        self.pid.store(std::process::id(), Relaxed);
        let mut bytes = [0_u8; NAME_WORDS * 8];
        let kept = name.floor_char_boundary(bytes.len());
        bytes[..kept].copy_from_slice(&name.as_bytes()[..kept]);
        for (word, bytes) in self.name.iter().zip(bytes.as_chunks().0) {
            word.store(u64::from_le_bytes(*bytes), Relaxed);
        }
    }

    /// The name that was written down, or whatever stands there.
    pub fn name(&self) -> String {
        let bytes: Vec<u8> = self.name.iter().flat_map(|word| word.load(Relaxed).to_le_bytes()).collect();
        let text = bytes.split(|&b| b == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).chars().map(|c| if c.is_control() { '?' } else { c }).collect()
    }
}
