//! Operations that compute each lane on its own, written as functions of one lane and run over a row.
//!
//! `r[0]` is the destination, `r[1..]` are the operands. All lanes are computed (functions are total), only those that execute are written.

use crate::isa_unsafe::{Body, Vector};
use crate::machine::Machine;
use crate::op::{Op, Pc};
use crate::rows_unsafe::Lane;
use std::array::from_fn;
use std::marker::PhantomData;

/// A function of one lane.
pub trait Map1 {
    type A: Lane;
    type D: Lane;
    fn of(a: Self::A) -> Self::D;
}

/// A function of two operands.
pub trait Map2 {
    type A: Lane;
    type B: Lane;
    type D: Lane;
    fn of(a: Self::A, b: Self::B) -> Self::D;
}

/// A function of three operands.
pub trait Map3 {
    type A: Lane;
    type B: Lane;
    type C: Lane;
    type D: Lane;
    fn of(a: Self::A, b: Self::B, c: Self::C) -> Self::D;
}

/// A question about two operands.
pub trait Test {
    type A: Lane;
    fn holds(a: Self::A, b: Self::A) -> bool;
}

pub struct Unary<F>(PhantomData<F>);
pub struct Binary<F>(PhantomData<F>);
pub struct Ternary<F>(PhantomData<F>);
/// The answer goes to predicate `r[0]`, xor `imm`.
pub struct Compare<F>(PhantomData<F>);

impl<F: Map1> Body for Unary<F> {
    #[inline(always)]
    fn run<V: Vector>(m: &mut Machine<'_>, op: &Op) -> Pc {
        let a = m.get::<F::A>(op.r[1]);
        m.write::<V, _>(op.r[0], from_fn(|i| F::of(a[i])));
        op.next()
    }
}

impl<F: Map2> Body for Binary<F> {
    #[inline(always)]
    fn run<V: Vector>(m: &mut Machine<'_>, op: &Op) -> Pc {
        let (a, b) = (m.get::<F::A>(op.r[1]), m.get::<F::B>(op.r[2]));
        m.write::<V, _>(op.r[0], from_fn(|i| F::of(a[i], b[i])));
        op.next()
    }
}

impl<F: Map3> Body for Ternary<F> {
    #[inline(always)]
    fn run<V: Vector>(m: &mut Machine<'_>, op: &Op) -> Pc {
        let (a, b, c) = (m.get::<F::A>(op.r[1]), m.get::<F::B>(op.r[2]), m.get::<F::C>(op.r[3]));
        m.write::<V, _>(op.r[0], from_fn(|i| F::of(a[i], b[i], c[i])));
        op.next()
    }
}

impl<F: Test> Body for Compare<F> {
    #[inline(always)]
    fn run<V: Vector>(m: &mut Machine<'_>, op: &Op) -> Pc {
        let (a, b) = (m.get::<F::A>(op.r[1]), m.get::<F::A>(op.r[2]));
        let bits = V::pack(from_fn(|i| if F::holds(a[i], b[i]) { !0 } else { 0 }));
        m.put_pred(op.r[0], bits ^ op.imm as u32);
        op.next()
    }
}

/// Declares functions of lanes: `Name(a: type, …) -> type = expression;`
macro_rules! lanes {
    ($( $(#[$meta:meta])* $name:ident $([$(const $p:ident: bool),*])? ($a:ident: $at:ty) -> $d:ty = $body:expr; )*) => { $(
        $(#[$meta])* pub struct $name $(<$(const $p: bool),*>)?;
        impl $(<$(const $p: bool),*>)? Map1 for $name $(<$($p),*>)? {
            type A = $at;
            type D = $d;
            #[inline(always)]
            fn of($a: $at) -> $d { $body }
        }
    )* };
    ($( $(#[$meta:meta])* $name:ident $([$(const $p:ident: bool),*])? ($a:ident: $at:ty, $b:ident: $bt:ty) -> $d:ty = $body:expr; )*) => { $(
        $(#[$meta])* pub struct $name $(<$(const $p: bool),*>)?;
        impl $(<$(const $p: bool),*>)? Map2 for $name $(<$($p),*>)? {
            type A = $at;
            type B = $bt;
            type D = $d;
            #[inline(always)]
            fn of($a: $at, $b: $bt) -> $d { $body }
        }
    )* };
    ($( $(#[$meta:meta])* $name:ident $([$(const $p:ident: bool),*])? ($a:ident: $at:ty, $b:ident: $bt:ty, $c:ident: $ct:ty) -> $d:ty = $body:expr; )*) => { $(
        $(#[$meta])* pub struct $name $(<$(const $p: bool),*>)?;
        impl $(<$(const $p: bool),*>)? Map3 for $name $(<$($p),*>)? {
            type A = $at;
            type B = $bt;
            type C = $ct;
            type D = $d;
            #[inline(always)]
            fn of($a: $at, $b: $bt, $c: $ct) -> $d { $body }
        }
    )* };
}

pub(crate) use lanes;
