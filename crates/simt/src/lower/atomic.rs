//! `atom` and `red`.

use super::builder::{Builder, Result, class_of};
use super::memory::Target;
use super::proto::{Arg, Extra};
use crate::mem_unsafe::has_atomic128;
use crate::num::{bf16, f16, float};
use crate::ops::atomic;
use crate::ops::memory::Place;
use crate::ops::scalar::LaneFn;
use cleave_ptx::ir::{AtomicOp, Opcode, Operand, ScalarType};

impl Builder<'_> {
    pub fn atomic(&mut self) -> Result<()> {
        let ty = self.ty()?;
        let returns = self.inst.opcode == Opcode::Atom;
        let first = usize::from(returns);
        let Operand::Address(address) = self.operand(first)? else { return self.unsupported() };
        let target = self.target(address, self.inst.mods.space)?;
        if ty == ScalarType::B128 {
            return self.atomic128(&target);
        }
        let (Some(op), Some(run)) = (self.inst.mods.op, atomic::find(target.place, ty.bytes())) else {
            return self.unsupported();
        };
        let Some(update) = update(op, ty, target.place) else { return self.unsupported() };
        let b = self.source(first + 1, ty)?;
        let c = if op == AtomicOp::Cas { self.source(first + 2, ty)? } else { b };
        let d = match returns {
            true => self.dest(0, ty)?,
            false => self.temp(class_of(ty.bits())),
        };
        let site = Arg::Raw(self.site(target.row));
        let args = [self.def(d), Arg::Use(b), Arg::Use(c), Arg::Raw(0), Arg::Use(target.row), site];
        let proto = self.emit_plain(run, &args, target.offset);
        proto.waits = true;
        proto.extra = Extra::Update(update);
        if target.place == Place::Shared {
            self.cost.shared(ty.bytes());
        } else {
            self.cost.global(ty.bytes());
        }
        Ok(())
    }

    /// `atom.exch.b128` and `atom.cas.b128`.
    fn atomic128(&mut self, target: &Target) -> Result<()> {
        let compares = self.inst.mods.op == Some(AtomicOp::Cas);
        if !has_atomic128() {
            return self.error("128-bit atomics: this processor has none");
        }
        let mut rows = Vec::new();
        for k in [0, 2, if compares { 3 } else { 2 }] {
            let Operand::Reg(reg) = self.operand(k)? else { return self.unsupported() };
            for half in [self.register(*reg), self.upper(*reg)] {
                rows.push(if k == 0 { self.def(half) } else { Arg::Use(half) });
            }
        }
        let site = Arg::Raw(self.site(target.row));
        let shared = Arg::Raw((target.place == Place::Shared).into());
        let raw = Arg::Raw(0);
        let args = [raw, raw, raw, shared, Arg::Use(target.row), site];
        let run = if compares { atomic::update128::<true> } else { atomic::update128::<false> };
        let proto = self.emit_plain(run, &args, target.offset);
        proto.waits = true;
        proto.extra = Extra::Rows(rows);
        Ok(())
    }
}

fn f(raw: u64) -> f32 {
    f32::from_bits(raw as u32)
}

/// The new value as a function of the old one and the operands.
fn update(op: AtomicOp, ty: ScalarType, place: Place) -> Option<LaneFn> {
    use AtomicOp::*;
    use ScalarType::*;
    Some(match (op, ty) {
        (Add, U32 | S32 | U64) => |old, b, _| old.wrapping_add(b),
        (Add, F32) if place == Place::Shared => |old, b, _| float::add(f(old), f(b)).to_bits().into(),
        // In global memory hardware flushes subnormals.
        (Add, F32) => {
            |old, b, _| float::ftz(float::add(float::ftz(f(old)), float::ftz(f(b)))).to_bits().into()
        }
        (Add, F64) => |old, b, _| float::add(f64::from_bits(old), f64::from_bits(b)).to_bits(),
        (Add, F16) => |old, b, _| f16::add(old as u16, b as u16).into(),
        (Add, Bf16) => |old, b, _| bf16::add(old as u16, b as u16).into(),
        (Add, F16x2) => |old, b, _| f16::both2(f16::add, old as u32, b as u32).into(),
        (Add, Bf16x2) => |old, b, _| bf16::both2(bf16::add, old as u32, b as u32).into(),
        (Min, U32 | U64) => |old, b, _| old.min(b),
        (Max, U32 | U64) => |old, b, _| old.max(b),
        (Min, S32) => |old, b, _| (old as i32).min(b as i32) as u64,
        (Max, S32) => |old, b, _| (old as i32).max(b as i32) as u64,
        (Min, S64) => |old, b, _| (old as i64).min(b as i64) as u64,
        (Max, S64) => |old, b, _| (old as i64).max(b as i64) as u64,
        (Inc, U32) => |old, b, _| if old as u32 >= b as u32 { 0 } else { old + 1 },
        (Dec, U32) => |old, b, _| if old as u32 == 0 || old as u32 > b as u32 { b } else { old - 1 },
        (And, _) => |old, b, _| old & b,
        (Or, _) => |old, b, _| old | b,
        (Xor, _) => |old, b, _| old ^ b,
        (Exch, B32 | B64) => |_, b, _| b,
        (Cas, B16) => |old, b, c| if old == u64::from(b as u16) { c } else { old },
        (Cas, B32 | B64) => |old, b, c| if old == b { c } else { old },
        _ => return None,
    })
}
