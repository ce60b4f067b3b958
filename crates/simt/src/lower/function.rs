//! One function: statement by statement to protos, then to operations.

use super::builder::{Builder, Result};
use super::proto::{Arg, Extra, Flow, Label, Slot, Value};
use super::storage::{Home, Linked};
use super::{Assembly, CompileError, allocate, flow};
use crate::isa_unsafe::Isa;
use crate::ops::control::{Guard, Unguard};
use cleave_ptx::ir::{FuncId, Inst, Opcode, Operand, SpecialReg, Stmt};

/// Lowers the function at `at` into `assembly`.
pub fn lower(
    isa: Isa,
    linked: &Linked<'_>,
    at: (usize, FuncId),
    assembly: &mut Assembly,
) -> std::result::Result<(), CompileError> {
    let function = linked.function(at);
    let Some(body) = &function.body else { return Ok(()) };
    let home = Home::new(linked, at, body)?;
    let end = implied_end(function.loc);
    let mut b = Builder::new(isa, linked, home, body, &end, assembly.sites);

    let mut entry = Vec::new();
    for param in function.params.iter().chain(&function.returns) {
        if let Some(reg) = param.reg {
            entry.push(b.register(reg));
        }
    }
    for stmt in &body.stmts {
        match stmt {
            Stmt::Label(label) => b.place_label(Label(label.0)),
            Stmt::Inst(inst) => {
                b.inst = inst;
                b.statement()?;
            }
            Stmt::Pragma(_) => {}
        }
    }
    // Falling off the end is a return.
    b.inst = &end;
    b.guarded = false;
    b.statement()?;

    let returns: Vec<Value> = function.returns.iter().filter_map(|p| p.reg).map(|r| b.register(r)).collect();
    for proto in &mut b.protos {
        if proto.flow == Flow::End && !returns.is_empty() {
            proto.extra = Extra::Rows(returns.iter().map(|&v| Arg::Use(v)).collect());
        }
    }
    super::simplify::run(&mut b.protos, &mut b.labels, &mut b.values, &entry, isa);
    let blocks = flow::blocks(&b.protos, &b.labels);
    let places = allocate::run(&b.protos, &blocks, &b.values, &entry);
    let slots = |params: &[cleave_ptx::ir::Param], offsets: &[u32], b: &mut Builder<'_>| -> Vec<Slot> {
        params.iter().zip(offsets).map(|(p, &offset)| b.slot_of_param(p, offset)).collect()
    };
    let (params, returns) = (b.home.params.clone(), b.home.returns.clone());
    let params = slots(&function.params, &params, &mut b);
    let returns = slots(&function.returns, &returns, &mut b);
    assembly.add(&b, &places, &params, &returns);
    Ok(())
}

fn implied_end(loc: cleave_ptx::ir::Loc) -> Inst {
    Inst {
        guard: None,
        opcode: Opcode::Ret,
        mods: Default::default(),
        types: Default::default(),
        operands: Vec::new(),
        loc,
    }
}

impl Builder<'_> {
    /// Lowers the current instruction with its guard.
    fn statement(&mut self) -> Result<()> {
        let Some(guard) = self.inst.guard else {
            self.guarded = false;
            return self.instruction();
        };
        let pred = self.register(guard.reg);
        if self.inst.opcode == Opcode::Bra {
            return self.branch(Some((pred, guard.negated)));
        }
        if transfers_control(self.inst.opcode) || self.reads_clock() {
            let skip = self.new_label();
            self.branch_to(skip, pred, !guard.negated);
            self.guarded = false;
            self.instruction()?;
            self.place_label(skip);
            return Ok(());
        }
        let at = self.protos.len();
        let args = [Arg::Use(pred), Arg::Raw(0), Arg::Raw(guard.negated.into())];
        self.emit_body::<Guard>(&args, 0);
        self.guarded = true;
        self.instruction()?;
        self.guarded = false;
        self.emit_body::<Unguard>(&[], 0);
        let inside = self.protos.len() - at - 1;
        self.protos[at].extra = Extra::Guard(inside);
        Ok(())
    }

    /// Whether the current instruction asks for the time: a basic block of its own begins with it, so that all before it has been counted.
    fn reads_clock(&self) -> bool {
        use SpecialReg::*;
        self.inst.operands.iter().any(|operand| {
            matches!(
                operand,
                Operand::Special(Clock | ClockHi | Clock64 | Globaltimer | GlobaltimerLo | GlobaltimerHi)
            )
        })
    }

    fn instruction(&mut self) -> Result<()> {
        use Opcode::*;
        if self.reads_clock() {
            self.end_block();
        }
        self.count(super::control::class(self.inst));
        match self.inst.opcode {
            Mov | Cvta | Isspacep => self.move_instruction(),
            Ld | Ldu | St => self.memory(),
            Setp | Set | Selp | Slct | Testp => self.comparison(),
            Cvt | CvtPack => self.conversion(),
            Bra => self.branch(None),
            BrxIdx
            | Ret
            | Exit
            | Trap
            | Brkpt
            | Nanosleep
            | BarSync
            | BarArrive
            | BarRed
            | Membar
            | Fence
            | FenceProxy
            | Prefetch
            | Prefetchu
            | Pmevent
            | Discard
            | Applypriority
            | GriddepLaunchDependents
            | GriddepWait => self.control(),
            Call => self.call(),
            Atom | Red => self.atomic(),
            Shfl | Vote | Match | Redux | Activemask | Elect | BarWarpSync => self.warp_wide(),
            Mma | WmmaMma | WmmaLoad | WmmaStore | Ldmatrix | Stmatrix | Movmatrix => self.matrix(),
            CpAsync
            | CpAsyncCommitGroup
            | CpAsyncMbarrierArrive
            | CpAsyncWaitAll
            | CpAsyncWaitGroup
            | MbarrierArrive
            | MbarrierArriveDrop
            | MbarrierInit
            | MbarrierInval
            | MbarrierPendingCount
            | MbarrierTestWait
            | MbarrierTryWait => self.async_copy(),
            Alloca | Stacksave | Stackrestore => self.stack(),
            CreatepolicyCvt | CreatepolicyFractional | CreatepolicyRange => self.cache_policy(),
            _ => self.arithmetic(),
        }
    }
}

/// Instructions that may leave the interpreter, or that look at the set of active threads: a guard on these is a branch around them.
fn transfers_control(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        BrxIdx
            | Call
            | Ret
            | Exit
            | Trap
            | Brkpt
            | Nanosleep
            | BarSync
            | BarArrive
            | BarRed
            | BarWarpSync
            | Activemask
            | Elect
            | Shfl
            | Vote
            | Match
            | Redux
            | Mma
            | Ldmatrix
            | Stmatrix
            | Movmatrix
            | WmmaLoad
            | WmmaMma
            | WmmaStore
    )
}
