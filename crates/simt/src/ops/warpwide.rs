//! Instructions in which lanes look at each other: `shfl`, `vote`, `match`, `redux`, `bar.warp.sync`, `activemask`, `elect`.
//!
//! `r[4]` is the row of the member masks.

use crate::machine::Machine;
use crate::op::{Op, Pc};
use crate::rendezvous::{Exchange, Meeting};
use crate::rows_unsafe::LANES;
use cleave_ptx::ir::{AtomicOp, Shuffle, Vote};
use std::array::from_fn;

/// Meets the lanes that the masks name; leaves the function if they are not all here.
macro_rules! meet {
    ($m:ident, $op:ident, $masks:expr, $brought:expr) => {
        match $m.meet($op, &$masks, $brought) {
            Ok(meeting) => meeting,
            Err(stop) => return stop,
        }
    };
}

fn values(row: u32, wide: bool) -> impl Fn(&Machine<'_>) -> Exchange {
    move |m| Exchange { values: from_fn(|i| m.rows.lane(row, wide, i)), preds: 0 }
}

/// Nothing to exchange: lanes only wait for each other.
pub fn sync(m: &mut Machine<'_>, op: &Op) -> Pc {
    let masks = m.get::<u32>(op.r[4]);
    meet!(m, op, masks, |_: &Machine<'_>| Exchange::default());
    op.next()
}

/// `shfl`: `r[0] | p r[1] = r[2]` of another lane, chosen by the rows in the side table; `imm` is the mode.
///
/// Operands: `r[0]` destination, `r[1]` predicate (if `imm` has bit 8), `r[2]` value, `r[3]` lane operand, `r[5]` clamp and segments.
pub fn shuffle(m: &mut Machine<'_>, op: &Op) -> Pc {
    let masks = m.get::<u32>(op.r[4]);
    let Meeting { lanes, brought } = meet!(m, op, masks, values(op.r[2], false));
    let (b, c) = (m.get::<u32>(op.r[3]), m.get::<u32>(op.r[5]));
    let mode = Shuffle::ALL[(op.imm & 3) as usize];
    let mut valid = 0;
    let result: [u32; LANES] = from_fn(|lane| {
        let segment = c[lane] >> 8 & 31;
        let lowest = lane as u32 & segment;
        let highest = lowest | (c[lane] & 31 & !segment);
        let by = b[lane] & 31;
        let (source, good) = match mode {
            Shuffle::Up => {
                let source = lane as i32 - by as i32;
                (source as u32, source >= highest as i32)
            }
            Shuffle::Down => (lane as u32 + by, lane as u32 + by <= highest),
            Shuffle::Bfly => (lane as u32 ^ by, lane as u32 ^ by <= highest),
            Shuffle::Idx => {
                let source = lowest | (by & !segment);
                (source, source <= highest)
            }
        };
        valid |= u32::from(good) << lane;
        // A lane that takes no part has no defined value to give: its reader keeps its own.
        let source = if good && lanes >> (source & 31) & 1 != 0 { source as usize & 31 } else { lane };
        brought.values[source] as u32
    });
    m.put(op.r[0], result);
    if op.imm & 8 != 0 {
        m.put_pred(op.r[1], valid);
    }
    op.next()
}

/// `vote`: of the predicate `r[1]` into `r[0]`; `imm` is the mode.
pub fn vote(m: &mut Machine<'_>, op: &Op) -> Pc {
    let masks = m.get::<u32>(op.r[4]);
    let row = op.r[1];
    let Meeting { lanes, brought } =
        meet!(m, op, masks, |m: &Machine<'_>| Exchange { values: [0; LANES], preds: m.rows.pred(row) });
    let ballots: [u32; LANES] = from_fn(|lane| brought.preds & lanes & masks[lane]);
    let electorate: [u32; LANES] = from_fn(|lane| lanes & masks[lane]);
    let agree = |holds: fn(u32, u32) -> bool| {
        (0..LANES).fold(0, |bits, i| bits | u32::from(holds(ballots[i], electorate[i])) << i)
    };
    match Vote::ALL[(op.imm & 3) as usize] {
        Vote::Ballot => m.put(op.r[0], ballots),
        Vote::All => m.put_pred(op.r[0], agree(|yes, all| yes == all)),
        Vote::Any => m.put_pred(op.r[0], agree(|yes, _| yes != 0)),
        Vote::Uni => m.put_pred(op.r[0], agree(|yes, all| yes == 0 || yes == all)),
    }
    op.next()
}

/// `match.any`: lanes whose value `r[1]` (64 bits if `imm`) is the same, into `r[0]`.
pub fn match_any(m: &mut Machine<'_>, op: &Op) -> Pc {
    let masks = m.get::<u32>(op.r[4]);
    let Meeting { lanes, brought } = meet!(m, op, masks, values(op.r[1], op.imm != 0));
    let result = from_fn(|lane| same(&brought, lane, lanes & masks[lane]));
    m.put::<u32>(op.r[0], result);
    op.next()
}

/// `match.all`: the mask if all lanes have the same value, else 0, into `r[0]`; whether they do into the predicate `r[2]`.
pub fn match_all(m: &mut Machine<'_>, op: &Op) -> Pc {
    let masks = m.get::<u32>(op.r[4]);
    let Meeting { lanes, brought } = meet!(m, op, masks, values(op.r[1], op.imm != 0));
    let result: [u32; LANES] = from_fn(|lane| {
        let party = lanes & masks[lane];
        if same(&brought, lane, party) == party { party } else { 0 }
    });
    m.put(op.r[0], result);
    m.put_pred(op.r[2], (0..LANES).fold(0, |bits, i| bits | u32::from(result[i] != 0) << i));
    op.next()
}

/// Lanes of `party` that brought what `lane` brought.
fn same(brought: &Exchange, lane: usize, party: u32) -> u32 {
    crate::machine::Lanes(party)
        .filter(|&other| brought.values[other] == brought.values[lane])
        .fold(0, |bits, other| bits | 1 << other)
}

/// `redux`: of `r[1]` into `r[0]`; `imm` is the operation, signed with bit 16.
pub fn reduce(m: &mut Machine<'_>, op: &Op) -> Pc {
    let masks = m.get::<u32>(op.r[4]);
    let Meeting { lanes, brought } = meet!(m, op, masks, values(op.r[1], false));
    let signed = op.imm & 16 != 0;
    let combine = |a: u32, b: u32| match AtomicOp::ALL[(op.imm & 15) as usize] {
        AtomicOp::Add => a.wrapping_add(b),
        AtomicOp::Min if signed => (a as i32).min(b as i32) as u32,
        AtomicOp::Max if signed => (a as i32).max(b as i32) as u32,
        AtomicOp::Min => a.min(b),
        AtomicOp::Max => a.max(b),
        AtomicOp::And => a & b,
        AtomicOp::Or => a | b,
        _ => a ^ b,
    };
    let all: [u32; LANES] = from_fn(|lane| {
        let party = crate::machine::Lanes(lanes & masks[lane]);
        party.map(|i| brought.values[i] as u32).reduce(combine).unwrap_or(0)
    });
    m.put(op.r[0], all);
    op.next()
}

/// `activemask` into `r[0]`.
pub fn activemask(m: &mut Machine<'_>, op: &Op) -> Pc {
    m.put(op.r[0], [m.mask; LANES]);
    op.next()
}

/// `elect`: the lowest lane of the mask into `r[0]`, whether that is the lane itself into the predicate `r[1]`.
pub fn elect(m: &mut Machine<'_>, op: &Op) -> Pc {
    let masks = m.get::<u32>(op.r[4]);
    let Meeting { lanes, .. } = meet!(m, op, masks, |_: &Machine<'_>| Exchange::default());
    let leader: [u32; LANES] = from_fn(|lane| (lanes & masks[lane]).trailing_zeros());
    m.put(op.r[0], leader);
    m.put_pred(op.r[1], (0..LANES).fold(0, |bits, i| bits | u32::from(leader[i] == i as u32) << i));
    op.next()
}
