//! `cp.async` and `mbarrier`.
//!
//! Copies are done at once, which the ISA allows, so groups have nothing to wait for. A barrier in shared memory is one word:
//! pending arrivals in bits 0..20, expected ones in 20..40, the number of finished phases above. The token of an arrival is the word before it.

use super::scattered;
use crate::fault::FaultKind;
use crate::machine::Machine;
use crate::op::{Op, Pc};

/// `cp.async`: `imm` bytes from the generic address in row `r[2]` to the one in row `r[1]`, of which only as many are
/// read as row `r[3]` says; the others are zero.
pub fn copy(m: &mut Machine<'_>, op: &Op) -> Pc {
    let size = op.imm as usize;
    for lane in m.active() {
        let (to, from) = (m.rows.lane(op.r[1], true, lane), m.rows.lane(op.r[2], true, lane));
        let wanted = (m.rows.lane(op.r[3], false, lane) as usize).min(size);
        let mut bytes = [0; 16];
        if wanted > 0
            && let Err(stop) = scattered::read_part(m, op, lane, from, size, &mut bytes[..wanted])
        {
            return stop;
        }
        if let Err(stop) = scattered::write(m, op, lane, to, false, &bytes[..size]) {
            return stop;
        }
    }
    op.next()
}

const COUNT: u64 = (1 << 20) - 1;

fn pending(word: u64) -> u64 {
    word & COUNT
}

fn expected(word: u64) -> u64 {
    word >> 20 & COUNT
}

fn phase(word: u64) -> u64 {
    word >> 40
}

fn word_of(pending: u64, expected: u64, phase: u64) -> u64 {
    pending & COUNT | (expected & COUNT) << 20 | phase << 40
}

/// What to do with a barrier: `imm` of [`barrier`].
pub const INIT: u64 = 0;
pub const INVALIDATE: u64 = 1;
pub const ARRIVE: u64 = 2;
pub const DROP: u64 = 3;
pub const TEST: u64 = 4;
pub const TEST_PARITY: u64 = 5;

/// An operation on the barrier at the generic address in row `r[4]`: `r[1]` is the row of the operand (a count, a token or a parity), `r[0]` the
/// row (or for tests the predicate) of the result.
pub fn barrier(m: &mut Machine<'_>, op: &Op) -> Pc {
    let mut holds = 0;
    for lane in m.active() {
        let address = m.rows.lane(op.r[4], true, lane);
        let mut bytes = [0; 8];
        if let Err(stop) = scattered::read(m, op, lane, address, false, &mut bytes) {
            return stop;
        }
        let word = u64::from_le_bytes(bytes);
        let count = if matches!(op.imm, INIT | ARRIVE | DROP | TEST_PARITY) {
            m.rows.lane(op.r[1], false, lane) & COUNT
        } else {
            0
        };
        let new = match op.imm {
            INIT => word_of(count, count, 0),
            INVALIDATE => 0,
            ARRIVE | DROP => {
                if pending(word) < count {
                    return m.fail(op, FaultKind::IllegalInstruction, lane, address);
                }
                let left = pending(word) - count;
                let wanted = expected(word).saturating_sub(if op.imm == DROP { count } else { 0 });
                m.rows.set_lane(op.r[0], true, lane, word);
                if left == 0 {
                    word_of(wanted, wanted, phase(word) + 1)
                } else {
                    word_of(left, wanted, phase(word))
                }
            }
            TEST => {
                let token = m.rows.lane(op.r[1], true, lane);
                holds |= u32::from(phase(token) != phase(word)) << lane;
                continue;
            }
            _ => {
                holds |= u32::from(phase(word) & 1 != count & 1) << lane;
                continue;
            }
        };
        if let Err(stop) = scattered::write(m, op, lane, address, false, &new.to_le_bytes()) {
            return stop;
        }
    }
    if matches!(op.imm, TEST | TEST_PARITY) {
        m.put_pred(op.r[0], holds);
    }
    op.next()
}

/// Arrivals that a token says were still missing.
pub fn pending_count(token: u64, _: u64, _: u64) -> u64 {
    pending(token)
}
