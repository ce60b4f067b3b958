//! Whether a call suits the function or prototype it names.

use super::{Context, Misfit, register_fits};
use crate::ir::{Class, Operand, Param, ScalarType, Space, Symbol};
use crate::refuse;

/// Formal returns and parameters.
type Signature<'a> = (&'a [Param], &'a [Param]);

impl Context<'_> {
    /// Operands are: returns, target, arguments, and for indirect calls a prototype or a list of targets.
    pub(super) fn call(&self, operands: &[Operand]) -> Result<(), Misfit> {
        let misfit = |operand: usize, message: String| Misfit { operand: Some(operand), message };
        let (Some(Operand::Vector(returns)), Some(target), Some(Operand::Vector(arguments))) =
            (operands.first(), operands.get(1), operands.get(2))
        else {
            return Err(misfit(0, "a call needs a target".into()));
        };
        let signature = self.signature(target, operands.get(3)).map_err(|message| misfit(1, message))?;
        let Some((formal_returns, formal_params)) = signature else { return Ok(()) };
        self.pass(formal_returns, returns, true).map_err(|message| misfit(0, message))?;
        self.pass(formal_params, arguments, false).map_err(|message| misfit(2, message))
    }

    /// What a call must match; `None` where nothing declares it.
    fn signature(&self, target: &Operand, how: Option<&Operand>) -> Result<Option<Signature<'_>>, String> {
        let of_function = |index: usize| {
            let function = self.module.functions.get(index);
            function.map(|f| (&f.returns[..], &f.params[..]))
        };
        match (target, how) {
            (Operand::Symbol(target), None) => match target.symbol {
                Symbol::Function(id) if target.offset == 0 => {
                    let name = self.module.functions.get(id.index()).map_or("", |f| &f.name);
                    refuse::function(name).map_or(Ok(of_function(id.index())), Err)
                }
                _ => Err("expected the name of a function or a register".into()),
            },
            (Operand::Reg(reg), how) => {
                let decl = self.reg(*reg);
                if decl.ty.bits() != self.module.address_size || decl.ty.class() == Class::Float {
                    return Err(format!(
                        "`{}` is `.{}`, which cannot hold a function's address",
                        decl.name, decl.ty
                    ));
                }
                match how {
                    Some(Operand::Prototype(id)) => {
                        Ok(self.prototypes.get(id.index()).map(|p| (&p.returns[..], &p.params[..])))
                    }
                    Some(Operand::CallTargets(id)) => {
                        let first = self.call_targets.get(id.index()).and_then(|list| list.functions.first());
                        Ok(first.and_then(|id| of_function(id.index())))
                    }
                    _ => Err("an indirect call needs a `.callprototype` or `.calltargets` list".into()),
                }
            }
            _ => Err("expected the name of a function or a register".into()),
        }
    }

    fn pass(&self, formals: &[Param], actuals: &[Operand], returned: bool) -> Result<(), String> {
        let what = if returned { "return value" } else { "argument" };
        if formals.len() != actuals.len() {
            let plural = if formals.len() == 1 { "" } else { "s" };
            return Err(format!("expected {} {what}{plural}, found {}", formals.len(), actuals.len()));
        }
        for (index, (formal, actual)) in formals.iter().zip(actuals).enumerate() {
            if !self.passes(formal, actual, returned) {
                return Err(format!("{what} {} does not match its declaration", index + 1));
            }
        }
        Ok(())
    }

    fn passes(&self, formal: &Param, actual: &Operand, returned: bool) -> bool {
        let scalar = formal.dims.is_empty() && formal.lanes == 1;
        match actual {
            Operand::Sink => returned,
            // No register is narrower than 16 bits in practice, so small values travel in wider ones.
            Operand::Reg(reg) => scalar && register_fits(self.reg(*reg).ty, formal.ty, formal.ty.bits() < 32),
            Operand::Imm(_) => scalar && !returned && formal.ty != ScalarType::Pred,
            Operand::Symbol(actual) if actual.offset == 0 => {
                let size = match actual.symbol {
                    Symbol::Local(id) => {
                        self.locals.get(id.index()).filter(|v| v.space == Space::Param).map(|v| v.size())
                    }
                    Symbol::Param(id) => self.function.params.get(id.index()).map(Param::size),
                    _ => None,
                };
                size.is_some_and(|size| formal.size() == 0 || size == formal.size())
            }
            _ => false,
        }
    }
}
