//! Comparisons and selections: `setp`, `set`, `selp`, `slct`, `testp`.

use super::builder::{Builder, Result};
use super::proto::{Arg, Class, Value};
use super::scalar;
use crate::ops::compare;
use crate::ops::moves::Select;
use cleave_ptx::ir::{BoolOp, Cmp, Opcode, Operand, ScalarType};

/// The truth table of a combination (bit `2a + b`).
pub fn table(op: Option<BoolOp>) -> u64 {
    match op {
        Some(BoolOp::And) => 0b1000,
        Some(BoolOp::Or) => 0b1110,
        Some(BoolOp::Xor) => 0b0110,
        None => 0b1100,
    }
}

impl Builder<'_> {
    pub fn comparison(&mut self) -> Result<()> {
        match self.inst.opcode {
            Opcode::Setp => self.setp(),
            Opcode::Set => self.set(),
            Opcode::Selp => {
                let ty = self.ty()?;
                let (a, b, p) = (self.source(1, ty)?, self.source(2, ty)?, self.predicate(3)?);
                let d = self.dest(0, ty)?;
                self.select(d, a, b, p);
                Ok(())
            }
            Opcode::Slct => self.slct(),
            _ => {
                let ty = self.ty()?;
                let Some(f) = scalar::find(self.inst) else { return self.unsupported() };
                let a = self.source(1, ty)?;
                let d = self.dest(0, ScalarType::Pred)?;
                self.emit_lanes(f, d, &[a]);
                Ok(())
            }
        }
    }

    /// `d = p ? a : b`.
    pub fn select(&mut self, d: Value, a: Value, b: Value, p: Value) {
        let args = [self.def(d), Arg::Use(a), Arg::Use(b), Arg::Use(p)];
        match self.values.class(d) {
            Class::Wide => self.emit_body::<Select<u64>>(&args, 0),
            _ => self.emit_body::<Select<u32>>(&args, 0),
        };
    }

    /// Emits `answer = a cmp b`, the comparison of the current instruction, negated if wanted.
    fn compare(&mut self, answer: Arg, a: Value, b: Value, ty: ScalarType, negate: bool) -> Result<()> {
        let Some(cmp) = self.inst.mods.cmp else { return self.unsupported() };
        let (a, b) = match self.inst.mods.ftz && ty == ScalarType::F32 {
            true => (self.flushed(a), self.flushed(b)),
            false => (a, b),
        };
        if let Some(question) = compare::find(self.isa, cmp, ty) {
            let (a, b) = if question.swapped { (b, a) } else { (a, b) };
            let flip = if question.negated != negate { u64::from(u32::MAX) } else { 0 };
            self.emit(question.run, &[answer, Arg::Use(a), Arg::Use(b)], flip);
            return Ok(());
        }
        if ty.bits() == 16 && !ty.is_float() {
            let signed = ty.is_signed() && !matches!(cmp, Cmp::Lo | Cmp::Ls | Cmp::Hi | Cmp::Hs);
            let (a, b) = (self.extended(a, signed), self.extended(b, signed));
            let wide = if signed { ScalarType::S32 } else { ScalarType::U32 };
            return self.compare(answer, a, b, wide, negate);
        }
        let Some(f) = scalar::compare_half(cmp, ty, self.inst.mods.ftz) else { return self.unsupported() };
        let plain = self.temp(Class::Pred);
        self.emit_lanes(f, plain, &[a, b]);
        self.logic(if negate { 0b0011 } else { 0b1100 }, answer, plain, plain);
        Ok(())
    }

    fn flushed(&mut self, value: Value) -> Value {
        let d = self.temp(Class::Narrow);
        self.emit_lanes(
            |a, _, _| crate::num::float::ftz(f32::from_bits(a as u32)).to_bits().into(),
            d,
            &[value],
        );
        d
    }

    fn setp(&mut self) -> Result<()> {
        let ty = self.ty()?;
        let (a, b) = (self.source(1, ty)?, self.source(2, ty)?);
        if ty.lanes() == 2 {
            return self.setp_packed(a, b, ty);
        }
        let (p, q) = match self.operand(0)? {
            Operand::Pair(pair) => {
                (self.dest_of(&pair[0], ScalarType::Pred)?, Some(self.dest_of(&pair[1], ScalarType::Pred)?))
            }
            other => (self.dest_of(other, ScalarType::Pred)?, None),
        };
        let c = if self.inst.operands.len() > 3 { Some(self.predicate(3)?) } else { None };
        if q.is_none() && c.is_none() {
            let answer = self.def(p);
            return self.compare(answer, a, b, ty, false);
        }
        let answer = self.temp(Class::Pred);
        self.compare(Arg::Def(answer), a, b, ty, false)?;
        let opposite = self.not(answer);
        // Both are computed before either is written: `c` may be one of them.
        let combine = table(self.inst.mods.bool_op);
        let first = self.temp(Class::Pred);
        self.logic(combine, Arg::Def(first), answer, c.unwrap_or(answer));
        if let Some(q) = q {
            self.logic(combine, self.def(q), opposite, c.unwrap_or(opposite));
        }
        self.logic(0b1100, self.def(p), first, first);
        Ok(())
    }

    /// `setp.f16x2`: one predicate for each half.
    fn setp_packed(&mut self, a: Value, b: Value, ty: ScalarType) -> Result<()> {
        let element = match ty {
            ScalarType::F16x2 => ScalarType::F16,
            ScalarType::Bf16x2 => ScalarType::Bf16,
            _ => return self.unsupported(),
        };
        let (Some(cmp), ftz) = (self.inst.mods.cmp, self.inst.mods.ftz) else { return self.unsupported() };
        let Some(f) = scalar::compare_half(cmp, element, ftz) else { return self.unsupported() };
        let Operand::Pair(pair) = self.operand(0)? else { return self.unsupported() };
        let c = if self.inst.operands.len() > 3 { Some(self.predicate(3)?) } else { None };
        let combine = table(self.inst.mods.bool_op);
        let low = self.temp(Class::Pred);
        self.emit_lanes(f, low, &[a, b]);
        let (a, b) = (self.upper_half(a), self.upper_half(b));
        let high = self.temp(Class::Pred);
        self.emit_lanes(f, high, &[a, b]);
        let (p, q) = (self.dest_of(&pair[0], ScalarType::Pred)?, self.dest_of(&pair[1], ScalarType::Pred)?);
        let first = self.temp(Class::Pred);
        self.logic(combine, Arg::Def(first), low, c.unwrap_or(low));
        self.logic(combine, self.def(q), high, c.unwrap_or(high));
        self.logic(0b1100, self.def(p), first, first);
        Ok(())
    }

    fn upper_half(&mut self, value: Value) -> Value {
        let d = self.temp(Class::Narrow);
        self.emit_body::<crate::ops::map::Unary<crate::ops::moves::High16>>(
            &[Arg::Def(d), Arg::Use(value)],
            0,
        );
        d
    }

    /// `set`: the answer as all ones or 1.0.
    fn set(&mut self) -> Result<()> {
        let &[to, from] = &self.inst.types[..] else { return self.unsupported() };
        let (a, b) = (self.source(1, from)?, self.source(2, from)?);
        let c = if self.inst.operands.len() > 3 { Some(self.predicate(3)?) } else { None };
        let combine = table(self.inst.mods.bool_op);
        let d = self.dest(0, to)?;
        if from.lanes() == 2 {
            return self.set_packed(d, a, b, c);
        }
        let answer = self.temp(Class::Pred);
        self.compare(Arg::Def(answer), a, b, from, false)?;
        let combined = self.temp(Class::Pred);
        self.logic(combine, Arg::Def(combined), answer, c.unwrap_or(answer));
        let yes = match to {
            ScalarType::F32 => u64::from(1f32.to_bits()),
            ScalarType::F16 => 0x3c00,
            ScalarType::Bf16 => 0x3f80,
            _ => u64::from(u32::MAX),
        };
        let (yes, no) = (self.constant(false, yes), self.constant(false, 0));
        self.select(d, yes, no, combined);
        Ok(())
    }

    /// `set.f16x2` and its kin: an answer in each half.
    fn set_packed(&mut self, d: Value, a: Value, b: Value, c: Option<Value>) -> Result<()> {
        let &[to, from] = &self.inst.types[..] else { return self.unsupported() };
        let element = if from == ScalarType::F16x2 { ScalarType::F16 } else { ScalarType::Bf16 };
        let (Some(cmp), ftz) = (self.inst.mods.cmp, self.inst.mods.ftz) else { return self.unsupported() };
        let Some(f) = scalar::compare_half(cmp, element, ftz) else { return self.unsupported() };
        let one = match to {
            ScalarType::F16x2 => 0x3c00,
            ScalarType::Bf16x2 => 0x3f80,
            _ => 0xffff,
        };
        let combine = table(self.inst.mods.bool_op);
        let mut halves = Vec::new();
        let uppers = (self.upper_half(a), self.upper_half(b));
        for ((a, b), shift) in [((a, b), 0), (uppers, 16)] {
            let answer = self.temp(Class::Pred);
            self.emit_lanes(f, answer, &[a, b]);
            let combined = self.temp(Class::Pred);
            self.logic(combine, Arg::Def(combined), answer, c.unwrap_or(answer));
            let (yes, no) = (self.constant(false, one << shift), self.constant(false, 0));
            let half = self.temp(Class::Narrow);
            self.select(half, yes, no, combined);
            halves.push(half);
        }
        self.emit_lanes(|a, b, _| a | b, d, &halves);
        Ok(())
    }

    /// `slct`: by the sign of `c`; a NaN counts as negative.
    fn slct(&mut self) -> Result<()> {
        let &[ty, by] = &self.inst.types[..] else { return self.unsupported() };
        let (a, b, c) = (self.source(1, ty)?, self.source(2, ty)?, self.source(3, by)?);
        let p = self.temp(Class::Pred);
        let f: crate::ops::scalar::LaneFn = match (by, self.inst.mods.ftz) {
            (ScalarType::F32, true) => {
                |c, _, _| u64::from(crate::num::float::ftz(f32::from_bits(c as u32)) >= 0.0)
            }
            (ScalarType::F32, false) => |c, _, _| u64::from(f32::from_bits(c as u32) >= 0.0),
            _ => |c, _, _| u64::from(c as i32 >= 0),
        };
        self.emit_lanes(f, p, &[c]);
        let d = self.dest(0, ty)?;
        self.select(d, a, b, p);
        Ok(())
    }
}
