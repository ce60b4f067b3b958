//! `mov` with packing and unpacking, `cvta`, `isspacep`.

use super::builder::{Builder, Result, class_of};
use super::proto::{Arg, Class, Value};
use crate::ops::map::{Binary, Unary};
use crate::ops::{int, moves};
use crate::window;
use cleave_ptx::ir::{Opcode, Operand, ScalarType, Space};

impl Builder<'_> {
    pub fn move_instruction(&mut self) -> Result<()> {
        match self.inst.opcode {
            Opcode::Cvta => self.cvta(),
            Opcode::Isspacep => self.isspacep(),
            _ => self.mov(),
        }
    }

    fn mov(&mut self) -> Result<()> {
        let ty = self.ty()?;
        match (self.operand(0)?, self.operand(1)?) {
            (Operand::Vector(parts), source) => self.unpack(parts, source, ty),
            (target, Operand::Vector(parts)) => self.pack(target, parts, ty),
            (target, source) if ty == ScalarType::B128 => self.mov128(target, source),
            (target, Operand::Special(special)) => {
                let d = self.dest_of(target, ty)?;
                if self.values.class(d) == Class::Pred {
                    return self.unsupported();
                }
                self.read_special(*special, d);
                Ok(())
            }
            (target, source) => {
                let value =
                    if ty == ScalarType::Pred { self.predicate(1)? } else { self.value_of(source, ty)? };
                let d = self.dest_of(target, ty)?;
                self.write(d, value);
                Ok(())
            }
        }
    }

    fn mov128(&mut self, target: &Operand, source: &Operand) -> Result<()> {
        let (Operand::Reg(d), Operand::Reg(a)) = (target, source) else { return self.unsupported() };
        let (low, high) = (self.register(*a), self.upper(*a));
        let (to_low, to_high) = (self.register(*d), self.upper(*d));
        self.write(to_low, low);
        self.write(to_high, high);
        Ok(())
    }

    /// `mov.b64 {a, b}, c`: the low part first.
    fn unpack(&mut self, parts: &[Operand], source: &Operand, ty: ScalarType) -> Result<()> {
        if ty == ScalarType::B128 {
            let (Operand::Reg(a), [low, high]) = (source, parts) else { return self.unsupported() };
            let halves = [self.register(*a), self.upper(*a)];
            // Both halves are read before a destination is written.
            let kept = self.copy(halves[1]);
            for (part, half) in [low, high].into_iter().zip([halves[0], kept]) {
                let d = self.dest_of(part, ScalarType::B64)?;
                self.write(d, half);
            }
            return Ok(());
        }
        let value = self.value_of(source, ty)?;
        let value = self.copy(value);
        let bits = ty.bits() / parts.len().max(1) as u32;
        for (k, part) in (0..).zip(parts) {
            if let Operand::Sink = part {
                continue;
            }
            let d = self.dest_of(part, ScalarType::B32)?;
            let field = self.field(value, k * bits, bits)?;
            self.write(d, field);
        }
        Ok(())
    }

    /// A copy that later writes do not change.
    fn copy(&mut self, value: Value) -> Value {
        let d = self.temp(self.values.class(value));
        self.write(d, value);
        d
    }

    /// `bits` bits of a value from bit `at` on, in a 32-bit row.
    fn field(&mut self, value: Value, at: u32, bits: u32) -> Result<Value> {
        let d = self.temp(Class::Narrow);
        let args = [Arg::Def(d), Arg::Use(value)];
        match (self.values.class(value), at, bits) {
            (Class::Wide, 0, 32) => return Ok(self.fit(value, Class::Narrow)),
            (Class::Wide, 32, 32) => self.emit_body::<Unary<moves::High32>>(&args, 0),
            (Class::Narrow, 0, 16) => self.emit_body::<Unary<moves::Low16>>(&args, 0),
            (Class::Narrow, 16, 16) => self.emit_body::<Unary<moves::High16>>(&args, 0),
            (_, at, bits) => {
                let (at, mask) = (self.constant(false, at.into()), self.constant(true, (1u64 << bits) - 1));
                self.emit_lanes(|a, at, mask| a >> at & mask, d, &[value, at, mask]);
                return Ok(d);
            }
        };
        Ok(d)
    }

    /// `mov.b64 c, {a, b}`: the low part first.
    fn pack(&mut self, target: &Operand, parts: &[Operand], ty: ScalarType) -> Result<()> {
        if ty == ScalarType::B128 {
            let (Operand::Reg(d), [low, high]) = (target, parts) else { return self.unsupported() };
            let (low, high) = (self.value_of(low, ScalarType::B64)?, self.value_of(high, ScalarType::B64)?);
            let high = self.copy(high);
            let (to_low, to_high) = (self.register(*d), self.upper(*d));
            self.write(to_low, low);
            self.write(to_high, high);
            return Ok(());
        }
        let bits = ty.bits() / parts.len().max(1) as u32;
        let part_type = if bits == 32 { ScalarType::B32 } else { ScalarType::B16 };
        let mut values = Vec::new();
        for part in parts {
            values.push(self.value_of(part, part_type)?);
        }
        let d = self.dest_of(target, ty)?;
        let def = self.def(d);
        match (class_of(ty.bits()), &values[..]) {
            (Class::Wide, [a, b]) => {
                self.emit_body::<Binary<moves::Join64>>(&[def, Arg::Use(*a), Arg::Use(*b)], 0);
            }
            (Class::Wide, [a, b, c, e]) => {
                let (low, high) = (self.join16(*a, *b), self.join16(*c, *e));
                self.emit_body::<Binary<moves::Join64>>(&[def, Arg::Use(low), Arg::Use(high)], 0);
            }
            (Class::Narrow, [a, b]) if bits == 16 => {
                self.emit_body::<Binary<moves::Join32>>(&[def, Arg::Use(*a), Arg::Use(*b)], 0);
            }
            (Class::Narrow, [a, b]) => self.emit_lanes(|a, b, _| a & 0xff | (b & 0xff) << 8, d, &[*a, *b]),
            (Class::Narrow, [a, b, c, e]) => {
                let low = self.temp(Class::Narrow);
                self.emit_lanes(|a, b, _| a & 0xff | (b & 0xff) << 8, low, &[*a, *b]);
                self.emit_lanes(|low, c, e| low | (c & 0xff) << 16 | (e & 0xff) << 24, d, &[low, *c, *e]);
            }
            _ => return self.unsupported(),
        }
        Ok(())
    }

    fn join16(&mut self, a: Value, b: Value) -> Value {
        let d = self.temp(Class::Narrow);
        self.emit_body::<Binary<moves::Join32>>(&[Arg::Def(d), Arg::Use(a), Arg::Use(b)], 0);
        d
    }

    /// What to add to an address of `space` to make it generic.
    fn window(&self, space: Option<Space>) -> u64 {
        match space {
            Some(Space::Shared) => window::SHARED,
            Some(Space::Local) => window::LOCAL,
            Some(Space::Param) if self.home.is_kernel() => window::PARAM,
            Some(Space::Param) => window::LOCAL,
            _ => 0,
        }
    }

    fn cvta(&mut self) -> Result<()> {
        let ty = self.ty()?;
        if ty.bits() == 32 {
            return self.error("cvta of 32-bit addresses: generic addresses have 64 bits");
        }
        let a = self.source(1, ty)?;
        let d = self.dest(0, ty)?;
        let offset = self.window(self.inst.mods.space);
        if offset == 0 {
            self.write(d, a);
            return Ok(());
        }
        let by = if self.inst.mods.to { offset.wrapping_neg() } else { offset };
        match self.values.constant(a) {
            Some(address) => {
                let sum = self.constant(true, address.wrapping_add(by));
                self.write(d, sum);
            }
            None => {
                let by = self.constant(true, by);
                let args = [self.def(d), Arg::Use(a), Arg::Use(by)];
                self.emit_body::<Binary<int::Add64>>(&args, 0);
            }
        }
        Ok(())
    }

    fn isspacep(&mut self) -> Result<()> {
        let a = self.source(1, ScalarType::U64)?;
        let p = self.dest(0, ScalarType::Pred)?;
        let f: crate::ops::scalar::LaneFn = match self.inst.mods.space {
            Some(Space::Global) => |a, _, _| u64::from(window::tag(a) == 0),
            Some(Space::Shared) => |a, _, _| u64::from(window::tag(a) == window::SHARED_TAG),
            Some(Space::Local) => |a, _, _| u64::from(window::tag(a) == window::LOCAL_TAG),
            Some(Space::Param) => |a, _, _| u64::from(window::tag(a) == window::PARAM_TAG),
            // Constants lie in global memory and are told from it by nobody.
            _ => |_, _, _| 0,
        };
        self.emit_lanes(f, p, &[a]);
        Ok(())
    }
}
