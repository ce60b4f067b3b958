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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::random::Random;

    const MODES: [Round; 4] = [Round::Nearest, Round::Zero, Round::Down, Round::Up];

    fn cvt(to: Type, from: Type) -> Cvt {
        Cvt::new(from, to)
    }

    #[test]
    fn integers_chop_or_clamp_and_extend() {
        assert_eq!(cvt(Type::U8, Type::S32).apply(0xffff_ff85), 0x85);
        assert_eq!(cvt(Type::S8, Type::U32).apply(0x85), 0x85u8 as i8 as u64);
        assert_eq!(cvt(Type::S64, Type::S32).apply(0x8000_0000), 0xffff_ffff_8000_0000);
        assert_eq!(cvt(Type::U64, Type::U16).apply(0xdead_beef), 0xbeef);
        let sat = |to, from, raw| Cvt { sat: true, ..cvt(to, from) }.apply(raw);
        assert_eq!(sat(Type::U8, Type::S32, -5i32 as u32 as u64), 0);
        assert_eq!(sat(Type::S8, Type::S32, -500i32 as u32 as u64) as i64, -128);
        assert_eq!(sat(Type::S32, Type::U64, u64::MAX), i32::MAX as u64);
        assert_eq!(sat(Type::U32, Type::S64, 1 << 40), u32::MAX as u64);
    }

    #[test]
    fn floats_to_integers_clamp() {
        let mut random = Random::new(11);
        let ints = [Type::U8, Type::S8, Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64];
        for _ in 0..20_000 {
            let x = random.f64();
            let single = random.f32();
            for to in ints {
                let (low, high) = to.range().unwrap();
                for mode in MODES {
                    let reference = |x: f64| (whole(x, mode) as i128).clamp(low, high) as u64;
                    if !x.is_nan() {
                        let got = Cvt { round: mode, ..cvt(to, Type::F64) }.apply(x.to_bits());
                        assert_eq!(got, reference(x), "{x:e} to {to:?} {mode:?}");
                    }
                    if !single.is_nan() {
                        let got = Cvt { round: mode, ..cvt(to, Type::F32) }.apply(single.to_bits().into());
                        assert_eq!(got, reference(single.into()), "{single:e} to {to:?} {mode:?}");
                    }
                }
            }
            let zero = |to, bits| Cvt { round: Round::Zero, ..cvt(to, Type::F64) }.apply(bits);
            let single_zero =
                |to| Cvt { round: Round::Zero, ..cvt(to, Type::F32) }.apply(single.to_bits().into());
            assert_eq!(f64_to_s32(x) as u32, zero(Type::S32, x.to_bits()) as u32);
            assert_eq!(u64::from(f64_to_u32(x)), zero(Type::U32, x.to_bits()));
            assert_eq!(f64_to_s64(x) as u64, zero(Type::S64, x.to_bits()));
            assert_eq!(f64_to_u64(x), zero(Type::U64, x.to_bits()));
            assert_eq!(f32_to_s32(single) as u32, single_zero(Type::S32) as u32);
            assert_eq!(u64::from(f32_to_u32(single)), single_zero(Type::U32));
            assert_eq!(f64_to_s64(single.into()) as u64, single_zero(Type::S64));
        }
    }

    #[test]
    fn nan_to_integer_depends_on_the_width() {
        let nan32 = u64::from(f32::NAN.to_bits());
        assert_eq!(cvt(Type::S32, Type::F32).apply(nan32), 0);
        assert_eq!(cvt(Type::U8, Type::F16).apply(0x7fff), 0);
        assert_eq!(cvt(Type::U64, Type::F32).apply(nan32), 1 << 63);
        assert_eq!(cvt(Type::S32, Type::F64).apply(f64::NAN.to_bits()), i32::MIN as u64);
        assert_eq!(cvt(Type::U16, Type::F64).apply(f64::NAN.to_bits()), 1 << 15);
    }

    #[test]
    fn integers_to_floats_round_once() {
        let mut random = Random::new(12);
        for _ in 0..50_000 {
            let x = random.int();
            let to = |to, from| cvt(to, from).apply(x);
            assert_eq!(to(Type::F32, Type::S64), u64::from((x as i64 as f32).to_bits()));
            assert_eq!(to(Type::F32, Type::U64), u64::from((x as f32).to_bits()));
            assert_eq!(to(Type::F64, Type::S64), (x as i64 as f64).to_bits());
            assert_eq!(to(Type::F32, Type::S32), u64::from((x as i32 as f32).to_bits()));
            assert_eq!(to(Type::F16, Type::S32), f16::from_f64(f64::from(x as i32)).into());
            assert_eq!(to(Type::BF16, Type::U32), bf16::from_f64(f64::from(x as u32)).into());
            // Toward zero is what cutting the digits off does.
            let cut = if x == 0 { 0 } else { x & !0u64 << (64 - x.leading_zeros()).saturating_sub(24) };
            let got = Cvt { round: Round::Zero, ..cvt(Type::F32, Type::U64) }.apply(x);
            assert_eq!(got, u64::from((cut as f32).to_bits()), "{x:#x}");
        }
        assert_eq!(cvt(Type::F16, Type::U32).apply(65520), f16::INFINITY.into());
        assert_eq!(Cvt { round: Round::Zero, ..cvt(Type::F16, Type::U32) }.apply(1 << 20), 0x7bff);
    }

    #[test]
    fn narrowing_f64_brackets_it() {
        let mut random = Random::new(13);
        for _ in 0..200_000 {
            let x = random.f64();
            if !x.is_finite() {
                continue;
            }
            let [near, zero, down, up] = MODES.map(|mode| f64_to_f32(x, mode));
            assert_eq!(near.to_bits(), (x as f32).to_bits());
            assert!(f64::from(down) <= x && x <= f64::from(up), "{x:e}");
            assert!(down == up || down.next_up() == up || (down, up) == (-0.0, f32::from_bits(1)), "{x:e}");
            assert_eq!(
                zero.to_bits(),
                if x.is_sign_negative() { up.to_bits() } else { down.to_bits() },
                "{x:e}"
            );
            assert!(near == up || near == down);
        }
    }

    #[test]
    fn narrow_formats_reach_each_other() {
        for bits in 0..=u16::MAX {
            let raw = u64::from(bits);
            assert_eq!(cvt(Type::F32, Type::F16).apply(raw) as u32, f16::to_f32(bits).to_bits());
            let through = f64::from(f16::to_f32(bits));
            assert_eq!(cvt(Type::BF16, Type::F16).apply(raw) as u16, bf16::from_f64(through));
            let fp8 = Cvt { satfinite: true, ..cvt(Type::E4M3, Type::F16) };
            assert_eq!(fp8.apply(raw) as u8, fp8::e4m3::from_f32(through as f32));
            let relu = Cvt { relu: true, ..fp8 };
            let negative = fp8.apply(raw) & 0x80 != 0;
            assert_eq!(relu.apply(raw), if negative { 0 } else { fp8.apply(raw) });
        }
        for bits in 0..=u8::MAX {
            let half = cvt(Type::F16, Type::E5M2).apply(bits.into()) as u16;
            assert_eq!(half, if bits & 0x7f > 0x7c { 0x7fff } else { u16::from(bits) << 8 });
        }
    }

    #[test]
    fn modifiers() {
        let tiny = u64::from(1e-40f32.to_bits());
        let f32_f32 = cvt(Type::F32, Type::F32);
        assert_eq!(f32_f32.apply(tiny), tiny);
        assert_eq!(Cvt { ftz: true, ..f32_f32 }.apply(tiny), 0);
        assert_eq!(Cvt { ftz: true, round: Round::Up, ..cvt(Type::S32, Type::F32) }.apply(tiny), 0);
        assert_eq!(Cvt { round: Round::Up, ..cvt(Type::S32, Type::F32) }.apply(tiny), 1);
        assert_eq!(Cvt { ftz: true, ..cvt(Type::F32, Type::F64) }.apply((-1e-40f64).to_bits()), 0x8000_0000);
        let whole = |round, x: f32| {
            let cvt = Cvt { round, integral: true, ..f32_f32 };
            f32::from_bits(cvt.apply(x.to_bits().into()) as u32)
        };
        assert_eq!(MODES.map(|mode| whole(mode, 2.5)), [2.0, 2.0, 2.0, 3.0]);
        assert_eq!(
            MODES.map(|mode| whole(mode, -0.5).to_bits()),
            [1 << 31, 1 << 31, (-1f32).to_bits(), 1 << 31]
        );
        assert_eq!(Cvt { sat: true, ..f32_f32 }.apply(f32::NAN.to_bits().into()), 0);
        assert_eq!(Cvt { sat: true, ..cvt(Type::F64, Type::F64) }.apply(3f64.to_bits()), 1f64.to_bits());
        assert_eq!(Cvt { relu: true, ..cvt(Type::BF16, Type::F32) }.apply((-2f32).to_bits().into()), 0);
        let finite = Cvt { satfinite: true, ..cvt(Type::F16, Type::F32) };
        assert_eq!(finite.apply(f32::NEG_INFINITY.to_bits().into()), 0xfbff);
        let tf32 = Cvt { round: Round::NearestAway, ..cvt(Type::TF32, Type::F32) };
        assert_eq!(tf32.apply(0x3f80_1000), 0x3f80_2000);
    }

    #[test]
    fn packing() {
        assert_eq!(pack(300, -300, 0xaabb_ccdd, 8, true), 0xccdd_7f80);
        assert_eq!(pack(300, -300, 0, 8, false), 0x0000_ff00);
        assert_eq!(pack(40_000, -40_000, 0xffff_ffff, 16, true), 0x7fff_8000);
        assert_eq!(pack(7, -9, 0x0012_3456, 4, true), 0x1234_5678);
        assert_eq!(pack(3, 1, 1, 2, false), 0b1_1101);
    }
}
