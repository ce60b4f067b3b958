//! The thread's stack in local memory: `alloca`, `stacksave`, `stackrestore`.

use crate::fault::FaultKind;
use crate::machine::Machine;
use crate::op::{Op, Pc};

/// `r[0]` = the offset of `r[1]` new bytes, aligned to `imm`.
pub fn allocate(m: &mut Machine<'_>, op: &Op) -> Pc {
    for lane in m.active() {
        let size = m.rows.lane(op.r[1], true, lane);
        let top = u64::from(m.warp.local.len(lane));
        let at = top.next_multiple_of(op.imm.clamp(1, 1 << 20).next_power_of_two());
        let limit = m.env.local_limit;
        let fits = at.saturating_add(size) <= u64::from(limit)
            && m.warp.local.reserve(1 << lane, at as u32, size as u32, limit);
        if !fits {
            return m.fail(op, FaultKind::StackOverflow, lane, 0);
        }
        m.rows.set_lane(op.r[0], true, lane, at);
    }
    op.next()
}

/// `r[0]` = the top of the stack.
pub fn save(m: &mut Machine<'_>, op: &Op) -> Pc {
    for lane in m.active() {
        m.rows.set_lane(op.r[0], true, lane, m.warp.local.len(lane).into());
    }
    op.next()
}

/// Makes `r[0]`, which [`save`] gave, the top of the stack again.
pub fn restore(m: &mut Machine<'_>, op: &Op) -> Pc {
    for lane in m.active() {
        let top = m.rows.lane(op.r[0], true, lane);
        let low = u64::from(m.frame().local);
        if top > u64::from(m.warp.local.len(lane)) || top < low {
            return m.fail(op, FaultKind::IllegalInstruction, lane, top);
        }
        m.warp.local.release(1 << lane, top as u32);
    }
    op.next()
}
