//! Chains of multiply-adds: `d = (start + a0 * b0) + a1 * b1 + …`, each step rounded.

use crate::detail::Detail;
use crate::isa_unsafe::{Body, Vector};
use crate::machine::Machine;
use crate::op::{Op, Pc};

/// The side table entry `r[0]` lists destination, start (if their number is even) and pairs of factors.
pub struct Chain;

impl Body for Chain {
    #[inline(always)]
    fn run<V: Vector>(m: &mut Machine<'_>, op: &Op) -> Pc {
        let Some(Detail::Rows(rows)) = m.code().details.get(op.r[0] as usize) else { return Pc::STOP };
        let sum = V::chain(&m.rows, &rows[1..]);
        m.write::<V, f32>(rows[0], sum);
        op.next()
    }
}
