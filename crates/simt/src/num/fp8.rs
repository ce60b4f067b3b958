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
