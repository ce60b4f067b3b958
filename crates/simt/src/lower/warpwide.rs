//! `shfl`, `vote`, `match`, `redux`, `bar.warp.sync`, `activemask`, `elect`.

use super::builder::{Builder, Result};
use super::proto::{Arg, Class, Value};
use crate::ops::warpwide;
use cleave_ptx::ir::{AtomicOp, Opcode, Operand, ScalarType, Shuffle, Vote};

impl Builder<'_> {
    pub fn warp_wide(&mut self) -> Result<()> {
        match self.inst.opcode {
            Opcode::Shfl => self.shuffle(),
            Opcode::Vote => self.vote(),
            Opcode::Match => self.match_lanes(),
            Opcode::Redux => self.redux(),
            Opcode::Activemask => {
                let d = self.dest(0, ScalarType::B32)?;
                let args = [self.def(d)];
                self.emit_plain(warpwide::activemask, &args, 0);
                Ok(())
            }
            Opcode::Elect => {
                let mask = self.source(1, ScalarType::B32)?;
                let (d, p) = self.pair(0)?;
                let raw = Arg::Raw(0);
                let args = [self.def(d), self.def(p), raw, raw, Arg::Use(mask)];
                self.emit_plain(warpwide::elect, &args, 0);
                Ok(())
            }
            _ => {
                let mask = self.source(0, ScalarType::B32)?;
                let raw = Arg::Raw(0);
                self.emit_plain(warpwide::sync, &[raw, raw, raw, raw, Arg::Use(mask)], 0);
                Ok(())
            }
        }
    }

    /// Destination and predicate of `d|p`; a fresh predicate if there is none.
    fn pair(&mut self, k: usize) -> Result<(Value, Value)> {
        match self.operand(k)? {
            Operand::Pair(pair) => {
                Ok((self.dest_of(&pair[0], ScalarType::B32)?, self.dest_of(&pair[1], ScalarType::Pred)?))
            }
            other => Ok((self.dest_of(other, ScalarType::B32)?, self.temp(Class::Pred))),
        }
    }

    /// The member mask in operand `k`; without one, the lanes that happen to be here.
    fn members(&mut self, k: usize) -> Result<Value> {
        if self.inst.mods.sync {
            return self.source(k, ScalarType::B32);
        }
        let mask = self.temp(Class::Narrow);
        self.emit_plain(warpwide::activemask, &[Arg::Def(mask)], 0);
        Ok(mask)
    }

    fn shuffle(&mut self) -> Result<()> {
        let Some(mode) = self.inst.mods.shuffle else { return self.unsupported() };
        let mask = self.members(4)?;
        let (a, b, c) = (
            self.source(1, ScalarType::B32)?,
            self.source(2, ScalarType::U32)?,
            self.source(3, ScalarType::U32)?,
        );
        let (d, p) = self.pair(0)?;
        let mode = Shuffle::ALL.iter().position(|s| *s == mode).unwrap_or(0) as u64;
        let args = [self.def(d), self.def(p), Arg::Use(a), Arg::Use(b), Arg::Use(mask), Arg::Use(c)];
        self.emit_plain(warpwide::shuffle, &args, mode | 8);
        Ok(())
    }

    fn vote(&mut self) -> Result<()> {
        let Some(mode) = self.inst.mods.vote else { return self.unsupported() };
        let mask = self.members(2)?;
        let a = self.predicate(1)?;
        let d = self.dest(0, if mode == Vote::Ballot { ScalarType::B32 } else { ScalarType::Pred })?;
        let mode = Vote::ALL.iter().position(|v| *v == mode).unwrap_or(0) as u64;
        let raw = Arg::Raw(0);
        let args = [self.def(d), Arg::Use(a), raw, raw, Arg::Use(mask)];
        self.emit_plain(warpwide::vote, &args, mode);
        Ok(())
    }

    fn match_lanes(&mut self) -> Result<()> {
        let ty = self.ty()?;
        let (a, mask) = (self.source(1, ty)?, self.source(2, ScalarType::B32)?);
        let (d, p) = self.pair(0)?;
        let raw = Arg::Raw(0);
        let wide = u64::from(ty.bits() == 64);
        if self.inst.mods.vote == Some(Vote::Any) {
            let args = [self.def(d), Arg::Use(a), raw, raw, Arg::Use(mask)];
            self.emit_plain(warpwide::match_any, &args, wide);
        } else {
            let args = [self.def(d), Arg::Use(a), self.def(p), raw, Arg::Use(mask)];
            self.emit_plain(warpwide::match_all, &args, wide);
        }
        Ok(())
    }

    fn redux(&mut self) -> Result<()> {
        let (ty, Some(op)) = (self.ty()?, self.inst.mods.op) else { return self.unsupported() };
        let (a, mask) = (self.source(1, ty)?, self.source(2, ScalarType::B32)?);
        let d = self.dest(0, ty)?;
        let op = AtomicOp::ALL.iter().position(|o| *o == op).unwrap_or(0) as u64;
        let raw = Arg::Raw(0);
        let args = [self.def(d), Arg::Use(a), raw, raw, Arg::Use(mask)];
        self.emit_plain(warpwide::reduce, &args, op | u64::from(ty.is_signed()) << 4);
        Ok(())
    }
}
