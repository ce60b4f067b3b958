//! Calls: arguments and results in parameter variables or registers.

use super::builder::{Builder, Result, class_of};
use super::proto::{Arg, CallTarget, Class, Extra, Slot, Value};
use super::storage::{Callee, Where};
use crate::builtin::Builtin;
use crate::ops::call;
use cleave_ptx::ir::{Operand, Param, ScalarType, Symbol};

impl Builder<'_> {
    /// Where the function keeps a parameter or a return value of its own.
    pub fn slot_of_param(&mut self, param: &Param, offset: u32) -> Slot {
        match param.reg {
            Some(reg) => Slot::Register(self.register(reg)),
            None => Slot::Local { offset, size: param.size() as u32 },
        }
    }

    pub fn call(&mut self) -> Result<()> {
        let (returns, target, args) = match &self.inst.operands[..] {
            [Operand::Vector(returns), target, Operand::Vector(args), ..] => (returns, target, args),
            _ => return self.error("call: operands are not understood"),
        };
        let target = match target {
            Operand::Symbol(symbol) => match symbol.symbol {
                Symbol::Function(id) => match self.linked.callee(self.home.module, id) {
                    Callee::Function(index) => CallTarget::Function(index),
                    Callee::Builtin(builtin) => return self.call_builtin(builtin, returns, args),
                    Callee::Missing => {
                        let name = &self.linked.modules[self.home.module].functions[id.index()].name;
                        return self.error(format!("call of undefined function {name}"));
                    }
                },
                _ => return self.unsupported(),
            },
            other => CallTarget::Indirect(self.value_of(other, ScalarType::U64)?),
        };
        let args = self.slots(args, false)?;
        let returns = self.slots(returns, true)?;
        self.emit_plain(call::call, &[], 0).extra = Extra::Call { target, args, returns };
        Ok(())
    }

    /// Where the caller has arguments, or wants results.
    fn slots(&mut self, operands: &[Operand], results: bool) -> Result<Vec<Slot>> {
        let mut slots = Vec::new();
        for operand in operands {
            slots.push(match operand {
                Operand::Symbol(symbol) => self.variable_slot(symbol.symbol)?,
                Operand::Reg(reg) => Slot::Register(self.register(*reg)),
                Operand::Sink => Slot::Register(self.temp(Class::Wide)),
                Operand::Imm(imm) if !results => Slot::Register(self.immediate(*imm, ScalarType::B64)),
                _ => return self.unsupported(),
            });
        }
        Ok(slots)
    }

    fn variable_slot(&mut self, symbol: Symbol) -> Result<Slot> {
        let size = match symbol {
            Symbol::Local(id) => self.body.variables.get(id.index()).map(|v| v.size()),
            Symbol::Param(id) => self.home.function.params.get(id.index()).map(|p| p.size()),
            Symbol::Return(id) => self.home.function.returns.get(id.index()).map(|p| p.size()),
            _ => None,
        };
        match (self.home.find(self.linked, symbol), size) {
            (Ok(Where::Frame(offset)), Some(size)) => Ok(Slot::Local { offset, size: size as u32 }),
            _ => self.unsupported(),
        }
    }

    /// An argument or result of a builtin as a register of `bits` bits.
    fn builtin_argument(&mut self, operand: &Operand, ty: ScalarType) -> Result<Value> {
        let Operand::Symbol(symbol) = operand else { return self.value_of(operand, ty) };
        let d = self.temp(class_of(ty.bits()));
        self.frame_access(symbol.symbol, d, ty, false)?;
        Ok(d)
    }

    fn frame_access(&mut self, symbol: Symbol, value: Value, ty: ScalarType, store: bool) -> Result<()> {
        use crate::ops::memory::{self, Place};
        let row = self.symbol_address(cleave_ptx::ir::SymbolRef { symbol, offset: 0 })?;
        let run = match store {
            true => memory::store(self.isa, Place::Local, ty.bytes(), 1),
            false => memory::load(self.isa, Place::Local, ty.bytes(), 1),
        };
        let Some(run) = run else { return self.unsupported() };
        let mut args = [Arg::Raw(0); 6];
        args[0] = if store { Arg::Use(value) } else { self.def(value) };
        args[4] = Arg::Use(row);
        args[5] = Arg::Raw(self.site(row));
        self.emit(run, &args, 0);
        Ok(())
    }

    fn call_builtin(&mut self, builtin: Builtin, returns: &[Operand], args: &[Operand]) -> Result<()> {
        let mut operands = vec![];
        for (operand, ty) in args.iter().zip(builtin.parameters()) {
            operands.push(Arg::Use(self.builtin_argument(operand, *ty)?));
        }
        if operands.len() != builtin.parameters().len() {
            return self.error("call: wrong number of arguments");
        }
        let result = builtin.result();
        let d = self.temp(result.map_or(Class::Narrow, |ty| class_of(ty.bits())));
        let mut rows = vec![Arg::Def(d)];
        rows.append(&mut operands);
        let site = self.site(d) & !crate::ops::address::NARROW;
        let run = builtin.run();
        let mut head = [Arg::Raw(0); 6];
        head[5] = Arg::Raw(site);
        self.emit_plain(run, &head, 0).extra = Extra::Rows(rows);
        match (returns, result) {
            ([Operand::Symbol(symbol)], Some(ty)) => self.frame_access(symbol.symbol, d, ty, true),
            ([Operand::Reg(reg)], Some(_)) => {
                let to = self.register(*reg);
                self.write(to, d);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
