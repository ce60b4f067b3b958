//! Scalar types and state spaces.

use super::words::words;

words! {
    /// A type as written in a declaration or on an instruction.
    pub enum ScalarType {
        /// one-bit predicate
        Pred = "pred",
        /// single-bit element of `mma`
        B1 = "b1",
        B8 = "b8",
        B16 = "b16",
        B32 = "b32",
        B64 = "b64",
        B128 = "b128",
        /// 4-bit element of `mma` and `cvt.pack`
        U4 = "u4",
        U8 = "u8",
        U16 = "u16",
        U32 = "u32",
        U64 = "u64",
        /// 4-bit element of `mma` and `cvt.pack`
        S4 = "s4",
        S8 = "s8",
        S16 = "s16",
        S32 = "s32",
        S64 = "s64",
        /// two `u16` in 32 bits
        U16x2 = "u16x2",
        /// two `s16` in 32 bits
        S16x2 = "s16x2",
        F16 = "f16",
        /// two `f16` in 32 bits
        F16x2 = "f16x2",
        Bf16 = "bf16",
        /// two `bf16` in 32 bits
        Bf16x2 = "bf16x2",
        /// `f32` with a short mantissa, kept in 32 bits
        Tf32 = "tf32",
        F32 = "f32",
        F64 = "f64",
        E4m3 = "e4m3",
        E5m2 = "e5m2",
        /// two `e4m3` in 16 bits
        E4m3x2 = "e4m3x2",
        /// two `e5m2` in 16 bits
        E5m2x2 = "e5m2x2",
    }
}

/// What the bits of a type mean, as far as operand checks care.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Predicate.
    Pred,
    /// Untyped bits (`.b*`), compatible with every type of the same size.
    Bits,
    /// Unsigned integer.
    Unsigned,
    /// Signed integer.
    Signed,
    /// Floating point.
    Float,
}

impl ScalarType {
    /// Width in bits; a predicate counts as one.
    pub const fn bits(self) -> u32 {
        use ScalarType::*;
        match self {
            Pred | B1 => 1,
            U4 | S4 => 4,
            B8 | U8 | S8 | E4m3 | E5m2 => 8,
            B16 | U16 | S16 | F16 | Bf16 | E4m3x2 | E5m2x2 => 16,
            B32 | U32 | S32 | U16x2 | S16x2 | F16x2 | Bf16x2 | Tf32 | F32 => 32,
            B64 | U64 | S64 | F64 => 64,
            B128 => 128,
        }
    }

    /// Bytes one value takes in memory; sub-byte types take one.
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// What the bits mean.
    pub const fn class(self) -> Class {
        use ScalarType::*;
        match self {
            Pred => Class::Pred,
            B1 | B8 | B16 | B32 | B64 | B128 => Class::Bits,
            U4 | U8 | U16 | U32 | U64 | U16x2 => Class::Unsigned,
            S4 | S8 | S16 | S32 | S64 | S16x2 => Class::Signed,
            F16 | F16x2 | Bf16 | Bf16x2 | Tf32 | F32 | F64 | E4m3 | E5m2 | E4m3x2 | E5m2x2 => Class::Float,
        }
    }

    /// Whether the type is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self.class(), Class::Signed)
    }

    /// Whether the type is floating point, packed forms included.
    pub const fn is_float(self) -> bool {
        matches!(self.class(), Class::Float)
    }

    /// How many values one register of this type packs (2 for `f16x2` and its kin).
    pub const fn lanes(self) -> u32 {
        use ScalarType::*;
        match self {
            U16x2 | S16x2 | F16x2 | Bf16x2 | E4m3x2 | E5m2x2 => 2,
            _ => 1,
        }
    }
}

words! {
    /// Where a variable or an address lives.
    pub enum Space {
        /// registers (only as the space of a `.reg` function parameter)
        Reg = "reg",
        Global = "global",
        Const = "const",
        Local = "local",
        Shared = "shared" | "shared::cta",
        Param = "param" | "param::entry" | "param::func",
    }
}
