//! `cvt`: every pair of number types, every rounding.
//!
//! [`Cvt::apply`] is the whole matrix for one element. The pairs that programs spend time on have functions of
//! their own at the end of this file and in the files of the narrow formats; they agree with it.

use super::exact::{Exact, Format, Round};
use super::{bf16, f16, float, fp8, tf32};

/// The types `cvt` converts between. Packed forms convert element by element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    BF16,
    TF32,
    F32,
    F64,
    E4M3,
    E5M2,
}

impl Type {
    pub const ALL: [Type; 15] = [
        Type::U8,
        Type::U16,
        Type::U32,
        Type::U64,
        Type::S8,
        Type::S16,
        Type::S32,
        Type::S64,
        Type::F16,
        Type::BF16,
        Type::TF32,
        Type::F32,
        Type::F64,
        Type::E4M3,
        Type::E5M2,
    ];

    /// The range of an integer type, `None` for a float.
    #[inline]
    pub fn range(self) -> Option<(i128, i128)> {
        Some(match self {
            Type::U8 => (0, u8::MAX.into()),
            Type::U16 => (0, u16::MAX.into()),
            Type::U32 => (0, u32::MAX.into()),
            Type::U64 => (0, u64::MAX.into()),
            Type::S8 => (i8::MIN.into(), i8::MAX.into()),
            Type::S16 => (i16::MIN.into(), i16::MAX.into()),
            Type::S32 => (i32::MIN.into(), i32::MAX.into()),
            Type::S64 => (i64::MIN.into(), i64::MAX.into()),
            _ => return None,
        })
    }

    /// The width in bits of a value in its register.
    #[inline]
    pub fn bits(self) -> u32 {
        match self {
            Type::U8 | Type::S8 | Type::E4M3 | Type::E5M2 => 8,
            Type::U16 | Type::S16 | Type::F16 | Type::BF16 => 16,
            Type::U32 | Type::S32 | Type::F32 | Type::TF32 => 32,
            Type::U64 | Type::S64 | Type::F64 => 64,
        }
    }

    /// The low bits of `raw` as a number of this integer type, extended to 64 bits by its sign if it has one.
    #[inline]
    fn extend(self, raw: u64) -> i128 {
        match self {
            Type::U8 => (raw as u8).into(),
            Type::U16 => (raw as u16).into(),
            Type::U32 => (raw as u32).into(),
            Type::S8 => (raw as i8).into(),
            Type::S16 => (raw as i16).into(),
            Type::S32 => (raw as i32).into(),
            Type::S64 => (raw as i64).into(),
            _ => raw.into(),
        }
    }

    /// The value of a float type; exact.
    #[inline]
    fn widen(self, raw: u64) -> f64 {
        match self {
            Type::F16 => f16::to_f32(raw as u16).into(),
            Type::BF16 => bf16::to_f32(raw as u16).into(),
            Type::TF32 => tf32::read(raw as u32).into(),
            Type::F32 => f32::from_bits(raw as u32).into(),
            Type::E4M3 => fp8::e4m3::to_f32(raw as u8).into(),
            Type::E5M2 => fp8::e5m2::to_f32(raw as u8).into(),
            _ => f64::from_bits(raw),
        }
    }
}

/// One `cvt` instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cvt {
    pub from: Type,
    pub to: Type,
    /// The direction of `.rn .rz .rm .rp .rna` and of `.rni .rzi .rmi .rpi`.
    pub round: Round,
    /// One of the latter four between floats: the result is a whole number.
    pub integral: bool,
    pub ftz: bool,
    pub sat: bool,
    pub satfinite: bool,
    pub relu: bool,
}

impl Cvt {
    /// A conversion without modifiers, to nearest even.
    pub fn new(from: Type, to: Type) -> Cvt {
        Cvt {
            from,
            to,
            round: Round::Nearest,
            integral: false,
            ftz: false,
            sat: false,
            satfinite: false,
            relu: false,
        }
    }

    /// Converts the low bits of `raw`. The result fills 64 bits: zero-extended, or sign-extended for a signed
    /// integer type, which is what a destination register wider than the type receives.
    #[inline]
    pub fn apply(&self, raw: u64) -> u64 {
        match (self.from.range(), self.to.range()) {
            (Some(_), Some(range)) => self.int_to_int(raw, range),
            (Some(_), None) => self.int_to_float(raw),
            (None, Some(range)) => self.float_to_int(raw, range),
            (None, None) => self.float_to_float(raw),
        }
    }

    fn int_to_int(&self, raw: u64, (low, high): (i128, i128)) -> u64 {
        let value = self.from.extend(raw);
        let value = if self.sat { value.clamp(low, high) } else { value };
        self.to.extend(value as u64) as u64
    }

    fn int_to_float(&self, raw: u64) -> u64 {
        let value = Exact::from_int(self.from.extend(raw));
        let bits = match self.to {
            Type::F16 => value.round(Format::F16, self.round, self.satfinite),
            Type::BF16 => value.round(Format::BF16, self.round, self.satfinite),
            Type::F64 => value.round(Format::F64, self.round, self.satfinite),
            _ => value.round(Format::F32, self.round, self.satfinite),
        };
        self.finish(bits)
    }

    fn float_to_int(&self, raw: u64, (low, high): (i128, i128)) -> u64 {
        let value = self.source(raw);
        if value.is_nan() {
            // Zero, except that the 64-bit converters give the lone top bit.
            let wide = self.from == Type::F64 || self.to.bits() == 64;
            return if wide { self.to.extend(1 << (self.to.bits() - 1)) as u64 } else { 0 };
        }
        let whole = match Exact::from_f64(value) {
            Some(exact) => exact.round_int(self.round),
            None if value < 0.0 => low,
            None => high,
        };
        whole.clamp(low, high) as u64
    }

    fn float_to_float(&self, raw: u64) -> u64 {
        let value = self.source(raw);
        let value = if self.integral { whole(value, self.round) } else { value };
        // After an integral rounding nothing is left to round, and without one between equal types neither.
        let bits = match self.to {
            Type::F16 => f16::round(value, self.round, self.satfinite).into(),
            Type::BF16 => bf16::round(value, self.round, self.satfinite).into(),
            Type::TF32 => tf32::round(value as f32, self.round, self.satfinite).into(),
            Type::E4M3 => fp8::e4m3::round(value, self.round).into(),
            Type::E5M2 => fp8::e5m2::round(value, self.round).into(),
            Type::F64 => value.to_bits(),
            _ => f64_to_f32(value, self.round).to_bits().into(),
        };
        self.finish(bits)
    }

    #[inline]
    fn source(&self, raw: u64) -> f64 {
        if self.ftz && self.from == Type::F32 {
            return float::ftz(f32::from_bits(raw as u32)).into();
        }
        self.from.widen(raw)
    }

    /// The modifiers that look at the result.
    #[inline]
    fn finish(&self, bits: u64) -> u64 {
        let bits = if self.ftz && self.to == Type::F32 { f32_bits(bits, float::ftz) } else { bits };
        let bits = if self.sat {
            match self.to {
                Type::F16 => f16::sat(bits as u16).into(),
                Type::BF16 => bf16::sat(bits as u16).into(),
                Type::F64 => float::sat(f64::from_bits(bits)).to_bits(),
                _ => f32_bits(bits, float::sat),
            }
        } else {
            bits
        };
        if self.relu {
            match self.to {
                Type::F16 => f16::relu(bits as u16).into(),
                Type::BF16 => bf16::relu(bits as u16).into(),
                Type::E4M3 | Type::E5M2 if bits & 0x80 != 0 => 0,
                Type::E4M3 | Type::E5M2 => bits,
                _ => f32_bits(bits, float::relu),
            }
        } else {
            bits
        }
    }
}

#[inline]
fn f32_bits(bits: u64, of: impl Fn(f32) -> f32) -> u64 {
    of(f32::from_bits(bits as u32)).to_bits().into()
}

/// `cvt.rni`, `.rzi`, `.rmi`, `.rpi` between floats of one type. Keeps the sign of zero; the narrow formats use it
/// by way of an f64, where their whole numbers are exact.
#[inline(always)]
pub fn whole(x: f64, mode: Round) -> f64 {
    match mode {
        Round::Nearest => x.round_ties_even(),
        Round::NearestAway => x.round(),
        Round::Zero => x.trunc(),
        Round::Down => x.floor(),
        Round::Up => x.ceil(),
    }
}

/// `cvt.mode.f32.f64`.
#[inline]
pub fn f64_to_f32(x: f64, mode: Round) -> f32 {
    match Exact::from_f64(x) {
        Some(exact) if mode != Round::Nearest => f32::from_bits(exact.round(Format::F32, mode, false) as u32),
        _ if x.is_nan() => float::NAN,
        _ => x as f32,
    }
}

/// `cvt.rzi.s32.f32`.
#[inline(always)]
pub fn f32_to_s32(x: f32) -> i32 {
    x as i32
}

/// `cvt.rzi.u32.f32`.
#[inline(always)]
pub fn f32_to_u32(x: f32) -> u32 {
    x as u32
}

/// `cvt.rzi.s32.f64`.
#[inline(always)]
pub fn f64_to_s32(x: f64) -> i32 {
    if x.is_nan() { i32::MIN } else { x as i32 }
}

/// `cvt.rzi.u32.f64`.
#[inline(always)]
pub fn f64_to_u32(x: f64) -> u32 {
    if x.is_nan() { 1 << 31 } else { x as u32 }
}

/// `cvt.rzi.s64.f64`, and of an f32 widened first.
#[inline(always)]
pub fn f64_to_s64(x: f64) -> i64 {
    if x.is_nan() { i64::MIN } else { x as i64 }
}

/// `cvt.rzi.u64.f64`, and of an f32 widened first.
#[inline(always)]
pub fn f64_to_u64(x: f64) -> u64 {
    if x.is_nan() { 1 << 63 } else { x as u64 }
}

/// `cvt.pack.sat`: `a` and `b` clamped to an integer type of `width` bits (2, 4, 8 or 16), `b` lowest, `a` above it
/// and, where room is left, the low bits of `c` above both.
#[inline(always)]
pub fn pack(a: i32, b: i32, c: u32, width: u32, signed: bool) -> u32 {
    let (low, high) =
        if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1i32 << width) - 1) };
    let mask = (1u32 << width) - 1;
    let field = |x: i32| x.clamp(low, high).cast_unsigned() & mask;
    let below = if width < 16 { c.wrapping_shl(2 * width) } else { 0 };
    field(a) << width | field(b) | below
}
