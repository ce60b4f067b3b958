//! The 8-bit formats. `e5m2` is the upper half of an f16; `e4m3` gives up infinity for range.

use super::exact::{Exact, Format, Round};
use super::{f16, float, narrow};

/// 4 exponent bits, 3 mantissa bits, no infinity, one NaN of each sign.
pub mod e4m3 {
    use super::*;

    pub const NAN: u8 = 0x7f;
    /// 448.
    pub const MAX: u8 = 0x7e;

    /// Exact.
    #[inline(always)]
    pub fn to_f32(a: u8) -> f32 {
        let finite = narrow::to_f32::<3, 7>(u32::from(a & 0x7f));
        let signed = f32::from_bits(finite.to_bits() | u32::from(a & 0x80) << 24);
        if a & 0x7f == NAN { float::NAN } else { signed }
    }

    /// `cvt.rn.satfinite` of one element.
    #[inline(always)]
    pub fn from_f32(x: f32) -> u8 {
        let mag = x.to_bits() & 0x7fff_ffff;
        let finite = narrow::from_f32::<3, 7>(mag).min(u32::from(MAX)) as u8;
        let signed = finite | (x.to_bits() >> 24) as u8 & 0x80;
        if mag > 0x7f80_0000 { NAN } else { signed }
    }

    /// Any rounding, always `.satfinite`.
    #[inline]
    pub fn round(x: f64, mode: Round) -> u8 {
        match Exact::from_f64(x) {
            Some(exact) => exact.round(Format::E4M3, mode, true) as u8,
            None if x.is_nan() => NAN,
            None => MAX | u8::from(x < 0.0) << 7,
        }
    }
}

/// 5 exponent bits, 2 mantissa bits.
pub mod e5m2 {
    use super::*;

    pub const NAN: u8 = 0x7f;
    pub const INFINITY: u8 = 0x7c;
    /// 57344.
    pub const MAX: u8 = 0x7b;

    /// Exact.
    #[inline(always)]
    pub fn to_f32(a: u8) -> f32 {
        f16::to_f32(u16::from(a) << 8)
    }

    /// `cvt.rn.satfinite` of one element.
    #[inline(always)]
    pub fn from_f32(x: f32) -> u8 {
        let mag = x.to_bits() & 0x7fff_ffff;
        let finite = narrow::from_f32::<2, 15>(mag).min(u32::from(MAX)) as u8;
        let signed = finite | (x.to_bits() >> 24) as u8 & 0x80;
        if mag > 0x7f80_0000 { NAN } else { signed }
    }

    /// Any rounding, always `.satfinite`.
    #[inline]
    pub fn round(x: f64, mode: Round) -> u8 {
        match Exact::from_f64(x) {
            Some(exact) => exact.round(Format::E5M2, mode, true) as u8,
            None if x.is_nan() => NAN,
            None => MAX | u8::from(x < 0.0) << 7,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(bits: u8, mantissa: i32, bias: i32) -> f64 {
        let stored = i32::from(bits & 0x7f) >> mantissa;
        let fraction = f64::from(i32::from(bits) & ((1 << mantissa) - 1)) / f64::from(1 << mantissa);
        let magnitude = if stored == 0 {
            fraction * 2f64.powi(1 - bias)
        } else {
            (1.0 + fraction) * 2f64.powi(stored - bias)
        };
        if bits & 0x80 == 0 { magnitude } else { -magnitude }
    }

    /// All values, and all middles between neighbours.
    fn check(
        mantissa: i32,
        bias: i32,
        max: u8,
        to: fn(u8) -> f32,
        from: fn(f32) -> u8,
        round: fn(f64, Round) -> u8,
    ) {
        for bits in 0..=max {
            for bits in [bits, bits | 0x80] {
                let exact = value(bits, mantissa, bias);
                assert_eq!(f64::from(to(bits)).to_bits(), exact.to_bits(), "{bits:#x}");
                assert_eq!(from(exact as f32), bits);
                assert_eq!(round(exact, Round::Up), bits);
            }
        }
        for low in 0..max {
            let middle = ((value(low, mantissa, bias) + value(low + 1, mantissa, bias)) / 2.0) as f32;
            let even = low + (low & 1);
            assert_eq!(from(middle), even, "{low:#x}");
            assert_eq!(from(-middle), even | 0x80, "{low:#x}");
            assert_eq!(from(middle.next_up()), low + 1);
            assert_eq!(from(middle.next_down()), low);
            assert_eq!(round(middle.into(), Round::Nearest), even);
            assert_eq!(round(middle.into(), Round::Zero), low);
            assert_eq!(round((-middle).into(), Round::Up), low | 0x80);
        }
        for huge in [value(max, mantissa, bias) as f32 * 1.5, f32::MAX, f32::INFINITY] {
            assert_eq!(from(huge), max);
            assert_eq!(from(-huge), max | 0x80);
            assert_eq!(round(huge.into(), Round::Nearest), max);
        }
        assert_eq!(from(f32::NAN), 0x7f);
        assert_eq!(round(f64::NAN, Round::Nearest), 0x7f);
    }

    #[test]
    fn e4m3_everywhere() {
        check(3, 7, e4m3::MAX, e4m3::to_f32, e4m3::from_f32, e4m3::round);
        assert_eq!(e4m3::to_f32(e4m3::MAX), 448.0);
        assert!(e4m3::to_f32(0x7f).is_nan() && e4m3::to_f32(0xff).is_nan());
    }

    #[test]
    fn e5m2_everywhere() {
        check(2, 15, e5m2::MAX, e5m2::to_f32, e5m2::from_f32, e5m2::round);
        assert_eq!(e5m2::to_f32(e5m2::MAX), 57344.0);
        assert_eq!(e5m2::to_f32(0xfc), f32::NEG_INFINITY);
        assert!(e5m2::to_f32(0x7d).is_nan());
    }
}
