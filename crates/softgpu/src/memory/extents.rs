//! Free ranges of an address line: best fit, neighbours joined, every operation O(log n).

use std::collections::{BTreeMap, BTreeSet};

/// Half-open ranges `start..start + len` that are free. Units are the caller's (bytes, granules, chunks).
#[derive(Debug, Default)]
pub struct Extents {
    by_start: BTreeMap<u64, u64>,
    by_len: BTreeSet<(u64, u64)>,
    total: u64,
}

impl Extents {
    pub fn new(start: u64, len: u64) -> Self {
        let mut extents = Extents::default();
        extents.add(start, len);
        extents
    }

    /// Sum of all free ranges.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Takes `len` units whose start is a multiple of `align` from the smallest range that surely holds them.
    pub fn take(&mut self, len: u64, align: u64) -> Option<u64> {
        let roomy = len.checked_add(align - 1)?;
        let exact = self.by_len.range((len, 0)..).next().filter(|(_, start)| start % align == 0);
        let &(have, start) = exact.or_else(|| self.by_len.range((roomy, 0)..).next())?;
        let at = start.next_multiple_of(align);
        self.cut(start, have, at, len);
        Some(at)
    }

    /// Takes exactly `start..start + len`, if all of it is free.
    pub fn take_at(&mut self, start: u64, len: u64) -> bool {
        let Some((&from, &have)) = self.by_start.range(..=start).next_back() else { return false };
        let fits = (start - from).checked_add(len).is_some_and(|end| end <= have);
        if fits {
            self.cut(from, have, start, len);
        }
        fits
    }

    /// Gives a range back and returns the joined free range that now holds it.
    pub fn give(&mut self, start: u64, len: u64) -> (u64, u64) {
        let (mut from, mut have) = (start, len);
        if let Some((&left, &n)) = self.by_start.range(..start).next_back()
            && left + n == start
        {
            self.remove(left, n);
            (from, have) = (left, have + n);
        }
        if let Some(&n) = self.by_start.get(&(start + len)) {
            self.remove(start + len, n);
            have += n;
        }
        self.add(from, have);
        (from, have)
    }

    /// Every free range, lowest first.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.by_start.iter().map(|(&start, &len)| (start, len))
    }

    fn cut(&mut self, from: u64, have: u64, at: u64, len: u64) {
        self.remove(from, have);
        self.add(from, at - from);
        self.add(at + len, from + have - (at + len));
    }

    fn add(&mut self, start: u64, len: u64) {
        if len > 0 {
            self.by_start.insert(start, len);
            self.by_len.insert((len, start));
            self.total += len;
        }
    }

    fn remove(&mut self, start: u64, len: u64) {
        self.by_start.remove(&start);
        self.by_len.remove(&(len, start));
        self.total -= len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_fit_prefers_the_smallest_hole() {
        let mut e = Extents::default();
        e.give(0, 100);
        e.give(200, 10);
        assert_eq!(e.take(10, 1), Some(200));
        assert_eq!(e.take(10, 1), Some(0));
        assert_eq!(e.total(), 90);
    }

    #[test]
    fn neighbours_join() {
        let mut e = Extents::new(0, 30);
        let (a, b, c) = (e.take(10, 1).unwrap(), e.take(10, 1).unwrap(), e.take(10, 1).unwrap());
        e.give(a, 10);
        e.give(c, 10);
        assert_eq!(e.iter().count(), 2);
        assert_eq!(e.give(b, 10), (0, 30));
    }

    #[test]
    fn alignment_and_exact_places() {
        let mut e = Extents::new(3, 61);
        assert_eq!(e.take(8, 16), Some(16));
        assert!(!e.take_at(15, 2));
        assert!(e.take_at(40, 8));
        assert!(!e.take_at(60, u64::MAX));
        assert_eq!(e.total(), 61 - 16);
        assert_eq!(e.take(1000, 1), None);
        assert_eq!(e.take(u64::MAX, 16), None);
    }

    #[test]
    fn random_use_never_overlaps_and_ends_whole() {
        let mut e = Extents::new(0, 4096);
        let mut live: Vec<(u64, u64)> = Vec::new();
        let mut seed = 1u64;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let dice = seed >> 33;
            if dice & 1 == 0 {
                let (len, align) = (1 + dice / 2 % 40, 1 << (dice / 80 % 5));
                if let Some(at) = e.take(len, align) {
                    assert_eq!(at % align, 0);
                    assert!(live.iter().all(|&(s, n)| at + len <= s || s + n <= at));
                    live.push((at, len));
                }
            } else if !live.is_empty() {
                let (start, len) = live.swap_remove(dice as usize % live.len());
                e.give(start, len);
            }
            assert_eq!(e.total() + live.iter().map(|l| l.1).sum::<u64>(), 4096);
        }
        for (start, len) in live {
            e.give(start, len);
        }
        assert_eq!(e.iter().collect::<Vec<_>>(), [(0, 4096)]);
    }
}
