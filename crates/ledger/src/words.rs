//! The counter's words, each packed into 64 bits so that one compare-exchange changes all of it.

use crate::record::RecordId;

/// The last sequence number the words have room for.
pub const SEQUENCES: u32 = (1 << 20) - 1;

/// The counter: what all hold together, and the operation that made it so. `used:32 | record:12 | sequence:20`
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Total {
    pub used: u32,
    pub record: Option<RecordId>,
    pub sequence: u32,
}

impl Total {
    pub fn unpack(word: u64) -> Total {
        Total {
            used: high(word),
            record: RecordId::new((word >> 20) as u16 & 0xfff),
            sequence: word as u32 & 0xf_ffff,
        }
    }

    pub fn pack(self) -> u64 {
        let record = self.record.map_or(0, |record| u64::from(record.get()));
        u64::from(self.used) << 32 | record << 20 | u64::from(self.sequence)
    }
}

/// What a record holds once operation `sequence` is done. `held:32 | 0:12 | sequence:20`
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Settled {
    pub held: u32,
    pub sequence: u32,
}

impl Settled {
    pub fn unpack(word: u64) -> Settled {
        Settled { held: high(word), sequence: word as u32 & 0xf_ffff }
    }

    pub fn pack(self) -> u64 {
        u64::from(self.held) << 32 | u64::from(self.sequence)
    }
}

/// The operation a record is about to do. `delta:44, signed | sequence:20`
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Note {
    pub delta: i64,
    pub sequence: u32,
}

impl Note {
    pub fn unpack(word: u64) -> Note {
        Note { delta: word as i64 >> 20, sequence: word as u32 & 0xf_ffff }
    }

    pub fn pack(self) -> u64 {
        (self.delta << 20) as u64 | u64::from(self.sequence)
    }
}

/// The last operation of a record that somebody else saw in the counter. `tag:44 | sequence:20`; the tag rises with every
/// change, so that a late compare-exchange never brings an old one back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Confirmed {
    pub sequence: u32,
    tag: u64,
}

impl Confirmed {
    pub fn unpack(word: u64) -> Confirmed {
        Confirmed { sequence: word as u32 & 0xf_ffff, tag: word >> 20 }
    }

    pub fn pack(self) -> u64 {
        self.tag << 20 | u64::from(self.sequence)
    }

    /// The same word a change later, naming `sequence`.
    pub fn then(self, sequence: u32) -> Confirmed {
        Confirmed { sequence, tag: self.tag.wrapping_add(1) & (u64::MAX >> 20) }
    }
}

fn high(word: u64) -> u32 {
    (word >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_as_they_were_packed() {
        let record = RecordId::new(1022);
        for used in [0, 1, u32::MAX] {
            for sequence in [0, 1, SEQUENCES] {
                let total = Total { used, record, sequence };
                assert_eq!(Total::unpack(total.pack()), total);
                let settled = Settled { held: used, sequence };
                assert_eq!(Settled::unpack(settled.pack()), settled);
                for delta in [i64::from(used), -i64::from(used)] {
                    let note = Note { delta, sequence };
                    assert_eq!(Note::unpack(note.pack()), note);
                }
            }
        }
    }

    #[test]
    fn every_change_of_a_confirmation_is_another_word() {
        let first = Confirmed::unpack(0).then(7);
        assert_eq!((first.sequence, first.then(7).sequence), (7, 7));
        assert_ne!(first.pack(), first.then(7).pack());
        assert_eq!(Confirmed::unpack(u64::MAX).then(3).pack(), 3, "the tag wraps within its bits");
    }
}
