//! Functions PTX defines only up to an error bound. These are good to about half a unit of an f32, tighter than
//! any bound of the ISA, and written without branches or calls so that they vectorise. Inside they use f64: its
//! range swallows every scale factor and its digits every rounding, which leaves no special cases but the real ones.
//!
//! `.ftz` forms are `ftz(f(ftz(a)))`.

use super::float::{self, Float};

/// 1.5 × 2^52: adding and subtracting it rounds an f64 to an integer, which then sits in the low mantissa bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// `rcp.approx.f32`.
#[inline(always)]
pub fn rcp(a: f32) -> f32 {
    float::rcp(a)
}

/// `sqrt.approx.f32`.
#[inline(always)]
pub fn sqrt(a: f32) -> f32 {
    float::sqrt(a)
}

/// `rsqrt.approx.f32`.
#[inline(always)]
pub fn rsqrt(a: f32) -> f32 {
    (1.0 / a.sqrt()).canonical()
}

/// `div.full.f32`.
#[inline(always)]
pub fn div_full(a: f32, b: f32) -> f32 {
    float::div(a, b)
}

/// `div.approx.f32`: a product with the reciprocal, which is defined to be zero for a divisor above 2^126.
#[inline(always)]
pub fn div(a: f32, b: f32) -> f32 {
    let huge = b.abs() > f32::from_bits(0x7e80_0000) && b.abs() < f32::INFINITY;
    let by_zero = a * if b < 0.0 { -0.0 } else { 0.0 };
    (if huge { by_zero } else { a / b }).canonical()
}

/// `ex2.approx.f32`: 2 to the power `a`.
#[inline(always)]
pub fn ex2(a: f32) -> f32 {
    (exp2(f64::from(a)) as f32).canonical()
}

/// `lg2.approx.f32`: the logarithm of `a` to the base 2.
#[inline(always)]
pub fn lg2(a: f32) -> f32 {
    // m × 2^k with m between √½ and √2. Every positive f32 is a normal f64.
    let bits = f64::from(a).to_bits();
    let shifted = bits.wrapping_sub(0x3fe6_a09e_667f_3bcd) as i64 >> 52;
    let m = f64::from_bits(bits.wrapping_sub((shifted as u64) << 52));
    // log2(m) = 2/ln 2 · artanh(s), an odd series in s = (m-1)/(m+1), |s| ≤ 0.1716.
    let s = (m - 1.0) / (m + 1.0);
    let t = s * s;
    let series = horner(t, [2.0 / 13.0, 2.0 / 11.0, 2.0 / 9.0, 2.0 / 7.0, 2.0 / 5.0, 2.0 / 3.0, 2.0]);
    let finite = (shifted as i32 as f64 + s * series * std::f64::consts::LOG2_E) as f32;
    if a > 0.0 {
        if a < f32::INFINITY { finite } else { a }
    } else if a == 0.0 {
        f32::NEG_INFINITY
    } else {
        float::NAN
    }
}

/// `sin.approx.f32`.
#[inline(always)]
pub fn sin(a: f32) -> f32 {
    let value = circular(a, 0);
    if a == 0.0 { a } else { value }
}

/// `cos.approx.f32`.
#[inline(always)]
pub fn cos(a: f32) -> f32 {
    circular(a, 1)
}

/// `tanh.approx.f32`.
#[inline(always)]
pub fn tanh(a: f32) -> f32 {
    // 1 - 2/(e^2|a| + 1), and a itself where that would cancel.
    let e = exp2(f64::from(a.abs()) * (2.0 * std::f64::consts::LOG2_E));
    let value = (1.0 - 2.0 / (e + 1.0)) as f32;
    let signed = f32::from_bits(value.to_bits() | a.to_bits() & 0x8000_0000);
    (if a.abs() < 1.0 / 4096.0 { a } else { signed }).canonical()
}

/// `rcp.approx.ftz.f64`: looks at and gives only the upper 32 bits.
#[inline(always)]
pub fn rcp_f64(a: f64) -> f64 {
    upper_half(1.0 / upper_half_ftz(a))
}

/// `rsqrt.approx.ftz.f64`: looks at and gives only the upper 32 bits.
#[inline(always)]
pub fn rsqrt_ftz_f64(a: f64) -> f64 {
    upper_half(1.0 / upper_half_ftz(a).sqrt())
}

/// `rsqrt.approx.f64`.
#[inline(always)]
pub fn rsqrt_f64(a: f64) -> f64 {
    1.0 / a.sqrt()
}

/// 2^a for any `a`; saturates far outside the range of an f32.
#[inline(always)]
fn exp2(a: f64) -> f64 {
    // NaN passes through both selects.
    let a = if a > 300.0 { 300.0 } else { a };
    let a = if a < -300.0 { -300.0 } else { a };
    let rounder = a + ROUNDER;
    let fraction = a - (rounder - ROUNDER);
    // The series of 2^f around 0, |f| ≤ ½.
    let series = horner(
        fraction,
        [
            7.054_911_620_801_123e-9,
            1.017_808_600_923_97e-7,
            1.321_548_679_014_431e-6,
            1.525_273_380_405_984e-5,
            1.540_353_039_338_161e-4,
            1.333_355_814_642_844_3e-3,
            9.618_129_107_628_477e-3,
            5.550_410_866_482_158e-2,
            2.402_265_069_591_007e-1,
            std::f64::consts::LN_2,
            1.0,
        ],
    );
    let scale = f64::from_bits(rounder.to_bits().wrapping_add(1023) << 52);
    series * scale
}

/// The sine of `a` plus `quarter` turns.
#[inline(always)]
fn circular(a: f32, quarter: u64) -> f32 {
    const HALF_PI: f64 = std::f64::consts::FRAC_PI_2;
    const HALF_PI_TAIL: f64 = 6.123_233_995_736_766e-17;
    let x = f64::from(a);
    let rounder = x * std::f64::consts::FRAC_2_PI + ROUNDER;
    let turns = rounder - ROUNDER;
    let rest = (-turns).mul_add(HALF_PI_TAIL, (-turns).mul_add(HALF_PI, x));
    // Past 2^46 turns the phase loses its meaning (the ISA promises nothing past 100π), but it stays a phase.
    let rest = if rest > 0.8 { 0.8 } else { rest };
    let rest = if rest < -0.8 { -0.8 } else { rest };
    let t = rest * rest;
    let sine = rest
        * horner(t, [-1.0 / 39_916_800.0, 1.0 / 362_880.0, -1.0 / 5_040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0]);
    let cosine = horner(
        t,
        [1.0 / 479_001_600.0, -1.0 / 3_628_800.0, 1.0 / 40_320.0, -1.0 / 720.0, 1.0 / 24.0, -0.5, 1.0],
    );
    let quadrant = rounder.to_bits().wrapping_add(quarter);
    let value = if quadrant & 1 == 0 { sine } else { cosine };
    let signed = if quadrant & 2 == 0 { value } else { -value };
    if a.is_finite() { signed as f32 } else { float::NAN }
}

/// The polynomial with these coefficients, highest power first.
#[inline(always)]
fn horner<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    let mut value = 0.0;
    for c in coefficients {
        value = value * x + c;
    }
    value
}

/// What the `.f64` approximations see: the upper half of the bits, subnormals as zero.
#[inline(always)]
fn upper_half_ftz(a: f64) -> f64 {
    let bits = a.to_bits() & 0xffff_ffff_0000_0000;
    let zero = bits & 1 << 63;
    f64::from_bits(if bits & 0x7ff0_0000_0000_0000 == 0 { zero } else { bits })
}

/// What the `.f64` approximations give: 20 mantissa bits, subnormals flushed.
#[inline(always)]
fn upper_half(a: f64) -> f64 {
    // Rounding up may carry into the exponent, as it should; NaN and infinity have nothing to round.
    let rounded = f64::from_bits(a.to_bits().wrapping_add(if a.is_finite() { 0x8000_0000 } else { 0 }));
    upper_half_ftz(if a.is_nan() { float::NAN_F64 } else { rounded })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::random::Random;

    /// The relative error against a double precision answer, in parts of 2^-24 (half a unit of an f32).
    fn halves(got: f32, exact: f64) -> f64 {
        if got.is_infinite() && exact.abs() > f64::from(f32::MAX) {
            return 0.0;
        }
        (f64::from(got) - exact).abs() / (exact.abs() * 2f64.powi(-24)).max(2f64.powi(-150))
    }

    #[test]
    fn within_a_unit_of_double_precision() {
        let mut random = Random::new(5);
        for _ in 0..400_000 {
            let x = random.f32();
            if !x.is_finite() {
                continue;
            }
            let wide = f64::from(x);
            assert!(halves(ex2(x), wide.exp2()) < 1.01, "2^{x:e}");
            assert!(halves(tanh(x), wide.tanh()) < 1.6, "tanh {x:e}");
            if x > 0.0 {
                assert!(halves(lg2(x), wide.log2()) < 1.01, "lg2 {x:e}");
                assert!(halves(rsqrt(x), 1.0 / wide.sqrt()) < 2.01, "rsqrt {x:e}");
                assert!((rsqrt_f64(wide) * wide.sqrt() - 1.0).abs() < 1e-15);
            }
            if x.abs() < 1e13 {
                assert!((f64::from(sin(x)) - wide.sin()).abs() <= 2f64.powi(-24), "sin {x:e}");
                assert!((f64::from(cos(x)) - wide.cos()).abs() <= 2f64.powi(-24), "cos {x:e}");
            }
            assert!(sin(x).abs() <= 1.0 && cos(x).abs() <= 1.0, "{x:e}");
        }
    }

    #[test]
    fn special_values() {
        let inf = f32::INFINITY;
        assert_eq!(
            [ex2(inf), ex2(-inf), ex2(0.0), ex2(-1.0), ex2(127.0), ex2(128.0)],
            [inf, 0.0, 1.0, 0.5, 1.7014118e38, inf]
        );
        assert_eq!(ex2(-149.0).to_bits(), 1);
        assert_eq!(
            [lg2(inf), lg2(0.0), lg2(-0.0), lg2(1.0), lg2(8.0), lg2(f32::from_bits(1))],
            [inf, -inf, -inf, 0.0, 3.0, -149.0]
        );
        for nan in [
            ex2(f32::NAN),
            lg2(-1.0),
            lg2(f32::NAN),
            lg2(-inf),
            sin(inf),
            cos(-inf),
            tanh(f32::NAN),
            rsqrt(-1.0),
            div(0.0, 0.0),
        ] {
            assert_eq!(nan.to_bits(), 0x7fff_ffff);
        }
        assert_eq!(sin(-0.0).to_bits(), 0x8000_0000);
        assert_eq!(cos(0.0), 1.0);
        assert_eq!([tanh(inf), tanh(-inf), tanh(1e-30)], [1.0, -1.0, 1e-30]);
        assert_eq!([rsqrt(0.0), rsqrt(-0.0), rsqrt(inf), rcp(-0.0)], [inf, -inf, 0.0, -inf]);
    }

    #[test]
    fn approximate_division_underflows_early() {
        assert_eq!(div(1e38, -1.5e38).to_bits(), 0x8000_0000);
        assert!(div(f32::INFINITY, 1.5e38).is_nan());
        assert_eq!(div_full(1.5e38, 1.5e38), 1.0);
        assert_eq!(div(6.0, 2.0), 3.0);
        assert_eq!(div(6.0, f32::NEG_INFINITY).to_bits(), 0x8000_0000);
    }

    #[test]
    fn f64_approximations_use_the_upper_half() {
        let mut random = Random::new(6);
        for _ in 0..100_000 {
            let x = random.f64();
            let reciprocal = rcp_f64(x);
            assert_eq!(reciprocal.to_bits() as u32, 0);
            if x.is_finite() && (1e-300..1e300).contains(&x.abs()) {
                assert!((reciprocal * x - 1.0).abs() < 2f64.powi(-19), "1/{x:e}");
                let root = rsqrt_ftz_f64(x.abs());
                assert_eq!(root.to_bits() as u32, 0);
                assert!((root * root * x.abs() - 1.0).abs() < 2f64.powi(-18), "{x:e}");
            }
        }
        assert_eq!(rcp_f64(-0.0), f64::NEG_INFINITY);
        assert_eq!(rcp_f64(1e-310), f64::INFINITY);
        assert_eq!(rcp_f64(f64::from_bits(0xffe0_0000_0000_0000)).to_bits(), 1 << 63);
        // Below its upper half this NaN looks like an infinity.
        assert_eq!(rcp_f64(f64::from_bits(0x7ff0_0000_0000_0001)), 0.0);
    }
}
