//! Branches, exits and guards.
//!
//! The last operation of a basic block adds up its cost (`r[5]`). Distances of jumps are in `r[1]`, prices of backward ones in `imm`.

use crate::detail::Detail;
use crate::fault::FaultKind;
use crate::isa_unsafe::{Body, Vector};
use crate::machine::{FULL, Machine};
use crate::op::{Op, Pc};
use crate::rows_unsafe::LANES;

/// The block ends because another one starts here.
pub fn fall(m: &mut Machine<'_>, op: &Op) -> Pc {
    count(m, op);
    m.go(op.next())
}

/// `bra`, forward.
pub fn jump(m: &mut Machine<'_>, op: &Op) -> Pc {
    count(m, op);
    m.go(op.at(op.r[1] as i32))
}

/// `bra`, backward.
pub fn jump_back(m: &mut Machine<'_>, op: &Op) -> Pc {
    count(m, op);
    m.go_back(op.at(op.r[1] as i32), op.imm as i32)
}

/// `@p bra` or, with `NEGATED`, `@!p bra`; the predicate is `r[0]`.
pub fn branch<const NEGATED: bool>(m: &mut Machine<'_>, op: &Op) -> Pc {
    count(m, op);
    let taken = taken::<NEGATED>(m, op);
    match taken {
        0 => m.go(op.next()),
        _ if taken == m.mask => m.go(op.at(op.r[1] as i32)),
        _ => m.diverge(taken, op.at(op.r[1] as i32), op.next()),
    }
}

/// The same, backward.
pub fn branch_back<const NEGATED: bool>(m: &mut Machine<'_>, op: &Op) -> Pc {
    count(m, op);
    let taken = taken::<NEGATED>(m, op);
    let target = op.at(op.r[1] as i32);
    match taken {
        0 => m.go(op.next()),
        _ if taken == m.mask => m.go_back(target, op.imm as i32),
        _ => {
            m.leave_behind(taken, op.next());
            m.go_back(target, op.imm as i32)
        }
    }
}

#[inline(always)]
fn taken<const NEGATED: bool>(m: &Machine<'_>, op: &Op) -> u32 {
    let pred = m.rows.pred(op.r[0]);
    m.mask & if NEGATED { !pred } else { pred }
}

/// Adds up the cost of the basic block that `op` ends.
#[inline(always)]
pub fn count(m: &mut Machine<'_>, op: &Op) {
    let costs = m.costs;
    m.work.add(&costs[op.r[5] as usize], m.mask);
}

/// `exit`, and `ret` in a kernel.
pub fn exit(m: &mut Machine<'_>, op: &Op) -> Pc {
    count(m, op);
    m.exit_threads()
}

/// `trap`.
pub fn trap(m: &mut Machine<'_>, op: &Op) -> Pc {
    let lane = m.mask.trailing_zeros() as usize;
    m.fail(op, FaultKind::Trap, lane, 0)
}

/// `nanosleep` of as many nanoseconds as row `r[0]` says: others run meanwhile.
pub fn nanosleep(m: &mut Machine<'_>, op: &Op) -> Pc {
    count(m, op);
    let asked = m.get::<u32>(op.r[0]);
    m.sleep(m.active().map(|lane| asked[lane]));
    m.end_slice(op.next(), true)
}

/// Executes the next `r[1]` operations, up to and with the matching [`Unguard`], only where the predicate `r[0]` holds (`r[2]` nonzero: does not).
pub struct Guard;

impl Body for Guard {
    #[inline(always)]
    fn run<V: Vector>(m: &mut Machine<'_>, op: &Op) -> Pc {
        let pred = m.rows.pred(op.r[0]);
        let mask = m.fragment.mask & if op.r[2] != 0 { !pred } else { pred };
        if mask == 0 {
            return op.at(op.r[1] as i32 + 1);
        }
        restrict::<V>(m, mask);
        op.next()
    }
}

/// Ends a guarded group.
pub struct Unguard;

impl Body for Unguard {
    #[inline(always)]
    fn run<V: Vector>(m: &mut Machine<'_>, op: &Op) -> Pc {
        let mask = m.fragment.mask;
        if m.mask != mask {
            restrict::<V>(m, mask);
        }
        op.next()
    }
}

#[inline(always)]
fn restrict<V: Vector>(m: &mut Machine<'_>, mask: u32) {
    m.mask = mask;
    if mask != FULL {
        m.lanes.0 = V::expand(mask);
    }
}

/// `fence` and `membar`, of any scope.
pub fn fence(_: &mut Machine<'_>, op: &Op) -> Pc {
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    op.next()
}

/// `brx.idx`: the row `r[1]` indexes the distances of side table entry `r[0]`.
pub fn jump_table(m: &mut Machine<'_>, op: &Op) -> Pc {
    count(m, op);
    let Some(Detail::Table(distances)) = m.code().details.get(op.r[0] as usize) else { return Pc::STOP };
    let index = m.get::<u32>(op.r[1]);
    let lane = m.mask.trailing_zeros() as usize % LANES;
    let same = m.active().filter(|&i| index[i] == index[lane]).fold(0, |mask, i| mask | 1 << i);
    let Some(&distance) = distances.get(index[lane] as usize) else {
        return m.fail(op, FaultKind::InvalidPc, lane, index[lane].into());
    };
    if same != m.mask {
        // The others come back to the jump.
        m.split_off(m.fragment.mask & !same, op.at(0));
        m.fragment.mask = same;
        m.set_mask(same);
        m.find_limit();
    }
    m.go_back(op.at(distance), 1)
}
