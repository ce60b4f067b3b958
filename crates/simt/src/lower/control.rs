//! Branches, exits, barriers, fences and hints.

use super::builder::{Builder, Result};
use super::proto::{Arg, Flow, Label, Value};
use crate::counters::Class;
use crate::ops::{barrier, call, control};
use cleave_ptx::ir::{AtomicOp, Inst, Opcode, Operand, ScalarType, Space};

impl Builder<'_> {
    /// `bra`, with the predicate of its guard and whether that is negated.
    pub fn branch(&mut self, guard: Option<(Value, bool)>) -> Result<()> {
        let Operand::Label(label) = self.operand(0)? else { return self.unsupported() };
        let target = Label(label.0);
        match guard {
            Some((pred, negated)) => {
                self.count(Class::Control);
                self.branch_to(target, pred, negated);
            }
            None => self.jump_to(target),
        }
        Ok(())
    }

    pub fn jump_to(&mut self, target: Label) {
        let args = self.close_cost();
        self.emit_plain(control::jump, &args, 0).flow = Flow::Jump(target);
    }

    pub fn branch_to(&mut self, target: Label, pred: Value, negated: bool) {
        let mut args = self.close_cost();
        args[0] = Arg::Use(pred);
        self.emit_plain(control::branch::<false>, &args, 0).flow = Flow::Branch { target, negated };
    }

    pub fn control(&mut self) -> Result<()> {
        match self.inst.opcode {
            Opcode::Exit => self.end(control::exit),
            Opcode::Ret if self.home.is_kernel() => self.end(control::exit),
            Opcode::Ret => self.end(call::ret),
            Opcode::Trap => self.end(control::trap),
            Opcode::Brkpt => self.end(control::trap),
            Opcode::Nanosleep => {
                let asked = self.source(0, ScalarType::U32)?;
                let mut args = self.close_cost();
                args[0] = Arg::Use(asked);
                let proto = self.emit_plain(control::nanosleep, &args, 0);
                (proto.waits, proto.flow) = (true, Flow::Fall);
                Ok(())
            }
            Opcode::BrxIdx => self.jump_table(),
            Opcode::BarSync | Opcode::BarArrive | Opcode::BarRed => self.barrier(),
            Opcode::Membar | Opcode::Fence | Opcode::FenceProxy => {
                self.emit_plain(control::fence, &[], 0);
                Ok(())
            }
            // Hints, and waits for things that are over before a kernel starts here.
            _ => Ok(()),
        }
    }

    fn end(
        &mut self,
        run: fn(&mut crate::machine::Machine<'_>, &crate::op::Op) -> crate::op::Pc,
    ) -> Result<()> {
        let args = self.close_cost();
        self.emit_plain(run, &args, 0).flow = Flow::End;
        Ok(())
    }

    /// `brx.idx`: a jump table.
    fn jump_table(&mut self) -> Result<()> {
        let Operand::BranchTargets(table) = self.operand(1)? else { return self.unsupported() };
        let labels =
            self.body.branch_targets.get(table.index()).map(|t| t.labels.clone()).unwrap_or_default();
        let index = self.source(0, ScalarType::U32)?;
        let mut args = self.close_cost();
        args[1] = Arg::Use(index);
        let labels = labels.into_iter().map(|l| Label(l.0)).collect();
        self.emit_plain(control::jump_table, &args, 0).flow = Flow::Table(labels);
        Ok(())
    }

    fn barrier(&mut self) -> Result<()> {
        let reduces = self.inst.opcode == Opcode::BarRed;
        let first = usize::from(reduces);
        let last = self.inst.operands.len() - usize::from(reduces);
        let id = self.source(first, ScalarType::U32)?;
        let count = if last > first + 1 { Some(self.source(first + 1, ScalarType::U32)?) } else { None };
        let pred = if reduces { Some(self.predicate(last)?) } else { None };
        let mut args = self.close_cost();
        args[0] = Arg::Use(id);
        if let Some(count) = count {
            args[1] = Arg::Use(count);
            args[2] = Arg::Raw(1);
        }
        match self.inst.opcode {
            Opcode::BarSync => {
                self.emit_plain(barrier::sync, &args, 0).flow = Flow::Fall;
            }
            Opcode::BarArrive => {
                self.emit_plain(barrier::arrive, &args, 0).flow = Flow::Fall;
            }
            _ => {
                args[3] = pred.map_or(Arg::Raw(0), Arg::Use);
                self.emit_plain(barrier::reduce, &args, 0).flow = Flow::Fall;
                let how = match self.inst.mods.op {
                    Some(AtomicOp::Popc) => 0,
                    Some(AtomicOp::And) => 1,
                    _ => 2,
                };
                let d = self.dest(0, self.ty()?)?;
                let args = [Arg::Use(id), self.def(d)];
                self.emit_plain(barrier::result, &args, how);
            }
        }
        Ok(())
    }
}

/// The pipeline an instruction would use on hardware.
pub fn class(inst: &Inst) -> Class {
    use Opcode::*;
    let ty = inst.types.first();
    match inst.opcode {
        Ld | St | Ldu | Prefetch | Prefetchu | CpAsync => match inst.mods.space {
            Some(Space::Shared) => Class::Shared,
            Some(Space::Local | Space::Param) => Class::Local,
            _ => Class::Global,
        },
        Ldmatrix | Stmatrix => Class::Shared,
        Atom | Red => Class::Atomic,
        Mma | WmmaMma => Class::Matrix,
        WmmaLoad | WmmaStore => Class::Global,
        Bra | BrxIdx | Call | Ret | Exit | Trap | Brkpt | Nanosleep | BarSync | BarArrive | BarRed
        | BarWarpSync | Membar | Fence | FenceProxy | Shfl | Vote | Match | Redux | Activemask | Elect => {
            Class::Control
        }
        Sin | Cos | Ex2 | Lg2 | Rsqrt | Rcp | Sqrt | Tanh | Div | Rem => Class::Special,
        _ if ty == Some(&ScalarType::F64) => Class::Double,
        _ if ty.is_some_and(|ty| ty.is_float()) => Class::Float,
        _ => Class::Integer,
    }
}
