//! Scalar arithmetic with PTX semantics: what one lane of one instruction computes.
//!
//! Everything here is a pure function of its operands, never panics and allocates nothing, so that a warp-wide
//! loop can inline it. Operands travel as the Rust type of the same shape (`u32`, `i64`, `f32`, `f64`); formats
//! Rust does not have travel as raw bits (`u16` for f16 and bf16, `u8` for fp8, `u32` for tf32).
//!
//! Modifiers compose from the outside: `add.ftz.sat.f32` is `sat(ftz(add(ftz(a), ftz(b))))`. The functions without
//! a rounding argument round to nearest even and are the fast ones; those that take a [`Round`] are exact in
//! every mode and slower.
//!
//! NaN: a result of f32, f16 or bf16 that is NaN is the canonical one (`0x7fffffff`, `0x7fff`), as on hardware.
//! f64 keeps what the processor gives.

/// Approximate functions: `ex2 lg2 sin cos tanh rsqrt rcp sqrt div` with `.approx` or `.full`.
pub mod approx;
/// The brain float: the upper half of an f32.
pub mod bf16;
/// Comparisons of `setp`, `set` and friends.
pub mod cmp;
/// `cvt`: conversion between any two number types.
pub mod cvt;
/// Exact values of unbounded range and their rounding to any format in any direction.
pub mod exact;
/// IEEE half precision.
pub mod f16;
/// f32 and f64 arithmetic.
pub mod float;
/// The 8-bit formats e4m3 and e5m2.
pub mod fp8;
mod half;
/// Integer arithmetic and bit fields.
pub mod int;
mod narrow;
/// The 19-bit format of tensor core inputs, kept in 32 bits.
pub mod tf32;

pub use exact::Round;

#[cfg(test)]
mod big;
#[cfg(test)]
mod random;
