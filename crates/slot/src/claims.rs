//! Which records are taken, as bits: how a free one is found at once, however many live.
//!
//! A bit is set before its record is claimed and cleared after it is free, both by who holds the record's token. So a bit may
//! be set for a free record (its taker was killed in between), never the other way round. The bits are a hint where to look;
//! the token decides.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use cleave_ledger::{RecordId, shared};

const WORDS: usize = RecordId::TABLE / 64;

/// The first record is the node's; tenants take the others.
pub const NODE: u16 = 1;
const TENANTS: u16 = RecordId::LAST - NODE;

shared! {
    /// A bit per record, and where the next taker looks first.
    pub struct Claims {
        cursor: AtomicU64,
        bits: [AtomicU64; WORDS],
    }
}

impl Claims {
    pub fn has(&self, id: RecordId) -> bool {
        let (word, bit) = self.place(id);
        word.load(Acquire) & bit != 0
    }

    pub fn set(&self, id: RecordId) {
        let (word, bit) = self.place(id);
        word.fetch_or(bit, AcqRel);
    }

    pub fn clear(&self, id: RecordId) {
        let (word, bit) = self.place(id);
        word.fetch_and(!bit, AcqRel);
    }

    /// The tenants' records whose bits are set.
    pub fn taken(&self) -> impl Iterator<Item = RecordId> {
        self.bits.iter().enumerate().flat_map(|(at, word)| {
            let mut bits = word.load(Acquire);
            let set = std::iter::from_fn(move || {
                let lowest = bits.trailing_zeros() as usize;
                bits &= bits.wrapping_sub(1);
                (lowest < 64).then_some(lowest)
            });
            set.filter_map(move |bit| tenant((at * 64 + bit) as u16))
        })
    }

    /// Where this taker begins: everyone somewhere else, so that those who come together do not meet, and in time each
    /// record is looked at.
    pub fn start(&self) -> RecordId {
        let turn = self.cursor.fetch_add(1, Relaxed) % u64::from(TENANTS);
        tenant(NODE + 1 + turn as u16).unwrap_or(FIRST)
    }

    /// The tenants' records whose bits are clear, from `start` on and around. Each word is looked at once, or twice where
    /// `start` divides it.
    pub fn free(&self, start: RecordId) -> impl Iterator<Item = RecordId> {
        let (first, within) = (start.index() / 64, start.index() % 64);
        let from_start = u64::MAX << within;
        let words = (0..=WORDS).map(move |turn| {
            let mask = match turn {
                0 => from_start,
                WORDS => !from_start,
                _ => u64::MAX,
            };
            ((first + turn) % WORDS, mask)
        });
        words.flat_map(|(at, mask)| {
            let mut clear = !self.bits[at].load(Acquire) & mask;
            std::iter::from_fn(move || {
                let bit = clear.trailing_zeros();
                clear &= clear.wrapping_sub(1);
                (bit < 64).then_some(at * 64 + bit as usize)
            })
            .filter_map(|number| tenant(number as u16))
        })
    }

    fn place(&self, id: RecordId) -> (&AtomicU64, u64) {
        (&self.bits[id.index() / 64], 1 << (id.index() % 64))
    }
}

const FIRST: RecordId = match RecordId::new(NODE + 1) {
    Some(id) => id,
    None => panic!(),
};

fn tenant(number: u16) -> Option<RecordId> {
    RecordId::new(number).filter(|id| id.get() > NODE)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn empty() -> Claims {
        Claims { cursor: AtomicU64::new(0), bits: [const { AtomicU64::new(0) }; WORDS] }
    }

    #[test]
    fn every_free_record_is_found_once_from_any_start() {
        let claims = empty();
        for number in [2, 63, 64, 700, 1022] {
            claims.set(RecordId::new(number).unwrap());
        }
        for start in (2..=RecordId::LAST).map(|number| RecordId::new(number).unwrap()) {
            let found: Vec<RecordId> = claims.free(start).collect();
            assert_eq!(found.len(), usize::from(TENANTS) - 5);
            assert_eq!(found.iter().collect::<HashSet<_>>().len(), found.len());
            assert!(found.iter().all(|&id| !claims.has(id) && id.get() > NODE));
            assert!(claims.has(start) || found[0] == start);
        }
        assert_eq!(claims.taken().map(RecordId::get).collect::<Vec<_>>(), [2, 63, 64, 700, 1022]);
        claims.clear(RecordId::new(64).unwrap());
        assert!(!claims.has(RecordId::new(64).unwrap()));
    }

    #[test]
    fn takers_begin_everywhere_in_turn() {
        let claims = empty();
        let starts: HashSet<RecordId> = (0..TENANTS).map(|_| claims.start()).collect();
        assert_eq!(starts.len(), usize::from(TENANTS));
        assert!(starts.iter().all(|id| id.get() > NODE));
        claims.cursor.store(u64::MAX, Relaxed);
        claims.start();
        assert_eq!(claims.start().get(), NODE + 1, "around");
    }

    #[test]
    fn bits_that_no_record_has_are_nobody() {
        let claims = empty();
        claims.bits.iter().for_each(|word| word.store(u64::MAX, Relaxed));
        assert_eq!(claims.taken().count(), usize::from(TENANTS));
        assert_eq!(claims.free(FIRST).count(), 0);
    }
}
