//! Integer arithmetic and logic of 32 and 64 bits in vector form.

use super::map::{Binary, Map1, Map2, Map3, Ternary, Unary, lanes};
use crate::isa_unsafe::{Body, Isa, Vector, select};
use crate::machine::Machine;
use crate::num::int::{self, Int};
use crate::op::{Op, Pc, Run};
use cleave_ptx::ir::{Half, Opcode, ScalarType};

lanes! {
    Add32(a: u32, b: u32) -> u32 = a.wrapping_add(b);
    Add64(a: u64, b: u64) -> u64 = a.wrapping_add(b);
    Sub32(a: u32, b: u32) -> u32 = a.wrapping_sub(b);
    Sub64(a: u64, b: u64) -> u64 = a.wrapping_sub(b);
    Mul32(a: u32, b: u32) -> u32 = a.wrapping_mul(b);
    Mul64(a: u64, b: u64) -> u64 = a.wrapping_mul(b);
    MulHiU32(a: u32, b: u32) -> u32 = a.mul_hi(b);
    MulHiS32(a: i32, b: i32) -> i32 = a.mul_hi(b);
    MulWideU32(a: u32, b: u32) -> u64 = a.mul_wide(b);
    MulWideS32(a: i32, b: i32) -> i64 = a.mul_wide(b);
    MinU32(a: u32, b: u32) -> u32 = a.min(b);
    MinS32(a: i32, b: i32) -> i32 = a.min(b);
    MinU64(a: u64, b: u64) -> u64 = a.min(b);
    MinS64(a: i64, b: i64) -> i64 = a.min(b);
    MaxU32(a: u32, b: u32) -> u32 = a.max(b);
    MaxS32(a: i32, b: i32) -> i32 = a.max(b);
    MaxU64(a: u64, b: u64) -> u64 = a.max(b);
    MaxS64(a: i64, b: i64) -> i64 = a.max(b);
    And32(a: u32, b: u32) -> u32 = a & b;
    And64(a: u64, b: u64) -> u64 = a & b;
    Or32(a: u32, b: u32) -> u32 = a | b;
    Or64(a: u64, b: u64) -> u64 = a | b;
    Xor32(a: u32, b: u32) -> u32 = a ^ b;
    Xor64(a: u64, b: u64) -> u64 = a ^ b;
    Shl32(a: u32, b: u32) -> u32 = Int::shl(a, b);
    Shl64(a: u64, b: u32) -> u64 = Int::shl(a, b);
    ShrU32(a: u32, b: u32) -> u32 = Int::shr(a, b);
    ShrS32(a: i32, b: u32) -> i32 = Int::shr(a, b);
    ShrU64(a: u64, b: u32) -> u64 = Int::shr(a, b);
    ShrS64(a: i64, b: u32) -> i64 = Int::shr(a, b);
}

lanes! {
    Not32(a: u32) -> u32 = !a;
    Not64(a: u64) -> u64 = !a;
    Neg32(a: u32) -> u32 = a.wrapping_neg();
    Neg64(a: u64) -> u64 = a.wrapping_neg();
    Abs32(a: i32) -> i32 = a.wrapping_abs();
    Abs64(a: i64) -> i64 = a.wrapping_abs();
    Popc32(a: u32) -> u32 = a.count_ones();
    Popc64(a: u64) -> u32 = a.count_ones();
    Clz32(a: u32) -> u32 = a.leading_zeros();
    Clz64(a: u64) -> u32 = a.leading_zeros();
    Brev32(a: u32) -> u32 = a.reverse_bits();
    Brev64(a: u64) -> u64 = a.reverse_bits();
}

lanes! {
    Mad32(a: u32, b: u32, c: u32) -> u32 = a.wrapping_mul(b).wrapping_add(c);
    Mad64(a: u64, b: u64, c: u64) -> u64 = a.wrapping_mul(b).wrapping_add(c);
    MadHiU32(a: u32, b: u32, c: u32) -> u32 = a.mul_hi(b).wrapping_add(c);
    MadHiS32(a: i32, b: i32, c: i32) -> i32 = a.mul_hi(b).wrapping_add(c);
    MadWideU32(a: u32, b: u32, c: u64) -> u64 = a.mul_wide(b).wrapping_add(c);
    MadWideS32(a: i32, b: i32, c: i64) -> i64 = a.mul_wide(b).wrapping_add(c);
    BfeU32(a: u32, b: u32, c: u32) -> u32 = a.bfe(b, c);
    BfeS32(a: i32, b: u32, c: u32) -> i32 = a.bfe(b, c);
    ShfLWrap(a: u32, b: u32, c: u32) -> u32 = int::shf_l_wrap(a, b, c);
    ShfRWrap(a: u32, b: u32, c: u32) -> u32 = int::shf_r_wrap(a, b, c);
    ShfLClamp(a: u32, b: u32, c: u32) -> u32 = int::shf_l_clamp(a, b, c);
    ShfRClamp(a: u32, b: u32, c: u32) -> u32 = int::shf_r_clamp(a, b, c);
    Prmt(a: u32, b: u32, c: u32) -> u32 = int::prmt(a, b, c);
}

/// The vector form of an operation of the integer type `ty`, if it has one.
pub fn find(isa: Isa, opcode: Opcode, ty: ScalarType, half: Option<Half>) -> Option<Run> {
    use Opcode::*;
    macro_rules! by_width {
        ($shape:ident, $narrow:ident, $wide:ident) => {
            if ty.bits() == 64 { select::<$shape<$wide>>(isa) } else { select::<$shape<$narrow>>(isa) }
        };
    }
    macro_rules! by_type {
        ($shape:ident, $u32:ident, $s32:ident, $u64:ident, $s64:ident) => {
            match (ty.bits(), ty.is_signed()) {
                (64, false) => select::<$shape<$u64>>(isa),
                (64, true) => select::<$shape<$s64>>(isa),
                (_, false) => select::<$shape<$u32>>(isa),
                (_, true) => select::<$shape<$s32>>(isa),
            }
        };
    }
    macro_rules! by_sign {
        ($shape:ident, $u32:ident, $s32:ident) => {
            match (ty.bits(), ty.is_signed()) {
                (32, false) => select::<$shape<$u32>>(isa),
                (32, true) => select::<$shape<$s32>>(isa),
                _ => return None,
            }
        };
    }
    if !matches!(ty.bits(), 32 | 64) || ty.lanes() != 1 || ty.is_float() {
        return None;
    }
    Some(match (opcode, half) {
        (Add, _) => by_width!(Binary, Add32, Add64),
        (Sub, _) => by_width!(Binary, Sub32, Sub64),
        (Mul, Some(Half::Lo)) => by_width!(Binary, Mul32, Mul64),
        (Mul, Some(Half::Hi)) => by_sign!(Binary, MulHiU32, MulHiS32),
        (Mul, Some(Half::Wide)) => by_sign!(Binary, MulWideU32, MulWideS32),
        (Mad, Some(Half::Lo)) => by_width!(Ternary, Mad32, Mad64),
        (Mad, Some(Half::Hi)) => by_sign!(Ternary, MadHiU32, MadHiS32),
        (Mad, Some(Half::Wide)) => by_sign!(Ternary, MadWideU32, MadWideS32),
        (Min, _) => by_type!(Binary, MinU32, MinS32, MinU64, MinS64),
        (Max, _) => by_type!(Binary, MaxU32, MaxS32, MaxU64, MaxS64),
        (And, _) => by_width!(Binary, And32, And64),
        (Or, _) => by_width!(Binary, Or32, Or64),
        (Xor, _) => by_width!(Binary, Xor32, Xor64),
        (Shl, _) => by_width!(Binary, Shl32, Shl64),
        (Shr, _) => by_type!(Binary, ShrU32, ShrS32, ShrU64, ShrS64),
        (Not, _) => by_width!(Unary, Not32, Not64),
        (Neg, _) => by_width!(Unary, Neg32, Neg64),
        (Abs, _) => by_width!(Unary, Abs32, Abs64),
        (Popc, _) => by_width!(Unary, Popc32, Popc64),
        (Clz, _) => by_width!(Unary, Clz32, Clz64),
        (Brev, _) => by_width!(Unary, Brev32, Brev64),
        (Bfe, _) => by_sign!(Ternary, BfeU32, BfeS32),
        _ => return None,
    })
}

/// `lop3` with the truth table `imm`.
pub struct Lop3;

impl Body for Lop3 {
    #[inline(always)]
    fn run<V: Vector>(m: &mut Machine<'_>, op: &Op) -> Pc {
        let (a, b, c) = (m.get::<u32>(op.r[1]), m.get::<u32>(op.r[2]), m.get::<u32>(op.r[3]));
        let lut = op.imm as u8;
        m.write::<V, _>(op.r[0], std::array::from_fn(|i| int::lop3(a[i], b[i], c[i], lut)));
        op.next()
    }
}
