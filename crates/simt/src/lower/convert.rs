//! `cvt` and `cvt.pack`.

use super::builder::{Builder, Result};
use super::proto::{Arg, Class, Extra, Value};
use crate::num::Round;
use crate::num::cvt::{self, Cvt, Type};
use crate::ops::convert::{self, Widen};
use crate::ops::map::Binary;
use crate::ops::{moves, scalar};
use cleave_ptx::ir::{Opcode, Rounding, ScalarType};

impl Builder<'_> {
    pub fn conversion(&mut self) -> Result<()> {
        if self.inst.opcode == Opcode::CvtPack {
            return self.cvt_pack();
        }
        let &[to, from] = &self.inst.types[..] else { return self.unsupported() };
        if to.lanes() == 2 {
            return self.cvt_pair(to, from);
        }
        let Some(cvt) = self.cvt_of(to, from) else { return self.unsupported() };
        let a = self.source_any(1, from)?;
        let d = self.dest(0, to)?;
        self.convert(d, a, &cvt);
        Ok(())
    }

    /// Operand `k`, in whatever row its register has: the conversion takes the low bits.
    fn source_any(&mut self, k: usize, ty: ScalarType) -> Result<Value> {
        match self.operand(k)? {
            cleave_ptx::ir::Operand::Reg(reg) => Ok(self.register(*reg)),
            other => self.value_of(other, ty),
        }
    }

    fn cvt_of(&self, to: ScalarType, from: ScalarType) -> Option<Cvt> {
        let m = &self.inst.mods;
        let round = match m.rounding {
            None | Some(Rounding::Rn | Rounding::Rni) => Round::Nearest,
            Some(Rounding::Rz | Rounding::Rzi) => Round::Zero,
            Some(Rounding::Rm | Rounding::Rmi) => Round::Down,
            Some(Rounding::Rp | Rounding::Rpi) => Round::Up,
            Some(Rounding::Rna) => Round::NearestAway,
        };
        let whole = matches!(m.rounding, Some(Rounding::Rni | Rounding::Rzi | Rounding::Rmi | Rounding::Rpi));
        Some(Cvt {
            from: number_type(from)?,
            to: number_type(to)?,
            round,
            integral: whole && from.is_float() && to.is_float(),
            ftz: m.ftz,
            sat: m.sat,
            satfinite: m.satfinite,
            relu: m.relu,
        })
    }

    /// `d = cvt(a)` between registers of any width.
    fn convert(&mut self, d: Value, a: Value, cvt: &Cvt) {
        if let (Some(_), Some(_), false) = (cvt.from.range(), cvt.to.range(), cvt.sat) {
            return self.resize(d, a, cvt);
        }
        let fits =
            |value: Value, bits: u32, b: &Builder<'_>| (b.values.class(value) == Class::Wide) == (bits == 64);
        if fits(d, cvt.to.bits(), self)
            && fits(a, cvt.from.bits(), self)
            && let Some(run) = convert::find(self.isa, cvt)
        {
            let args = [self.def(d), Arg::Use(a)];
            self.emit(run, &args, 0);
            return;
        }
        let wide = u32::from(self.values.class(d) == Class::Wide)
            | u32::from(self.values.class(a) == Class::Wide) << 1;
        let raw = Arg::Raw(0);
        let args = [self.def(d), Arg::Use(a), raw, raw, raw, Arg::Raw(wide)];
        self.emit_plain(scalar::convert, &args, 0).extra = Extra::Cvt(*cvt);
    }

    /// Integer to integer without saturation: a wider type extends by the sign of the source, the register then by the sign of the result.
    fn resize(&mut self, d: Value, a: Value, cvt: &Cvt) {
        let signed = |ty: Type| ty.range().is_some_and(|(low, _)| low < 0);
        let wide = self.values.class(d) == Class::Wide;
        if cvt.from.bits() >= cvt.to.bits() {
            return self.extend_bits(d, a, cvt.to.bits(), signed(cvt.to));
        }
        let register = if wide { 64 } else { 32 };
        if signed(cvt.from) == signed(cvt.to) || cvt.to.bits() == register {
            return self.extend_bits(d, a, cvt.from.bits(), signed(cvt.from));
        }
        let whole = self.temp(Class::Narrow);
        self.extend_bits(whole, a, cvt.from.bits(), signed(cvt.from));
        self.extend_bits(d, whole, cvt.to.bits(), signed(cvt.to));
    }

    /// `d` = the low `bits` of `a`, extended to the whole row.
    pub fn extend_bits(&mut self, d: Value, a: Value, bits: u32, signed: bool) {
        if bits == 64 {
            return self.write(d, a);
        }
        let low = self.fit(a, Class::Narrow);
        let to_wide = self.values.class(d) == Class::Wide;
        let steps = convert::widen(self.isa, &Widen { from_bits: bits, signed, to_wide });
        let mut value = low;
        for (k, step) in steps.into_iter().enumerate() {
            let Some(run) = step else { continue };
            let last = k == 1 || !to_wide;
            let to = if last { d } else { self.temp(Class::Narrow) };
            let args = [self.def(to), Arg::Use(value)];
            self.emit(run, &args, 0);
            value = to;
        }
        if value == low {
            self.write(d, value);
        }
    }

    /// `cvt.rn.f16x2.f32 d, a, b` and the fp8 pairs: `a` goes to the upper half.
    fn cvt_pair(&mut self, to: ScalarType, from: ScalarType) -> Result<()> {
        let element = |ty: ScalarType| match ty {
            ScalarType::F16x2 => ScalarType::F16,
            ScalarType::Bf16x2 => ScalarType::Bf16,
            ScalarType::E4m3x2 => ScalarType::E4m3,
            ScalarType::E5m2x2 => ScalarType::E5m2,
            other => other,
        };
        let Some(cvt) = self.cvt_of(element(to), element(from)) else { return self.unsupported() };
        let (low, high) = match from.lanes() {
            2 => {
                let pair = self.source(1, from)?;
                let shift = from.bits() / 2;
                let high = self.temp(Class::Narrow);
                let by = self.constant(false, shift.into());
                self.emit_lanes(|a, by, _| a >> by, high, &[pair, by]);
                (pair, high)
            }
            _ => (self.source(2, from)?, self.source(1, from)?),
        };
        let (first, second) = (self.temp(Class::Narrow), self.temp(Class::Narrow));
        self.convert(first, low, &cvt);
        self.convert(second, high, &cvt);
        let d = self.dest(0, to)?;
        if to.bits() == 32 {
            let args = [self.def(d), Arg::Use(first), Arg::Use(second)];
            self.emit_body::<Binary<moves::Join32>>(&args, 0);
        } else {
            self.emit_lanes(|a, b, _| a & 0xff | (b & 0xff) << 8, d, &[first, second]);
        }
        Ok(())
    }

    fn cvt_pack(&mut self) -> Result<()> {
        macro_rules! pack {
            ($width:literal, $signed:literal) => {
                |a, b, c| cvt::pack(a as i32, b as i32, c as u32, $width, $signed).into()
            };
        }
        let f: crate::ops::scalar::LaneFn = match self.ty()? {
            ScalarType::U16 => pack!(16, false),
            ScalarType::S16 => pack!(16, true),
            ScalarType::U8 => pack!(8, false),
            ScalarType::S8 => pack!(8, true),
            ScalarType::U4 => pack!(4, false),
            ScalarType::S4 => pack!(4, true),
            _ => return self.unsupported(),
        };
        let mut operands = Vec::new();
        for k in 1..self.inst.operands.len() {
            operands.push(self.source(k, ScalarType::B32)?);
        }
        let d = self.dest(0, ScalarType::B32)?;
        if operands.len() == 2 {
            operands.push(self.constant(false, 0));
        }
        self.emit_lanes(f, d, &operands);
        Ok(())
    }
}

fn number_type(ty: ScalarType) -> Option<Type> {
    Some(match ty {
        ScalarType::U8 => Type::U8,
        ScalarType::U16 => Type::U16,
        ScalarType::U32 => Type::U32,
        ScalarType::U64 => Type::U64,
        ScalarType::S8 => Type::S8,
        ScalarType::S16 => Type::S16,
        ScalarType::S32 => Type::S32,
        ScalarType::S64 => Type::S64,
        ScalarType::F16 => Type::F16,
        ScalarType::Bf16 => Type::BF16,
        ScalarType::Tf32 => Type::TF32,
        ScalarType::F32 => Type::F32,
        ScalarType::F64 => Type::F64,
        ScalarType::E4m3 => Type::E4M3,
        ScalarType::E5m2 => Type::E5M2,
        _ => return None,
    })
}
