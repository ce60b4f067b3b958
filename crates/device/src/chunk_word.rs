//! The word that says whose a chunk is.

use cleave_ledger::RecordId;

/// What a chunk is to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A hole of the file, nobody's.
    Empty,
    /// Free, but with pages and the content its last owner left: whoever takes it clears it, unless he is that owner.
    Kept,
    /// A record's memory.
    Held,
    /// A record's, counted like memory but without any behind it: what a context costs.
    Bare,
    /// Memory of all records that hold it; the record in the word is the one it is shown under.
    Shared,
    /// Shared memory that nobody seemed to hold any more; the record in the word is about to free it.
    Closing,
}

/// One chunk's word. `tag:49 | record:12 | state:3`; zero is an empty chunk of nobody.
///
/// The tag of a held or kept chunk is the place it has in its owner's window; that of a shared one is a number that no
/// other chunk of the device has or had, so that a late compare-exchange never meets a later sharing of the same chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    pub state: State,
    pub record: Option<RecordId>,
    pub tag: u64,
}

/// Bits of a tag.
pub const TAG_BITS: u32 = 49;

impl Word {
    pub const EMPTY: Word = Word { state: State::Empty, record: None, tag: 0 };
    /// Free memory nobody will come back for.
    pub const LEFT: Word = Word { state: State::Kept, record: None, tag: 0 };

    pub fn held(state: State, record: RecordId, tag: u64) -> Word {
        Word { state, record: Some(record), tag }
    }

    /// A word that nobody writes, of a damaged page, is a chunk nobody can have.
    pub fn unpack(word: u64) -> Option<Word> {
        let state = match word & 7 {
            0 => State::Empty,
            1 => State::Kept,
            2 => State::Held,
            3 => State::Bare,
            4 => State::Shared,
            5 => State::Closing,
            _ => return None,
        };
        let record = RecordId::new((word >> 3) as u16 & 0xfff);
        let unpacked = Word { state, record, tag: word >> (64 - TAG_BITS) };
        // A word that nobody packed would never be found again by compare-exchange.
        (unpacked.pack() == word).then_some(unpacked)
    }

    pub fn pack(self) -> u64 {
        let record = self.record.map_or(0, |record| u64::from(record.get()));
        self.tag << (64 - TAG_BITS) | record << 3 | self.state as u64
    }

    pub fn is_free(self) -> bool {
        matches!(self.state, State::Empty | State::Kept)
    }

    pub fn is_shared(self) -> bool {
        matches!(self.state, State::Shared | State::Closing)
    }

    /// Whether `record` alone holds it.
    pub fn is_of(self, record: RecordId) -> bool {
        matches!(self.state, State::Held | State::Bare) && self.record == Some(record)
    }

    /// What becomes of a held chunk that is let go as it is.
    pub fn left(self) -> Word {
        if self.state == State::Bare { Word::EMPTY } else { Word::LEFT }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_as_they_were_packed() {
        for state in [State::Empty, State::Kept, State::Held, State::Bare, State::Shared, State::Closing] {
            for record in [None, RecordId::new(1), RecordId::new(RecordId::LAST)] {
                for tag in [0, 1, (1 << TAG_BITS) - 1] {
                    let word = Word { state, record, tag };
                    assert_eq!(Word::unpack(word.pack()), Some(word));
                }
            }
        }
        assert_eq!(Word::EMPTY.pack(), 0, "fresh pages are an empty device");
        assert_eq!(Word::unpack(7), None);
    }
}
