//! Arithmetic one lane at a time, for what is too rare to be worth a vector form.
//!
//! `imm` is the side table entry with the function. Operands travel as raw bits; bit `k` of `r[5]` says that `r[k]` is a 64-bit row.

use crate::detail::Detail;
use crate::machine::Machine;
use crate::op::{Op, Pc};

/// What one lane computes.
pub type LaneFn = fn(u64, u64, u64) -> u64;

/// Applies a [`LaneFn`] to `r[1..=3]`.
pub fn apply(m: &mut Machine<'_>, op: &Op) -> Pc {
    let Some(Detail::Lane(f)) = m.code().details.get(op.imm as usize) else { return Pc::STOP };
    for lane in m.active() {
        let value = f(operand(m, op, 1, lane), operand(m, op, 2, lane), operand(m, op, 3, lane));
        m.rows.set_lane(op.r[0], op.r[5] & 1 != 0, lane, value);
    }
    op.next()
}

/// Applies a [`LaneFn`] to `r[1..=3]`; the predicate `r[0]` is set where the result is not zero.
pub fn test(m: &mut Machine<'_>, op: &Op) -> Pc {
    let Some(Detail::Lane(f)) = m.code().details.get(op.imm as usize) else { return Pc::STOP };
    let mut bits = 0;
    for lane in m.active() {
        let value = f(operand(m, op, 1, lane), operand(m, op, 2, lane), operand(m, op, 3, lane));
        bits |= u32::from(value != 0) << lane;
    }
    m.put_pred(op.r[0], bits);
    op.next()
}

/// `cvt` in general.
pub fn convert(m: &mut Machine<'_>, op: &Op) -> Pc {
    let Some(Detail::Cvt(cvt)) = m.code().details.get(op.imm as usize) else { return Pc::STOP };
    for lane in m.active() {
        let value = cvt.apply(operand(m, op, 1, lane));
        m.rows.set_lane(op.r[0], op.r[5] & 1 != 0, lane, value);
    }
    op.next()
}

#[inline(always)]
fn operand(m: &Machine<'_>, op: &Op, k: usize, lane: usize) -> u64 {
    m.rows.lane(op.r[k], op.r[5] >> k & 1 != 0, lane)
}
