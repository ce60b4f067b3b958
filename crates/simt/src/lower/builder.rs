//! The state of one function's lowering: registers so far, operations so far, and how operands become registers.

use super::CompileError;
use super::proto::{Arg, Class, Extra, Flow, Label, Proto, Shape, Value, Values};
use super::storage::{Home, Linked};
use crate::counters;
use crate::isa_unsafe::{Body, Isa, select};
use crate::machine::Machine;
use crate::op::{Op, Pc, Run};
use crate::ops::{convert, map::Unary, moves, scalar};
use crate::work::Cost;
use cleave_ptx::ir::{Body as PtxBody, Imm, Inst, Operand, RegId, ScalarType, SpecialReg, SymbolRef};

pub type Result<T> = std::result::Result<T, CompileError>;

/// Lowers one function.
pub struct Builder<'a> {
    pub isa: Isa,
    pub linked: &'a Linked<'a>,
    pub home: Home<'a>,
    pub body: &'a PtxBody,
    pub values: Values,
    pub protos: Vec<Proto>,
    /// The operation each label stands before.
    pub labels: Vec<usize>,
    /// One per PTX register; 128-bit registers have their upper half in `upper`.
    registers: Vec<Option<Value>>,
    upper: Vec<Option<Value>>,
    /// The instruction being lowered writes only lanes that pass its guard.
    pub guarded: bool,
    pub inst: &'a Inst,
    pub costs: Vec<Cost>,
    pub cost: Cost,
    /// Memory instructions so far.
    pub sites: u32,
}

/// A type that a PTX register of this many bits is kept in.
pub fn class_of(bits: u32) -> Class {
    match bits {
        1 => Class::Pred,
        64.. => Class::Wide,
        _ => Class::Narrow,
    }
}

impl<'a> Builder<'a> {
    pub fn new(
        isa: Isa,
        linked: &'a Linked<'a>,
        home: Home<'a>,
        body: &'a PtxBody,
        first: &'a Inst,
        sites: u32,
    ) -> Builder<'a> {
        Builder {
            isa,
            linked,
            home,
            body,
            values: Values::default(),
            protos: Vec::new(),
            labels: vec![usize::MAX; body.labels.len()],
            registers: vec![None; body.regs.len()],
            upper: vec![None; body.regs.len()],
            guarded: false,
            inst: first,
            costs: Vec::new(),
            cost: Cost::default(),
            sites,
        }
    }

    pub fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(CompileError { loc: self.inst.loc, message: message.into() })
    }

    /// This form of the instruction is not executed here.
    pub fn unsupported<T>(&self) -> Result<T> {
        let types: String = self.inst.types.iter().map(|ty| format!(".{ty}")).collect();
        self.error(format!("{}{types}: this form is not supported", self.inst.opcode))
    }

    // Registers.

    pub fn register(&mut self, reg: RegId) -> Value {
        let class = class_of(self.reg_type(reg).bits());
        let values = &mut self.values;
        *self.registers[reg.index()].get_or_insert_with(|| values.add(class, false))
    }

    /// The upper half of a 128-bit register.
    pub fn upper(&mut self, reg: RegId) -> Value {
        let values = &mut self.values;
        *self.upper[reg.index()].get_or_insert_with(|| values.add(Class::Wide, false))
    }

    pub fn reg_type(&self, reg: RegId) -> ScalarType {
        self.body.regs[reg.index()].ty
    }

    pub fn temp(&mut self, class: Class) -> Value {
        self.values.add(class, true)
    }

    pub fn constant(&mut self, wide: bool, bits: u64) -> Value {
        self.values.constant_of(wide, bits)
    }

    /// Marks a register as written: by all lanes that execute the function here, or only by some of them.
    pub fn def(&self, value: Value) -> Arg {
        if self.guarded && !self.values.temporary[value.0 as usize] {
            Arg::Both(value)
        } else {
            Arg::Def(value)
        }
    }

    // Emission.

    pub fn emit(&mut self, run: Run, args: &[Arg], imm: u64) -> &mut Proto {
        let mut all = [Arg::Raw(0); 6];
        all[..args.len()].copy_from_slice(args);
        self.protos.push(Proto {
            run,
            args: all,
            imm,
            line: self.inst.loc.line,
            flow: Flow::Next,
            extra: Extra::None,
            shape: Shape::Other,
            waits: false,
        });
        let last = self.protos.len() - 1;
        &mut self.protos[last]
    }

    pub fn emit_body<B: Body>(&mut self, args: &[Arg], imm: u64) -> &mut Proto {
        self.emit(select::<B>(self.isa), args, imm)
    }

    /// An operation that needs no vector form.
    pub fn emit_plain(&mut self, run: fn(&mut Machine<'_>, &Op) -> Pc, args: &[Arg], imm: u64) -> &mut Proto {
        self.emit(run, args, imm)
    }

    /// `d = f(a, b, c)` lane by lane.
    pub fn emit_lanes(&mut self, f: scalar::LaneFn, d: Value, operands: &[Value]) {
        let mut args = [Arg::Raw(0); 6];
        let mut wide = u32::from(self.values.class(d) == Class::Wide);
        args[0] = self.def(d);
        for (k, &value) in (1..).zip(operands) {
            args[k] = Arg::Use(value);
            wide |= u32::from(self.values.class(value) == Class::Wide) << k;
        }
        args[5] = Arg::Raw(wide);
        let run: fn(&mut Machine<'_>, &Op) -> Pc =
            if self.values.class(d) == Class::Pred { scalar::test } else { scalar::apply };
        self.emit_plain(run, &args, 0).extra = Extra::Lane(f);
    }

    pub fn new_label(&mut self) -> Label {
        self.labels.push(usize::MAX);
        Label(self.labels.len() as u32 - 1)
    }

    pub fn place_label(&mut self, label: Label) {
        self.end_block();
        self.labels[label.0 as usize] = self.protos.len();
    }

    /// Ends the basic block if control falls out of it.
    pub fn end_block(&mut self) {
        let falls = self.protos.last().is_some_and(|p| p.flow == Flow::Next);
        if falls {
            let cost = self.close_cost();
            self.emit_plain(crate::ops::control::fall, &cost, 0).flow = Flow::Fall;
        }
    }

    /// Operands of an operation that ends a basic block: its cost in the sixth.
    pub fn close_cost(&mut self) -> [Arg; 6] {
        let cost = std::mem::take(&mut self.cost);
        self.costs.push(cost);
        let mut args = [Arg::Raw(0); 6];
        args[5] = Arg::Raw(self.costs.len() as u32 - 1);
        args
    }

    pub fn count(&mut self, class: counters::Class) {
        self.cost.count(class);
    }

    // Operands.

    pub fn operand(&self, k: usize) -> Result<&'a Operand> {
        match self.inst.operands.get(k) {
            Some(operand) => Ok(operand),
            None => self.error(format!("{} lacks operand {}", self.inst.opcode, k + 1)),
        }
    }

    /// The type named first (or only).
    pub fn ty(&self) -> Result<ScalarType> {
        match self.inst.types.first() {
            Some(ty) => Ok(*ty),
            None => self.unsupported(),
        }
    }

    /// Operand `k` as a value of type `ty`: a row of the class of `ty`.
    pub fn source(&mut self, k: usize, ty: ScalarType) -> Result<Value> {
        self.value_of(self.operand(k)?, ty)
    }

    pub fn value_of(&mut self, operand: &Operand, ty: ScalarType) -> Result<Value> {
        let wanted = class_of(ty.bits());
        match operand {
            Operand::Reg(reg) => {
                let value = self.register(*reg);
                Ok(self.fit(value, wanted))
            }
            Operand::Imm(imm) => Ok(self.immediate(*imm, ty)),
            Operand::Special(special) => Ok(self.special(*special, wanted)),
            Operand::Symbol(symbol) => {
                let address = self.symbol_address(*symbol)?;
                Ok(self.fit(address, wanted))
            }
            _ => self.unsupported(),
        }
    }

    pub fn immediate(&mut self, imm: Imm, ty: ScalarType) -> Value {
        if ty == ScalarType::Pred {
            let d = self.temp(Class::Pred);
            let bits = if imm.bits(ScalarType::B32) != 0 { u64::from(u32::MAX) } else { 0 };
            self.emit_plain(crate::ops::compare::constant, &[Arg::Def(d)], bits);
            return d;
        }
        self.constant(ty.bits() >= 64, imm.bits(ty))
    }

    pub fn special(&mut self, special: SpecialReg, class: Class) -> Value {
        let d = self.temp(class);
        self.read_special(special, d);
        d
    }

    pub fn read_special(&mut self, special: SpecialReg, d: Value) {
        let number = SpecialReg::ALL.iter().position(|s| *s == special).unwrap_or(0) as u64;
        let wide = u32::from(self.values.class(d) == Class::Wide);
        let d = self.def(d);
        self.emit_plain(moves::special, &[d, Arg::Raw(wide)], number);
    }

    /// The value in a row of the wanted class: truncated or zero-extended if it must be.
    pub fn fit(&mut self, value: Value, wanted: Class) -> Value {
        match (self.values.class(value), wanted) {
            (Class::Wide, Class::Narrow) => match self.values.constant(value) {
                Some(bits) => self.constant(false, bits),
                None => {
                    let d = self.temp(Class::Narrow);
                    self.emit(convert::low32(self.isa), &[Arg::Def(d), Arg::Use(value)], 0);
                    d
                }
            },
            (Class::Narrow, Class::Wide) => match self.values.constant(value) {
                Some(bits) => self.constant(true, bits),
                None => {
                    let d = self.temp(Class::Wide);
                    self.emit_body::<Unary<convert::U32ToU64>>(&[Arg::Def(d), Arg::Use(value)], 0);
                    d
                }
            },
            _ => value,
        }
    }

    /// The register operand `k` names as destination; a fresh one for `_`.
    pub fn dest(&mut self, k: usize, ty: ScalarType) -> Result<Value> {
        self.dest_of(self.operand(k)?, ty)
    }

    pub fn dest_of(&mut self, operand: &Operand, ty: ScalarType) -> Result<Value> {
        match operand {
            Operand::Reg(reg) => Ok(self.register(*reg)),
            Operand::Sink => Ok(self.temp(class_of(ty.bits()))),
            _ => self.unsupported(),
        }
    }

    /// A predicate operand, made positive if it is `!p`.
    pub fn predicate(&mut self, k: usize) -> Result<Value> {
        match self.operand(k)? {
            Operand::Not(reg) => {
                let p = self.register(*reg);
                Ok(self.not(p))
            }
            other => self.value_of(other, ScalarType::Pred),
        }
    }

    pub fn not(&mut self, p: Value) -> Value {
        let d = self.temp(Class::Pred);
        self.logic(0b0011, Arg::Def(d), p, p);
        d
    }

    /// `d = table[2a + b]` of predicates.
    pub fn logic(&mut self, table: u64, d: Arg, a: Value, b: Value) {
        self.emit_plain(crate::ops::compare::logic, &[d, Arg::Use(a), Arg::Use(b)], table);
    }

    /// Writes `value` to the destination register `d`, which may be of the other class.
    pub fn write(&mut self, d: Value, value: Value) {
        let value = self.fit(value, self.values.class(d));
        let args = [self.def(d), Arg::Use(value)];
        match self.values.class(d) {
            Class::Narrow => self.emit_body::<Unary<moves::Mov32>>(&args, 0).shape = Shape::Move,
            Class::Wide => self.emit_body::<Unary<moves::Mov64>>(&args, 0).shape = Shape::Move,
            Class::Pred => self.logic(0b1100, args[0], value, value),
        }
    }

    /// The address of a symbol in its own state space, as a 64-bit value.
    pub fn symbol_address(&mut self, symbol: SymbolRef) -> Result<Value> {
        use super::storage::Where;
        let offset = symbol.offset as u64;
        let at = match self.home.find(self.linked, symbol.symbol) {
            Ok(at) => at,
            Err(message) => return self.error(message),
        };
        Ok(match at {
            Where::Fixed(address) => self.constant(true, address.wrapping_add(offset)),
            Where::Frame(at) if self.home.is_kernel() => {
                self.constant(true, u64::from(at).wrapping_add(offset))
            }
            Where::Frame(at) => {
                let d = self.temp(Class::Wide);
                let address = u64::from(at).wrapping_add(offset);
                self.emit_plain(moves::local_address, &[Arg::Def(d)], address);
                d
            }
            Where::Dynamic => {
                let d = self.temp(Class::Wide);
                self.emit_plain(moves::dynamic_shared, &[Arg::Def(d)], offset);
                d
            }
            Where::Param(at) => self.constant(true, u64::from(at).wrapping_add(offset)),
        })
    }
}
