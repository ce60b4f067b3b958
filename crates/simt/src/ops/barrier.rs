//! `bar.sync`, `bar.arrive` and `bar.red`.
//!
//! `r[0]` is the row of the barrier id, `r[1]` that of the thread count (`r[2]` nonzero if there is one), `r[5]` the cost of what came before. A
//! thread that waits goes on at the next operation, which for `bar.red` fetches the result.

use crate::barrier::Votes;
use crate::fault::FaultKind;
use crate::machine::Machine;
use crate::op::{Op, Pc};
use crate::ops::control::count;
use crate::rows_unsafe::LANES;
use crate::warp::Wait;

/// Arrive, and wait for the others.
pub fn sync(m: &mut Machine<'_>, op: &Op) -> Pc {
    wait(m, op, Votes::default())
}

/// Arrive with a predicate (`r[3]`, negated if `r[4]`), and wait for the others.
pub fn reduce(m: &mut Machine<'_>, op: &Op) -> Pc {
    let pred = m.rows.pred(op.r[3]);
    let yes = m.mask & if op.r[4] != 0 { !pred } else { pred };
    wait(m, op, Votes { yes: yes.count_ones(), all: m.mask.count_ones() })
}

fn wait(m: &mut Machine<'_>, op: &Op, votes: Votes) -> Pc {
    count(m, op);
    let Some((id, threads, expected)) = operands(m, op) else {
        return illegal(m, op);
    };
    let at = m.cycles();
    let phase = m.cta.arrive(id, threads, expected, votes, at);
    if m.cta.phases[usize::from(id)] != phase && m.cta.chance.is_none() {
        m.wait_until(m.cta.opened(id, phase));
        return m.go(op.next());
    }
    m.park(op.next(), Wait::Barrier { id, phase });
    Pc::STOP
}

/// Arrive, and go on.
pub fn arrive(m: &mut Machine<'_>, op: &Op) -> Pc {
    count(m, op);
    let Some((id, threads, expected)) = operands(m, op) else {
        return illegal(m, op);
    };
    let at = m.cycles();
    m.cta.arrive(id, threads, expected, Votes::default(), at);
    m.go(op.next())
}

/// What `bar.red` collected: `r[1]` is where to, as a count if `imm` is 0, else as a predicate (1: all, 2: any). `r[0]` is the row of the id.
pub fn result(m: &mut Machine<'_>, op: &Op) -> Pc {
    let lane = m.mask.trailing_zeros() as usize;
    let id = m.rows.lane(op.r[0], false, lane) as u8 & 15;
    // The phase this thread waited for is the one before the current one: it cannot have ended twice without this thread.
    let votes = m.cta.votes(id, m.cta.phases[usize::from(id)].wrapping_sub(1));
    let pred = |holds: bool| if holds { !0 } else { 0 };
    match op.imm {
        0 => m.put(op.r[1], [votes.yes; LANES]),
        1 => m.put_pred(op.r[1], pred(votes.yes == votes.all)),
        _ => m.put_pred(op.r[1], pred(votes.yes > 0)),
    }
    op.next()
}

/// Barrier id, threads that arrive, threads expected (0 for all).
fn operands(m: &Machine<'_>, op: &Op) -> Option<(u8, u32, u32)> {
    let lane = m.mask.trailing_zeros() as usize;
    let id = m.rows.lane(op.r[0], false, lane);
    let arriving = m.mask.count_ones();
    if id > 15 {
        return None;
    }
    if op.r[2] == 0 {
        return Some((id as u8, arriving, 0));
    }
    // Counts are in whole warps: a warp whose threads all arrive counts in full, though some may have exited or never existed.
    let threads = if m.mask == m.warp.alive { LANES as u32 } else { arriving };
    let expected = m.rows.lane(op.r[1], false, lane) as u32;
    (expected > 0 && expected.is_multiple_of(LANES as u32)).then_some((id as u8, threads, expected))
}

fn illegal(m: &mut Machine<'_>, op: &Op) -> Pc {
    let lane = m.mask.trailing_zeros() as usize;
    m.fail(op, FaultKind::IllegalInstruction, lane, 0)
}
