//! f32 and f64.

use std::ops::{Add, Div, Mul, Sub};

use super::exact::{Exact, Format, Round};

/// The NaN that f32 arithmetic gives.
pub const NAN: f32 = f32::from_bits(0x7fff_ffff);
/// The NaN that f64 arithmetic gives where no operand is one.
pub const NAN_F64: f64 = f64::from_bits(0xfff8_0000_0000_0000);

/// The two native formats, so that each operation is written once.
pub trait Float:
    Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    const NAN: Self;
    const ZERO: Self;
    const ONE: Self;
    const SIGN: u64;
    /// Magnitude bits of infinity.
    const INFINITY: u64;
    /// Magnitude bits of the smallest normal number.
    const MIN_NORMAL: u64;
    const FORMAT: Format;

    fn bits(self) -> u64;
    fn of_bits(bits: u64) -> Self;
    /// Exact.
    fn widen(self) -> f64;
    /// The result of arithmetic as hardware shows it: f32 has only one NaN.
    fn canonical(self) -> Self;
    fn fused(self, b: Self, c: Self) -> Self;
    fn root(self) -> Self;
}

impl Float for f32 {
    const NAN: f32 = NAN;
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;
    const SIGN: u64 = 1 << 31;
    const INFINITY: u64 = 0x7f80_0000;
    const MIN_NORMAL: u64 = 0x0080_0000;
    const FORMAT: Format = Format::F32;

    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }

    #[inline(always)]
    fn of_bits(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }

    #[inline(always)]
    fn widen(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn canonical(self) -> f32 {
        // On integers: to the compiler all NaNs are alike, so it may drop a choice between them (it does after sqrt).
        let bits = self.to_bits();
        f32::from_bits(if bits & !(1 << 31) > 0x7f80_0000 { NAN.to_bits() } else { bits })
    }

    #[inline(always)]
    fn fused(self, b: f32, c: f32) -> f32 {
        self.mul_add(b, c)
    }

    #[inline(always)]
    fn root(self) -> f32 {
        self.sqrt()
    }
}

impl Float for f64 {
    const NAN: f64 = NAN_F64;
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;
    const SIGN: u64 = 1 << 63;
    const INFINITY: u64 = 0x7ff0_0000_0000_0000;
    const MIN_NORMAL: u64 = 0x0010_0000_0000_0000;
    const FORMAT: Format = Format::F64;

    #[inline(always)]
    fn bits(self) -> u64 {
        self.to_bits()
    }

    #[inline(always)]
    fn of_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }

    #[inline(always)]
    fn widen(self) -> f64 {
        self
    }

    #[inline(always)]
    fn canonical(self) -> f64 {
        self
    }

    #[inline(always)]
    fn fused(self, b: f64, c: f64) -> f64 {
        self.mul_add(b, c)
    }

    #[inline(always)]
    fn root(self) -> f64 {
        self.sqrt()
    }
}

#[inline(always)]
pub fn add<T: Float>(a: T, b: T) -> T {
    (a + b).canonical()
}

#[inline(always)]
pub fn sub<T: Float>(a: T, b: T) -> T {
    (a - b).canonical()
}

#[inline(always)]
pub fn mul<T: Float>(a: T, b: T) -> T {
    (a * b).canonical()
}

/// `a × b + c`, rounded once. Compile the caller for a processor with fused multiply-add, or this is a call.
#[inline(always)]
pub fn fma<T: Float>(a: T, b: T, c: T) -> T {
    a.fused(b, c).canonical()
}

#[inline(always)]
pub fn div<T: Float>(a: T, b: T) -> T {
    (a / b).canonical()
}

#[inline(always)]
pub fn rcp<T: Float>(a: T) -> T {
    (T::ONE / a).canonical()
}

#[inline(always)]
pub fn sqrt<T: Float>(a: T) -> T {
    a.root().canonical()
}

#[inline]
pub fn add_round<T: Float>(a: T, b: T, mode: Round) -> T {
    match (Exact::from_f64(a.widen()), Exact::from_f64(b.widen())) {
        (Some(x), Some(y)) => rounded(x.plus(y, mode), mode),
        _ => add(a, b),
    }
}

#[inline]
pub fn sub_round<T: Float>(a: T, b: T, mode: Round) -> T {
    match (Exact::from_f64(a.widen()), Exact::from_f64(b.widen())) {
        (Some(x), Some(y)) => rounded(x.plus(y.negated(), mode), mode),
        _ => sub(a, b),
    }
}

#[inline]
pub fn mul_round<T: Float>(a: T, b: T, mode: Round) -> T {
    match (Exact::from_f64(a.widen()), Exact::from_f64(b.widen())) {
        (Some(x), Some(y)) => rounded(x.times(y), mode),
        _ => mul(a, b),
    }
}

#[inline]
pub fn fma_round<T: Float>(a: T, b: T, c: T, mode: Round) -> T {
    match (Exact::from_f64(a.widen()), Exact::from_f64(b.widen()), Exact::from_f64(c.widen())) {
        (Some(x), Some(y), Some(z)) => rounded(x.times(y).plus(z, mode), mode),
        _ => fma(a, b, c),
    }
}

#[inline]
pub fn div_round<T: Float>(a: T, b: T, mode: Round) -> T {
    match (Exact::from_f64(a.widen()), Exact::from_f64(b.widen())) {
        (Some(x), Some(y)) if !y.is_zero() => rounded(x.over(y), mode),
        _ => div(a, b),
    }
}

#[inline]
pub fn rcp_round<T: Float>(a: T, mode: Round) -> T {
    div_round(T::ONE, a, mode)
}

#[inline]
pub fn sqrt_round<T: Float>(a: T, mode: Round) -> T {
    match Exact::from_f64(a.widen()) {
        Some(x) if a >= T::ZERO => rounded(x.root(), mode),
        _ => sqrt(a),
    }
}

fn rounded<T: Float>(x: Exact, mode: Round) -> T {
    T::of_bits(x.round(T::FORMAT, mode, false))
}

/// Flips the sign, of a NaN too.
#[inline(always)]
pub fn neg<T: Float>(a: T) -> T {
    T::of_bits(a.bits() ^ T::SIGN)
}

/// Clears the sign, of a NaN too.
#[inline(always)]
pub fn abs<T: Float>(a: T) -> T {
    T::of_bits(a.bits() & !T::SIGN)
}

/// `b` with the sign of `a`: PTX's order, not C's.
#[inline(always)]
pub fn copysign<T: Float>(a: T, b: T) -> T {
    T::of_bits(a.bits() & T::SIGN | b.bits() & !T::SIGN)
}

/// `.ftz`: a subnormal becomes a zero of its sign.
#[inline(always)]
pub fn ftz(a: f32) -> f32 {
    let bits = a.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits })
}

/// `.sat`: clamps to 0..1, NaN to +0.
#[inline(always)]
pub fn sat<T: Float>(a: T) -> T {
    if a >= T::ONE {
        T::ONE
    } else if a > T::ZERO {
        a
    } else {
        T::ZERO
    }
}

/// `.relu`: negative becomes zero, NaN the canonical one.
#[inline(always)]
pub fn relu(a: f32) -> f32 {
    let bits = a.canonical().to_bits();
    f32::from_bits(if bits >> 31 == 1 { 0 } else { bits })
}

/// The smaller; a NaN gives way to a number; -0 is below +0.
#[inline(always)]
pub fn min<T: Float>(a: T, b: T) -> T {
    let both = if a == b { T::of_bits(a.bits() | b.bits()) } else { b };
    let number = if a < b { a } else { both };
    choose_number(a, b, number)
}

/// The larger; a NaN gives way to a number; -0 is below +0.
#[inline(always)]
pub fn max<T: Float>(a: T, b: T) -> T {
    let both = if a == b { T::of_bits(a.bits() & b.bits()) } else { b };
    let number = if a > b { a } else { both };
    choose_number(a, b, number)
}

/// `min.NaN`: a NaN wins.
#[inline(always)]
pub fn min_nan<T: Float>(a: T, b: T) -> T {
    if is_nan(a) || is_nan(b) { T::NAN } else { min(a, b) }
}

/// `max.NaN`: a NaN wins.
#[inline(always)]
pub fn max_nan<T: Float>(a: T, b: T) -> T {
    if is_nan(a) || is_nan(b) { T::NAN } else { max(a, b) }
}

/// `.xorsign.abs` around `of` (one of the minima and maxima): it sees magnitudes, and a result that is a number
/// gets the product of the signs.
#[inline(always)]
pub fn xorsign_abs(of: impl Fn(f32, f32) -> f32, a: f32, b: f32) -> f32 {
    let result = of(abs(a), abs(b));
    let sign = (a.to_bits() ^ b.to_bits()) & 0x8000_0000;
    if result.is_nan() { result } else { f32::from_bits(result.to_bits() | sign) }
}

#[inline(always)]
fn choose_number<T: Float>(a: T, b: T, number: T) -> T {
    let a_or_nan = if is_nan(a) { T::NAN } else { a };
    let right = if is_nan(b) { a_or_nan } else { number };
    (if is_nan(a) && !is_nan(b) { b } else { right }).canonical()
}

#[inline(always)]
#[allow(clippy::eq_op)] // the definition, and the form that vectorises for both types
fn is_nan<T: Float>(a: T) -> bool {
    a != a
}

/// The property `testp` asks for. Zeros count as normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

#[inline(always)]
pub fn test<T: Float>(a: T, property: Property) -> bool {
    let magnitude = a.bits() & !T::SIGN;
    match property {
        Property::Finite => magnitude < T::INFINITY,
        Property::Infinite => magnitude == T::INFINITY,
        Property::Number => magnitude <= T::INFINITY,
        Property::NotANumber => magnitude > T::INFINITY,
        Property::Normal => magnitude == 0 || (T::MIN_NORMAL..T::INFINITY).contains(&magnitude),
        Property::Subnormal => magnitude != 0 && magnitude < T::MIN_NORMAL,
    }
}

#[cfg(test)]
mod tests;
