//! Operands for tests: repeatable, and rich in the values where arithmetic goes wrong.

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// splitmix64.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// Any bits, often a special value, often close in exponent to one.
    pub fn f32(&mut self) -> f32 {
        let raw = self.bits() as u32;
        f32::from_bits(match self.below(8) {
            0 => [0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 1, 0x7f7f_ffff, 0x0080_0000]
                [self.below(8) as usize],
            1 => raw & 0x807f_ffff,
            2..=4 => raw & 0x807f_ffff | (120 + self.below(16) as u32) << 23,
            5 => raw & 0xfff0_0000,
            _ => raw,
        })
    }

    /// As [`Random::f32`].
    pub fn f64(&mut self) -> f64 {
        let raw = self.bits();
        f64::from_bits(match self.below(8) {
            0 => return f64::from(self.f32()),
            1 => raw & 0x800f_ffff_ffff_ffff,
            2..=4 => raw & 0x800f_ffff_ffff_ffff | (1000 + self.below(60)) << 52,
            5 => raw & 0xffff_ff00_0000_0000,
            _ => raw,
        })
    }

    /// Any bits, often few of them.
    pub fn int(&mut self) -> u64 {
        match self.below(8) {
            0 => [0, 1, u64::MAX, 1 << 31, 1 << 63, 0x7fff_ffff, 0x8000, i64::MAX as u64]
                [self.below(8) as usize],
            1 => self.below(64),
            2 => self.bits() >> self.below(64),
            _ => self.bits(),
        }
    }
}
