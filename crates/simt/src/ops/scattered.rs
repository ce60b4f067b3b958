//! Accesses to local memory, to parameters by address, and generic ones whose lanes go to different spaces.

use super::address::find_lane;
use crate::fault::FaultKind;
use crate::machine::{FULL, Machine};
use crate::mem_unsafe::{self as mem, Cell};
use crate::op::{Op, Pc};
use crate::rows_unsafe::{LANES, RowView};
use crate::window;
use std::array::from_fn;

/// Loads lane by lane; `row` plus `imm` are local offsets if `local`, else generic addresses.
pub fn load<T: Cell, const N: usize>(m: &mut Machine<'_>, op: &Op, row: RowView, local: bool) -> Pc {
    let a = &full_addresses(m, op, row);
    if let Some(word) = local_row::<T, N>(m, a, local) {
        for k in 0..N {
            load_words::<T>(m, op.r[k], word + k * T::BYTES as usize / 4);
        }
        return op.next();
    }
    let mut values = [[T::default(); N]; LANES];
    let bytes = (T::BYTES * N as u64) as usize;
    for lane in m.active() {
        let mut buffer = [0; 32];
        let buffer = &mut buffer[..bytes];
        if let Err(stop) = read(m, op, lane, a[lane], local, buffer) {
            return stop;
        }
        values[lane] = from_fn(|k| of_bytes(&buffer[k * T::BYTES as usize..][..T::BYTES as usize]));
    }
    for (k, &register) in op.r[..N].iter().enumerate() {
        m.put(register, from_fn(|i| values[i][k].widen()));
    }
    op.next()
}

/// Stores lane by lane.
pub fn store<T: Cell, const N: usize>(m: &mut Machine<'_>, op: &Op, row: RowView, local: bool) -> Pc {
    let a = &full_addresses(m, op, row);
    if let Some(word) = local_row::<T, N>(m, a, local) {
        for k in 0..N {
            store_words::<T>(m, op.r[k], word + k * T::BYTES as usize / 4);
        }
        return op.next();
    }
    let wide = T::BYTES == 8;
    let bytes = T::BYTES as usize;
    for lane in m.active() {
        let mut buffer = [0; 32];
        for k in 0..N {
            let value = m.rows.lane(op.r[k], wide, lane).to_le_bytes();
            buffer[k * bytes..][..bytes].copy_from_slice(&value[..bytes]);
        }
        if let Err(stop) = write(m, op, lane, a[lane], local, &buffer[..N * bytes]) {
            return stop;
        }
    }
    op.next()
}

/// Addresses with the offset; lanes that do not execute repeat that of one that does.
fn full_addresses(m: &Machine<'_>, op: &Op, row: RowView) -> [u64; LANES] {
    let first = m.mask.trailing_zeros() as usize % LANES;
    from_fn(|i| row.get(if m.mask >> i & 1 != 0 { i } else { first }).wrapping_add(op.imm))
}

/// The first word, if all lanes are at the same, aligned, good offset of local memory and elements are whole words.
fn local_row<T: Cell, const N: usize>(m: &Machine<'_>, a: &[u64; LANES], local: bool) -> Option<usize> {
    let offset = if local { a[0] } else { a[0].wrapping_sub(window::LOCAL) };
    let bytes = T::BYTES * N as u64;
    let same = a.iter().all(|&x| x == a[0]);
    let inside =
        offset < u64::from(m.warp.local.floor()) && u64::from(m.warp.local.floor()) - offset >= bytes;
    (same && inside && T::BYTES >= 4 && offset % bytes == 0).then_some(offset as usize / 4)
}

fn load_words<T: Cell>(m: &mut Machine<'_>, row: u32, word: usize) {
    let low = m.warp.local.row(word).copied().unwrap_or([0; LANES]);
    if T::BYTES == 4 {
        return m.put::<u32>(row, low);
    }
    let high = m.warp.local.row(word + 1).copied().unwrap_or([0; LANES]);
    m.put::<u64>(row, from_fn(|i| u64::from(low[i]) | u64::from(high[i]) << 32));
}

fn store_words<T: Cell>(m: &mut Machine<'_>, row: u32, word: usize) {
    if T::BYTES == 4 {
        let value = m.get::<u32>(row);
        return put_words(m, word, value);
    }
    let value = m.get::<u64>(row);
    put_words(m, word, from_fn(|i| value[i] as u32));
    put_words(m, word + 1, from_fn(|i| (value[i] >> 32) as u32));
}

fn put_words(m: &mut Machine<'_>, word: usize, value: [u32; LANES]) {
    let (mask, lanes) = (m.mask, m.lanes);
    if let Some(row) = m.warp.local.row(word) {
        *row = match mask {
            FULL => value,
            _ => from_fn(|i| row[i] ^ ((row[i] ^ value[i]) & lanes.0[i])),
        };
    }
}

/// What an address of one lane refers to.
enum Spot {
    Host(u64),
    Local(u32),
    Param(usize),
}

fn spot(
    m: &mut Machine<'_>,
    op: &Op,
    lane: usize,
    address: u64,
    local: bool,
    bytes: usize,
    write: bool,
) -> Result<Spot, Pc> {
    let bytes = bytes as u64;
    if address & (bytes - 1) != 0 {
        return Err(m.fail(op, FaultKind::MisalignedAddress, lane, address));
    }
    let tag = if local { window::LOCAL_TAG } else { window::tag(address) };
    let inside = |offset: u64, len: u64| offset < len && len - offset >= bytes;
    let good = match tag {
        0 => return find_lane(m, op, lane, address, bytes, write).map(Spot::Host),
        window::SHARED_TAG => {
            let offset = address - window::SHARED;
            let host = m.cta.shared.base().wrapping_add(offset);
            inside(offset, m.cta.shared.len().into()).then_some(Spot::Host(host))
        }
        window::LOCAL_TAG => {
            let offset = if local { address } else { address - window::LOCAL };
            inside(offset, m.warp.local.len(lane).into()).then_some(Spot::Local(offset as u32))
        }
        window::PARAM_TAG if !write => {
            let offset = address - window::PARAM;
            inside(offset, m.env.kernel.param_bytes.into()).then_some(Spot::Param(offset as usize))
        }
        _ => None,
    };
    match good {
        Some(spot) => Ok(spot),
        None => Err(m.fail(op, FaultKind::IllegalAddress, lane, address)),
    }
}

/// Reads bytes of one lane from wherever a generic address (or local offset) points.
pub fn read(
    m: &mut Machine<'_>,
    op: &Op,
    lane: usize,
    address: u64,
    local: bool,
    buffer: &mut [u8],
) -> Result<(), Pc> {
    match spot(m, op, lane, address, local, buffer.len().next_power_of_two(), false)? {
        Spot::Host(host) => {
            for (i, byte) in (0..).zip(buffer) {
                *byte = mem::load(host + i);
            }
        }
        Spot::Local(offset) => m.warp.local.read(lane, offset, buffer),
        Spot::Param(offset) => {
            let params = &m.env.launch.params;
            for (at, byte) in (offset..).zip(buffer) {
                *byte = params.get(at).copied().unwrap_or(0);
            }
        }
    }
    Ok(())
}

/// Reads the first bytes of an access of `size` bytes, of which only these need exist.
pub fn read_part(
    m: &mut Machine<'_>,
    op: &Op,
    lane: usize,
    address: u64,
    size: usize,
    buffer: &mut [u8],
) -> Result<(), Pc> {
    if address & (size as u64 - 1) != 0 {
        return Err(m.fail(op, FaultKind::MisalignedAddress, lane, address));
    }
    for (at, byte) in (address..).zip(buffer.chunks_mut(1)) {
        read(m, op, lane, at, false, byte)?;
    }
    Ok(())
}

/// Writes bytes of one lane to wherever a generic address (or local offset) points.
pub fn write(
    m: &mut Machine<'_>,
    op: &Op,
    lane: usize,
    address: u64,
    local: bool,
    bytes: &[u8],
) -> Result<(), Pc> {
    match spot(m, op, lane, address, local, bytes.len().next_power_of_two(), true)? {
        Spot::Host(host) => {
            for (i, &byte) in (0..).zip(bytes) {
                mem::store(host + i, byte);
            }
        }
        Spot::Local(offset) => m.warp.local.write(lane, offset, bytes),
        Spot::Param(_) => {}
    }
    Ok(())
}

fn of_bytes<T: Cell>(bytes: &[u8]) -> T {
    let mut whole = [0; 8];
    whole[..bytes.len()].copy_from_slice(bytes);
    T::of_raw(u64::from_le_bytes(whole))
}

/// Host addresses of lanes that may be in any space that has some: for atomics.
pub fn host_of(m: &mut Machine<'_>, op: &Op, lane: usize, address: u64, bytes: u64) -> Result<u64, Pc> {
    match spot(m, op, lane, address, false, bytes as usize, true)? {
        Spot::Host(host) => Ok(host),
        Spot::Local(_) | Spot::Param(_) => Err(m.fail(op, FaultKind::InvalidAddressSpace, lane, address)),
    }
}
