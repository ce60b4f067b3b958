//! f16: 5 exponent bits, 10 mantissa bits.

use super::exact::{Exact, Format, Round};
use super::half::half_arithmetic;
use super::{float, narrow};

half_arithmetic!();

pub const INFINITY: u16 = 0x7c00;

#[inline(always)]
pub fn is_nan(a: u16) -> bool {
    a & 0x7fff > INFINITY
}

/// Exact.
#[inline(always)]
pub fn to_f32(a: u16) -> f32 {
    // All of it in 32 bits: comparisons of 16 would cost vector code shuffles.
    let wide = u32::from(a);
    let mag = wide & 0x7fff;
    let finite = narrow::to_f32::<10, 15>(mag).to_bits();
    let magnitude = if mag < u32::from(INFINITY) { finite } else { f32::INFINITY.to_bits() };
    let signed = magnitude | (wide & 0x8000) << 16;
    f32::from_bits(if mag > u32::from(INFINITY) { float::NAN.to_bits() } else { signed })
}

/// `cvt.rn.f16.f32`.
#[inline(always)]
pub fn from_f32(x: f32) -> u16 {
    let mag = x.to_bits() & 0x7fff_ffff;
    let finite = narrow::from_f32::<10, 15>(mag).min(u32::from(INFINITY)) as u16;
    let signed = finite | (x.to_bits() >> 16) as u16 & 0x8000;
    if mag > 0x7f80_0000 { NAN } else { signed }
}

/// `cvt.rn.f16.f64`.
#[inline(always)]
pub fn from_f64(x: f64) -> u16 {
    from_f32(narrow::f64_to_f32_odd(x))
}

/// The f16 next to `x` in direction `mode`; `.satfinite` if `finite`.
#[inline]
pub fn round(x: f64, mode: Round, finite: bool) -> u16 {
    match Exact::from_f64(x) {
        Some(exact) => exact.round(Format::F16, mode, finite) as u16,
        None if x.is_nan() => NAN,
        None => (if finite { 0x7bff } else { INFINITY }) | u16::from(x < 0.0) << 15,
    }
}

/// `.ftz`: a subnormal becomes a zero of its sign.
#[inline(always)]
pub fn ftz(a: u16) -> u16 {
    if a & 0x7c00 == 0 { a & 0x8000 } else { a }
}
