//! The function of one lane for every arithmetic instruction that has no vector form.

use crate::num::float::{self, Float};
use crate::num::int::{self, Int};
use crate::num::{Round, approx, bf16, cmp, f16};
use crate::ops::scalar::LaneFn;
use cleave_ptx::ir::{
    Accuracy, Cmp, Half, Inst, Mods, Opcode, Overflow, Permute, Property, Rounding, ScalarType,
};

/// What one lane of `inst` computes; operands as raw bits in the order of the instruction.
pub fn find(inst: &Inst) -> Option<LaneFn> {
    let ty = *inst.types.first()?;
    match ty {
        ScalarType::F32 => single(inst),
        ScalarType::F64 => double(inst),
        ScalarType::F16 | ScalarType::F16x2 => half::find(inst, ty == ScalarType::F16x2),
        ScalarType::Bf16 | ScalarType::Bf16x2 => brain::find(inst, ty == ScalarType::Bf16x2),
        ScalarType::U16x2 => packed::<u16>(inst.opcode, false),
        ScalarType::S16x2 => packed::<i16>(inst.opcode, inst.mods.relu),
        ScalarType::S32 if inst.mods.sat || inst.mods.relu => saturating(inst),
        _ => match (ty.bits(), ty.is_signed()) {
            (16, false) => integer::<u16>(inst),
            (16, true) => integer::<i16>(inst),
            (32, false) => integer::<u32>(inst).or_else(|| bits32(inst)),
            (32, true) => integer::<i32>(inst).or_else(|| bits32(inst)),
            (64, false) => integer::<u64>(inst).or_else(|| bits64(inst)),
            (64, true) => integer::<i64>(inst),
            _ => None,
        },
    }
}

/// An integer type of one lane.
trait Whole: Int + Ord {
    fn of(raw: u64) -> Self;
    fn raw(self) -> u64;
    fn plus(self, b: Self) -> Self;
    fn minus(self, b: Self) -> Self;
    fn times(self, b: Self) -> Self;
}

macro_rules! whole {
    ($($ty:ident $unsigned:ident;)*) => { $(
        impl Whole for $ty {
            fn of(raw: u64) -> $ty { raw as $ty }
            fn raw(self) -> u64 { u64::from(self as $unsigned) }
            fn plus(self, b: $ty) -> $ty { self.wrapping_add(b) }
            fn minus(self, b: $ty) -> $ty { self.wrapping_sub(b) }
            fn times(self, b: $ty) -> $ty { self.wrapping_mul(b) }
        }
    )* };
}

whole! { u16 u16; i16 u16; u32 u32; i32 u32; u64 u64; i64 u64; }

fn integer<T: Whole>(inst: &Inst) -> Option<LaneFn> {
    use Opcode::*;
    Some(match (inst.opcode, inst.mods.half) {
        (Add, _) => |a, b, _| T::of(a).plus(T::of(b)).raw(),
        (Sub, _) => |a, b, _| T::of(a).minus(T::of(b)).raw(),
        (Mul, Some(Half::Lo)) => |a, b, _| T::of(a).times(T::of(b)).raw(),
        (Mul, Some(Half::Hi)) => |a, b, _| T::of(a).mul_hi(T::of(b)).raw(),
        (Mad, Some(Half::Lo)) => |a, b, c| T::of(a).times(T::of(b)).plus(T::of(c)).raw(),
        (Mad, Some(Half::Hi)) => |a, b, c| T::of(a).mul_hi(T::of(b)).plus(T::of(c)).raw(),
        (Div, _) => |a, b, _| Int::div(T::of(a), T::of(b)).raw(),
        (Rem, _) => |a, b, _| Int::rem(T::of(a), T::of(b)).raw(),
        (Sad, _) => |a, b, c| T::of(a).sad(T::of(b), T::of(c)).raw(),
        (Min, _) => |a, b, _| T::of(a).min(T::of(b)).raw(),
        (Max, _) => |a, b, _| T::of(a).max(T::of(b)).raw(),
        (Abs, _) => |a, _, _| {
            let (a, zero) = (T::of(a), T::of(0));
            if a < zero { zero.minus(a).raw() } else { a.raw() }
        },
        (Neg, _) => |a, _, _| T::of(0).minus(T::of(a)).raw(),
        (Shl, _) => |a, b, _| Int::shl(T::of(a), b as u32).raw(),
        (Shr, _) => |a, b, _| Int::shr(T::of(a), b as u32).raw(),
        (Bfind, _) if inst.mods.shiftamt => |a, _, _| int::bfind_shift(T::of(a)).into(),
        (Bfind, _) => |a, _, _| T::of(a).bfind().into(),
        (Bfe, _) => |a, b, c| T::of(a).bfe(b as u32, c as u32).raw(),
        (And, _) => |a, b, _| a & b,
        (Or, _) => |a, b, _| a | b,
        (Xor, _) => |a, b, _| a ^ b,
        (Not, _) => |a, _, _| !a,
        (Cnot, _) => |a, _, _| u64::from(T::of(a) == T::of(0)),
        (Bfi, _) => |_, _, _| 0,
        _ => return None,
    })
}

/// Operations that exist for 32 bits only.
fn bits32(inst: &Inst) -> Option<LaneFn> {
    use Opcode::*;
    let signs = (inst.types.first()?.is_signed(), inst.types.get(1).is_some_and(|ty| ty.is_signed()));
    macro_rules! by_signs {
        ($f:ident $(, $more:expr)*) => {
            match signs {
                (false, false) => |a, b, c| int::$f(a as u32, b as u32, c as u32, false, false $(, $more)*).into(),
                (false, true) => |a, b, c| int::$f(a as u32, b as u32, c as u32, false, true $(, $more)*).into(),
                (true, false) => |a, b, c| int::$f(a as u32, b as u32, c as u32, true, false $(, $more)*).into(),
                (true, true) => |a, b, c| int::$f(a as u32, b as u32, c as u32, true, true $(, $more)*).into(),
            }
        };
    }
    macro_rules! permute {
        ($mode:ident) => {
            |a, b, c| int::prmt(a as u32, b as u32, int::Permute::$mode.selectors(c as u32)).into()
        };
    }
    let clamp = inst.mods.overflow == Some(Overflow::Clamp);
    Some(match (inst.opcode, inst.mods.half) {
        (Mul24, Some(Half::Hi)) if signs.0 => |a, b, _| int::mul24_hi_s32(a as i32, b as i32) as u32 as u64,
        (Mul24, Some(Half::Hi)) => |a, b, _| int::mul24_hi_u32(a as u32, b as u32).into(),
        (Mul24, _) if signs.0 => |a, b, _| int::mul24_lo_s32(a as i32, b as i32) as u32 as u64,
        (Mul24, _) => |a, b, _| int::mul24_lo_u32(a as u32, b as u32).into(),
        (Mad24, Some(Half::Hi)) if signs.0 => {
            |a, b, c| int::mul24_hi_s32(a as i32, b as i32).wrapping_add(c as i32) as u32 as u64
        }
        (Mad24, Some(Half::Hi)) => {
            |a, b, c| int::mul24_hi_u32(a as u32, b as u32).wrapping_add(c as u32).into()
        }
        (Mad24, _) if signs.0 => {
            |a, b, c| int::mul24_lo_s32(a as i32, b as i32).wrapping_add(c as i32) as u32 as u64
        }
        (Mad24, _) => |a, b, c| int::mul24_lo_u32(a as u32, b as u32).wrapping_add(c as u32).into(),
        (Dp4a, _) => by_signs!(dp4a),
        (Dp2a, Some(Half::Hi)) => by_signs!(dp2a, true),
        (Dp2a, _) => by_signs!(dp2a, false),
        (Fns, _) => |a, b, c| int::fns(a as u32, b as u32, c as i32).into(),
        (Bmsk, _) if clamp => |a, b, _| int::bmsk_clamp(a as u32, b as u32).into(),
        (Bmsk, _) => |a, b, _| int::bmsk_wrap(a as u32, b as u32).into(),
        (Szext, _) => match (signs.0, clamp) {
            (false, true) => |a, b, _| int::zext_clamp(a as u32, b as u32).into(),
            (true, true) => |a, b, _| int::sext_clamp(a as u32, b as u32).into(),
            // Amounts beyond the width wrap.
            (false, false) => |a, b, _| int::zext_clamp(a as u32, b as u32 & 31).into(),
            (true, false) => |a, b, _| int::sext_clamp(a as u32, b as u32 & 31).into(),
        },
        (Prmt, _) => match inst.mods.permute? {
            Permute::F4e => permute!(F4e),
            Permute::B4e => permute!(B4e),
            Permute::Rc8 => permute!(Rc8),
            Permute::Ecl => permute!(Ecl),
            Permute::Ecr => permute!(Ecr),
            Permute::Rc16 => permute!(Rc16),
        },
        _ => return None,
    })
}

fn bits64(inst: &Inst) -> Option<LaneFn> {
    match inst.opcode {
        Opcode::Brev => Some(|a, _, _| a.reverse_bits()),
        _ => None,
    }
}

/// `.sat` and `.relu` of `s32`.
fn saturating(inst: &Inst) -> Option<LaneFn> {
    use Opcode::*;
    Some(match inst.opcode {
        Add => |a, b, _| (a as i32).saturating_add(b as i32) as u32 as u64,
        Sub => |a, b, _| (a as i32).saturating_sub(b as i32) as u32 as u64,
        Mad => |a, b, c| int::mad_hi_sat(a as i32, b as i32, c as i32) as u32 as u64,
        Mad24 => |a, b, c| int::mad24_hi_sat(a as i32, b as i32, c as i32) as u32 as u64,
        Min => |a, b, _| (a as i32).min(b as i32).max(0) as u64,
        Max => |a, b, _| (a as i32).max(b as i32).max(0) as u64,
        _ => return None,
    })
}

/// Two 16-bit integers in one register.
fn packed<T: Whole>(opcode: Opcode, relu: bool) -> Option<LaneFn> {
    fn both<T: Whole>(a: u64, b: u64, of: impl Fn(T, T) -> T) -> u64 {
        of(T::of(a), T::of(b)).raw() | of(T::of(a >> 16), T::of(b >> 16)).raw() << 16
    }
    Some(match (opcode, relu) {
        (Opcode::Add, _) => |a, b, _| both::<T>(a, b, T::plus),
        (Opcode::Min, false) => |a, b, _| both::<T>(a, b, T::min),
        (Opcode::Max, false) => |a, b, _| both::<T>(a, b, T::max),
        (Opcode::Min, true) => |a, b, _| both::<T>(a, b, |a, b| a.min(b).max(T::of(0))),
        (Opcode::Max, true) => |a, b, _| both::<T>(a, b, |a, b| a.max(b).max(T::of(0))),
        _ => return None,
    })
}

fn f(raw: u64) -> f32 {
    f32::from_bits(raw as u32)
}

fn d(raw: u64) -> f64 {
    f64::from_bits(raw)
}

/// A floating-point function with one rounding, chosen at compile time.
macro_rules! rounded {
    ($mods:expr, |$r:ident| $f:expr) => {
        match $mods.rounding {
            None | Some(Rounding::Rn) => {
                const $r: Round = Round::Nearest;
                $f
            }
            Some(Rounding::Rz) => {
                const $r: Round = Round::Zero;
                $f
            }
            Some(Rounding::Rm) => {
                const $r: Round = Round::Down;
                $f
            }
            Some(Rounding::Rp) => {
                const $r: Round = Round::Up;
                $f
            }
            _ => return None,
        }
    };
}

/// Flushes operands and result of an `f32` function if the instruction says so, and clamps the result likewise.
macro_rules! flushed {
    ($mods:expr, |$($x:ident),*| $body:expr) => {
        match ($mods.ftz, $mods.sat) {
            (false, false) => flushed!(@ |x| x, |x| x, $($x),*, $body),
            (true, false) => flushed!(@ float::ftz, float::ftz, $($x),*, $body),
            (false, true) => flushed!(@ |x| x, float::sat, $($x),*, $body),
            (true, true) => flushed!(@ float::ftz, |x| float::sat(float::ftz(x)), $($x),*, $body),
        }
    };
    (@ $in:expr, $out:expr, $a:ident, $body:expr) => {
        |a, _, _| {
            let $a = apply($in, f(a));
            apply($out, $body).to_bits().into()
        }
    };
    (@ $in:expr, $out:expr, $a:ident, $b:ident, $body:expr) => {
        |a, b, _| {
            let ($a, $b) = (apply($in, f(a)), apply($in, f(b)));
            apply($out, $body).to_bits().into()
        }
    };
    (@ $in:expr, $out:expr, $a:ident, $b:ident, $c:ident, $body:expr) => {
        |a, b, c| {
            let ($a, $b, $c) = (apply($in, f(a)), apply($in, f(b)), apply($in, f(c)));
            apply($out, $body).to_bits().into()
        }
    };
}

fn apply(of: impl Fn(f32) -> f32, x: f32) -> f32 {
    of(x)
}

fn single(inst: &Inst) -> Option<LaneFn> {
    use Opcode::*;
    let m = &inst.mods;
    if let Min | Max = inst.opcode {
        return extremum(inst);
    }
    Some(match (inst.opcode, m.accuracy) {
        (Div, Some(Accuracy::Approx)) => flushed!(m, |x, y| approx::div(x, y)),
        (Div, Some(Accuracy::Full)) => flushed!(m, |x, y| approx::div_full(x, y)),
        (Rcp, Some(_)) => flushed!(m, |x| approx::rcp(x)),
        (Sqrt, Some(_)) => flushed!(m, |x| approx::sqrt(x)),
        (Rsqrt, _) => flushed!(m, |x| approx::rsqrt(x)),
        (Sin, _) => flushed!(m, |x| approx::sin(x)),
        (Cos, _) => flushed!(m, |x| approx::cos(x)),
        (Lg2, _) => flushed!(m, |x| approx::lg2(x)),
        (Ex2, _) => flushed!(m, |x| approx::ex2(x)),
        (Tanh, _) => flushed!(m, |x| approx::tanh(x)),
        (Copysign, _) => |a, b, _| float::copysign(f(a), f(b)).to_bits().into(),
        (Add, _) => rounded!(m, |R| flushed!(m, |x, y| float::add_round(x, y, R))),
        (Sub, _) => rounded!(m, |R| flushed!(m, |x, y| float::sub_round(x, y, R))),
        (Mul, _) => rounded!(m, |R| flushed!(m, |x, y| float::mul_round(x, y, R))),
        (Div, _) => rounded!(m, |R| flushed!(m, |x, y| float::div_round(x, y, R))),
        (Fma | Mad, _) => rounded!(m, |R| flushed!(m, |x, y, z| float::fma_round(x, y, z, R))),
        (Rcp, _) => rounded!(m, |R| flushed!(m, |x| float::rcp_round(x, R))),
        (Sqrt, _) => rounded!(m, |R| flushed!(m, |x| float::sqrt_round(x, R))),
        (Testp, _) => property::<f32>(m)?,
        _ => return None,
    })
}

/// `min` and `max` with modifiers, and of three operands.
fn extremum(inst: &Inst) -> Option<LaneFn> {
    let m = &inst.mods;
    macro_rules! forms {
        ($of:path, $of_nan:path) => {
            match (inst.operands.len(), m.nan, m.xorsign_abs, m.abs) {
                (3, false, false, _) => flushed!(m, |x, y| $of(x, y)),
                (3, true, false, _) => flushed!(m, |x, y| $of_nan(x, y)),
                (3, false, true, _) => flushed!(m, |x, y| float::xorsign_abs($of, x, y)),
                (3, true, true, _) => flushed!(m, |x, y| float::xorsign_abs($of_nan, x, y)),
                (_, false, _, false) => flushed!(m, |x, y, z| $of($of(x, y), z)),
                (_, true, _, false) => flushed!(m, |x, y, z| $of_nan($of_nan(x, y), z)),
                (_, false, _, true) => {
                    flushed!(m, |x, y, z| $of($of(float::abs(x), float::abs(y)), float::abs(z)))
                }
                (_, true, _, true) => {
                    flushed!(m, |x, y, z| $of_nan($of_nan(float::abs(x), float::abs(y)), float::abs(z)))
                }
            }
        };
    }
    Some(match inst.opcode {
        Opcode::Min => forms!(float::min, float::min_nan),
        _ => forms!(float::max, float::max_nan),
    })
}

fn double(inst: &Inst) -> Option<LaneFn> {
    use Opcode::*;
    let m = &inst.mods;
    Some(match inst.opcode {
        Add => rounded!(m, |R| |a, b, _| float::add_round(d(a), d(b), R).to_bits()),
        Sub => rounded!(m, |R| |a, b, _| float::sub_round(d(a), d(b), R).to_bits()),
        Mul => rounded!(m, |R| |a, b, _| float::mul_round(d(a), d(b), R).to_bits()),
        Div => rounded!(m, |R| |a, b, _| float::div_round(d(a), d(b), R).to_bits()),
        Fma | Mad => rounded!(m, |R| |a, b, c| float::fma_round(d(a), d(b), d(c), R).to_bits()),
        Rcp if m.accuracy.is_some() => |a, _, _| approx::rcp_f64(d(a)).to_bits(),
        Rcp => rounded!(m, |R| |a, _, _| float::rcp_round(d(a), R).to_bits()),
        Sqrt => rounded!(m, |R| |a, _, _| float::sqrt_round(d(a), R).to_bits()),
        Rsqrt if m.ftz => |a, _, _| approx::rsqrt_ftz_f64(d(a)).to_bits(),
        Rsqrt => |a, _, _| approx::rsqrt_f64(d(a)).to_bits(),
        Copysign => |a, b, _| float::copysign(d(a), d(b)).to_bits(),
        Testp => property::<f64>(m)?,
        _ => return None,
    })
}

fn property<T: Float>(m: &Mods) -> Option<LaneFn> {
    macro_rules! test {
        ($property:ident) => {
            |a, _, _| u64::from(float::test(T::of_bits(a), float::Property::$property))
        };
    }
    Some(match m.property? {
        Property::Finite => test!(Finite),
        Property::Infinite => test!(Infinite),
        Property::Normal => test!(Normal),
        Property::Notanumber => test!(NotANumber),
        Property::Number => test!(Number),
        Property::Subnormal => test!(Subnormal),
    })
}

/// The functions of a 16-bit float format, single and in pairs.
macro_rules! half_format {
    ($name:ident, $format:ident) => {
        mod $name {
            use super::*;

            pub fn find(inst: &Inst, pair: bool) -> Option<LaneFn> {
                use Opcode::*;
                let m = &inst.mods;
                macro_rules! one {
                    ($of:expr) => {
                        if pair {
                            |a, _, _| $format::both($of, a as u32).into()
                        } else {
                            |a, _, _| ($of)(a as u16).into()
                        }
                    };
                }
                macro_rules! two {
                    ($of:expr) => {
                        if pair {
                            |a, b, _| $format::both2($of, a as u32, b as u32).into()
                        } else {
                            |a, b, _| ($of)(a as u16, b as u16).into()
                        }
                    };
                }
                macro_rules! three {
                    ($of:expr) => {
                        if pair {
                            |a, b, c| $format::both3($of, a as u32, b as u32, c as u32).into()
                        } else {
                            |a, b, c| ($of)(a as u16, b as u16, c as u16).into()
                        }
                    };
                }
                // Subnormals to zero around a function of two, and the clamp to 0..1 on top.
                macro_rules! two_flushed {
                    ($of:path) => {
                        match (m.ftz, m.sat) {
                            (false, false) => two!($of),
                            (false, true) => two!(|a, b| $format::sat($of(a, b))),
                            (true, false) => two!(|a, b| $format::ftz($of($format::ftz(a), $format::ftz(b)))),
                            (true, true) => {
                                two!(|a, b| $format::sat($format::ftz($of($format::ftz(a), $format::ftz(b)))))
                            }
                        }
                    };
                }
                macro_rules! extremum {
                    ($of:path, $of_nan:path) => {
                        match (m.nan, m.xorsign_abs, m.ftz) {
                            (false, false, false) => two!($of),
                            (true, false, false) => two!($of_nan),
                            (false, true, false) => two!(|a, b| $format::xorsign_abs($of, a, b)),
                            (true, true, false) => two!(|a, b| $format::xorsign_abs($of_nan, a, b)),
                            (false, false, true) => two!(|a, b| $of($format::ftz(a), $format::ftz(b))),
                            (true, false, true) => two!(|a, b| $of_nan($format::ftz(a), $format::ftz(b))),
                            (false, true, true) => {
                                two!(|a, b| $format::xorsign_abs($of, $format::ftz(a), $format::ftz(b)))
                            }
                            (true, true, true) => {
                                two!(|a, b| $format::xorsign_abs($of_nan, $format::ftz(a), $format::ftz(b)))
                            }
                        }
                    };
                }
                Some(match inst.opcode {
                    Add => two_flushed!($format::add),
                    Sub => two_flushed!($format::sub),
                    Mul => two_flushed!($format::mul),
                    Min => extremum!($format::min, $format::min_nan),
                    Max => extremum!($format::max, $format::max_nan),
                    Fma if m.oob => return None,
                    Fma => match (m.ftz, m.sat, m.relu) {
                        (false, false, false) => three!($format::fma),
                        (false, true, _) => three!(|a, b, c| $format::sat($format::fma(a, b, c))),
                        (false, false, true) => three!(|a, b, c| $format::relu($format::fma(a, b, c))),
                        (true, false, false) => three!(|a, b, c| flushed_fma(a, b, c)),
                        (true, true, _) => three!(|a, b, c| $format::sat(flushed_fma(a, b, c))),
                        (true, false, true) => three!(|a, b, c| $format::relu(flushed_fma(a, b, c))),
                    },
                    Neg if m.ftz => one!(|a| $format::neg($format::ftz(a))),
                    Neg => one!($format::neg),
                    Abs if m.ftz => one!(|a| $format::abs($format::ftz(a))),
                    Abs => one!($format::abs),
                    Ex2 if m.ftz => one!(|a| $format::ftz($format::ex2($format::ftz(a)))),
                    Ex2 => one!($format::ex2),
                    Tanh => one!($format::tanh),
                    _ => return None,
                })
            }

            fn flushed_fma(a: u16, b: u16, c: u16) -> u16 {
                $format::ftz($format::fma($format::ftz(a), $format::ftz(b), $format::ftz(c)))
            }
        }
    };
}

half_format!(half, f16);
half_format!(brain, bf16);

/// A comparison of f16 or bf16 values.
pub fn compare_half(cmp: Cmp, ty: ScalarType, ftz: bool) -> Option<LaneFn> {
    macro_rules! by_format {
        ($c:ident) => {
            match (ty, ftz) {
                (ScalarType::F16, false) => |a, b, _| {
                    u64::from(cmp::compare(cmp::Cmp::$c, f16::to_f32(a as u16), f16::to_f32(b as u16)))
                },
                (ScalarType::F16, true) => |a, b, _| {
                    let (a, b) = (f16::ftz(a as u16), f16::ftz(b as u16));
                    u64::from(cmp::compare(cmp::Cmp::$c, f16::to_f32(a), f16::to_f32(b)))
                },
                (ScalarType::Bf16, _) => |a, b, _| {
                    u64::from(cmp::compare(cmp::Cmp::$c, bf16::to_f32(a as u16), bf16::to_f32(b as u16)))
                },
                _ => return None,
            }
        };
    }
    Some(match cmp {
        Cmp::Eq => by_format!(Eq),
        Cmp::Ne => by_format!(Ne),
        Cmp::Lt => by_format!(Lt),
        Cmp::Le => by_format!(Le),
        Cmp::Gt => by_format!(Gt),
        Cmp::Ge => by_format!(Ge),
        Cmp::Equ => by_format!(Equ),
        Cmp::Neu => by_format!(Neu),
        Cmp::Ltu => by_format!(Ltu),
        Cmp::Leu => by_format!(Leu),
        Cmp::Gtu => by_format!(Gtu),
        Cmp::Geu => by_format!(Geu),
        Cmp::Num => by_format!(Num),
        Cmp::Nan => by_format!(Nan),
        Cmp::Lo | Cmp::Ls | Cmp::Hi | Cmp::Hs => return None,
    })
}
