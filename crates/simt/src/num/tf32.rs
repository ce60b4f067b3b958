//! tf32: an f32 whose lower 13 mantissa bits are zero.

use super::exact::{Exact, Format, Round};
use super::float;

/// `cvt.mode.tf32.f32`; `.satfinite` if `finite`.
#[inline]
pub fn round(x: f32, mode: Round, finite: bool) -> u32 {
    match Exact::from_f64(f64::from(x)) {
        Some(exact) => (exact.round(Format::TF32, mode, finite) as u32) << 13,
        None if x.is_nan() => float::NAN.to_bits(),
        None if finite => 0x7f7f_e000 | x.to_bits() & 0x8000_0000,
        None => x.to_bits(),
    }
}

/// What a tensor core reads: the lower bits do not reach it.
#[inline(always)]
pub fn read(bits: u32) -> f32 {
    f32::from_bits(bits & !0x1fff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::random::Random;

    #[test]
    fn rounds_as_adding_to_the_bits_does() {
        let mut random = Random::new(4);
        for _ in 0..200_000 {
            let x = random.f32();
            if !x.is_finite() {
                continue;
            }
            let bits = x.to_bits();
            let away = (bits + 0x1000) & !0x1fff;
            let even = (bits + 0xfff + (bits >> 13 & 1)) & !0x1fff;
            assert_eq!(round(x, Round::NearestAway, false), away, "{x:e}");
            assert_eq!(round(x, Round::Nearest, false), even, "{x:e}");
            assert_eq!(round(x, Round::Zero, false), bits & !0x1fff, "{x:e}");
        }
        assert_eq!(round(f32::MAX, Round::NearestAway, false), 0x7f80_0000);
        assert_eq!(round(-f32::MAX, Round::NearestAway, true), 0xff7f_e000);
        assert_eq!(round(f32::NEG_INFINITY, Round::NearestAway, true), 0xff7f_e000);
        assert_eq!(round(f32::from_bits(0xffc0_0001), Round::Zero, true), 0x7fff_ffff);
    }
}
