//! Moves, selections, special registers and parameters.

use super::map::{Map1, Map2, lanes};
use crate::isa_unsafe::{Body, Vector};
use crate::machine::Machine;
use crate::op::{Op, Pc};
use crate::rows_unsafe::{LANES, Lane};
use cleave_ptx::ir::SpecialReg;
use std::array::from_fn;
use std::marker::PhantomData;

lanes! {
    Mov32(a: u32) -> u32 = a;
    Mov64(a: u64) -> u64 = a;
    High32(a: u64) -> u32 = (a >> 32) as u32;
    Low16(a: u32) -> u32 = a & 0xffff;
    High16(a: u32) -> u32 = a >> 16;
}

lanes! {
    /// `a` below, `b` above.
    Join64(a: u32, b: u32) -> u64 = u64::from(a) | u64::from(b) << 32;
    Join32(a: u32, b: u32) -> u32 = a & 0xffff | b << 16;
}

/// `selp`: `r[1]` where the predicate `r[3]` holds, else `r[2]`.
pub struct Select<T>(PhantomData<T>);

impl<T: Lane> Body for Select<T> {
    #[inline(always)]
    fn run<V: Vector>(m: &mut Machine<'_>, op: &Op) -> Pc {
        let (a, b) = (m.get::<T>(op.r[1]), m.get::<T>(op.r[2]));
        let lanes = V::expand(m.rows.pred(op.r[3]));
        let mixed: [T; LANES] = from_fn(|i| {
            let (a, b) = (a[i].bits(), b[i].bits());
            T::of_bits(b ^ ((a ^ b) & T::spread(lanes[i])))
        });
        m.write::<V, _>(op.r[0], mixed);
        op.next()
    }
}

/// `ld.param` of a kernel: `imm` bytes of the launch's parameters from `r[1]` on, sign-extended if `r[2]`, into row `r[0]` (64 bits if `r[3]`).
pub fn param(m: &mut Machine<'_>, op: &Op) -> Pc {
    let params = &m.env.launch.params;
    let size = op.imm as usize;
    let mut bytes = [0; 8];
    for (at, byte) in (op.r[1] as usize..).zip(&mut bytes[..size.min(8)]) {
        *byte = params.get(at).copied().unwrap_or(0);
    }
    let mut value = u64::from_le_bytes(bytes);
    if op.r[2] != 0 && size < 8 {
        let shift = 64 - 8 * size as u32;
        value = ((value << shift) as i64 >> shift) as u64;
    }
    match op.r[3] {
        0 => m.put(op.r[0], [value as u32; LANES]),
        _ => m.put(op.r[0], [value; LANES]),
    }
    op.next()
}

/// Address of a local variable: the frame's local memory plus `imm`, into the 64-bit row `r[0]`.
pub fn local_address(m: &mut Machine<'_>, op: &Op) -> Pc {
    let address = u64::from(m.frame().local).wrapping_add(op.imm);
    m.put(op.r[0], [address; LANES]);
    op.next()
}

/// Address of the dynamic shared memory plus `imm`, into the 64-bit row `r[0]`.
pub fn dynamic_shared(m: &mut Machine<'_>, op: &Op) -> Pc {
    let address = u64::from(m.env.kernel.dynamic_base).wrapping_add(op.imm);
    m.put(op.r[0], [address; LANES]);
    op.next()
}

/// Reads the special register numbered `imm` (in [`SpecialReg::ALL`]) into row `r[0]`, of 64 bits if `r[1]`.
pub fn special(m: &mut Machine<'_>, op: &Op) -> Pc {
    let Some(&register) = SpecialReg::ALL.get(op.imm as usize) else { return Pc::STOP };
    let value = match register {
        SpecialReg::Clock | SpecialReg::Clock64 => [m.clock64(); LANES],
        SpecialReg::ClockHi => [m.clock64() >> 32; LANES],
        SpecialReg::Globaltimer | SpecialReg::GlobaltimerLo | SpecialReg::GlobaltimerHi => {
            // The moment may not be known yet: ask again later.
            let Some(time) = m.globaltimer(op.at(0)) else { return m.end_slice(op.at(0), true) };
            [if register == SpecialReg::GlobaltimerHi { time >> 32 } else { time }; LANES]
        }
        _ => read_special(m, register),
    };
    match op.r[1] {
        0 => m.put(op.r[0], from_fn::<u32, LANES, _>(|i| value[i] as u32)),
        _ => m.put(op.r[0], value),
    }
    op.next()
}

fn read_special(m: &Machine<'_>, register: SpecialReg) -> [u64; LANES] {
    use SpecialReg::*;
    let env = m.env;
    let tid = |k: usize| from_fn(|i| u64::from(env.tids[m.warp.index as usize].0[k][i]));
    let all = |value: u64| [value; LANES];
    match register {
        TidX => tid(0),
        TidY => tid(1),
        TidZ => tid(2),
        NtidX => all(env.launch.block[0].into()),
        NtidY => all(env.launch.block[1].into()),
        NtidZ => all(env.launch.block[2].into()),
        CtaidX | ClusteridX => all(m.cta.ctaid[0].into()),
        CtaidY | ClusteridY => all(m.cta.ctaid[1].into()),
        CtaidZ | ClusteridZ => all(m.cta.ctaid[2].into()),
        NctaidX | NclusteridX => all(env.launch.grid[0].into()),
        NctaidY | NclusteridY => all(env.launch.grid[1].into()),
        NctaidZ | NclusteridZ => all(env.launch.grid[2].into()),
        Laneid => from_fn(|i| i as u64),
        Warpid => all(m.warp.index.into()),
        Nwarpid => all(env.tids.len() as u64),
        Smid => all(m.cta.sm.into()),
        Nsmid => all(env.sms.into()),
        Gridid => all(env.launch.id),
        Envreg1 => all(env.launch.workspace >> 32),
        Envreg2 => all(env.launch.workspace & u64::from(u32::MAX)),
        LanemaskEq => from_fn(|i| 1 << i),
        LanemaskLe => from_fn(|i| (2 << i) - 1),
        LanemaskLt => from_fn(|i| (1 << i) - 1),
        LanemaskGe => from_fn(|i| u64::from(!0u32 << i)),
        LanemaskGt => from_fn(|i| u64::from(!1u32 << i)),
        TotalSmemSize | AggrSmemSize => all(env.shared_bytes.into()),
        DynamicSmemSize => all(env.launch.dynamic_shared.into()),
        // Every block is a cluster of its own.
        NtidW | NctaidW | ClusterNctaidX | ClusterNctaidY | ClusterNctaidZ | ClusterNctarank => all(1),
        _ => all(0),
    }
}
