//! bf16: an f32 cut to 7 mantissa bits.

use super::exact::{Exact, Format, Round};
use super::float::Float;
use super::half::half_arithmetic;
use super::narrow;

half_arithmetic!();

pub const INFINITY: u16 = 0x7f80;

#[inline(always)]
pub fn is_nan(a: u16) -> bool {
    a & 0x7fff > INFINITY
}

/// Exact.
#[inline(always)]
pub fn to_f32(a: u16) -> f32 {
    f32::from_bits(u32::from(a) << 16).canonical()
}

/// `cvt.rn.bf16.f32`.
#[inline(always)]
pub fn from_f32(x: f32) -> u16 {
    let bits = x.to_bits();
    let odd = (bits >> 16) & 1;
    let rounded = (bits.wrapping_add(0x7fff + odd) >> 16) as u16;
    if x.is_nan() { NAN } else { rounded }
}

/// `cvt.rn.bf16.f64`.
#[inline(always)]
pub fn from_f64(x: f64) -> u16 {
    from_f32(narrow::f64_to_f32_odd(x))
}

/// The bf16 next to `x` in direction `mode`; `.satfinite` if `finite`.
#[inline]
pub fn round(x: f64, mode: Round, finite: bool) -> u16 {
    match Exact::from_f64(x) {
        Some(exact) => exact.round(Format::BF16, mode, finite) as u16,
        None if x.is_nan() => NAN,
        None => (if finite { 0x7f7f } else { INFINITY }) | u16::from(x < 0.0) << 15,
    }
}

/// A subnormal becomes a zero of its sign (`ex2.approx.ftz.bf16`).
#[inline(always)]
pub fn ftz(a: u16) -> u16 {
    if a & 0x7f80 == 0 { a & 0x8000 } else { a }
}
