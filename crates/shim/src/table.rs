//! A map from addresses that keeps neighbours together.
//!
//! Open addressing: a key stands at its home or behind it, and those of one run stand in the order of their homes. Eight neighbouring pages have eight neighbouring places: a program that allocates
//! one thing after the other, and frees in that order, walks through the table instead of jumping in it, which is what counts
//! when the table is larger than a cache. All other bits of a key are scattered, so any pattern of addresses or handles is
//! spread.

/// Values by key.
pub struct Table<V> {
    places: Box<[Option<(u64, V)>]>,
    len: usize,
}

/// Places of a table that holds something.
const LEAST: usize = 32;
/// Bits of a key below which keys are not neighbours: 4 KiB.
const PAGE: u32 = 12;
/// Neighbours: 2 to the power of this.
const TOGETHER: u32 = 3;

/// The first two powers of the inverse of the plastic number, as fractions of 2 to the power of 64. The upper bits of products
/// with them place numbers that follow each other evenly: in a table by the one, among tables by the other, and evenly still
/// in each of those tables.
const PLASTIC: [u64; 2] = [0x91e1_0da5_c79e_7b1d, 0xc13f_a9a9_02a6_328f];

/// Which of several tables (2 to the power of `bits`) a key belongs to. Neighbours belong to the same.
pub fn part(key: u64, bits: u32) -> usize {
    ((key >> (PAGE + TOGETHER)).wrapping_mul(PLASTIC[1]) >> (64 - bits)) as usize
}

impl<V> Default for Table<V> {
    fn default() -> Table<V> {
        Table { places: Box::default(), len: 0 }
    }
}

impl<V> Table<V> {
    /// Notes a value; one that stood under the key before is returned.
    pub fn insert(&mut self, key: u64, value: V) -> Option<V> {
        // At most half full: runs stay short.
        if (self.len + 1) * 2 > self.places.len() {
            self.grow();
        }
        match self.find(key) {
            Ok(at) => self.places[at].replace((key, value)).map(|(_, before)| before),
            Err(at) => {
                self.place(at, (key, value));
                self.len += 1;
                None
            }
        }
    }

    /// Takes a value out.
    pub fn remove(&mut self, key: u64) -> Option<V> {
        if self.len == 0 {
            return None;
        }
        let at = self.find(key).ok()?;
        let (_, value) = self.places[at].take()?;
        self.len -= 1;
        self.close(at);
        Some(value)
    }

    /// Takes out all that `which` names.
    pub fn extract(&mut self, which: impl Fn(&V) -> bool) -> Vec<V> {
        let named =
            |place: &Option<(u64, V)>| place.as_ref().filter(|(_, value)| which(value)).map(|(key, _)| *key);
        let keys: Vec<u64> = self.places.iter().filter_map(named).collect();
        keys.into_iter().filter_map(|key| self.remove(key)).collect()
    }

    /// The place of a key, or else the place it would get: a free one, or that of a key which is nearer to its home.
    fn find(&self, key: u64) -> Result<usize, usize> {
        let mut at = self.home(key);
        for way in 0.. {
            match &self.places[at] {
                Some((other, _)) if *other == key => return Ok(at),
                Some((other, _)) if self.steps(self.home(*other), at) >= way => at = self.next(at),
                _ => break,
            }
        }
        Err(at)
    }

    /// Puts something in a place, and what stands there in the next, up to the first that is free.
    fn place(&mut self, mut at: usize, new: (u64, V)) {
        let mut pushed = self.places[at].replace(new);
        while pushed.is_some() {
            at = self.next(at);
            pushed = std::mem::replace(&mut self.places[at], pushed);
        }
    }

    /// Moves up what stands behind the one that left, up to the first that is at home.
    fn close(&mut self, mut gap: usize) {
        loop {
            let at = self.next(gap);
            match &self.places[at] {
                Some((key, _)) if self.home(*key) != at => self.places.swap(gap, at),
                _ => return,
            }
            gap = at;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.places.len() * 2).max(LEAST);
        let fresh = std::iter::repeat_with(|| None).take(size).collect();
        for (key, value) in std::mem::replace(&mut self.places, fresh).into_iter().flatten() {
            let (Ok(at) | Err(at)) = self.find(key);
            self.place(at, (key, value));
        }
    }

    /// Where a key belongs.
    fn home(&self, key: u64) -> usize {
        const OTHER: u64 = 0xd6e8_feb8_6659_fd93;
        let within = key & ((1 << PAGE) - 1);
        let apart = (key >> (PAGE + TOGETHER)).wrapping_add(within.wrapping_mul(OTHER));
        let groups = self.places.len() >> TOGETHER;
        let group = apart.wrapping_mul(PLASTIC[0]) >> (64 - groups.trailing_zeros());
        let neighbour = (key >> PAGE) & ((1 << TOGETHER) - 1);
        ((group << TOGETHER) | neighbour) as usize
    }

    fn next(&self, at: usize) -> usize {
        (at + 1) & (self.places.len() - 1)
    }

    /// How far it is from one place to another, going forward.
    fn steps(&self, from: usize, to: usize) -> usize {
        to.wrapping_sub(from) & (self.places.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// The longest way from where a key belongs to where it stands.
    fn longest(table: &Table<u64>) -> usize {
        let way = |(at, place): (usize, &Option<(u64, u64)>)| {
            place.map(|(key, _)| table.steps(table.home(key), at))
        };
        table.places.iter().enumerate().filter_map(way).max().unwrap_or(0)
    }

    #[test]
    fn it_is_a_map() {
        let (mut table, mut model) = (Table::default(), HashMap::new());
        let mut state = 1_u64;
        for step in 0..200_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            // Few keys, so that they meet; of several patterns, so that they push each other.
            let number = (state >> 40) % 600;
            let key = match state >> 62 {
                0 => number,
                1 => number << 9,
                2 => number << 12,
                _ => number << 21,
            };
            if state >> 30 & 1 == 0 {
                assert_eq!(table.insert(key, step), model.insert(key, step));
            } else {
                assert_eq!(table.remove(key), model.remove(&key));
            }
            assert_eq!(table.len, model.len());
        }
        let mut odd = table.extract(|value| value % 2 == 1);
        let mut wanted: Vec<u64> = model.values().copied().filter(|value| value % 2 == 1).collect();
        odd.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(odd, wanted);
        assert!(table.extract(|_| true).iter().all(|value| value % 2 == 0));
        assert_eq!((table.len, table.remove(0)), (0, None));
    }

    #[test]
    fn no_stride_makes_long_runs() {
        for shift in 0..36 {
            for odd in [1, 3, 5] {
                let mut table = Table::default();
                for n in 0..20_000_u64 {
                    table.insert(0x7f00_0000_0000 + odd * (n << shift), n);
                }
                assert!(longest(&table) < 64, "{} at stride {odd} << {shift}", longest(&table));
            }
        }
    }

    #[test]
    fn parts_are_filled_evenly() {
        for shift in [12, 15, 16, 21, 25] {
            let mut counts = [0; 64];
            (0..51_200_u64).for_each(|n| counts[part(0x7f00_0000_0000 + (n << shift), 6)] += 1);
            assert!(counts.iter().all(|count| (700..900).contains(count)), "{shift}: {counts:?}");
        }
    }

    #[test]
    fn pages_that_follow_each_other_stand_together() {
        let mut table = Table::default();
        for page in 0..8 {
            table.insert(0x7f00_0000_0000 + (page << 12), page);
        }
        let at: Vec<usize> =
            (0..8).filter_map(|page| table.find(0x7f00_0000_0000 + (page << 12)).ok()).collect();
        assert_eq!(at.len(), 8);
        assert!(at.windows(2).all(|pair| pair[1] == pair[0] + 1), "{at:?}");
    }
}
