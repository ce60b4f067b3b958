//! Arithmetic that f16 and bf16 share: widen, compute exactly enough, round once.

/// Expands to the arithmetic of a 16-bit format, given its `to_f32`, `from_f32` and `from_f64` in scope.
macro_rules! half_arithmetic {
    () => {
        /// The NaN that arithmetic gives.
        pub const NAN: u16 = 0x7fff;

        // An f32 holds twice the digits and two more, so rounding a sum twice cannot differ from rounding once.
        #[inline(always)]
        pub fn add(a: u16, b: u16) -> u16 {
            from_f32(to_f32(a) + to_f32(b))
        }

        #[inline(always)]
        pub fn sub(a: u16, b: u16) -> u16 {
            from_f32(to_f32(a) - to_f32(b))
        }

        /// The product is exact in an f64 (in an f32 it may underflow for bf16).
        #[inline(always)]
        pub fn mul(a: u16, b: u16) -> u16 {
            from_f64(f64::from(to_f32(a)) * f64::from(to_f32(b)))
        }

        /// `a × b + c`, rounded once.
        #[inline(always)]
        pub fn fma(a: u16, b: u16, c: u16) -> u16 {
            let product = f64::from(to_f32(a)) * f64::from(to_f32(b));
            from_f64($crate::num::narrow::add_odd(product, f64::from(to_f32(c))))
        }

        /// Flips the sign, of a NaN too.
        #[inline(always)]
        pub fn neg(a: u16) -> u16 {
            a ^ 0x8000
        }

        /// Clears the sign, of a NaN too.
        #[inline(always)]
        pub fn abs(a: u16) -> u16 {
            a & 0x7fff
        }

        /// `.relu`: negative becomes zero.
        #[inline(always)]
        pub fn relu(a: u16) -> u16 {
            if is_nan(a) {
                NAN
            } else if a & 0x8000 != 0 {
                0
            } else {
                a
            }
        }

        /// `.sat`: clamps to 0..1, NaN to zero.
        #[inline(always)]
        pub fn sat(a: u16) -> u16 {
            from_f32($crate::num::float::sat(to_f32(a)))
        }

        /// The smaller; a NaN gives way to a number; -0 is below +0.
        #[inline(always)]
        pub fn min(a: u16, b: u16) -> u16 {
            from_f32($crate::num::float::min(to_f32(a), to_f32(b)))
        }

        /// The larger; a NaN gives way to a number; -0 is below +0.
        #[inline(always)]
        pub fn max(a: u16, b: u16) -> u16 {
            from_f32($crate::num::float::max(to_f32(a), to_f32(b)))
        }

        /// `min.NaN`: a NaN wins.
        #[inline(always)]
        pub fn min_nan(a: u16, b: u16) -> u16 {
            from_f32($crate::num::float::min_nan(to_f32(a), to_f32(b)))
        }

        /// `max.NaN`: a NaN wins.
        #[inline(always)]
        pub fn max_nan(a: u16, b: u16) -> u16 {
            from_f32($crate::num::float::max_nan(to_f32(a), to_f32(b)))
        }

        /// `.xorsign.abs` around `of` (one of the minima and maxima): it sees magnitudes, and a result that is a
        /// number gets the product of the signs.
        #[inline(always)]
        pub fn xorsign_abs(of: impl Fn(u16, u16) -> u16, a: u16, b: u16) -> u16 {
            let result = of(a & 0x7fff, b & 0x7fff);
            if is_nan(result) { result } else { result | (a ^ b) & 0x8000 }
        }

        /// `ex2.approx`.
        #[inline(always)]
        pub fn ex2(a: u16) -> u16 {
            from_f32($crate::num::approx::ex2(to_f32(a)))
        }

        /// `tanh.approx`.
        #[inline(always)]
        pub fn tanh(a: u16) -> u16 {
            from_f32($crate::num::approx::tanh(to_f32(a)))
        }

        /// Applies `of` to both halves of packed operands.
        #[inline(always)]
        pub fn both(of: impl Fn(u16) -> u16, a: u32) -> u32 {
            u32::from(of(a as u16)) | u32::from(of((a >> 16) as u16)) << 16
        }

        /// Applies `of` to both halves of packed operands.
        #[inline(always)]
        pub fn both2(of: impl Fn(u16, u16) -> u16, a: u32, b: u32) -> u32 {
            u32::from(of(a as u16, b as u16)) | u32::from(of((a >> 16) as u16, (b >> 16) as u16)) << 16
        }

        /// Applies `of` to both halves of packed operands.
        #[inline(always)]
        pub fn both3(of: impl Fn(u16, u16, u16) -> u16, a: u32, b: u32, c: u32) -> u32 {
            let high = of((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16);
            u32::from(of(a as u16, b as u16, c as u16)) | u32::from(high) << 16
        }
    };
}

pub(crate) use half_arithmetic;

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use crate::num::big::{Big, PLACES};
    use crate::num::random::Random;
    use crate::num::{Round, bf16, f16};

    /// A format as the tests see it.
    struct Format {
        mantissa: i32,
        bias: i32,
        infinity: u16,
        to_f32: fn(u16) -> f32,
        from_f32: fn(f32) -> u16,
        from_f64: fn(f64) -> u16,
        round: fn(f64, Round, bool) -> u16,
        add: fn(u16, u16) -> u16,
        sub: fn(u16, u16) -> u16,
        mul: fn(u16, u16) -> u16,
        fma: fn(u16, u16, u16) -> u16,
    }

    const FORMATS: [Format; 2] = [
        Format {
            mantissa: 10,
            bias: 15,
            infinity: f16::INFINITY,
            to_f32: f16::to_f32,
            from_f32: f16::from_f32,
            from_f64: f16::from_f64,
            round: f16::round,
            add: f16::add,
            sub: f16::sub,
            mul: f16::mul,
            fma: f16::fma,
        },
        Format {
            mantissa: 7,
            bias: 127,
            infinity: bf16::INFINITY,
            to_f32: bf16::to_f32,
            from_f32: bf16::from_f32,
            from_f64: bf16::from_f64,
            round: bf16::round,
            add: bf16::add,
            sub: bf16::sub,
            mul: bf16::mul,
            fma: bf16::fma,
        },
    ];

    impl Format {
        /// The value by definition. Infinity counts as the number that would follow the largest.
        fn value(&self, bits: u16) -> f64 {
            let stored = i32::from(bits & 0x7fff) >> self.mantissa;
            let fraction =
                f64::from(i32::from(bits) & ((1 << self.mantissa) - 1)) / f64::from(1 << self.mantissa);
            let magnitude = match stored {
                0 => fraction * 2f64.powi(1 - self.bias),
                _ => (1.0 + fraction) * 2f64.powi(stored - self.bias),
            };
            if bits & 0x8000 == 0 { magnitude } else { -magnitude }
        }

        /// `result` is the nearest to `exact` (a number of `2 × PLACES` places), ties to even.
        fn assert_nearest(&self, result: u16, exact: &Big, context: &str) {
            let twice = exact.shl(1);
            let order = |a: u16, b: u16| {
                let sum = Big::from_f64(self.value(a)).add(&Big::from_f64(self.value(b)));
                twice.cmp(&sum.shl(PLACES))
            };
            let magnitude = result & 0x7fff;
            assert!(magnitude <= self.infinity, "{context} is not a number: {result:#x}");
            let negative = result & 0x8000 != 0;
            let inward = if magnitude > 0 { result - 1 } else { 0x8001 ^ result };
            let even = result & 1 == 0;
            let past = |neighbour: u16, side: Ordering| {
                let order = order(result, neighbour);
                order == side || order == Ordering::Equal && even
            };
            let (outer, inner) = if negative {
                (Ordering::Greater, Ordering::Less)
            } else {
                (Ordering::Less, Ordering::Greater)
            };
            assert!(past(inward, inner), "{context} gave {result:#x}, too far out");
            assert!(
                magnitude == self.infinity || past(result + 1, outer),
                "{context} gave {result:#x}, too far in"
            );
        }

        fn any(&self, random: &mut Random) -> u16 {
            let raw = random.bits() as u16;
            match random.below(6) {
                0 => raw & (0x8000 | ((1 << self.mantissa) - 1)),
                1 => raw & 0xbfff | 0x2000,
                2 => raw & (0xffff << (self.mantissa - 2)),
                _ => raw,
            }
        }

        fn finite(&self, bits: u16) -> bool {
            bits & 0x7fff < self.infinity
        }
    }

    #[test]
    fn widening_is_exact() {
        for format in &FORMATS {
            for bits in 0..=u16::MAX {
                let wide = (format.to_f32)(bits);
                match (bits & 0x7fff).cmp(&format.infinity) {
                    Ordering::Less => {
                        assert_eq!(f64::from(wide).to_bits(), format.value(bits).to_bits(), "{bits:#x}");
                        assert_eq!((format.from_f32)(wide), bits);
                        assert_eq!((format.from_f64)(wide.into()), bits);
                    }
                    Ordering::Equal => {
                        assert!(wide.is_infinite() && (wide < 0.0) == (bits & 0x8000 != 0));
                        assert_eq!((format.from_f32)(wide), bits);
                    }
                    Ordering::Greater => {
                        assert_eq!(wide.to_bits(), 0x7fff_ffff);
                        assert_eq!((format.from_f32)(wide), 0x7fff);
                        assert_eq!((format.from_f64)(f64::NAN), 0x7fff);
                    }
                }
            }
        }
    }

    /// Between every two neighbours: on the middle, just above and just below it, and just beside each end.
    #[test]
    fn rounding_between_all_neighbours() {
        for format in &FORMATS {
            for low in 0..format.infinity {
                let high = low + 1;
                let (a, b) = (format.value(low), format.value(high));
                let middle = (a + b) / 2.0;
                let even = if low & 1 == 0 { low } else { high };
                assert_eq!((format.from_f64)(middle), even, "{low:#x}");
                assert_eq!((format.from_f64)(middle.next_up()), high, "{low:#x}");
                assert_eq!((format.from_f64)(middle.next_down()), low, "{low:#x}");
                let single = middle as f32;
                assert_eq!(f64::from(single), middle);
                assert_eq!((format.from_f32)(single), even, "{low:#x}");
                assert_eq!((format.from_f32)(single.next_up()), high, "{low:#x}");
                assert_eq!((format.from_f32)(single.next_down()), low, "{low:#x}");
                let minus = |bits: u16| bits | 0x8000;
                for (x, near) in
                    [(middle, even), (middle.next_up(), high), (middle.next_down(), low), (a.next_up(), low)]
                {
                    let finite_low = low;
                    let finite_near = if near == format.infinity { finite_low } else { near };
                    for finite in [false, true] {
                        let top = if finite && high == format.infinity { low } else { high };
                        let nearest = if finite { finite_near } else { near };
                        let away = if x >= middle { top } else { low };
                        assert_eq!((format.round)(x, Round::Nearest, finite), nearest, "{x:e}");
                        assert_eq!((format.round)(-x, Round::Nearest, finite), minus(nearest), "{x:e}");
                        assert_eq!((format.round)(x, Round::NearestAway, finite), away, "{x:e}");
                        assert_eq!((format.round)(x, Round::Zero, finite), low, "{x:e}");
                        assert_eq!((format.round)(-x, Round::Zero, finite), minus(low), "{x:e}");
                        assert_eq!((format.round)(x, Round::Up, finite), top, "{x:e}");
                        assert_eq!((format.round)(-x, Round::Up, finite), minus(low), "{x:e}");
                        assert_eq!((format.round)(x, Round::Down, finite), low, "{x:e}");
                        assert_eq!((format.round)(-x, Round::Down, finite), minus(top), "{x:e}");
                    }
                }
            }
            assert_eq!((format.round)(f64::INFINITY, Round::Zero, false), format.infinity);
            assert_eq!((format.round)(f64::NEG_INFINITY, Round::Zero, true), (format.infinity - 1) | 0x8000);
            assert_eq!((format.from_f64)(1e300), format.infinity);
        }
    }

    #[test]
    fn arithmetic_rounds_once() {
        let mut random = Random::new(3);
        for format in &FORMATS {
            for _ in 0..60_000 {
                let (a, b, c) = (format.any(&mut random), format.any(&mut random), format.any(&mut random));
                if !(format.finite(a) && format.finite(b) && format.finite(c)) {
                    continue;
                }
                let big = |x: u16| Big::from_f64(format.value(x));
                let sum = big(a).add(&big(b)).shl(PLACES);
                format.assert_nearest((format.add)(a, b), &sum, &format!("{a:#x} + {b:#x}"));
                format.assert_nearest((format.sub)(a, b ^ 0x8000), &sum, &format!("{a:#x} - -{b:#x}"));
                let product = big(a).mul(&big(b));
                format.assert_nearest((format.mul)(a, b), &product, &format!("{a:#x} * {b:#x}"));
                let fused = product.add(&big(c).shl(PLACES));
                format.assert_nearest((format.fma)(a, b, c), &fused, &format!("{a:#x} * {b:#x} + {c:#x}"));
            }
        }
    }

    /// A product on the middle between two numbers, and an addend far too small for an f64 to see.
    #[test]
    fn fma_of_bf16_sees_the_smallest_addend() {
        let (one_and, tiny) = (bf16::from_f32(1.0 + 1.0 / 16.0), 1);
        let middle = bf16::mul(one_and, one_and);
        assert_eq!(bf16::fma(one_and, one_and, tiny), middle + 1);
        assert_eq!(bf16::fma(one_and, one_and, tiny | 0x8000), middle);
    }

    #[test]
    fn extremes_follow_f32() {
        assert_eq!(f16::min(0x8000, 0), 0x8000);
        assert_eq!(f16::max(0x7e00, 0x3c00), 0x3c00);
        assert_eq!(f16::max_nan(0x7e00, 0x3c00), 0x7fff);
        assert_eq!(bf16::min(0xffc0, 0x7fc0), 0x7fff);
        assert_eq!(f16::xorsign_abs(f16::max, 0xbc00, 0x4000), 0xc000);
        assert_eq!(bf16::relu(0xbf80), 0);
        assert_eq!(f16::sat(0x4000), 0x3c00);
        assert_eq!(f16::ftz(0x83ff), 0x8000);
        assert_eq!(f16::both2(f16::add, 0x3c00_4000, 0x3c00_3c00), 0x4000_4200);
    }

    #[test]
    fn approximations_stay_within_a_unit() {
        for format in &FORMATS {
            for bits in 0..=u16::MAX {
                if !format.finite(bits) {
                    continue;
                }
                let x = format.value(bits);
                let near = |value: f64, got: u16| {
                    let error = (f64::from((format.to_f32)(got)) - value).abs();
                    error <= value.abs() * 2f64.powi(-format.mantissa - 1) * 1.001 + 2f64.powi(-25)
                };
                let (ex2, tanh) = if format.mantissa == 10 {
                    (f16::ex2(bits), f16::tanh(bits))
                } else {
                    (bf16::ex2(bits), bf16::tanh(bits))
                };
                let limit = format.value(format.infinity);
                assert!(near(x.tanh(), tanh), "tanh {x}");
                assert!(
                    if x.exp2() >= limit { ex2 == format.infinity } else { near(x.exp2(), ex2) },
                    "2^{x}"
                );
            }
        }
    }
}
