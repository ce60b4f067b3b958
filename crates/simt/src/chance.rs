//! The adversary's dice: a seeded generator behind every scheduling decision that hardware leaves open.

/// A xorshift generator: decisions need variety, not quality.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// Decisions that depend on the seed and on who asks, so that every block has its own.
    pub fn new(seed: u64, who: u64) -> Chance {
        let mixed = (seed ^ who.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Chance((mixed ^ mixed >> 29) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `bound` (0 if that is 0).
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11) as usize % bound.max(1)
    }
}
