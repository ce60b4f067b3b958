//! Comparisons of 32 and 64 bits in vector form, and logic of predicates.
//!
//! Three orders and their negations make all comparisons: `a > b` is `b < a`, `geu` is not `lt`.

use super::map::{Compare, Test};
use crate::isa_unsafe::{Isa, select};
use crate::machine::Machine;
use crate::op::{Op, Pc, Run};
use crate::rows_unsafe::Lane;
use cleave_ptx::ir::{Class, Cmp, ScalarType};
use std::marker::PhantomData;

pub struct Equal<T>(PhantomData<T>);
pub struct Less<T>(PhantomData<T>);
pub struct LessOrEqual<T>(PhantomData<T>);
pub struct Unordered<T>(PhantomData<T>);
/// One of the operands is smaller: what `ne` means for numbers that may be NaN.
pub struct Apart<T>(PhantomData<T>);

macro_rules! test {
    ($($name:ident: |$a:ident, $b:ident| $holds:expr;)*) => { $(
        impl<T: Lane + PartialOrd> Test for $name<T> {
            type A = T;
            #[inline(always)]
            #[allow(clippy::double_comparisons)] // differs from `!=` for NaN
            fn holds($a: T, $b: T) -> bool { $holds }
        }
    )* };
}

test! {
    Equal: |a, b| a == b;
    Less: |a, b| a < b;
    LessOrEqual: |a, b| a <= b;
    Apart: |a, b| a < b || a > b;
}

impl<T: Lane + PartialOrd> Test for Unordered<T> {
    type A = T;
    #[inline(always)]
    #[allow(clippy::eq_op)]
    fn holds(a: T, b: T) -> bool {
        a != a || b != b
    }
}

/// How to answer a comparison: which test, with the operands swapped, the answer negated.
pub struct Question {
    pub run: Run,
    pub swapped: bool,
    pub negated: bool,
}

#[derive(Clone, Copy)]
enum Order {
    Equal,
    Less,
    LessOrEqual,
    Unordered,
    Apart,
}

/// The vector form of `cmp` for values of type `ty`, if it has one.
pub fn find(isa: Isa, cmp: Cmp, ty: ScalarType) -> Option<Question> {
    let (order, swapped, negated) = match cmp {
        Cmp::Eq => (Order::Equal, false, false),
        Cmp::Ne => (Order::Apart, false, false),
        Cmp::Lt | Cmp::Lo => (Order::Less, false, false),
        Cmp::Le | Cmp::Ls => (Order::LessOrEqual, false, false),
        Cmp::Gt | Cmp::Hi => (Order::Less, true, false),
        Cmp::Ge | Cmp::Hs => (Order::LessOrEqual, true, false),
        Cmp::Equ => (Order::Apart, false, true),
        Cmp::Neu => (Order::Equal, false, true),
        Cmp::Ltu => (Order::LessOrEqual, true, true),
        Cmp::Leu => (Order::Less, true, true),
        Cmp::Gtu => (Order::LessOrEqual, false, true),
        Cmp::Geu => (Order::Less, false, true),
        Cmp::Num => (Order::Unordered, false, true),
        Cmp::Nan => (Order::Unordered, false, false),
    };
    let unsigned = matches!(cmp, Cmp::Lo | Cmp::Ls | Cmp::Hi | Cmp::Hs);
    let run = match (ty.class(), ty.bits()) {
        (Class::Float, 32) if ty == ScalarType::F32 => pick::<f32>(isa, order),
        (Class::Float, 64) => pick::<f64>(isa, order),
        (Class::Signed, 32) if !unsigned => pick::<i32>(isa, order),
        (Class::Signed, 64) if !unsigned => pick::<i64>(isa, order),
        (Class::Signed | Class::Unsigned | Class::Bits, 32) => pick::<u32>(isa, order),
        (Class::Signed | Class::Unsigned | Class::Bits, 64) => pick::<u64>(isa, order),
        _ => return None,
    };
    Some(Question { run, swapped, negated })
}

fn pick<T: Lane + PartialOrd>(isa: Isa, order: Order) -> Run {
    match order {
        Order::Equal => select::<Compare<Equal<T>>>(isa),
        Order::Less => select::<Compare<Less<T>>>(isa),
        Order::LessOrEqual => select::<Compare<LessOrEqual<T>>>(isa),
        Order::Unordered => select::<Compare<Unordered<T>>>(isa),
        Order::Apart => select::<Compare<Apart<T>>>(isa),
    }
}

/// Any function of two predicates: bit `2a + b` of `imm` is the result for `a` and `b`.
pub fn logic(m: &mut Machine<'_>, op: &Op) -> Pc {
    let (a, b) = (m.rows.pred(op.r[1]), m.rows.pred(op.r[2]));
    let term = |bit: u32, a: u32, b: u32| if op.imm >> bit & 1 != 0 { a & b } else { 0 };
    let value = term(0, !a, !b) | term(1, !a, b) | term(2, a, !b) | term(3, a, b);
    m.put_pred(op.r[0], value);
    op.next()
}

/// Sets predicate `r[0]` to a constant.
pub fn constant(m: &mut Machine<'_>, op: &Op) -> Pc {
    m.put_pred(op.r[0], op.imm as u32);
    op.next()
}
