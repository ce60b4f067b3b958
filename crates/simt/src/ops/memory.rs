//! Loads and stores.
//!
//! `r[0..N]` are the rows of the `N` elements. Elements narrower than a row are zero-extended; lowering adds what else a wider
//! destination needs.

use super::address::{self, Pattern, addresses};
use super::scattered;
use crate::isa_unsafe::{Body, Isa, Vector, select, select_portable};
use crate::machine::Machine;
use crate::mem_unsafe::{self as mem, Cell};
use crate::op::{Op, Pc, Run};
use crate::rows_unsafe::LANES;
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

/// Host addresses of an access; `None` if it must be done lane by lane.
#[inline(always)]
fn resolve<const PLACE: u8>(
    m: &mut Machine<'_>,
    op: &Op,
    a: &[u64; LANES],
    bytes: u64,
    write: bool,
) -> Option<Result<Pattern, Pc>> {
    match PLACE {
        GLOBAL => Some(address::global(m, op, a, bytes, write)),
        SHARED => Some(address::shared(m, op, a, bytes)),
        GENERIC => match address::common_tag(a)? {
            0 => Some(address::global(m, op, a, bytes, write)),
            window::SHARED_TAG => {
                Some(address::shared(m, op, &from_fn(|i| a[i].wrapping_sub(window::SHARED)), bytes))
            }
            _ => None,
        },
        _ => None,
    }
}

impl<T: Cell, const N: usize, const PLACE: u8> Body for Load<T, N, PLACE> {
    #[inline(always)]
    fn run<V: Vector>(m: &mut Machine<'_>, op: &Op) -> Pc {
        let a = addresses(m, op);
        let Some(pattern) = resolve::<PLACE>(m, op, &a, T::BYTES * N as u64, false) else {
            return scattered::load::<T, N>(m, op, &a, PLACE == LOCAL);
        };
        match pattern {
            Ok(Pattern::Uniform(host)) => {
                for k in 0..N {
                    let value = mem::load::<T>(host + k as u64 * T::BYTES).widen();
                    m.put(op.r[k], [value; LANES]);
                }
            }
            Ok(Pattern::Row(host)) if N == 1 => {
                let row = mem::load_row::<T>(host);
                m.put(op.r[0], from_fn(|i| row[i].widen()));
            }
            Ok(Pattern::Row(host)) => {
                let values: [[T; N]; LANES] = from_fn(|i| mem::load_run(host + (i * N) as u64 * T::BYTES));
                put_columns(m, op, &values);
            }
            Ok(Pattern::Each(hosts)) => {
                let values: [[T; N]; LANES] = if m.mask == !0 {
                    from_fn(|i| mem::load_run(hosts[i]))
                } else {
                    let mut values = [[T::default(); N]; LANES];
                    for lane in m.active() {
                        values[lane] = mem::load_run(hosts[lane]);
                    }
                    values
                };
                put_columns(m, op, &values);
            }
            Err(stop) => return stop,
        }
        op.next()
    }
}

#[inline(always)]
fn put_columns<T: Cell, const N: usize>(m: &mut Machine<'_>, op: &Op, values: &[[T; N]; LANES]) {
    for k in 0..N {
        m.put(op.r[k], from_fn(|i| values[i][k].widen()));
    }
}

impl<T: Cell, const N: usize, const PLACE: u8> Body for Store<T, N, PLACE> {
    #[inline(always)]
    fn run<V: Vector>(m: &mut Machine<'_>, op: &Op) -> Pc {
        let a = addresses(m, op);
        let pattern = match resolve::<PLACE>(m, op, &a, T::BYTES * N as u64, true) {
            Some(Ok(pattern)) => pattern,
            Some(Err(stop)) => return stop,
            None => return scattered::store::<T, N>(m, op, &a, PLACE == LOCAL),
        };
        let rows: [[T::Row; LANES]; N] = from_fn(|k| m.get(op.r[k]));
        let element = |lane: usize| -> [T; N] { from_fn(|k| T::narrow(rows[k][lane])) };
        match pattern {
            // All lanes write the same place: which one wins is undefined, here the last.
            Pattern::Uniform(host) => {
                let last = 31 - m.mask.leading_zeros() as usize;
                mem::store_run(host, element(last));
            }
            Pattern::Row(host) if N == 1 => {
                mem::store_run::<T, LANES>(host, from_fn(|i| T::narrow(rows[0][i])));
            }
            Pattern::Row(host) => {
                for i in 0..LANES {
                    mem::store_run(host + (i * N) as u64 * T::BYTES, element(i));
                }
            }
            Pattern::Each(hosts) => {
                for lane in m.active() {
                    mem::store_run(hosts[lane], element(lane));
                }
            }
        }
        op.next()
    }
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
                    if N > 1 && T::BYTES < 4 {
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
