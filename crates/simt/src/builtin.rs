//! Functions that device code calls but no module defines: the device-side C library.
//!
//! The side table entry `r[0]` lists the row of the result and those of the arguments; `r[5]` is an inline cache.

use crate::detail::Detail;
use crate::fault::FaultKind;
use crate::machine::Machine;
use crate::op::{Op, Pc};
use crate::ops::scattered;
use crate::printf;
use cleave_ptx::ir::ScalarType;

/// A function the engine provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    Vprintf,
    Assertfail,
    Malloc,
    Free,
}

/// Longest string that device code may pass.
const MAX_STRING: usize = 64 << 10;

impl Builtin {
    pub fn named(name: &str) -> Option<Builtin> {
        Some(match name {
            "vprintf" => Builtin::Vprintf,
            "__assertfail" => Builtin::Assertfail,
            "malloc" => Builtin::Malloc,
            "free" => Builtin::Free,
            _ => return None,
        })
    }

    pub fn parameters(self) -> &'static [ScalarType] {
        use ScalarType::{U32, U64};
        match self {
            Builtin::Vprintf => &[U64, U64],
            Builtin::Assertfail => &[U64, U64, U32, U64, U64],
            Builtin::Malloc | Builtin::Free => &[U64],
        }
    }

    pub fn result(self) -> Option<ScalarType> {
        match self {
            Builtin::Vprintf => Some(ScalarType::S32),
            Builtin::Malloc => Some(ScalarType::U64),
            Builtin::Assertfail | Builtin::Free => None,
        }
    }

    pub fn run(self) -> fn(&mut Machine<'_>, &Op) -> Pc {
        match self {
            Builtin::Vprintf => vprintf,
            Builtin::Assertfail => assertfail,
            Builtin::Malloc => malloc,
            Builtin::Free => free,
        }
    }
}

fn rows<'a>(m: &Machine<'a>, op: &Op) -> &'a [u32] {
    match m.code().details.get(op.r[0] as usize) {
        Some(Detail::Rows(rows)) => rows,
        _ => &[],
    }
}

fn vprintf(m: &mut Machine<'_>, op: &Op) -> Pc {
    let &[result, format, arguments] = rows(m, op) else { return Pc::STOP };
    for lane in m.active() {
        let (format, mut at) = (m.rows.lane(format, true, lane), m.rows.lane(arguments, true, lane));
        let format = match string(m, op, lane, format) {
            Ok(format) => format,
            Err(stop) => return stop,
        };
        let text = printf::format(&format, &mut |wanted| match wanted {
            printf::Wanted::Word(size) => {
                at = at.next_multiple_of(size);
                let mut bytes = [0; 8];
                scattered::read(m, op, lane, at, false, &mut bytes[..size as usize])?;
                at += size;
                Ok(printf::Given::Word(u64::from_le_bytes(bytes)))
            }
            printf::Wanted::String(address) => string(m, op, lane, address).map(printf::Given::String),
        });
        match text {
            Ok((text, count)) => {
                m.env.launch.output.print(&text);
                m.rows.set_lane(result, false, lane, count as u64);
            }
            Err(stop) => return stop,
        }
    }
    op.next()
}

/// A NUL-terminated string of device memory.
fn string(m: &mut Machine<'_>, op: &Op, lane: usize, address: u64) -> Result<Vec<u8>, Pc> {
    let mut text = Vec::new();
    for at in address.. {
        let mut byte = [0];
        scattered::read(m, op, lane, at, false, &mut byte)?;
        if byte[0] == 0 || text.len() == MAX_STRING {
            break;
        }
        text.push(byte[0]);
    }
    Ok(text)
}

fn assertfail(m: &mut Machine<'_>, op: &Op) -> Pc {
    let &[_, message, file, line, function, _] = rows(m, op) else { return Pc::STOP };
    let lane = m.mask.trailing_zeros() as usize;
    let read = |m: &mut Machine<'_>, row: u32| {
        let address = m.rows.lane(row, true, lane);
        string(m, op, lane, address).map(|text| String::from_utf8_lossy(&text).into_owned())
    };
    let (message, file, function) = match (read(m, message), read(m, file), read(m, function)) {
        (Ok(message), Ok(file), Ok(function)) => (message, file, function),
        (Err(stop), ..) | (_, Err(stop), _) | (.., Err(stop)) => return stop,
    };
    let line = m.rows.lane(line, false, lane);
    let [bx, by, bz] = m.cta.ctaid;
    let [tx, ty, tz] = m.env.tids[m.warp.index as usize].of(lane);
    let text = format!(
        "{file}:{line}: {function}: block: [{bx},{by},{bz}], thread: [{tx},{ty},{tz}] Assertion `{message}` failed.\n"
    );
    m.env.launch.output.print(text.as_bytes());
    m.fail_with(op, FaultKind::Assert, lane, 0, text.trim_end().to_owned())
}

fn malloc(m: &mut Machine<'_>, op: &Op) -> Pc {
    let &[result, size] = rows(m, op) else { return Pc::STOP };
    for lane in m.active() {
        let size = m.rows.lane(size, true, lane);
        let address = m.env.launch.heap.as_ref().filter(|_| size > 0).and_then(|heap| heap.alloc(size));
        m.rows.set_lane(result, true, lane, address.unwrap_or(0));
    }
    op.next()
}

fn free(m: &mut Machine<'_>, op: &Op) -> Pc {
    let &[_, address] = rows(m, op) else { return Pc::STOP };
    for lane in m.active() {
        let address = m.rows.lane(address, true, lane);
        let known = address == 0 || m.env.launch.heap.as_ref().is_some_and(|heap| heap.free(address));
        if !known {
            return m.fail(op, FaultKind::IllegalAddress, lane, address);
        }
    }
    op.next()
}
