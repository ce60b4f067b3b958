//! Arithmetic and logic: the vector form where there is one, lane by lane otherwise.

use super::builder::{Builder, Result, class_of};
use super::proto::{Arg, Class, Shape, Value};
use super::scalar;
use crate::isa_unsafe::select;
use crate::op::Run;
use crate::ops::convert::{S16ToS32, U16ToU32};
use crate::ops::map::{Ternary, Unary};
use crate::ops::{carry, float, int};
use cleave_ptx::ir::{Direction, Half, Opcode, Operand, Overflow, Rounding, ScalarType};

impl Builder<'_> {
    pub fn arithmetic(&mut self) -> Result<()> {
        let (opcode, mods) = (self.inst.opcode, self.inst.mods);
        let ty = self.ty()?;
        if mods.cc || matches!(opcode, Opcode::Addc | Opcode::Subc | Opcode::Madc) {
            return self.carry_chain(ty);
        }
        if ty == ScalarType::Pred {
            return self.predicate_logic();
        }
        if opcode == Opcode::Lop3 {
            return self.lop3();
        }
        if let Some(run) = self.vector_form(ty) {
            return self.lane_wise(run, ty);
        }
        if ty.bits() == 16 && !ty.is_float() && self.as_32_bits(ty)? {
            return Ok(());
        }
        let Some(f) = scalar::find(self.inst) else { return self.unsupported() };
        let d = self.dest(0, self.operand_type(0, ty))?;
        let mut operands = Vec::new();
        for k in 1..self.inst.operands.len().min(4) {
            operands.push(self.source(k, self.operand_type(k, ty))?);
        }
        if opcode == Opcode::Bfi {
            return self.bfi(d, &operands, ty);
        }
        self.emit_lanes(f, d, &operands);
        Ok(())
    }

    fn vector_form(&self, ty: ScalarType) -> Option<Run> {
        let (opcode, mods) = (self.inst.opcode, &self.inst.mods);
        if ty.is_float() {
            let nearest = matches!(mods.rounding, None | Some(Rounding::Rn));
            let plain = mods.accuracy.is_none() && !mods.nan && !mods.xorsign_abs && !mods.abs && !mods.relu;
            let two = !matches!(opcode, Opcode::Min | Opcode::Max) || self.inst.operands.len() == 3;
            return (nearest && plain && two)
                .then(|| float::find(self.isa, opcode, ty, mods.ftz, mods.sat))?;
        }
        if mods.sat || mods.relu {
            return None;
        }
        match (opcode, mods.direction, mods.overflow) {
            (Opcode::Shf, Some(Direction::Left), Some(Overflow::Wrap)) => {
                Some(select::<Ternary<int::ShfLWrap>>(self.isa))
            }
            (Opcode::Shf, Some(Direction::Left), Some(Overflow::Clamp)) => {
                Some(select::<Ternary<int::ShfLClamp>>(self.isa))
            }
            (Opcode::Shf, Some(Direction::Right), Some(Overflow::Wrap)) => {
                Some(select::<Ternary<int::ShfRWrap>>(self.isa))
            }
            (Opcode::Shf, Some(Direction::Right), Some(Overflow::Clamp)) => {
                Some(select::<Ternary<int::ShfRClamp>>(self.isa))
            }
            (Opcode::Prmt, ..) if mods.permute.is_none() => Some(select::<Ternary<int::Prmt>>(self.isa)),
            _ => int::find(self.isa, opcode, ty, mods.half),
        }
    }

    /// `d = run(a, b, c)`.
    fn lane_wise(&mut self, run: Run, ty: ScalarType) -> Result<()> {
        let mut args = vec![Arg::Raw(0)];
        for k in 1..self.inst.operands.len() {
            args.push(Arg::Use(self.source(k, self.operand_type(k, ty))?));
        }
        let d = self.dest(0, self.operand_type(0, ty))?;
        args[0] = self.def(d);
        let plain = ty == ScalarType::F32 && !self.inst.mods.ftz && !self.inst.mods.sat;
        let shape = match self.inst.opcode {
            Opcode::Fma | Opcode::Mad if plain => Shape::Fma,
            Opcode::Mul if plain => Shape::Mul,
            Opcode::Add if plain => Shape::Add,
            _ => Shape::Other,
        };
        self.emit(run, &args, 0).shape = shape;
        Ok(())
    }

    /// 16-bit integers as 32-bit ones: the upper half of a 16-bit register is not defined, so operands are extended first.
    fn as_32_bits(&mut self, ty: ScalarType) -> Result<bool> {
        let wide = if ty.is_signed() { ScalarType::S32 } else { ScalarType::U32 };
        let opcode = self.inst.opcode;
        let half = match (opcode, self.inst.mods.half) {
            (Opcode::Mul | Opcode::Mad, Some(Half::Hi)) => return Ok(false),
            (Opcode::Mul | Opcode::Mad, _) => Some(Half::Lo),
            (_, half) => half,
        };
        if matches!(opcode, Opcode::Popc | Opcode::Clz | Opcode::Brev | Opcode::Bfe) || self.inst.mods.sat {
            return Ok(false);
        }
        let Some(run) = int::find(self.isa, opcode, wide, half) else { return Ok(false) };
        let mut args = vec![Arg::Raw(0)];
        for k in 1..self.inst.operands.len() {
            let of = self.operand_type(k, ty);
            let value = self.source(k, of)?;
            args.push(Arg::Use(if of.bits() == 16 { self.extended(value, ty.is_signed()) } else { value }));
        }
        let d = self.dest(0, self.operand_type(0, ty))?;
        args[0] = self.def(d);
        self.emit(run, &args, 0);
        Ok(true)
    }

    /// A 16-bit value in 32 bits.
    pub fn extended(&mut self, value: Value, signed: bool) -> Value {
        if let Some(bits) = self.values.constant(value) {
            let bits = if signed { i64::from(bits as i16) as u64 } else { bits & 0xffff };
            return self.constant(false, bits);
        }
        let d = self.temp(Class::Narrow);
        let args = [Arg::Def(d), Arg::Use(value)];
        match signed {
            true => self.emit_body::<Unary<S16ToS32>>(&args, 0),
            false => self.emit_body::<Unary<U16ToU32>>(&args, 0),
        };
        d
    }

    /// The type of operand `k` of an instruction whose first type is `ty`.
    fn operand_type(&self, k: usize, ty: ScalarType) -> ScalarType {
        use Opcode::*;
        let wide = |ty: ScalarType| match (ty.bits(), ty.is_signed()) {
            (16, false) => ScalarType::U32,
            (16, true) => ScalarType::S32,
            (_, false) => ScalarType::U64,
            (_, true) => ScalarType::S64,
        };
        match (self.inst.opcode, k) {
            (Shl | Shr | Szext | Bmsk, 2)
            | (Bfe, 2 | 3)
            | (Bfi, 3 | 4)
            | (Popc | Clz | Bfind, 0)
            | (Shf | Fns, 3) => ScalarType::U32,
            (Mul, 0) | (Mad, 0 | 3) if self.inst.mods.half == Some(Half::Wide) => wide(ty),
            _ => ty,
        }
    }

    /// `and`, `or`, `xor`, `not` of predicates.
    fn predicate_logic(&mut self) -> Result<()> {
        let a = self.predicate(1)?;
        let (table, b) = match self.inst.opcode {
            Opcode::And => (0b1000, self.predicate(2)?),
            Opcode::Or => (0b1110, self.predicate(2)?),
            Opcode::Xor => (0b0110, self.predicate(2)?),
            Opcode::Not => (0b0011, a),
            _ => return self.unsupported(),
        };
        let d = self.dest(0, ScalarType::Pred)?;
        self.logic(table, self.def(d), a, b);
        Ok(())
    }

    /// Chains through the carry flag: two to three operands, the flag read by the `…c` opcodes and written with `.cc`.
    fn carry_chain(&mut self, ty: ScalarType) -> Result<()> {
        use Opcode::*;
        let (opcode, mods) = (self.inst.opcode, self.inst.mods);
        let mut args = vec![Arg::Raw(0)];
        for k in 1..self.inst.operands.len() {
            args.push(Arg::Use(self.source(k, ty)?));
        }
        let d = self.dest(0, ty)?;
        args[0] = self.def(d);
        let wide = ty.bits() == 64;
        let kind = match (opcode, mods.half) {
            (Add | Addc, _) => carry::ADD,
            (Sub | Subc, _) => carry::SUBTRACT,
            (Mad | Madc, Some(Half::Hi)) if ty.is_signed() => carry::MAD_HI_SIGNED,
            (Mad | Madc, Some(Half::Hi)) => carry::MAD_HI,
            (Mad | Madc, _) => carry::MAD_LO,
            _ => return self.unsupported(),
        };
        let reads = matches!(opcode, Addc | Subc | Madc);
        let flag = |set: bool, bit: u64| if set { bit } else { 0 };
        let imm = kind | flag(reads, carry::READS) | flag(mods.cc, carry::WRITES);
        if wide {
            self.emit_plain(carry::chain::<u64>, &args, imm);
        } else {
            self.emit_plain(carry::chain::<u32>, &args, imm);
        }
        Ok(())
    }

    /// `lop3`: the table is a constant; the form with a predicate also tests the result.
    fn lop3(&mut self) -> Result<()> {
        let Operand::Imm(lut) = self.operand(4)? else { return self.unsupported() };
        let lut = lut.bits(ScalarType::B32) & 0xff;
        let mut args = vec![Arg::Raw(0)];
        for k in 1..4 {
            args.push(Arg::Use(self.source(k, ScalarType::B32)?));
        }
        let Operand::Pair(pair) = self.operand(0)? else {
            let d = self.dest(0, ScalarType::B32)?;
            args[0] = self.def(d);
            self.emit_body::<int::Lop3>(&args, lut);
            return Ok(());
        };
        let d = self.dest_of(&pair[0], ScalarType::B32)?;
        args[0] = self.def(d);
        self.emit_body::<int::Lop3>(&args, lut);
        let q = self.predicate(5)?;
        let nonzero = self.temp(Class::Pred);
        self.emit_lanes(|a, _, _| u64::from(a != 0), nonzero, &[d]);
        let p = self.dest_of(&pair[1], ScalarType::Pred)?;
        let table = super::compare::table(self.inst.mods.bool_op);
        self.logic(table, self.def(p), nonzero, q);
        Ok(())
    }

    /// `bfi` has four operands: position and length travel as one.
    fn bfi(&mut self, d: Value, operands: &[Value], ty: ScalarType) -> Result<()> {
        let len = self.source(4, ScalarType::U32)?;
        let field = self.temp(Class::Wide);
        let [a, b, pos] = operands else { return self.unsupported() };
        self.emit_lanes(|pos, len, _| u64::from(pos as u32) | len << 32, field, &[*pos, len]);
        let f: crate::ops::scalar::LaneFn = match class_of(ty.bits()) {
            Class::Wide => |a, b, f| crate::num::int::bfi64(a, b, f as u32, (f >> 32) as u32),
            _ => |a, b, f| crate::num::int::bfi32(a as u32, b as u32, f as u32, (f >> 32) as u32).into(),
        };
        self.emit_lanes(f, d, &[*a, *b, field]);
        Ok(())
    }
}
