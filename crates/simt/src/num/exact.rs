//! Exact values and their rounding.
//!
//! Directed rounding is rare in real code, so it needs no speed but one obviously correct path: compute the result
//! as an integer times a power of two, with everything below the last kept bit jammed into it, and round once.

/// Where a result that does not fit its format goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Round {
    /// `.rn`: to the nearest, ties to even.
    Nearest,
    /// `.rna`: to the nearest, ties away from zero.
    NearestAway,
    /// `.rz`: toward zero.
    Zero,
    /// `.rm`: toward minus infinity.
    Down,
    /// `.rp`: toward plus infinity.
    Up,
}

impl Round {
    pub const ALL: [Round; 5] = [Round::Nearest, Round::NearestAway, Round::Zero, Round::Down, Round::Up];
}

/// A binary format: a sign, `exponent` bits and `mantissa` stored bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    exponent: u32,
    mantissa: u32,
    /// Bits of the largest finite magnitude.
    max: u64,
}

impl Format {
    pub const F64: Format = Format { exponent: 11, mantissa: 52, max: 0x7fef_ffff_ffff_ffff };
    pub const F32: Format = Format { exponent: 8, mantissa: 23, max: 0x7f7f_ffff };
    pub const TF32: Format = Format { exponent: 8, mantissa: 10, max: 0x3fbff };
    pub const F16: Format = Format { exponent: 5, mantissa: 10, max: 0x7bff };
    pub const BF16: Format = Format { exponent: 8, mantissa: 7, max: 0x7f7f };
    /// Has no infinity: only the pattern of all ones is NaN.
    pub const E4M3: Format = Format { exponent: 4, mantissa: 3, max: 0x7e };
    pub const E5M2: Format = Format { exponent: 5, mantissa: 2, max: 0x7b };

    /// Exponent of the unit in the last place of the smallest normal number, and of all subnormals.
    const fn lowest(self) -> i32 {
        2 - (1 << (self.exponent - 1)) - self.mantissa as i32
    }

    const fn sign(self) -> u64 {
        1 << (self.exponent + self.mantissa)
    }

    /// The largest finite magnitude.
    pub const fn max_finite(self) -> u64 {
        self.max
    }
}

/// `± significand × 2^exponent`, where the lowest bit of the significand may stand for any tail below it.
///
/// The tail is harmless as long as the significand keeps two bits more than the format it is rounded to; every
/// constructor here keeps dozens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    negative: bool,
    significand: u128,
    exponent: i32,
}

impl Exact {
    /// The value of a finite `x`; `None` for infinities and NaN.
    pub fn from_f64(x: f64) -> Option<Exact> {
        if !x.is_finite() {
            return None;
        }
        let bits = x.to_bits();
        let (stored, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
        let significand = if stored == 0 { fraction } else { fraction | 1 << 52 };
        let exponent = stored.max(1) as i32 - 1075;
        Some(Exact { negative: x.is_sign_negative(), significand: u128::from(significand), exponent })
    }

    pub fn from_int(x: i128) -> Exact {
        Exact { negative: x < 0, significand: x.unsigned_abs(), exponent: 0 }
    }

    pub fn is_zero(self) -> bool {
        self.significand == 0
    }

    pub fn negated(self) -> Exact {
        Exact { negative: !self.negative, ..self }
    }

    /// Exact as long as both come from floats (two significands of at most 53 bits).
    pub fn times(self, other: Exact) -> Exact {
        Exact {
            negative: self.negative != other.negative,
            significand: self.significand.wrapping_mul(other.significand),
            exponent: self.exponent + other.exponent,
        }
    }

    /// The sum, in which a zero is negative only if both operands are or the mode rounds down.
    pub fn plus(self, other: Exact, mode: Round) -> Exact {
        if self.is_zero() && other.is_zero() {
            let negative = match mode {
                Round::Down => self.negative || other.negative,
                _ => self.negative && other.negative,
            };
            return Exact { negative, ..self };
        }
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let (a, b) = (self.normalised(), other.normalised());
        let (large, small) =
            if (a.exponent, a.significand) >= (b.exponent, b.significand) { (a, b) } else { (b, a) };
        let shifted = shift_right_jam(small.significand, (large.exponent - small.exponent) as u32);
        if large.negative == small.negative {
            return Exact { significand: large.significand + shifted, ..large };
        }
        let significand = large.significand - shifted;
        let negative = if significand == 0 { mode == Round::Down } else { large.negative };
        Exact { negative, significand, exponent: large.exponent }
    }

    /// The quotient; the divisor is not zero.
    pub fn over(self, other: Exact) -> Exact {
        let negative = self.negative != other.negative;
        if self.is_zero() || other.is_zero() {
            return Exact { negative, significand: 0, exponent: 0 };
        }
        let (a, b) = (self.normalised(), other.normalised());
        // 127 bits over 64 leave a quotient of at least 62 bits.
        let divisor = shift_right_jam(b.significand, 63);
        let jam = u128::from(a.significand % divisor != 0);
        Exact {
            negative,
            significand: (a.significand / divisor) | jam,
            exponent: a.exponent - b.exponent - 63,
        }
    }

    /// The square root of a non-negative value.
    pub fn root(self) -> Exact {
        let mut a = self.normalised();
        if a.exponent & 1 != 0 {
            a = Exact { significand: a.significand >> 1, exponent: a.exponent + 1, ..a };
        }
        let root = a.significand.isqrt();
        let jam = u128::from(root * root != a.significand);
        Exact { negative: self.negative, significand: root | jam, exponent: a.exponent / 2 }
    }

    /// The nearest representable bits of `format` in direction `mode`; beyond its range the infinity or, when the
    /// direction points back or `finite` is asked for, the largest finite number.
    pub fn round(self, format: Format, mode: Round, finite: bool) -> u64 {
        let sign = if self.negative { format.sign() } else { 0 };
        if self.is_zero() {
            return sign;
        }
        let top = 127 - self.significand.leading_zeros() as i32;
        // The last place: `mantissa` bits below the top one, or the fixed last place of subnormals.
        let place = (self.exponent + top - format.mantissa as i32).max(format.lowest());
        let drop = place - self.exponent;
        let (kept, half, rest) = split(self.significand, drop);
        let up = match mode {
            Round::Nearest => half && (rest || kept & 1 == 1),
            Round::NearestAway => half,
            Round::Zero => false,
            Round::Down => self.negative && (half || rest),
            Round::Up => !self.negative && (half || rest),
        };
        // Adding the fields carries a full mantissa into the exponent, as wanted. A subnormal has no implicit
        // bit, which is what the zero biased exponent of the lowest place says.
        let biased = (place - format.lowest()) as u128;
        let magnitude = (biased << format.mantissa) + kept + u128::from(up);
        if magnitude <= u128::from(format.max) {
            return sign | magnitude as u64;
        }
        let back = match mode {
            Round::Nearest | Round::NearestAway => false,
            Round::Zero => true,
            Round::Down => !self.negative,
            Round::Up => self.negative,
        };
        sign | if finite || back { format.max } else { format.max + 1 }
    }

    /// The nearest integer in direction `mode`, clamped to what an `i128` holds.
    pub fn round_int(self, mode: Round) -> i128 {
        let (kept, half, rest) = split(self.significand, -self.exponent);
        let up = match mode {
            Round::Nearest => half && (rest || kept & 1 == 1),
            Round::NearestAway => half,
            Round::Zero => false,
            Round::Down => self.negative && (half || rest),
            Round::Up => !self.negative && (half || rest),
        };
        let magnitude = i128::try_from(kept.saturating_add(u128::from(up))).unwrap_or(i128::MAX);
        if self.negative { -magnitude } else { magnitude }
    }

    /// The same value with its top bit at position 126.
    fn normalised(self) -> Exact {
        if self.is_zero() {
            return self;
        }
        let left = self.significand.leading_zeros() as i32 - 1;
        if left < 0 {
            let significand = shift_right_jam(self.significand, 1);
            return Exact { significand, exponent: self.exponent + 1, ..self };
        }
        Exact { significand: self.significand << left, exponent: self.exponent - left, ..self }
    }
}

/// `x >> n`, with the lowest bit set if anything was lost.
fn shift_right_jam(x: u128, n: u32) -> u128 {
    if n >= 128 {
        return u128::from(x != 0);
    }
    let kept = x >> n;
    kept | u128::from(kept << n != x)
}

/// `x` without its lowest `drop` bits, the highest bit lost, and whether any bit below that was set.
/// A negative `drop` shifts left and saturates.
fn split(x: u128, drop: i32) -> (u128, bool, bool) {
    match drop {
        _ if x == 0 => (0, false, false),
        i32::MIN..=0 if drop.unsigned_abs() > x.leading_zeros() => (u128::MAX, false, false),
        i32::MIN..=0 => (x << drop.unsigned_abs(), false, false),
        1..=127 => (x >> drop, x >> (drop - 1) & 1 == 1, x & ((1 << (drop - 1)) - 1) != 0),
        128 => (0, x >> 127 == 1, x << 1 != 0),
        _ => (0, false, x != 0),
    }
}
