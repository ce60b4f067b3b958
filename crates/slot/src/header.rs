//! What stands at the beginning of each file: what it is, of which version, of which slot.
//!
//! Written once, before anyone can see the file. The checksum notices damage, not malice.

use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

use cleave_ledger::{RecordId, shared};

use crate::error::Error;

/// The layout of all files. Whatever changes in `layout` changes this number.
pub const VERSION: u32 = 1;

const MAGIC: u64 = u64::from_le_bytes(*b"cleave\0\x05");

/// Which of the mapped files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Limits = 1,
    Usage = 2,
}

shared! {
    /// The beginning of a file.
    pub struct Header {
        magic: AtomicU64,
        version: AtomicU32,
        kind: AtomicU32,
        bytes: AtomicU64,
        records: AtomicU64,
        /// Tells the files of one slot from those of another.
        slot: AtomicU64,
        checksum: AtomicU64,
    }
}

/// The fields in their order, without the checksum.
type Words = [u64; 6];

fn words(kind: Kind, bytes: usize, slot: u64) -> Words {
    [MAGIC, u64::from(VERSION), kind as u64, bytes as u64, RecordId::TABLE as u64, slot]
}

impl Header {
    pub fn write(&self, kind: Kind, bytes: usize, slot: u64) {
        let words = words(kind, bytes, slot);
        self.magic.store(words[0], Relaxed);
        self.version.store(VERSION, Relaxed);
        self.kind.store(kind as u32, Relaxed);
        self.bytes.store(words[3], Relaxed);
        self.records.store(words[4], Relaxed);
        self.slot.store(slot, Relaxed);
        self.checksum.store(checksum(&words), Relaxed);
    }

    /// The slot the file belongs to, if it is a file of that kind and length in our layout. `path` is for the message.
    pub fn check(&self, kind: Kind, bytes: usize, path: &Path) -> Result<u64, Error> {
        if self.magic.load(Relaxed) != MAGIC {
            return Err(Error::damaged(path, "it is no file of a grant"));
        }
        // Before the checksum: what follows may be another version's business.
        let found = self.version.load(Relaxed);
        if found != VERSION {
            return Err(Error::OtherVersion { path: path.to_owned(), found, ours: VERSION });
        }
        let slot = self.slot.load(Relaxed);
        let wanted = words(kind, bytes, slot);
        let found = [
            wanted[0],
            wanted[1],
            self.kind.load(Relaxed).into(),
            self.bytes.load(Relaxed),
            self.records.load(Relaxed),
            slot,
        ];
        if self.checksum.load(Relaxed) != checksum(&found) {
            return Err(Error::damaged(path, "its first bytes have changed since it was made"));
        }
        if found != wanted {
            return Err(Error::damaged(path, "it is another file of a grant than its name says"));
        }
        Ok(slot)
    }
}

/// FNV-1a.
fn checksum(words: &Words) -> u64 {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
