//! Floating-point arithmetic in vector form.

use super::map::{Binary, Map1, Map2, Map3, Ternary, Unary, lanes};
use crate::isa_unsafe::{Isa, select};
use crate::num::float;
use crate::op::Run;
use cleave_ptx::ir::{Opcode, ScalarType};

/// Subnormal operands and results become zero if `FTZ`, results are clamped to 0..1 if `SAT`.
#[inline(always)]
fn finish<const FTZ: bool, const SAT: bool>(x: f32) -> f32 {
    let x = flush::<FTZ>(x);
    if SAT { float::sat(x) } else { x }
}

#[inline(always)]
fn flush<const FTZ: bool>(x: f32) -> f32 {
    if FTZ { float::ftz(x) } else { x }
}

lanes! {
    AddF32[const FTZ: bool, const SAT: bool](a: f32, b: f32) -> f32 = finish::<FTZ, SAT>(float::add(flush::<FTZ>(a), flush::<FTZ>(b)));
    SubF32[const FTZ: bool, const SAT: bool](a: f32, b: f32) -> f32 = finish::<FTZ, SAT>(float::sub(flush::<FTZ>(a), flush::<FTZ>(b)));
    MulF32[const FTZ: bool, const SAT: bool](a: f32, b: f32) -> f32 = finish::<FTZ, SAT>(float::mul(flush::<FTZ>(a), flush::<FTZ>(b)));
    DivF32[const FTZ: bool, const SAT: bool](a: f32, b: f32) -> f32 = finish::<FTZ, SAT>(float::div(flush::<FTZ>(a), flush::<FTZ>(b)));
    MinF32[const FTZ: bool, const SAT: bool](a: f32, b: f32) -> f32 = float::min(flush::<FTZ>(a), flush::<FTZ>(b));
    MaxF32[const FTZ: bool, const SAT: bool](a: f32, b: f32) -> f32 = float::max(flush::<FTZ>(a), flush::<FTZ>(b));
    AddF64(a: f64, b: f64) -> f64 = float::add(a, b);
    SubF64(a: f64, b: f64) -> f64 = float::sub(a, b);
    MulF64(a: f64, b: f64) -> f64 = float::mul(a, b);
    DivF64(a: f64, b: f64) -> f64 = float::div(a, b);
    MinF64(a: f64, b: f64) -> f64 = float::min(a, b);
    MaxF64(a: f64, b: f64) -> f64 = float::max(a, b);
}

lanes! {
    NegF32[const FTZ: bool, const SAT: bool](a: f32) -> f32 = float::neg(flush::<FTZ>(a));
    AbsF32[const FTZ: bool, const SAT: bool](a: f32) -> f32 = float::abs(flush::<FTZ>(a));
    SqrtF32[const FTZ: bool, const SAT: bool](a: f32) -> f32 = flush::<FTZ>(float::sqrt(flush::<FTZ>(a)));
    RcpF32[const FTZ: bool, const SAT: bool](a: f32) -> f32 = flush::<FTZ>(float::rcp(flush::<FTZ>(a)));
    NegF64(a: f64) -> f64 = float::neg(a);
    AbsF64(a: f64) -> f64 = float::abs(a);
    SqrtF64(a: f64) -> f64 = float::sqrt(a);
    RcpF64(a: f64) -> f64 = float::rcp(a);
}

lanes! {
    FmaF32[const FTZ: bool, const SAT: bool](a: f32, b: f32, c: f32) -> f32 =
        finish::<FTZ, SAT>(float::fma(flush::<FTZ>(a), flush::<FTZ>(b), flush::<FTZ>(c)));
    FmaF64(a: f64, b: f64, c: f64) -> f64 = float::fma(a, b, c);
}

/// The vector form of an operation that rounds to nearest, if it has one.
pub fn find(isa: Isa, opcode: Opcode, ty: ScalarType, ftz: bool, sat: bool) -> Option<Run> {
    macro_rules! f32_form {
        ($shape:ident, $name:ident) => {
            match (ftz, sat) {
                (false, false) => select::<$shape<$name<false, false>>>(isa),
                (true, false) => select::<$shape<$name<true, false>>>(isa),
                (false, true) => select::<$shape<$name<false, true>>>(isa),
                (true, true) => select::<$shape<$name<true, true>>>(isa),
            }
        };
    }
    use Opcode::*;
    use ScalarType::{F32, F64};
    Some(match (opcode, ty) {
        (Add, F32) => f32_form!(Binary, AddF32),
        (Sub, F32) => f32_form!(Binary, SubF32),
        (Mul, F32) => f32_form!(Binary, MulF32),
        (Div, F32) => f32_form!(Binary, DivF32),
        (Fma | Mad, F32) => f32_form!(Ternary, FmaF32),
        (Min, F32) => f32_form!(Binary, MinF32),
        (Max, F32) => f32_form!(Binary, MaxF32),
        (Neg, F32) => f32_form!(Unary, NegF32),
        (Abs, F32) => f32_form!(Unary, AbsF32),
        (Sqrt, F32) => f32_form!(Unary, SqrtF32),
        (Rcp, F32) => f32_form!(Unary, RcpF32),
        (Add, F64) => select::<Binary<AddF64>>(isa),
        (Sub, F64) => select::<Binary<SubF64>>(isa),
        (Mul, F64) => select::<Binary<MulF64>>(isa),
        (Div, F64) => select::<Binary<DivF64>>(isa),
        (Fma | Mad, F64) => select::<Ternary<FmaF64>>(isa),
        (Min, F64) => select::<Binary<MinF64>>(isa),
        (Max, F64) => select::<Binary<MaxF64>>(isa),
        (Neg, F64) => select::<Unary<NegF64>>(isa),
        (Abs, F64) => select::<Unary<AbsF64>>(isa),
        (Sqrt, F64) => select::<Unary<SqrtF64>>(isa),
        (Rcp, F64) => select::<Unary<RcpF64>>(isa),
        _ => return None,
    })
}
