//! Turns on an engine: round robin over the records that wait, and the arithmetic of slices.

/// Words of a bitmap of records.
pub const WORDS: usize = 16;
/// Records there can be.
pub const RECORDS: u16 = 1024;

/// The first waiting record after `owner` in cyclic order for which `alive` holds; `owner` itself comes last.
pub fn next(owner: u16, waiting: &[u64; WORDS], mut alive: impl FnMut(u16) -> bool) -> Option<u16> {
    let (word, bit) = (usize::from(owner % RECORDS) / 64, owner % 64);
    let later = waiting[word] & !(u64::MAX >> (63 - bit));
    let earlier = waiting[word] & !later;
    let others = (1..WORDS).map(|i| (word + i) % WORDS).map(|i| (i, waiting[i]));
    let order = std::iter::once((word, later)).chain(others).chain([(word, earlier)]);
    order.flat_map(|(word, bits)| records(word, bits)).find(|&record| alive(record))
}

/// The records of one word of a bitmap, in order.
fn records(word: usize, mut bits: u64) -> impl Iterator<Item = u16> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let bit = bits.trailing_zeros();
            bits &= bits - 1;
            word as u16 * 64 + bit as u16
        })
    })
}

/// Granularity of slice ends.
pub const TICK_NS: u64 = 256;
const END_BITS: u32 = 40;
const RECORD_BITS: u32 = 12;

/// Who has an engine, and until when: the content of an engine's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tenure {
    /// 0: nobody.
    pub owner: u16,
    /// Raised with every change of the word, modulo 4096.
    pub generation: u16,
    /// End of the slice in device time, a multiple of [`TICK_NS`].
    pub end: u64,
}

impl Tenure {
    /// `{end : 40 | generation : 12 | owner : 12}`, the end in ticks modulo 2^40 (78 hours).
    pub fn pack(self) -> u64 {
        let end = self.end / TICK_NS % (1 << END_BITS);
        end << (2 * RECORD_BITS)
            | u64::from(self.generation & 0xfff) << RECORD_BITS
            | u64::from(self.owner & 0xfff)
    }

    /// Reads a word; `now` is any device time within 39 hours of the slice's end.
    pub fn unpack(word: u64, now: u64) -> Tenure {
        let ticks = word >> (2 * RECORD_BITS);
        // The distance from now to the end, as a signed number of 40 bits.
        let distance = (ticks.wrapping_sub(now / TICK_NS) << (64 - END_BITS)) as i64 >> (64 - END_BITS);
        let end = (now / TICK_NS).saturating_add_signed(distance).saturating_mul(TICK_NS);
        Tenure { owner: word as u16 & 0xfff, generation: (word >> RECORD_BITS) as u16 & 0xfff, end }
    }

    /// The tenure of `owner` after this one, from `at` on: another owner begins `switch_ns` later. Gives its begin as well.
    pub fn pass(self, owner: u16, at: u64, slice_ns: u64, switch_ns: u64) -> (u64, Tenure) {
        let switch = if owner == self.owner || self.owner == 0 { 0 } else { switch_ns };
        let begin = at.saturating_add(switch);
        let end = begin.saturating_add(slice_ns.max(1)).next_multiple_of(TICK_NS);
        (begin, Tenure { owner, generation: (self.generation + 1) & 0xfff, end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bitmap(records: &[u16]) -> [u64; WORDS] {
        let mut bits = [0; WORDS];
        for &record in records {
            bits[usize::from(record) / 64] |= 1 << (record % 64);
        }
        bits
    }

    #[test]
    fn everybody_waiting_comes_once_per_round() {
        let waiting = [1, 2, 63, 64, 65, 700, 1022];
        let mut owner = 63;
        let round: Vec<u16> = std::iter::from_fn(|| {
            owner = next(owner, &bitmap(&waiting), |_| true)?;
            Some(owner)
        })
        .take(waiting.len())
        .collect();
        assert_eq!(round, [64, 65, 700, 1022, 1, 2, 63]);
    }

    #[test]
    fn the_dead_are_skipped_and_the_owner_comes_last() {
        let waiting = bitmap(&[5, 9, 12]);
        assert_eq!(next(5, &waiting, |r| r != 9), Some(12));
        assert_eq!(next(5, &waiting, |r| r == 5), Some(5));
        assert_eq!(next(5, &waiting, |_| false), None);
        assert_eq!(next(7, &[0; WORDS], |_| true), None);
        assert_eq!(next(0, &bitmap(&[63]), |_| true), Some(63));
        assert_eq!(next(63, &bitmap(&[63]), |_| true), Some(63));
    }

    #[test]
    fn words_keep_what_they_are_given() {
        for now in [0, 1 << 20, (1 << 48) - 5000, 1 << 48, (1 << 48) + 12_345, 1 << 55] {
            let end: u64 = now + 2_000_128;
            let tenure = Tenure { owner: 1022, generation: 4095, end: end - end % TICK_NS };
            assert_eq!(Tenure::unpack(tenure.pack(), now), tenure);
            // A slice long past is still in the past.
            assert_eq!(Tenure::unpack(tenure.pack(), now + 3_600_000_000_000), tenure);
        }
    }

    #[test]
    fn a_switch_costs_only_between_owners() {
        let first = Tenure { owner: 3, generation: 4095, end: 2048 };
        let (begin, next) = first.pass(4, 2048, 10_240, 500);
        assert_eq!((begin, next.generation, next.owner), (2548, 0, 4));
        assert!(next.end >= begin + 10_240 && next.end < begin + 10_240 + TICK_NS);
        assert_eq!(first.pass(3, 2048, 10_240, 500).0, 2048);
        assert_eq!(Tenure { owner: 0, ..first }.pass(3, 100, 10_240, 500).0, 100);
    }
}
