//! `cp.async`, `mbarrier`, and the thread's stack.

use super::builder::{Builder, Result};
use super::proto::{Arg, Class, Value};
use crate::ops::{async_copy, moves, stack};
use crate::window;
use cleave_ptx::ir::{Opcode, Operand, ScalarType, Space};

impl Builder<'_> {
    pub fn async_copy(&mut self) -> Result<()> {
        use Opcode::*;
        match self.inst.opcode {
            CpAsync => self.copy_async(),
            MbarrierInit => self.mbarrier(async_copy::INIT, 0, Some(1), None),
            MbarrierInval => self.mbarrier(async_copy::INVALIDATE, 0, None, None),
            MbarrierArrive => self.mbarrier(async_copy::ARRIVE, 1, Some(2), Some(ScalarType::B64)),
            MbarrierArriveDrop => self.mbarrier(async_copy::DROP, 1, Some(2), Some(ScalarType::B64)),
            MbarrierTestWait | MbarrierTryWait => {
                let how = if self.inst.mods.parity { async_copy::TEST_PARITY } else { async_copy::TEST };
                self.mbarrier(how, 1, Some(2), Some(ScalarType::Pred))
            }
            MbarrierPendingCount => {
                let token = self.source(1, ScalarType::B64)?;
                let d = self.dest(0, ScalarType::U32)?;
                self.emit_lanes(async_copy::pending_count, d, &[token]);
                Ok(())
            }
            // All copies are done; without `.noinc` the arrival was not expected and counts for nothing.
            CpAsyncMbarrierArrive if self.inst.mods.noinc => self.mbarrier(async_copy::ARRIVE, 0, None, None),
            _ => Ok(()),
        }
    }

    /// A row of generic addresses.
    fn generic_address(&mut self, k: usize, space: Option<Space>) -> Result<Value> {
        let Operand::Address(address) = self.operand(k)? else { return self.unsupported() };
        let target = self.target(address, space)?;
        let row = self.fit(target.row, Class::Wide);
        let window = if space == Some(Space::Shared) { window::SHARED } else { 0 };
        Ok(self.plus(row, target.offset.wrapping_add(window)))
    }

    /// `a + by` of a 64-bit row.
    fn plus(&mut self, a: Value, by: u64) -> Value {
        if by == 0 {
            return a;
        }
        if let Some(bits) = self.values.constant(a) {
            return self.constant(true, bits.wrapping_add(by));
        }
        let by = self.constant(true, by);
        let d = self.temp(Class::Wide);
        let args = [Arg::Def(d), Arg::Use(a), Arg::Use(by)];
        self.emit_body::<crate::ops::map::Binary<crate::ops::int::Add64>>(&args, 0);
        d
    }

    fn copy_async(&mut self) -> Result<()> {
        let (to, from) =
            (self.generic_address(0, Some(Space::Shared))?, self.generic_address(1, Some(Space::Global))?);
        let Operand::Imm(size) = self.operand(2)? else { return self.unsupported() };
        let size = size.bits(ScalarType::U32);
        if !matches!(size, 4 | 8 | 16) {
            return self.error("cp.async moves 4, 8 or 16 bytes");
        }
        let all = self.constant(false, size);
        let wanted = match self.inst.operands.get(3) {
            Some(Operand::Reg(reg)) if self.reg_type(*reg) == ScalarType::Pred => {
                let (ignore, none) = (self.register(*reg), self.constant(false, 0));
                let wanted = self.temp(Class::Narrow);
                self.select(wanted, none, all, ignore);
                wanted
            }
            // A 64-bit register is a cache policy.
            Some(Operand::Reg(reg)) if self.reg_type(*reg).bits() == 64 => all,
            Some(other) => self.value_of(other, ScalarType::U32)?,
            None => all,
        };
        self.cost.global(size as u32);
        self.cost.shared(size as u32);
        let site = Arg::Raw(self.site(to));
        let raw = Arg::Raw(0);
        let args = [raw, Arg::Use(to), Arg::Use(from), Arg::Use(wanted), raw, site];
        self.emit_plain(async_copy::copy, &args, size);
        Ok(())
    }

    /// Operation `how` on the barrier of operand `at`, with a count, token or parity in operand `with` and a result of type `result` in operand 0.
    fn mbarrier(
        &mut self,
        how: u64,
        at: usize,
        with: Option<usize>,
        result: Option<ScalarType>,
    ) -> Result<()> {
        let address = self.generic_address(at, self.inst.mods.space)?;
        let given = with.filter(|k| *k < self.inst.operands.len());
        let operand = match given {
            Some(k) if how == async_copy::TEST => self.source(k, ScalarType::B64)?,
            Some(k) => self.source(k, ScalarType::U32)?,
            None => self.constant(false, 1),
        };
        let d = match result {
            Some(ty) => self.dest(0, ty)?,
            None => self.temp(Class::Wide),
        };
        let site = Arg::Raw(self.site(address));
        let raw = Arg::Raw(0);
        let args = [self.def(d), Arg::Use(operand), raw, raw, Arg::Use(address), site];
        self.emit_plain(async_copy::barrier, &args, how).waits = true;
        Ok(())
    }

    /// `alloca`, `stacksave`, `stackrestore`.
    pub fn stack(&mut self) -> Result<()> {
        let ty = self.ty()?;
        match self.inst.opcode {
            Opcode::Alloca => {
                let size = self.source(1, ty)?;
                let size = self.fit(size, Class::Wide);
                let align = match self.inst.operands.get(2) {
                    Some(Operand::Imm(align)) => align.bits(ScalarType::U32),
                    _ => 8,
                };
                let at = self.temp(Class::Wide);
                self.emit_plain(stack::allocate, &[Arg::Def(at), Arg::Use(size)], align);
                let d = self.dest(0, ty)?;
                self.write(d, at);
            }
            Opcode::Stacksave => {
                let at = self.temp(Class::Wide);
                self.emit_plain(stack::save, &[Arg::Def(at)], 0);
                let d = self.dest(0, ty)?;
                self.write(d, at);
            }
            _ => {
                let at = self.source(0, ty)?;
                let at = self.fit(at, Class::Wide);
                self.emit_plain(stack::restore, &[Arg::Use(at)], 0);
            }
        }
        Ok(())
    }

    /// Cache policies are hints: any value will do.
    pub fn cache_policy(&mut self) -> Result<()> {
        let d = self.dest(0, ScalarType::B64)?;
        let zero = self.constant(true, 0);
        let args = [self.def(d), Arg::Use(zero)];
        self.emit_body::<crate::ops::map::Unary<moves::Mov64>>(&args, 0);
        Ok(())
    }
}
