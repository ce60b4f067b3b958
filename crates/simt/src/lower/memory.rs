//! Loads and stores.

use super::builder::{Builder, Result, class_of};
use super::proto::{Arg, Class, Value};
use super::storage::Where;
use crate::ops::address::NARROW;
use crate::ops::memory::{self, Place};
use crate::ops::moves;
use crate::window;
use cleave_ptx::ir::{Address, Base, Opcode, Operand, ScalarType, Semantics, Space, SymbolRef};

/// The address part of a memory operation.
pub struct Target {
    pub place: Place,
    pub row: Value,
    pub offset: u64,
}

impl Builder<'_> {
    pub fn memory(&mut self) -> Result<()> {
        let store = self.inst.opcode == Opcode::St;
        let (at, data) = if store { (0, 1) } else { (1, 0) };
        let Operand::Address(address) = self.operand(at)? else { return self.unsupported() };
        let ty = self.ty()?;
        let elements: Vec<&Operand> = match self.operand(data)? {
            Operand::Vector(list) => list.iter().collect(),
            single => vec![single],
        };
        let bytes = ty.bytes() * elements.len() as u32;
        self.count_bytes(bytes);
        if !store && let Some(offset) = self.kernel_parameter(address)? {
            return self.load_parameters(offset, ty, &elements);
        }
        let target = self.target(address, self.inst.mods.space)?;
        if ty == ScalarType::B128 {
            return self.access128(&target, elements[0], store);
        }
        if store { self.store(&target, ty, &elements) } else { self.load(&target, ty, &elements) }
    }

    fn count_bytes(&mut self, bytes: u32) {
        match self.inst.mods.space {
            Some(Space::Shared) => self.cost.shared(bytes),
            Some(Space::Global | Space::Const) | None => self.cost.global(bytes),
            _ => {}
        }
    }

    /// The offset of a parameter of the kernel, if that is what the address names.
    fn kernel_parameter(&mut self, address: &Address) -> Result<Option<u64>> {
        let Base::Symbol(symbol) = address.base else { return Ok(None) };
        match self.home.find(self.linked, symbol) {
            Ok(Where::Param(at)) => Ok(Some(u64::from(at).wrapping_add(address.offset as u64))),
            Ok(_) => Ok(None),
            Err(message) => self.error(message),
        }
    }

    fn load_parameters(&mut self, offset: u64, ty: ScalarType, elements: &[&Operand]) -> Result<()> {
        let end = u64::from(self.home.param_bytes);
        let size = u64::from(ty.bytes());
        for (k, element) in (0..).zip(elements) {
            let at = offset.wrapping_add(k * size);
            if at >= end || end - at < size {
                return self.error("ld.param beyond the parameters of the kernel");
            }
            if ty == ScalarType::B128 {
                return self.unsupported();
            }
            let d = self.dest_of(element, ty)?;
            let wide = u32::from(self.values.class(d) == Class::Wide);
            let args = [self.def(d), Arg::Raw(at as u32), Arg::Raw(ty.is_signed().into()), Arg::Raw(wide)];
            self.emit_plain(moves::param, &args, size);
        }
        Ok(())
    }

    /// Turns an address operand in `space` (`None` is generic) into place, row and offset.
    pub fn target(&mut self, address: &Address, space: Option<Space>) -> Result<Target> {
        let (row, offset) = match address.base {
            Base::Reg(reg) => (self.register(reg), address.offset as u64),
            Base::Zero => (self.constant(true, address.offset as u64), 0),
            Base::Symbol(symbol) => {
                let symbol = SymbolRef { symbol, offset: address.offset };
                (self.symbol_address(symbol)?, 0)
            }
        };
        let (place, offset) = match space {
            Some(Space::Shared) => (Place::Shared, offset),
            Some(Space::Local) => (Place::Local, offset),
            Some(Space::Param) if self.home.is_kernel() && !self.in_frame(address) => {
                (Place::Generic, offset.wrapping_add(window::PARAM))
            }
            Some(Space::Param) => (Place::Local, offset),
            Some(Space::Global | Space::Const) => (Place::Global, offset),
            _ => (Place::Generic, offset),
        };
        Ok(Target { place, row, offset })
    }

    /// Whether an address names a variable of the frame (an argument under construction, for instance).
    fn in_frame(&self, address: &Address) -> bool {
        let Base::Symbol(symbol) = address.base else { return false };
        matches!(self.home.find(self.linked, symbol), Ok(Where::Frame(_)))
    }

    /// Number of the instruction's inline cache, with the width of the address row.
    pub fn site(&mut self, row: Value) -> u32 {
        self.sites += 1;
        let narrow = if self.values.class(row) == Class::Narrow { NARROW } else { 0 };
        (self.sites - 1) | narrow
    }

    /// Whether loops around the instruction look like waiting.
    fn waits(&self) -> bool {
        !matches!(self.inst.mods.semantics, None | Some(Semantics::Weak))
    }

    fn load(&mut self, target: &Target, ty: ScalarType, elements: &[&Operand]) -> Result<()> {
        let Some(run) = memory::load(self.isa, target.place, ty.bytes(), elements.len()) else {
            return self.unsupported();
        };
        // Each element arrives zero-extended in a row of its own class; wider or signed destinations need a second step.
        let mut args = [Arg::Raw(0); 6];
        let mut after = Vec::new();
        for (k, element) in elements.iter().enumerate() {
            let d = self.dest_of(element, ty)?;
            let class = class_of(ty.bits());
            let sign = ty.is_signed() && ty.bits() < 32;
            if self.values.class(d) == class && !sign {
                args[k] = self.def(d);
            } else {
                let temp = self.temp(class);
                args[k] = Arg::Def(temp);
                after.push((d, temp));
            }
        }
        args[4] = Arg::Use(target.row);
        args[5] = Arg::Raw(self.site(target.row));
        let waits = self.waits();
        self.emit(run, &args, target.offset).waits = waits;
        for (d, temp) in after {
            self.extend_bits(d, temp, ty.bits(), ty.is_signed());
        }
        Ok(())
    }

    fn store(&mut self, target: &Target, ty: ScalarType, elements: &[&Operand]) -> Result<()> {
        let Some(run) = memory::store(self.isa, target.place, ty.bytes(), elements.len()) else {
            return self.unsupported();
        };
        let mut args = [Arg::Raw(0); 6];
        for (k, element) in elements.iter().enumerate() {
            args[k] = Arg::Use(self.value_of(element, ty)?);
        }
        args[4] = Arg::Use(target.row);
        args[5] = Arg::Raw(self.site(target.row));
        self.emit(run, &args, target.offset);
        Ok(())
    }

    /// A 128-bit access: two 64-bit elements.
    fn access128(&mut self, target: &Target, element: &Operand, store: bool) -> Result<()> {
        let Operand::Reg(reg) = element else { return self.unsupported() };
        let halves = [self.register(*reg), self.upper(*reg)];
        let run = match store {
            true => memory::store(self.isa, target.place, 8, 2),
            false => memory::load(self.isa, target.place, 8, 2),
        };
        let Some(run) = run else { return self.unsupported() };
        let mut args = [Arg::Raw(0); 6];
        for (k, half) in halves.into_iter().enumerate() {
            args[k] = if store { Arg::Use(half) } else { self.def(half) };
        }
        args[4] = Arg::Use(target.row);
        args[5] = Arg::Raw(self.site(target.row));
        self.emit(run, &args, target.offset);
        Ok(())
    }
}
