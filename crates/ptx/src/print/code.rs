//! Bodies: declarations, labels, instructions.

use std::fmt::{self, Display, Formatter, Write};

use super::data::VariableHead;
use crate::forms;
use crate::ir::{
    Address, Base, Body, BranchTargets, CallTargets, Field, Function, Imm, Inst, LabelId, Module, Opcode,
    Operand, RegId, Stmt, Symbol,
};

/// A body and what its ids refer to.
pub(super) struct Code<'a> {
    pub module: &'a Module,
    pub function: &'a Function,
    pub body: &'a Body,
}

impl Display for Code<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{{")?;
        self.write_regs(f)?;
        for variable in &self.body.variables {
            writeln!(f, "\t{};", VariableHead { variable, external: false })?;
        }
        for prototype in &self.body.prototypes {
            writeln!(f, "\t{prototype}")?;
        }
        for CallTargets { name, functions } in &self.body.call_targets {
            let names = functions.iter().map(|id| self.symbol(Symbol::Function(*id)));
            writeln!(f, "\t{name}: .calltargets {};", join(names))?;
        }
        for BranchTargets { name, labels } in &self.body.branch_targets {
            writeln!(f, "\t{name}: .branchtargets {};", join(labels.iter().map(|id| self.label(*id))))?;
        }
        for stmt in &self.body.stmts {
            match stmt {
                Stmt::Label(id) => writeln!(f, "{}:", self.label(*id))?,
                Stmt::Pragma(text) => writeln!(f, "\t.pragma \"{text}\";")?,
                Stmt::Inst(inst) => self.write_inst(f, inst)?,
            }
        }
        writeln!(f, "}}")
    }
}

fn join<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

impl<'a> Code<'a> {
    /// Register declarations, neighbours of one type together. Register parameters are declared in the header.
    fn write_regs(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let in_header: Vec<RegId> =
            self.function.returns.iter().chain(&self.function.params).filter_map(|p| p.reg).collect();
        let regs = self.body.regs.iter().enumerate().filter(|(i, _)| !in_header.contains(&RegId(*i as u32)));
        let regs: Vec<_> = regs.map(|(_, reg)| reg).collect();
        for group in regs.chunk_by(|a, b| a.ty == b.ty).flat_map(|group| group.chunks(16)) {
            writeln!(f, "\t.reg .{} {};", group[0].ty, join(group.iter().map(|reg| &*reg.name)))?;
        }
        Ok(())
    }

    fn reg(&self, id: RegId) -> &'a str {
        self.body.regs.get(id.index()).map_or("?", |reg| &reg.name)
    }

    fn label(&self, id: LabelId) -> &'a str {
        self.body.labels.get(id.index()).map_or("?", |label| &label.name)
    }

    fn symbol(&self, symbol: Symbol) -> &'a str {
        let name = match symbol {
            Symbol::Variable(id) => self.module.variables.get(id.index()).map(|v| &v.name),
            Symbol::Function(id) => self.module.functions.get(id.index()).map(|f| &f.name),
            Symbol::Local(id) => self.body.variables.get(id.index()).map(|v| &v.name),
            Symbol::Param(id) => self.function.params.get(id.index()).map(|p| &p.name),
            Symbol::Return(id) => self.function.returns.get(id.index()).map(|p| &p.name),
        };
        name.map_or("?", |name| name)
    }

    fn write_inst(&self, f: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
        f.write_char('\t')?;
        if let Some(guard) = inst.guard {
            write!(f, "@{}{} ", if guard.negated { "!" } else { "" }, self.reg(guard.reg))?;
        }
        if forms::write_head(f, inst.opcode, &inst.mods, &inst.types).is_err() {
            self.write_formless(f, inst)?;
        }
        if inst.opcode == Opcode::Call {
            self.write_call(f, &inst.operands)?;
        } else {
            for (index, operand) in inst.operands.iter().enumerate() {
                f.write_str(if index == 0 { " " } else { ", " })?;
                self.write_operand(f, operand)?;
            }
        }
        f.write_str(";\n")
    }

    /// An instruction that was put together wrongly: everything it holds, for whoever reads the text.
    fn write_formless(&self, f: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
        write!(f, "{}", inst.opcode)?;
        let mut mods = inst.mods;
        for word in Field::ALL.iter().filter_map(|field| mods.take(*field)) {
            write!(f, ".{word}")?;
        }
        inst.types.iter().try_for_each(|ty| write!(f, ".{ty}"))
    }

    fn write_call(&self, f: &mut Formatter<'_>, operands: &[Operand]) -> fmt::Result {
        f.write_char(' ')?;
        let (first, rest) = match operands {
            [Operand::Vector(returns), target, Operand::Vector(arguments), rest @ ..] => {
                if !returns.is_empty() {
                    self.write_list(f, '(', returns, ')')?;
                    f.write_str(", ")?;
                }
                (Some((target, arguments)), rest)
            }
            _ => (None, operands),
        };
        if let Some((target, arguments)) = first {
            self.write_operand(f, target)?;
            if !arguments.is_empty() || !rest.is_empty() {
                f.write_str(", ")?;
                self.write_list(f, '(', arguments, ')')?;
            }
        }
        for operand in rest {
            f.write_str(", ")?;
            self.write_operand(f, operand)?;
        }
        Ok(())
    }

    fn write_list(
        &self,
        f: &mut Formatter<'_>,
        open: char,
        operands: &[Operand],
        close: char,
    ) -> fmt::Result {
        f.write_char(open)?;
        for (index, operand) in operands.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { ", " })?;
            self.write_operand(f, operand)?;
        }
        f.write_char(close)
    }

    fn write_operand(&self, f: &mut Formatter<'_>, operand: &Operand) -> fmt::Result {
        match operand {
            Operand::Reg(reg) => f.write_str(self.reg(*reg)),
            Operand::Not(reg) => write!(f, "!{}", self.reg(*reg)),
            Operand::Imm(imm) => write!(f, "{imm}"),
            Operand::Special(special) => f.write_str(special.word()),
            Operand::Symbol(symbol) => write!(f, "{}{}", self.symbol(symbol.symbol), Offset(symbol.offset)),
            Operand::Address(address) => self.write_address(f, *address),
            Operand::Vector(parts) => self.write_list(f, '{', parts, '}'),
            Operand::Pair(sides) => {
                self.write_operand(f, &sides[0])?;
                f.write_char('|')?;
                self.write_operand(f, &sides[1])
            }
            Operand::Label(label) => f.write_str(self.label(*label)),
            Operand::Prototype(id) => {
                f.write_str(self.body.prototypes.get(id.index()).map_or("?", |p| &p.name))
            }
            Operand::CallTargets(id) => {
                f.write_str(self.body.call_targets.get(id.index()).map_or("?", |t| &t.name))
            }
            Operand::BranchTargets(id) => {
                f.write_str(self.body.branch_targets.get(id.index()).map_or("?", |t| &t.name))
            }
            Operand::Sink => f.write_char('_'),
        }
    }

    fn write_address(&self, f: &mut Formatter<'_>, address: Address) -> fmt::Result {
        match address.base {
            Base::Reg(reg) => write!(f, "[{}{}]", self.reg(reg), Offset(address.offset)),
            Base::Symbol(symbol) => write!(f, "[{}{}]", self.symbol(symbol), Offset(address.offset)),
            Base::Zero => write!(f, "[{}]", address.offset),
        }
    }
}

/// `+8`, or nothing for 0.
struct Offset(i64);

impl Display for Offset {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0 == 0 { Ok(()) } else { write!(f, "+{}", self.0) }
    }
}

impl Display for Imm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Imm::Int(value) => write!(f, "{value}"),
            Imm::F32(bits) => write!(f, "0f{bits:08X}"),
            Imm::F64(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}
