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
