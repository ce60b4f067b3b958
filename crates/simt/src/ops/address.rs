//! From device addresses of 32 lanes to checked host addresses.
//!
//! A memory operation has its address row in `r[4]`, its inline cache and flags in `r[5]` and a byte offset in `imm`.

use crate::fault::FaultKind;
use crate::isa_unsafe::{Survey, Vector};
use crate::machine::{FULL, Lanes, Machine};
use crate::op::{Op, Pc};
use crate::rows_unsafe::{LANES, RowView};
use crate::site::Site;
use crate::window;
use std::array::from_fn;

/// Flag in `r[5]`: the address row holds 32-bit addresses.
pub const NARROW: u32 = 1 << 31;
/// The part of `r[5]` that is the number of the inline cache.
pub const SITE: u32 = NARROW - 1;

/// How the lanes of an access lie in memory. Host addresses, checked.
pub enum Pattern {
    /// All lanes at one address.
    Uniform(u64),
    /// Lane `i` at this address plus `i` times the size of the access; all lanes execute.
    Row(u64),
    /// All lanes execute, each at its address in the row plus this.
    All(u64),
    /// Only some lanes execute, each at its address in the row plus this.
    Some(u64),
    /// Every lane must be looked up.
    Unknown,
}

/// Device addresses without the offset: a view of the address row, or of a wide copy of it, declared as `$copy`.
macro_rules! addresses {
    ($m:ident, $op:ident, $copy:ident) => {
        if $op.r[5] & $crate::ops::address::NARROW == 0 {
            $m.rows.view($op.r[4])
        } else {
            $copy = $crate::ops::address::widened($m, $op);
            $crate::rows_unsafe::RowView::of(&$copy.0)
        }
    };
}

pub(crate) use addresses;

/// Addresses of all lanes. Aligned, or else vectors written to the stack lie across cache lines and reading them back takes long.
#[repr(align(64))]
pub struct Wide(pub [u64; LANES]);

/// A row of 32-bit addresses in 64 bits.
#[inline(always)]
pub fn widened(m: &Machine<'_>, op: &Op) -> Wide {
    let narrow = m.get::<u32>(op.r[4]);
    Wide(from_fn(|i| u64::from(narrow[i])))
}

/// Memory that may be accessed: `len` bytes at device address `start`, `delta` away from the host's.
#[derive(Clone, Copy)]
pub struct Extent {
    pub start: u64,
    pub len: u64,
    pub delta: u64,
}

/// What the inline cache of `op` knows, if it is still true and good for the access.
#[inline(always)]
pub fn cached(m: &Machine<'_>, op: &Op, write: bool) -> Option<Extent> {
    m.sites[(op.r[5] & SITE) as usize].extent(m.ranges.generation(), write)
}

/// The block's shared memory, at device address `start`.
#[inline(always)]
pub fn shared(m: &mut Machine<'_>, start: u64) -> Extent {
    let (base, len) = (m.cta.shared.base(), m.cta.shared.len());
    Extent { start, len: len.into(), delta: base.wrapping_sub(start) }
}

/// Checks accesses of `bytes` bytes at the addresses `row` plus `offset` against `extent`.
#[inline(always)]
pub fn pattern<V: Vector>(m: &Machine<'_>, row: RowView, offset: u64, bytes: u64, extent: Extent) -> Pattern {
    if extent.len < bytes {
        return Pattern::Unknown;
    }
    // An address is good if it is less than `span` beyond the first good one.
    let (first, span) = (extent.start.wrapping_sub(offset), extent.len - bytes + 1);
    let delta = extent.delta.wrapping_add(offset);
    if m.mask != FULL {
        let good = some(m.mask, row, offset, bytes, first, span);
        return if good { Pattern::Some(delta) } else { Pattern::Unknown };
    }
    match V::survey(row, bytes) {
        Survey::Uniform => {
            let at = row.get(0).wrapping_sub(first);
            let good = at < span && row.get(0).wrapping_add(offset) & (bytes - 1) == 0;
            if good { Pattern::Uniform(row.get(0).wrapping_add(delta)) } else { Pattern::Unknown }
        }
        Survey::Row => {
            let at = row.get(0).wrapping_sub(first);
            let more = (LANES as u64 - 1) * bytes;
            let good = at < span && span - at > more && row.get(0).wrapping_add(offset) & (bytes - 1) == 0;
            if good { Pattern::Row(row.get(0).wrapping_add(delta)) } else { Pattern::Unknown }
        }
        Survey::Other => {
            let good = V::inside(row, first, span) && V::aligned(row, offset, bytes - 1);
            if good { Pattern::All(delta) } else { Pattern::Unknown }
        }
    }
}

/// The same when only some lanes execute.
#[inline(never)]
fn some(mask: u32, row: RowView, offset: u64, bytes: u64, first: u64, span: u64) -> bool {
    Lanes(mask).all(|lane| {
        let address = row.get(lane);
        address.wrapping_sub(first) < span && address.wrapping_add(offset) & (bytes - 1) == 0
    })
}

/// The window all addresses are in, if it is the same; lanes that do not execute count too, at the price of speed only.
#[inline(always)]
pub fn common_tag(row: RowView, offset: u64) -> Option<u8> {
    let first = row.get(0).wrapping_add(offset);
    let differ = (0..LANES).fold(0, |acc, i| acc | (row.get(i).wrapping_add(offset) ^ first));
    (window::tag(differ) == 0).then(|| window::tag(first))
}

/// Host addresses of lanes that execute, each looked up.
#[cold]
pub fn find_each(
    m: &mut Machine<'_>,
    op: &Op,
    row: RowView,
    bytes: u64,
    write: bool,
) -> Result<[u64; LANES], Pc> {
    let mut hosts = [0; LANES];
    for lane in Lanes(m.mask) {
        let address = row.get(lane).wrapping_add(op.imm);
        if address & (bytes - 1) != 0 {
            return Err(m.fail(op, FaultKind::MisalignedAddress, lane, address));
        }
        hosts[lane] = find_lane(m, op, lane, address, bytes, write)?;
    }
    Ok(hosts)
}

/// Host address of `bytes` at a global address, by the inline cache or by the table.
pub fn find_lane(
    m: &mut Machine<'_>,
    op: &Op,
    lane: usize,
    address: u64,
    bytes: u64,
    write: bool,
) -> Result<u64, Pc> {
    // The generation is read before the table: a removal in between makes the answer look old, never new.
    let generation = m.ranges.generation();
    let site = &mut m.sites[(op.r[5] & SITE) as usize];
    let known = site.delta(address, bytes, write, generation);
    let delta = known.or_else(|| {
        *site = Site::of(m.ranges.find(address)?, generation);
        site.delta(address, bytes, write, generation)
    });
    match delta {
        Some(delta) => Ok(address.wrapping_add(delta)),
        None => Err(m.fail(op, FaultKind::IllegalAddress, lane, address)),
    }
}

/// Faults for the first lane whose shared access is bad: offsets `row` plus `imm`.
#[cold]
pub fn bad_shared(m: &mut Machine<'_>, op: &Op, row: RowView, bytes: u64, start: u64) -> Pc {
    let len = u64::from(m.cta.shared.len());
    let offset = |lane: usize| row.get(lane).wrapping_add(op.imm).wrapping_sub(start);
    let outside = |lane: &usize| offset(*lane) >= len || len - offset(*lane) < bytes;
    match Lanes(m.mask).find(outside) {
        Some(lane) => m.fail(op, FaultKind::IllegalAddress, lane, window::SHARED.wrapping_add(offset(lane))),
        None => {
            let lane = Lanes(m.mask).find(|&lane| offset(lane) & (bytes - 1) != 0).unwrap_or(0);
            m.fail(op, FaultKind::MisalignedAddress, lane, window::SHARED.wrapping_add(offset(lane)))
        }
    }
}
