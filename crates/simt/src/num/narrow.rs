//! The one algorithm behind f16, e4m3 and e5m2: formats with fewer exponent bits than an f32.
//!
//! Magnitudes only; the caller deals with sign, NaN and what lies above the largest finite number. Both branches
//! of each choice are computed, so that a loop over lanes becomes vector selects.

/// Bits of the magnitude `mag` (of an f32, not NaN) rounded to nearest even to `MANTISSA` stored bits with an
/// exponent bias of `BIAS`. Counts on past the largest finite number; the caller clamps.
#[inline(always)]
pub fn from_f32<const MANTISSA: u32, const BIAS: u32>(mag: u32) -> u32 {
    let drop = 23 - MANTISSA;
    let odd = (mag >> drop) & 1;
    let rebias = (127 - BIAS) << 23;
    let normal = mag.wrapping_sub(rebias).wrapping_add((1 << (drop - 1)) - 1 + odd) >> drop;
    // A number whose unit in the last place is the smallest subnormal: adding it lets the processor round.
    let magic = f32::from_bits((127 + 24 - BIAS - MANTISSA) << 23);
    let subnormal = (f32::from_bits(mag) + magic).to_bits().wrapping_sub(magic.to_bits());
    if mag < rebias + (1 << 23) { subnormal } else { normal }
}

/// The inverse: the f32 of the magnitude `mag`, which is finite.
#[inline(always)]
pub fn to_f32<const MANTISSA: u32, const BIAS: u32>(mag: u32) -> f32 {
    let normal = f32::from_bits((mag << (23 - MANTISSA)) + ((127 - BIAS) << 23));
    let smallest = f32::from_bits((128 - BIAS - MANTISSA) << 23);
    let subnormal = mag as f32 * smallest;
    if mag < (1 << MANTISSA) { subnormal } else { normal }
}

/// `x` rounded to odd: an inexact result gets an odd last bit. Rounding it once more, to a format at least two
/// bits narrower, gives what rounding `x` directly would have given.
#[inline(always)]
pub fn f64_to_f32_odd(x: f64) -> f32 {
    let nearest = x as f32;
    let bits = nearest.to_bits();
    let back = f64::from(nearest);
    let away = bits.wrapping_add(1);
    let toward = bits.wrapping_sub(1);
    let moved = if x.abs() > back.abs() { away } else { toward };
    let inexact = (x - back).abs() > 0.0; // false for NaN
    f32::from_bits(if inexact && bits & 1 == 0 { moved } else { bits })
}

/// `a + b` rounded to odd.
#[inline(always)]
pub fn add_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    let bits = sum.to_bits();
    let grows = (error > 0.0) == (sum > 0.0);
    let moved = if grows { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    let inexact = error.abs() > 0.0; // false for NaN
    f64::from_bits(if inexact && bits & 1 == 0 { moved } else { bits })
}
