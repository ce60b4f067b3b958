//! From device addresses of 32 lanes to checked host addresses.
//!
//! A memory operation has its address row in `r[4]`, its inline cache and flags in `r[5]` and a byte offset in `imm`.

use crate::fault::FaultKind;
use crate::machine::{FULL, Lanes, Machine};
use crate::op::{Op, Pc};
use crate::rows_unsafe::LANES;
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
    /// Anything else: only the lanes that execute are meaningful.
    Each([u64; LANES]),
}

/// Device addresses; lanes that do not execute repeat that of one that does.
#[inline(always)]
pub fn addresses(m: &Machine<'_>, op: &Op) -> [u64; LANES] {
    let base: [u64; LANES] = if op.r[5] & NARROW != 0 {
        let narrow = m.get::<u32>(op.r[4]);
        from_fn(|i| u64::from(narrow[i]))
    } else {
        m.get(op.r[4])
    };
    let all: [u64; LANES] = from_fn(|i| base[i].wrapping_add(op.imm));
    if m.mask == FULL {
        return all;
    }
    let first = all[m.mask.trailing_zeros() as usize % LANES];
    from_fn(|i| {
        let on = m.lanes.0[i] as i32 as i64 as u64;
        all[i] & on | first & !on
    })
}

/// Checks `bytes` at each address of global memory.
#[inline(always)]
pub fn global(m: &mut Machine<'_>, op: &Op, a: &[u64; LANES], bytes: u64, write: bool) -> Result<Pattern, Pc> {
    let generation = m.env.launch.ranges.generation();
    let site = m.sites[(op.r[5] & SITE) as usize];
    let (shape, low, high) = shape(m, a, bytes);
    let aligned = low & (bytes - 1) == 0;
    match site.delta(low, high, bytes, write, generation) {
        Some(delta) if aligned => match shape {
            Shape::Uniform => Ok(Pattern::Uniform(low.wrapping_add(delta))),
            Shape::Row => Ok(Pattern::Row(low.wrapping_add(delta))),
            Shape::Scattered { bits } if bits & (bytes - 1) == 0 => {
                Ok(Pattern::Each(from_fn(|i| a[i].wrapping_add(delta))))
            }
            Shape::Scattered { .. } => find_each(m, op, a, bytes, write),
        },
        _ => find_each(m, op, a, bytes, write),
    }
}

/// Checks `bytes` at each offset of the block's shared memory.
#[inline(always)]
pub fn shared(m: &mut Machine<'_>, op: &Op, a: &[u64; LANES], bytes: u64) -> Result<Pattern, Pc> {
    let (shape, low, high) = shape(m, a, bytes);
    let len = u64::from(m.cta.shared.len());
    let bits = if let Shape::Scattered { bits } = shape { bits | low } else { low };
    if high >= len || len - high < bytes || bits & (bytes - 1) != 0 {
        return Err(bad_offset(m, op, a, bytes, len));
    }
    let base = m.cta.shared.base();
    Ok(match shape {
        Shape::Uniform => Pattern::Uniform(base + low),
        Shape::Row => Pattern::Row(base + low),
        Shape::Scattered { .. } => Pattern::Each(from_fn(|i| base + a[i])),
    })
}

/// The window all addresses are in, if it is the same.
#[inline(always)]
pub fn common_tag(a: &[u64; LANES]) -> Option<u8> {
    let differ = (0..LANES).fold(0, |acc, i| acc | (a[i] ^ a[0]));
    (window::tag(differ) == 0).then(|| window::tag(a[0]))
}

enum Shape {
    Uniform,
    Row,
    /// `bits`: the low bits that differ between lanes.
    Scattered { bits: u64 },
}

/// How the addresses lie, the lowest and the highest.
#[inline(always)]
fn shape(m: &Machine<'_>, a: &[u64; LANES], bytes: u64) -> (Shape, u64, u64) {
    let first = a[0];
    let differ = (0..LANES).fold(0, |acc, i| acc | (a[i] ^ first));
    if differ == 0 {
        return (Shape::Uniform, first, first);
    }
    let stray = (0..LANES).fold(0, |acc, i| acc | (a[i].wrapping_sub(first) ^ (i as u64 * bytes)));
    if stray == 0 && m.mask == FULL {
        let last = first.wrapping_add((LANES as u64 - 1) * bytes);
        if last > first {
            return (Shape::Row, first, last);
        }
    }
    let low = a.iter().fold(first, |low, &x| low.min(x));
    let high = a.iter().fold(first, |high, &x| high.max(x));
    (Shape::Scattered { bits: differ }, low, high)
}

/// Looks up every lane, and remembers the last range found.
#[cold]
fn find_each(m: &mut Machine<'_>, op: &Op, a: &[u64; LANES], bytes: u64, write: bool) -> Result<Pattern, Pc> {
    let mut hosts = [0; LANES];
    for lane in Lanes(m.mask) {
        if a[lane] & (bytes - 1) != 0 {
            return Err(m.fail(op, FaultKind::MisalignedAddress, lane, a[lane]));
        }
        hosts[lane] = find_lane(m, op, lane, a[lane], bytes, write)?;
    }
    Ok(Pattern::Each(hosts))
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
    let generation = m.env.launch.ranges.generation();
    let site = &mut m.sites[(op.r[5] & SITE) as usize];
    let known = site.delta(address, address, bytes, write, generation);
    let delta = known.or_else(|| {
        *site = Site::of(m.env.launch.ranges.find(address)?, generation);
        site.delta(address, address, bytes, write, generation)
    });
    match delta {
        Some(delta) => Ok(address.wrapping_add(delta)),
        None => Err(m.fail(op, FaultKind::IllegalAddress, lane, address)),
    }
}

#[cold]
fn bad_offset(m: &mut Machine<'_>, op: &Op, a: &[u64; LANES], bytes: u64, len: u64) -> Pc {
    let outside = |lane: &usize| a[*lane] >= len || len - a[*lane] < bytes;
    match Lanes(m.mask).find(outside) {
        Some(lane) => m.fail(op, FaultKind::IllegalAddress, lane, window::SHARED.wrapping_add(a[lane])),
        None => {
            let lane = Lanes(m.mask).find(|&lane| a[lane] & (bytes - 1) != 0).unwrap_or(0);
            m.fail(op, FaultKind::MisalignedAddress, lane, window::SHARED.wrapping_add(a[lane]))
        }
    }
}
