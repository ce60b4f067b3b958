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
