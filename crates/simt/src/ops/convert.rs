//! Conversions in vector form.

use super::map::{Map1, Unary, lanes};
use crate::isa_unsafe::{Isa, select};
use crate::num::cvt::{Cvt, Type, f32_to_s32, f32_to_u32};
use crate::num::{Round, bf16, f16, float};
use crate::op::Run;

lanes! {
    S8ToS32(a: u32) -> i32 = i32::from(a as i8);
    U8ToU32(a: u32) -> u32 = a & 0xff;
    S16ToS32(a: u32) -> i32 = i32::from(a as i16);
    U16ToU32(a: u32) -> u32 = a & 0xffff;
    S32ToS64(a: i32) -> i64 = i64::from(a);
    U32ToU64(a: u32) -> u64 = u64::from(a);
    Low32(a: u64) -> u32 = a as u32;
    S32ToF32(a: i32) -> f32 = a as f32;
    U32ToF32(a: u32) -> f32 = a as f32;
    S32ToF64(a: i32) -> f64 = f64::from(a);
    U32ToF64(a: u32) -> f64 = f64::from(a);
    S64ToF64(a: i64) -> f64 = a as f64;
    U64ToF64(a: u64) -> f64 = a as f64;
    F32ToS32(a: f32) -> i32 = f32_to_s32(a);
    F32ToU32(a: f32) -> u32 = f32_to_u32(a);
    F32ToF64(a: f32) -> f64 = f64::from(a);
    F64ToF32(a: f64) -> f32 = float::Float::canonical(a as f32);
    F16ToF32(a: u32) -> f32 = f16::to_f32(a as u16);
    F32ToF16(a: f32) -> u32 = u32::from(f16::from_f32(a));
    Bf16ToF32(a: u32) -> f32 = bf16::to_f32(a as u16);
    F32ToBf16(a: f32) -> u32 = u32::from(bf16::from_f32(a));
}

/// Takes the low 8, 16 or 32 bits of a row to the width of another: what narrow integers in wider registers need.
pub struct Widen {
    pub from_bits: u32,
    pub signed: bool,
    pub to_wide: bool,
}

/// Steps from the low bits of a 32-bit row to a whole row: first to 32 bits, then to 64.
pub fn widen(isa: Isa, w: &Widen) -> [Option<Run>; 2] {
    let first = match (w.from_bits, w.signed) {
        (8, false) => Some(select::<Unary<U8ToU32>>(isa)),
        (8, true) => Some(select::<Unary<S8ToS32>>(isa)),
        (16, false) => Some(select::<Unary<U16ToU32>>(isa)),
        (16, true) => Some(select::<Unary<S16ToS32>>(isa)),
        _ => None,
    };
    let second = match (w.to_wide, w.signed) {
        (true, false) => Some(select::<Unary<U32ToU64>>(isa)),
        (true, true) => Some(select::<Unary<S32ToS64>>(isa)),
        (false, _) => None,
    };
    [first, second]
}

/// The low 32 bits of a 64-bit row.
pub fn low32(isa: Isa) -> Run {
    select::<Unary<Low32>>(isa)
}

/// The vector form of a conversion between whole registers (32 or 64 bits, 16 for the half floats), if it has one.
pub fn find(isa: Isa, cvt: &Cvt) -> Option<Run> {
    let plain = !cvt.ftz && !cvt.sat && !cvt.satfinite && !cvt.relu && !cvt.integral;
    if !plain {
        return None;
    }
    use Type::*;
    Some(match (cvt.from, cvt.to, cvt.round) {
        (S32, F32, Round::Nearest) => select::<Unary<S32ToF32>>(isa),
        (U32, F32, Round::Nearest) => select::<Unary<U32ToF32>>(isa),
        (S32, F64, _) => select::<Unary<S32ToF64>>(isa),
        (U32, F64, _) => select::<Unary<U32ToF64>>(isa),
        (S64, F64, Round::Nearest) => select::<Unary<S64ToF64>>(isa),
        (U64, F64, Round::Nearest) => select::<Unary<U64ToF64>>(isa),
        (F32, S32, Round::Zero) => select::<Unary<F32ToS32>>(isa),
        (F32, U32, Round::Zero) => select::<Unary<F32ToU32>>(isa),
        (F32, F64, _) => select::<Unary<F32ToF64>>(isa),
        (F64, F32, Round::Nearest) => select::<Unary<F64ToF32>>(isa),
        (F16, F32, _) => select::<Unary<F16ToF32>>(isa),
        (F32, F16, Round::Nearest) => select::<Unary<F32ToF16>>(isa),
        (BF16, F32, _) => select::<Unary<Bf16ToF32>>(isa),
        (F32, BF16, Round::Nearest) => select::<Unary<F32ToBf16>>(isa),
        _ => return None,
    })
}
