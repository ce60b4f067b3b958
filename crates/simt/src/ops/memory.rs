//! Loads and stores.
//!
//! `r[0..N]` are the rows of the `N` elements. Elements narrower than a row are zero-extended; lowering adds what else a wider
//! destination needs.

use super::address::{self, Pattern, addresses};
use super::scattered;
use crate::isa_unsafe::{Body, Isa, Vector, select, select_portable};
use crate::machine::{FULL, Lanes, Machine};
use crate::mem_unsafe::{self as mem, Cell};
use crate::op::{Op, Pc, Run};
use crate::rows_unsafe::{LANES, RowView};
use crate::window;
use std::array::from_fn;
use std::marker::PhantomData;

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Global,
    Shared,
    Local,
    Generic,
}

const GLOBAL: u8 = 0;
const SHARED: u8 = 1;
const GENERIC: u8 = 2;
const LOCAL: u8 = 3;

pub struct Load<T, const N: usize, const PLACE: u8>(PhantomData<T>);
pub struct Store<T, const N: usize, const PLACE: u8>(PhantomData<T>);

/// How the addresses lie, as far as the fast ways go.
#[inline(always)]
fn resolve<V: Vector, const PLACE: u8>(
    m: &mut Machine<'_>,
    op: &Op,
    row: RowView,
    bytes: u64,
    write: bool,
) -> Pattern {
    let extent = match PLACE {
        GLOBAL => address::cached(m, op, write),
        SHARED => Some(address::shared(m, 0)),
        GENERIC => match address::common_tag(row, op.imm) {
            Some(0) => address::cached(m, op, write),
            Some(window::SHARED_TAG) => Some(address::shared(m, window::SHARED)),
            _ => None,
        },
        _ => None,
    };
    match extent {
        Some(extent) => address::pattern::<V>(m, row, op.imm, bytes, extent),
        None => Pattern::Unknown,
    }
}

impl<T: Cell, const N: usize, const PLACE: u8> Body for Load<T, N, PLACE> {
    #[inline(always)]
    fn run<V: Vector>(m: &mut Machine<'_>, op: &Op) -> Pc {
        let bytes = T::BYTES * N as u64;
        let copy;
        let row = addresses!(m, op, copy);
        let (mask, delta) = match resolve::<V, PLACE>(m, op, row, bytes, false) {
            Pattern::Uniform(host) => {
                for k in 0..N {
                    let value = mem::load::<T>(host + k as u64 * T::BYTES).widen();
                    m.rows.put(op.r[k], [value; LANES]);
                }
                return op.next();
            }
            Pattern::Row(host) if N == 1 => {
                match T::BYTES {
                    4 => m.rows.put(op.r[0], V::load_row32(host)),
                    8 => m.rows.put(op.r[0], V::load_row64(host)),
                    _ => {
                        let values = mem::load_run::<T, LANES>(host);
                        m.rows.put(op.r[0], from_fn(|i| values[i].widen()));
                    }
                }
                return op.next();
            }
            Pattern::Row(host) => (FULL, host.wrapping_sub(row.get(0))),
            Pattern::All(delta) => (FULL, delta),
            Pattern::Some(delta) => (m.mask, delta),
            Pattern::Unknown => return slow_load::<T, N, PLACE>(m, op, row),
        };
        match (mask, T::BYTES, N) {
            (FULL, 4, 1) => m.rows.put(op.r[0], V::gather32(row, delta)),
            (FULL, 8, 1) => m.rows.put(op.r[0], V::gather64(row, delta)),
            (FULL, 4, 4) => {
                for (column, &register) in V::gather32x4(row, delta).iter().zip(&op.r) {
                    m.rows.put(register, *column);
                }
            }
            _ => {
                for lane in Lanes(mask) {
                    let values: [T; N] = mem::load_run(row.get(lane).wrapping_add(delta));
                    load_lane(m, op, lane, &values);
                }
            }
        }
        op.next()
    }
}

/// Loads whose addresses the inline cache does not know.
#[cold]
fn slow_load<T: Cell, const N: usize, const PLACE: u8>(m: &mut Machine<'_>, op: &Op, row: RowView) -> Pc {
    let bytes = T::BYTES * N as u64;
    let hosts = match PLACE {
        SHARED => return address::bad_shared(m, op, row, bytes, 0),
        GENERIC | LOCAL => return scattered::load::<T, N>(m, op, row, PLACE == LOCAL),
        _ => address::find_each(m, op, row, bytes, false),
    };
    let hosts = match hosts {
        Ok(hosts) => hosts,
        Err(stop) => return stop,
    };
    for lane in m.active() {
        let values: [T; N] = mem::load_run(hosts[lane]);
        load_lane(m, op, lane, &values);
    }
    op.next()
}

#[inline(always)]
fn load_lane<T: Cell, const N: usize>(m: &Machine<'_>, op: &Op, lane: usize, values: &[T; N]) {
    for (value, &register) in values.iter().zip(&op.r) {
        m.rows.set_lane(register, T::BYTES == 8, lane, value.raw());
    }
}

impl<T: Cell, const N: usize, const PLACE: u8> Body for Store<T, N, PLACE> {
    #[inline(always)]
    fn run<V: Vector>(m: &mut Machine<'_>, op: &Op) -> Pc {
        let bytes = T::BYTES * N as u64;
        let copy;
        let row = addresses!(m, op, copy);
        let (mask, delta) = match resolve::<V, PLACE>(m, op, row, bytes, true) {
            // All lanes write the same place: which one wins is undefined, here the last.
            Pattern::Uniform(host) => (1 << 31, host.wrapping_sub(row.get(31))),
            Pattern::Row(host) if N == 1 => {
                match T::BYTES {
                    4 => V::store_row32(host, m.get(op.r[0])),
                    8 => V::store_row64(host, m.get(op.r[0])),
                    _ => {
                        let values = m.get::<T::Row>(op.r[0]);
                        mem::store_run::<T, LANES>(host, from_fn(|i| T::narrow(values[i])));
                    }
                }
                return op.next();
            }
            Pattern::Row(host) => (FULL, host.wrapping_sub(row.get(0))),
            Pattern::All(delta) => (FULL, delta),
            Pattern::Some(delta) => (m.mask, delta),
            Pattern::Unknown => return slow_store::<T, N, PLACE>(m, op, row),
        };
        for lane in Lanes(mask) {
            store_lane::<T, N>(m, op, lane, row.get(lane).wrapping_add(delta));
        }
        op.next()
    }
}

#[inline(always)]
fn store_lane<T: Cell, const N: usize>(m: &Machine<'_>, op: &Op, lane: usize, host: u64) {
    let values: [T; N] = from_fn(|k| T::of_raw(m.rows.lane(op.r[k], T::BYTES == 8, lane)));
    mem::store_run(host, values);
}

/// Stores whose addresses the inline cache does not know.
#[cold]
fn slow_store<T: Cell, const N: usize, const PLACE: u8>(m: &mut Machine<'_>, op: &Op, row: RowView) -> Pc {
    let bytes = T::BYTES * N as u64;
    let hosts = match PLACE {
        SHARED => return address::bad_shared(m, op, row, bytes, 0),
        GENERIC | LOCAL => return scattered::store::<T, N>(m, op, row, PLACE == LOCAL),
        _ => address::find_each(m, op, row, bytes, true),
    };
    let hosts = match hosts {
        Ok(hosts) => hosts,
        Err(stop) => return stop,
    };
    for lane in m.active() {
        store_lane::<T, N>(m, op, lane, hosts[lane]);
    }
    op.next()
}

macro_rules! accesses {
    ($($name:ident $body:ident;)*) => { $(
        /// The operation for `elements` elements of `bytes` bytes.
        pub fn $name(isa: Isa, place: Place, bytes: u32, elements: usize) -> Option<Run> {
            fn sized<const N: usize>(isa: Isa, place: Place, bytes: u32) -> Option<Run> {
                fn placed<T: Cell, const N: usize>(isa: Isa, place: Place) -> Run {
                    // Vectors of narrow elements and local memory are rare: one instruction set is enough for them.
                    if place == Place::Local {
                        return select_portable::<$body<T, N, LOCAL>>();
                    }
                    if const { N > 1 && T::BYTES < 4 } {
                        return match place {
                            Place::Global => select_portable::<$body<T, N, GLOBAL>>(),
                            Place::Shared => select_portable::<$body<T, N, SHARED>>(),
                            _ => select_portable::<$body<T, N, GENERIC>>(),
                        };
                    }
                    match place {
                        Place::Global => select::<$body<T, N, GLOBAL>>(isa),
                        Place::Shared => select::<$body<T, N, SHARED>>(isa),
                        _ => select::<$body<T, N, GENERIC>>(isa),
                    }
                }
                Some(match bytes {
                    1 => placed::<u8, N>(isa, place),
                    2 => placed::<u16, N>(isa, place),
                    4 => placed::<u32, N>(isa, place),
                    8 => placed::<u64, N>(isa, place),
                    _ => return None,
                })
            }
            match elements {
                1 => sized::<1>(isa, place, bytes),
                2 => sized::<2>(isa, place, bytes),
                4 => sized::<4>(isa, place, bytes),
                _ => None,
            }
        }
    )* };
}

accesses! {
    load Load;
    store Store;
}
