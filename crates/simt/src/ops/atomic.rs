//! `atom` and `red`: lanes one after the other, each in one step as seen by all threads.
//!
//! `r[0]` is the destination, `r[1]` and `r[2]` are the operands, `r[3]` is the side table entry with the update (a function of the old
//! value and the operands); the address is as in [`super::address`].

use super::address::{self, addresses};
use super::memory::Place;
use super::scattered;
use crate::detail::Detail;
use crate::machine::Machine;
use crate::mem_unsafe::AtomicCell;
use crate::op::{Op, Pc};

const GLOBAL: u8 = 0;
const SHARED: u8 = 1;
const GENERIC: u8 = 2;

fn update<T: AtomicCell, const PLACE: u8>(m: &mut Machine<'_>, op: &Op) -> Pc {
    let Some(&Detail::Lane(f)) = m.code().details.get(op.r[3] as usize) else { return Pc::STOP };
    let a = addresses(m, op);
    let hosts = match PLACE {
        GLOBAL => address::global(m, op, &a, T::BYTES, true).map(|p| scattered::each(p, T::BYTES)),
        SHARED => address::shared(m, op, &a, T::BYTES).map(|p| scattered::each(p, T::BYTES)),
        _ => generic(m, op, &a, T::BYTES),
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

fn generic(m: &mut Machine<'_>, op: &Op, a: &[u64; 32], bytes: u64) -> Result<[u64; 32], Pc> {
    let mut hosts = [0; 32];
    for lane in m.active() {
        hosts[lane] = scattered::host_of(m, op, lane, a[lane], bytes)?;
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
