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
        if self.is_nan() { NAN } else { self }
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
        (Some(x), Some(y)) => rounded(x.add(y, mode), mode),
        _ => add(a, b),
    }
}

#[inline]
pub fn sub_round<T: Float>(a: T, b: T, mode: Round) -> T {
    match (Exact::from_f64(a.widen()), Exact::from_f64(b.widen())) {
        (Some(x), Some(y)) => rounded(x.add(y.neg(), mode), mode),
        _ => sub(a, b),
    }
}

#[inline]
pub fn mul_round<T: Float>(a: T, b: T, mode: Round) -> T {
    match (Exact::from_f64(a.widen()), Exact::from_f64(b.widen())) {
        (Some(x), Some(y)) => rounded(x.mul(y), mode),
        _ => mul(a, b),
    }
}

#[inline]
pub fn fma_round<T: Float>(a: T, b: T, c: T, mode: Round) -> T {
    match (Exact::from_f64(a.widen()), Exact::from_f64(b.widen()), Exact::from_f64(c.widen())) {
        (Some(x), Some(y), Some(z)) => rounded(x.mul(y).add(z, mode), mode),
        _ => fma(a, b, c),
    }
}

#[inline]
pub fn div_round<T: Float>(a: T, b: T, mode: Round) -> T {
    match (Exact::from_f64(a.widen()), Exact::from_f64(b.widen())) {
        (Some(x), Some(y)) if !y.is_zero() => rounded(x.div(y), mode),
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
        Some(x) if a >= T::ZERO => rounded(x.sqrt(), mode),
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
    if a.is_nan() {
        NAN
    } else if a.to_bits() >> 31 == 1 {
        0.0
    } else {
        a
    }
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
    if is_nan(a) && !is_nan(b) { b } else { right }
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
mod tests {
    use std::cmp::Ordering;

    use super::super::big::{Big, PLACES};
    use super::super::random::Random;
    use super::*;

    const DIRECTED: [Round; 3] = [Round::Zero, Round::Down, Round::Up];

    trait Step: Float + std::fmt::Debug {
        fn up(self) -> Self;
        fn down(self) -> Self;
        fn any(random: &mut Random) -> Self;
    }

    impl Step for f32 {
        fn up(self) -> f32 {
            self.next_up()
        }
        fn down(self) -> f32 {
            self.next_down()
        }
        fn any(random: &mut Random) -> f32 {
            random.f32()
        }
    }

    impl Step for f64 {
        fn up(self) -> f64 {
            self.next_up()
        }
        fn down(self) -> f64 {
            self.next_down()
        }
        fn any(random: &mut Random) -> f64 {
            random.f64()
        }
    }

    /// `result` is the neighbour of the true value in direction `mode`; `order` compares a candidate with that value.
    fn assert_directed<T: Step>(result: T, mode: Round, negative: bool, order: impl Fn(T) -> Ordering) {
        let below = match mode {
            Round::Down => true,
            Round::Up => false,
            _ => !negative,
        };
        let infinite = result.bits() & !T::SIGN == T::INFINITY;
        let finite_order = |x: T| {
            let magnitude = x.bits() & !T::SIGN;
            if magnitude == T::INFINITY {
                if x > T::ZERO { Ordering::Greater } else { Ordering::Less }
            } else {
                order(x)
            }
        };
        assert!(!infinite || mode != Round::Zero, "{result:?} {mode:?}");
        if below {
            assert_ne!(finite_order(result), Ordering::Greater, "{result:?} {mode:?} too high");
            assert_eq!(finite_order(result.up()), Ordering::Greater, "{result:?} {mode:?} too low");
        } else {
            assert_ne!(finite_order(result), Ordering::Less, "{result:?} {mode:?} too low");
            assert_eq!(finite_order(result.down()), Ordering::Less, "{result:?} {mode:?} too high");
        }
    }

    fn finite<T: Float>(x: T) -> bool {
        x.bits() & !T::SIGN < T::INFINITY
    }

    fn directed<T: Step>(rounds: u32) {
        let mut random = Random::new(1);
        let big = |x: T| Big::from_f64(x.widen());
        for _ in 0..rounds {
            let (a, b, c) = (T::any(&mut random), T::any(&mut random), T::any(&mut random));
            if !(finite(a) && finite(b) && finite(c)) {
                continue;
            }
            for mode in DIRECTED {
                let sum = big(a).add(&big(b));
                if !sum.is_zero() {
                    let negative = sum.cmp(&Big::from_f64(0.0)) == Ordering::Less;
                    assert_directed(add_round(a, b, mode), mode, negative, |x| big(x).cmp(&sum));
                    let minus = neg(b);
                    assert_directed(sub_round(a, minus, mode), mode, negative, |x| big(x).cmp(&sum));
                }
                let product = big(a).mul(&big(b));
                if !product.is_zero() {
                    let negative = (a < T::ZERO) != (b < T::ZERO);
                    let order = |x: T| big(x).shl(PLACES).cmp(&product);
                    assert_directed(mul_round(a, b, mode), mode, negative, order);
                }
                let fused = product.add(&big(c).shl(PLACES));
                if !fused.is_zero() {
                    let negative = fused.cmp(&Big::from_f64(0.0)) == Ordering::Less;
                    let order = |x: T| big(x).shl(PLACES).cmp(&fused);
                    assert_directed(fma_round(a, b, c, mode), mode, negative, order);
                }
                if a != T::ZERO && b != T::ZERO {
                    // x ? a/b  ⇔  x·|b| ? a·sign(b)
                    let (divisor, dividend) =
                        if b < T::ZERO { (big(b).neg(), big(a).neg()) } else { (big(b), big(a)) };
                    let dividend = dividend.shl(PLACES);
                    let order = |x: T| big(x).mul(&divisor).cmp(&dividend);
                    let negative = (a < T::ZERO) != (b < T::ZERO);
                    assert_directed(div_round(a, b, mode), mode, negative, order);
                }
                if a > T::ZERO {
                    let square = big(a).shl(PLACES);
                    let order =
                        |x: T| if x < T::ZERO { Ordering::Less } else { big(x).mul(&big(x)).cmp(&square) };
                    assert_directed(sqrt_round(a, mode), mode, false, order);
                }
            }
        }
    }

    #[test]
    fn directed_rounding_of_f32_is_exact() {
        directed::<f32>(20_000);
    }

    #[test]
    fn directed_rounding_of_f64_is_exact() {
        directed::<f64>(4_000);
    }

    /// The exact path, asked to round to nearest, must agree with the processor everywhere.
    #[test]
    fn nearest_agrees_with_hardware() {
        let mut random = Random::new(2);
        let near = Round::Nearest;
        for _ in 0..200_000 {
            let (a, b, c) = (random.f32(), random.f32(), random.f32());
            assert_eq!(add_round(a, b, near).to_bits(), add(a, b).to_bits(), "{a:e} + {b:e}");
            assert_eq!(sub_round(a, b, near).to_bits(), sub(a, b).to_bits(), "{a:e} - {b:e}");
            assert_eq!(mul_round(a, b, near).to_bits(), mul(a, b).to_bits(), "{a:e} * {b:e}");
            assert_eq!(div_round(a, b, near).to_bits(), div(a, b).to_bits(), "{a:e} / {b:e}");
            assert_eq!(fma_round(a, b, c, near).to_bits(), fma(a, b, c).to_bits(), "{a:e} * {b:e} + {c:e}");
            assert_eq!(sqrt_round(a, near).to_bits(), sqrt(a).to_bits(), "sqrt {a:e}");
            let (a, b, c) = (random.f64(), random.f64(), random.f64());
            if a.is_nan() || b.is_nan() || c.is_nan() {
                continue;
            }
            assert_eq!(add_round(a, b, near).to_bits(), add(a, b).to_bits(), "{a:e} + {b:e}");
            assert_eq!(mul_round(a, b, near).to_bits(), mul(a, b).to_bits(), "{a:e} * {b:e}");
            assert_eq!(div_round(a, b, near).to_bits(), div(a, b).to_bits(), "{a:e} / {b:e}");
            assert_eq!(fma_round(a, b, c, near).to_bits(), fma(a, b, c).to_bits(), "{a:e} * {b:e} + {c:e}");
            assert_eq!(sqrt_round(a, near).to_bits(), sqrt(a).to_bits(), "sqrt {a:e}");
        }
    }

    #[test]
    fn exact_zeros_take_the_sign_of_the_mode() {
        for mode in Round::ALL {
            let expected = if mode == Round::Down { -0.0f32 } else { 0.0 };
            assert_eq!(add_round(1.5f32, -1.5, mode).to_bits(), expected.to_bits());
            assert_eq!(add_round(0.0f32, -0.0, mode).to_bits(), expected.to_bits());
            assert_eq!(fma_round(1.0f32, 1.0, -1.0, mode).to_bits(), expected.to_bits());
            assert_eq!(add_round(-0.0f32, -0.0, mode).to_bits(), (-0.0f32).to_bits());
            assert_eq!(mul_round(-0.0f32, 3.0, mode).to_bits(), (-0.0f32).to_bits());
            assert_eq!(sqrt_round(-0.0f32, mode).to_bits(), (-0.0f32).to_bits());
            assert_eq!(div_round(1.0f32, -0.0, mode), f32::NEG_INFINITY);
        }
    }

    #[test]
    fn f32_has_one_nan() {
        let odd = f32::from_bits(0xffc0_1234);
        for result in
            [add(odd, 1.0), mul(odd, odd), fma(odd, 0.0, 1.0), sqrt(-1.0), div(0.0, 0.0), min(odd, odd)]
        {
            assert_eq!(result.to_bits(), 0x7fff_ffff);
        }
        assert_eq!(sub(f32::INFINITY, f32::INFINITY).to_bits(), 0x7fff_ffff);
        assert_eq!(min(odd, 2.0), 2.0);
        assert_eq!(max(-2.0, odd), -2.0);
        assert_eq!(max_nan(-2.0, odd).to_bits(), 0x7fff_ffff);
        assert_eq!(max(NAN_F64, 2.0), 2.0);
    }

    #[test]
    fn minus_zero_is_below_zero() {
        assert_eq!(min(0.0f32, -0.0).to_bits(), 0x8000_0000);
        assert_eq!(min(-0.0f32, 0.0).to_bits(), 0x8000_0000);
        assert_eq!(max(0.0f64, -0.0).to_bits(), 0);
        assert_eq!(max(-0.0f64, 0.0).to_bits(), 0);
        assert_eq!(max(1.0f64, 2.0), 2.0);
        assert_eq!(min(1.0f64, 2.0), 1.0);
    }

    #[test]
    fn modifiers() {
        assert_eq!(sat(f32::NAN).to_bits(), 0);
        assert_eq!(sat(-0.0f32).to_bits(), 0);
        assert_eq!((sat(0.25f32), sat(7.0f32), sat(-7.0f32)), (0.25, 1.0, 0.0));
        assert_eq!(ftz(f32::from_bits(0x807f_ffff)).to_bits(), 0x8000_0000);
        assert_eq!(ftz(f32::from_bits(0x0080_0000)).to_bits(), 0x0080_0000);
        assert_eq!(ftz(f32::NEG_INFINITY), f32::NEG_INFINITY);
        assert_eq!(relu(-3.0).to_bits(), 0);
        assert_eq!(xorsign_abs(max, -1.0, 2.0), -2.0);
        assert_eq!(xorsign_abs(min, -1.0, -2.0), 1.0);
        assert_eq!(copysign(-1.0f32, 2.0), -2.0);
    }

    #[test]
    fn properties() {
        use Property::{Finite, Infinite, Normal, NotANumber, Number, Subnormal};
        let holds = |x: f32| {
            [Finite, Infinite, Number, NotANumber, Normal, Subnormal].map(|property| {
                let wide = f64::from(x);
                // A subnormal f32 is a normal f64.
                let same =
                    matches!(property, Normal | Subnormal) || test(x, property) == test(wide, property);
                assert!(same, "{x} {property:?}");
                test(x, property)
            })
        };
        assert_eq!(holds(-0.0), [true, false, true, false, true, false]);
        assert_eq!(holds(1e-40), [true, false, true, false, false, true]);
        assert_eq!(holds(f32::MAX), [true, false, true, false, true, false]);
        assert_eq!(holds(f32::NEG_INFINITY), [false, true, true, false, false, false]);
        assert_eq!(holds(f32::NAN), [false, false, false, true, false, false]);
        assert!(test(1e-310f64, Subnormal));
    }
}
