//! Calls and returns.

use crate::code::Place;
use crate::detail::{Call, Detail, Target};
use crate::fault::FaultKind;
use crate::frame::Frame;
use crate::machine::{Lanes, Machine};
use crate::op::{Op, Pc};
use crate::ops::control::count;
use crate::rows_unsafe::{LANES, Rows};
use crate::window;

/// `call`: `r[0]` is the side table entry. The operation after this one is [`returned`], where threads come back to.
pub fn call(m: &mut Machine<'_>, op: &Op) -> Pc {
    m.budget -= 1;
    if m.budget < 0 || m.interrupted() {
        return m.end_slice(op.at(0), false);
    }
    let Some(Detail::Call(call)) = m.code().details.get(op.r[0] as usize) else { return Pc::STOP };
    let row = match call.target {
        Target::Function(function) => return enter(m, op, call, function),
        Target::Indirect(row) => m.get::<u64>(row),
    };
    // Lanes may call different functions: those that call the same one go together, the others call again.
    let first = m.mask.trailing_zeros() as usize % LANES;
    let same = m.active().filter(|&lane| row[lane] == row[first]).fold(0, |mask, lane| mask | 1 << lane);
    if same != m.mask {
        let others = m.fragment.mask & !same;
        m.split_off(others, op.at(0));
        m.fragment.mask = same;
        m.set_mask(same);
    }
    match window::function_at(row[first]) {
        Some(function) if (function as usize) < m.code().functions.len() => enter(m, op, call, function),
        _ => m.fail(op, FaultKind::InvalidPc, first, row[first]),
    }
}

/// A prototype in another module may name more or fewer parameters and results than the function has: as on hardware, what
/// has no partner is not passed.
fn enter(m: &mut Machine<'_>, op: &Op, call: &Call, function: u32) -> Pc {
    let code = m.code();
    let callee = &code.functions[function as usize];
    let from = Side { rows: m.rows, frame: *m.frame() };
    let arguments: Vec<Vec<u8>> = call.args.iter().map(|place| from.read(m, place)).collect();
    if let Err(stop) = m.push_frame(op, function, op.next()) {
        return stop;
    }
    let to = Side { rows: m.rows, frame: *m.frame() };
    for (place, bytes) in callee.params.iter().zip(&arguments) {
        to.write(m, place, bytes);
    }
    m.go(code.entry(function))
}

/// `ret` of a function.
pub fn ret(m: &mut Machine<'_>, op: &Op) -> Pc {
    count(m, op);
    let code = m.code();
    let from = Side { rows: m.rows, frame: *m.frame() };
    let callee = &code.functions[from.frame.function as usize];
    let results: Vec<Vec<u8>> = callee.returns.iter().map(|place| from.read(m, place)).collect();
    let back = m.pop_frame();
    let to = Side { rows: m.rows, frame: *m.frame() };
    // Threads come back to the operation after the call.
    if let Some(Detail::Call(call)) =
        code.ops.get(back.back().index(&code.ops)).and_then(|op| code.details.get(op.r[0] as usize))
    {
        for (place, bytes) in call.returns.iter().zip(&results) {
            to.write(m, place, bytes);
        }
    }
    m.go(back)
}

/// One end of a transfer of parameters: a frame and its registers.
struct Side {
    rows: Rows,
    frame: Frame,
}

impl Side {
    /// The bytes of a place, lane after lane (only lanes that execute are meaningful).
    fn read(&self, m: &Machine<'_>, place: &Place) -> Vec<u8> {
        let size = place.size();
        let mut bytes = vec![0; size * LANES];
        for lane in Lanes(m.fragment.mask) {
            let out = &mut bytes[lane * size..][..size];
            match *place {
                Place::Local { offset, .. } => m.warp.local.read(lane, self.frame.local + offset, out),
                Place::Row { offset, wide } => {
                    out.copy_from_slice(&self.rows.lane(offset, wide, lane).to_le_bytes()[..size]);
                }
                Place::Pred { offset } => out[0] = (self.rows.pred(offset) >> lane & 1) as u8,
            }
        }
        bytes
    }

    /// Writes what [`Side::read`] gave at the other end; sizes may differ where a prototype lies, then the shorter counts.
    fn write(&self, m: &mut Machine<'_>, place: &Place, bytes: &[u8]) {
        let (size, given) = (place.size(), bytes.len() / LANES);
        for lane in Lanes(m.fragment.mask) {
            let value = &bytes[lane * given..][..given.min(size)];
            let mut whole = [0; 8];
            let short = value.len().min(8);
            whole[..short].copy_from_slice(&value[..short]);
            match *place {
                Place::Local { offset, .. } => m.warp.local.write(lane, self.frame.local + offset, value),
                Place::Row { offset, wide } => {
                    self.rows.set_lane(offset, wide, lane, u64::from_le_bytes(whole));
                }
                Place::Pred { offset } => {
                    let old = self.rows.pred(offset);
                    let bit = u32::from(whole[0] & 1) << lane;
                    self.rows.set_pred(offset, old & !(1 << lane) | bit);
                }
            }
        }
    }
}
