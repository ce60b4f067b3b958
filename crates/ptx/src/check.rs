//! Whether operands suit an instruction form.

mod call;

use crate::forms::{Head, Shape, Spec};
use crate::ir::{
    Address, Base, CallTargets, Class, Function, Imm, Mods, Module, Operand, Prototype, RegDecl, RegId,
    ScalarType, Space, Symbol, SymbolRef, Types, Variable, Width,
};

/// Everything an operand may refer to.
pub(crate) struct Context<'a> {
    pub regs: &'a [RegDecl],
    pub locals: &'a [Variable],
    pub prototypes: &'a [Prototype],
    pub call_targets: &'a [CallTargets],
    pub function: &'a Function,
    pub module: &'a Module,
    /// Module variables that are not in `module` yet; their ids follow on.
    pub moved: &'a [Variable],
}

/// What is wrong, and with which operand, if with one.
#[derive(Debug)]
pub(crate) struct Misfit {
    pub operand: Option<usize>,
    pub message: String,
}

impl<'a> Context<'a> {
    /// The space a symbol lives in; `None` for functions.
    fn space(&self, symbol: Symbol) -> Option<Space> {
        let variables = &self.module.variables;
        match symbol {
            Symbol::Variable(id) => {
                let variable =
                    variables.get(id.index()).or_else(|| self.moved.get(id.index() - variables.len()));
                variable.map(|v| v.space)
            }
            Symbol::Local(id) => self.locals.get(id.index()).map(|v| v.space),
            Symbol::Param(_) | Symbol::Return(_) => Some(Space::Param),
            Symbol::Function(_) => None,
        }
    }

    fn reg(&self, reg: RegId) -> &'a RegDecl {
        &self.regs[reg.index()]
    }

    /// Checks operands against a form; brings equivalent spellings of an operand into one shape.
    pub(crate) fn fit(&self, head: &Head, operands: &mut [Operand]) -> Result<(), Misfit> {
        let specs = &head.form.operands;
        if let [Spec { shape: Shape::Call, .. }] = specs[..] {
            return self.call(operands);
        }
        let most = specs.iter().filter(|spec| !spec.policy || head.mods.cache_hint).count();
        let least = most - specs.iter().filter(|spec| spec.optional).count();
        if !(least..=most).contains(&operands.len()) {
            let wanted = if least == most { format!("{least}") } else { format!("{least} to {most}") };
            let noun = if wanted == "1" { "operand" } else { "operands" };
            let message = format!("expected {wanted} {noun}, found {}", operands.len());
            return Err(Misfit { operand: None, message });
        }
        for (index, (spec, operand)) in specs.iter().zip(operands).enumerate() {
            self.operand(spec, &head.mods, &head.types, operand)
                .map_err(|message| Misfit { operand: Some(index), message })?;
        }
        Ok(())
    }

    fn operand(&self, spec: &Spec, mods: &Mods, types: &Types, operand: &mut Operand) -> Result<(), String> {
        let width = match mods.width {
            Some(Width::V2) => 2,
            Some(Width::V4) => 4,
            None => 1,
        };
        match (spec.shape, operand) {
            (Shape::Address(space), operand) => self.address(space.or(mods.space), operand),
            (Shape::Label, Operand::Label(_)) | (Shape::Table, Operand::BranchTargets(_)) => Ok(()),
            (Shape::Label, _) => Err("expected a label".into()),
            (Shape::Table, _) => Err("expected the name of a `.branchtargets` list".into()),
            (Shape::Pair { .. }, Operand::Pair(sides)) => {
                self.value(spec, spec.ty.of(types), &sides[0])?;
                self.value(spec, Some(ScalarType::Pred), &sides[1])
            }
            (Shape::Pair { required: true }, _) => Err("expected two results, `d|p`".into()),
            (Shape::Vector(1), operand @ (Operand::Reg(_) | Operand::Imm(_))) => {
                self.value(spec, spec.ty.of(types), operand)?;
                *operand = Operand::Vector(vec![operand.clone()]);
                Ok(())
            }
            (Shape::Vector(count), Operand::Vector(parts)) => {
                self.vector(spec, spec.ty.of(types), count, parts)
            }
            (Shape::Vector(count), _) => Err(format!("expected a vector of {count}")),
            (Shape::Width, Operand::Vector(parts)) if width > 1 => {
                self.vector(spec, spec.ty.of(types), width, parts)
            }
            (Shape::Width, _) if width > 1 => Err(format!("expected a vector of {width}")),
            (Shape::Parts, Operand::Vector(parts)) => self.parts(spec, types, parts),
            (Shape::Parts, _) => Err("expected a vector".into()),
            (_, operand) => self.value(spec, spec.ty.of(types), operand),
        }
    }

    fn vector(
        &self,
        spec: &Spec,
        ty: Option<ScalarType>,
        count: usize,
        parts: &[Operand],
    ) -> Result<(), String> {
        if parts.len() != count {
            return Err(format!("expected a vector of {count}, found {}", parts.len()));
        }
        let sinkable = |part: &Operand| spec.result && *part == Operand::Sink;
        parts.iter().filter(|part| !sinkable(part)).try_for_each(|part| self.value(spec, ty, part))
    }

    /// Two or four registers that together have the instruction type's size.
    fn parts(&self, spec: &Spec, types: &Types, parts: &[Operand]) -> Result<(), String> {
        let whole = types.first().map_or(0, |ty| ty.bits());
        let part = match (whole / parts.len().max(1) as u32, parts.len()) {
            (8, 2 | 4) => ScalarType::B8,
            (16, 2 | 4) => ScalarType::B16,
            (32, 2 | 4) => ScalarType::B32,
            (64, 2) => ScalarType::B64,
            _ => return Err(format!("{} parts do not make {whole} bits", parts.len())),
        };
        self.vector(spec, Some(part), parts.len(), parts)
    }

    /// A single value: register, constant, special register or symbol.
    fn value(&self, spec: &Spec, ty: Option<ScalarType>, operand: &Operand) -> Result<(), String> {
        if spec.constant && !matches!(operand, Operand::Imm(Imm::Int(_))) {
            return Err("expected an integer constant".into());
        }
        match operand {
            Operand::Reg(reg) => self.register(spec, ty, *reg),
            Operand::Sink if spec.result => Ok(()),
            _ if spec.result => Err("the result must be a register".into()),
            Operand::Not(reg) if ty == Some(ScalarType::Pred) => self.register(spec, ty, *reg),
            Operand::Imm(imm) => constant(ty, *imm),
            Operand::Special(special) if spec.special => {
                let fits = ty.is_some_and(|ty| !ty.is_float() && special.bits() >= ty.bits());
                if fits { Ok(()) } else { Err(format!("`{special}` cannot be read as this type")) }
            }
            Operand::Special(special) => Err(format!("the special register `{special}` cannot be used here")),
            Operand::Symbol(SymbolRef { symbol, .. }) => self.symbol_value(ty, *symbol),
            Operand::Not(_) => Err("only a predicate can be negated".into()),
            Operand::Vector(_) => Err("a vector cannot be used here".into()),
            Operand::Pair(_) => Err("two results cannot be used here".into()),
            Operand::Address(_) => Err("an address cannot be used here".into()),
            _ => Err("expected a register or a constant".into()),
        }
    }

    fn register(&self, spec: &Spec, ty: Option<ScalarType>, reg: RegId) -> Result<(), String> {
        let decl = self.reg(reg);
        let fits = match ty {
            Some(ty) => register_fits(decl.ty, ty, spec.wider),
            None => decl.ty.class() != Class::Float && matches!(decl.ty.bits(), 32 | 64),
        };
        if fits {
            return Ok(());
        }
        let wanted = ty.map_or("an address".into(), |ty| format!("`.{ty}`"));
        Err(format!("`{}` is `.{}`, which does not serve as {wanted}", decl.name, decl.ty))
    }

    /// The address of a symbol as an integer.
    fn symbol_value(&self, ty: Option<ScalarType>, symbol: Symbol) -> Result<(), String> {
        let near = !matches!(self.space(symbol), None | Some(Space::Global));
        match ty {
            None => Ok(()),
            Some(ty) if ty.is_float() || ty == ScalarType::Pred => Err("an address is an integer".into()),
            Some(ty) if ty.bits() == self.module.address_size || (ty.bits() == 32 && near) => Ok(()),
            Some(ty) => Err(format!("an address does not fit `.{ty}`")),
        }
    }

    /// A memory operand in `space` (`None` is generic).
    fn address(&self, space: Option<Space>, operand: &mut Operand) -> Result<(), String> {
        if let Operand::Symbol(SymbolRef { symbol, offset }) = *operand {
            *operand = Operand::Address(Address { base: Base::Symbol(symbol), offset });
        }
        let Operand::Address(address) = operand else { return Err("expected an address in brackets".into()) };
        match address.base {
            Base::Zero => Ok(()),
            Base::Reg(reg) => {
                let decl = self.reg(reg);
                let near = !matches!(space, None | Some(Space::Global));
                let bits = decl.ty.bits();
                let fits = bits == self.module.address_size || (near && matches!(bits, 32 | 64));
                if fits && !matches!(decl.ty.class(), Class::Float | Class::Pred) {
                    return Ok(());
                }
                Err(format!("`{}` is `.{}`, which does not serve as an address here", decl.name, decl.ty))
            }
            Base::Symbol(symbol) => match (self.space(symbol), space) {
                (None, _) => Err("a function has no memory".into()),
                (Some(Space::Param), None) => Err("a parameter has no generic address here".into()),
                (Some(of), Some(wanted)) if of != wanted => {
                    Err(format!("the symbol is in `.{of}`, the instruction accesses `.{wanted}`"))
                }
                _ => Ok(()),
            },
        }
    }
}

/// Whether a register of type `reg` can hold an operand of type `ty`.
fn register_fits(reg: ScalarType, ty: ScalarType, wider: bool) -> bool {
    let (class, wanted) = (reg.class(), ty.class());
    if class == Class::Pred || wanted == Class::Pred {
        return class == wanted;
    }
    let size = if wider { reg.bits() >= ty.bits() } else { reg.bits() == ty.bits() };
    let meaning = match (class, wanted) {
        (Class::Bits, _) | (_, Class::Bits) => true,
        (Class::Float, Class::Float) => reg.bits() == ty.bits(),
        (Class::Float, _) | (_, Class::Float) => false,
        _ => true,
    };
    size && meaning
}

/// Whether a constant can be an operand of type `ty`.
fn constant(ty: Option<ScalarType>, imm: Imm) -> Result<(), String> {
    use ScalarType::*;
    let fits = match (imm, ty) {
        (Imm::Int(_), Some(ty)) => !ty.is_float(),
        (Imm::Int(_), None) => true,
        (Imm::F32(_), Some(ty)) => matches!(ty, F32 | F64 | B32),
        (Imm::F64(_), Some(ty)) => matches!(ty, F32 | F64 | B64),
        (_, None) => false,
    };
    match (fits, ty) {
        (true, _) => Ok(()),
        (false, Some(ty)) => Err(format!("this constant does not serve as `.{ty}`")),
        (false, None) => Err("this constant does not serve as an address".into()),
    }
}
