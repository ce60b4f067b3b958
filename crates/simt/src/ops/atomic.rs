//! `atom` and `red`: lanes one after the other, each in one step as seen by all threads.
//!
//! `r[0]` is the destination, `r[1]` and `r[2]` are the operands, `r[3]` is the side table entry with the update (a function of the old
//! value and the operands); the address is as in [`super::address`].

use super::address::{self, addresses};
use super::memory::Place;
use super::scattered;
use crate::detail::Detail;
use crate::machine::Machine;
use crate::mem_unsafe::{self, AtomicCell};
use crate::op::{Op, Pc};
use crate::rows_unsafe::{LANES, RowView};
use crate::window;

const GLOBAL: u8 = 0;
const SHARED: u8 = 1;
const GENERIC: u8 = 2;

fn update<T: AtomicCell, const PLACE: u8>(m: &mut Machine<'_>, op: &Op) -> Pc {
    let Some(&Detail::Lane(f)) = m.code().details.get(op.r[3] as usize) else { return Pc::STOP };
    let copy;
    let row = addresses!(m, op, copy);
    let hosts = match PLACE {
        GLOBAL => address::find_each(m, op, row, T::BYTES, true),
        SHARED => generic(m, op, row, T::BYTES, window::SHARED),
        _ => generic(m, op, row, T::BYTES, 0),
    };
    let hosts = match hosts {
        Ok(hosts) => hosts,
        Err(stop) => return stop,
    };
    let wide = T::BYTES == 8;
    for lane in m.active() {
        let (b, c) = (m.rows.lane(op.r[1], wide, lane), m.rows.lane(op.r[2], wide, lane));
        let old = T::update(hosts[lane], |old| T::of_raw(f(old.raw(), b, c)));
        m.rows.set_lane(op.r[0], wide, lane, old.raw());
    }
    op.next()
}

/// `atom.exch` and, with `COMPARE`, `atom.cas` of 16 bytes: the side table entry `r[0]` lists low and high rows of destination and operands; `r[3]` is
/// the base of the address window.
pub fn update128<const COMPARE: bool>(m: &mut Machine<'_>, op: &Op) -> Pc {
    let Some(Detail::Rows(rows)) = m.code().details.get(op.r[0] as usize) else { return Pc::STOP };
    let copy;
    let row = addresses!(m, op, copy);
    let window = if op.r[3] != 0 { window::SHARED } else { 0 };
    let hosts = match generic(m, op, row, 16, window) {
        Ok(hosts) => hosts,
        Err(stop) => return stop,
    };
    for lane in m.active() {
        let value = |k: usize| {
            let half = |k: usize| u128::from(m.rows.lane(rows[k], true, lane));
            half(2 * k) | half(2 * k + 1) << 64
        };
        let (b, c) = (value(1), value(2));
        let old = mem_unsafe::update128(hosts[lane], |old| match COMPARE {
            true if old == b => c,
            true => old,
            false => b,
        });
        m.rows.set_lane(rows[0], true, lane, old as u64);
        m.rows.set_lane(rows[1], true, lane, (old >> 64) as u64);
    }
    op.next()
}

/// Host addresses of generic addresses: `row` plus the operation's offset plus `base`.
fn generic(m: &mut Machine<'_>, op: &Op, row: RowView, bytes: u64, base: u64) -> Result<[u64; LANES], Pc> {
    let mut hosts = [0; LANES];
    for lane in m.active() {
        let address = row.get(lane).wrapping_add(op.imm).wrapping_add(base);
        hosts[lane] = scattered::host_of(m, op, lane, address, bytes)?;
    }
    Ok(hosts)
}

/// The operation for values of `bytes` bytes.
pub fn find(place: Place, bytes: u32) -> Option<fn(&mut Machine<'_>, &Op) -> Pc> {
    fn placed<T: AtomicCell>(place: Place) -> fn(&mut Machine<'_>, &Op) -> Pc {
        match place {
            Place::Global => update::<T, GLOBAL>,
            Place::Shared => update::<T, SHARED>,
            Place::Generic | Place::Local => update::<T, GENERIC>,
        }
    }
    match bytes {
        2 => Some(placed::<u16>(place)),
        4 => Some(placed::<u32>(place)),
        8 => Some(placed::<u64>(place)),
        _ => None,
    }
}
