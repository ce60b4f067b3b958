//! IR to PTX text that parses to an equal IR.

mod code;
mod data;

use std::fmt::{self, Display, Formatter};

use crate::ir::{
    FuncId, Function, FunctionKind, Limits, Linkage, Module, Operand, Param, Prototype, Space, Stmt, Symbol,
};
use code::Code;
use data::{Dimensions, Initialiser, VariableHead};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, ".version {}.{}", self.version.major, self.version.minor)?;
        write!(f, ".target sm_{}", self.target.sm)?;
        if let Some(suffix) = self.target.suffix {
            write!(f, "{suffix}")?;
        }
        for option in &self.target.options {
            write!(f, ", {option}")?;
        }
        writeln!(f, "\n.address_size {}", self.address_size)?;
        for pragma in &self.pragmas {
            writeln!(f, ".pragma \"{pragma}\";")?;
        }
        let mut declared = 0;
        let used = self.variables.iter().flat_map(|v| v.init.iter().flat_map(|init| &init.relocs));
        let used = used.filter_map(|reloc| function_of(reloc.symbol)).max();
        self.declare_up_to(f, used, &mut declared)?;
        self.write_variables(f)?;
        for (index, function) in self.functions.iter().enumerate() {
            // A function that uses a later one needs that one's prototype. Prototypes are written for all functions
            // in between as well, because the order in which functions appear gives them their ids.
            let used = highest_used(function).filter(|id| id.index() > index);
            self.declare_up_to(f, used, &mut declared)?;
            match &function.body {
                Some(body) => {
                    let code = Code { module: self, function, body };
                    write!(f, "\n{}\n{}{}", Header(function), Directives(function), code)?;
                }
                None if index >= declared => self.write_prototype(f, function)?,
                None => {}
            }
            declared = declared.max(index + 1);
        }
        for (alias, function) in &self.aliases {
            let name = |id: &FuncId| self.functions.get(id.index()).map_or("", |f| &f.name);
            writeln!(f, ".alias {}, {};", name(alias), name(function))?;
        }
        Ok(())
    }
}

impl Module {
    /// Writes the prototypes of all functions up to `last` that have none yet.
    fn declare_up_to(
        &self,
        f: &mut Formatter<'_>,
        last: Option<FuncId>,
        declared: &mut usize,
    ) -> fmt::Result {
        let Some(last) = last else { return Ok(()) };
        while *declared <= last.index() {
            if let Some(function) = self.functions.get(*declared) {
                self.write_prototype(f, function)?;
            }
            *declared += 1;
        }
        Ok(())
    }

    /// A function without its body. Performance directives go with the definition, if there is one.
    fn write_prototype(&self, f: &mut Formatter<'_>, function: &Function) -> fmt::Result {
        write!(f, "{}", Header(function))?;
        match &function.body {
            Some(_) => f.write_str(if function.noreturn { " .noreturn" } else { "" })?,
            None => Directives(function).to_string().lines().try_for_each(|line| write!(f, " {line}"))?,
        }
        f.write_str(";\n")
    }

    fn write_variables(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // As with functions: a variable whose initialiser names a later one needs that one declared before.
        let forward = self.variables.iter().enumerate().flat_map(|(index, variable)| {
            let relocs = variable.init.iter().flat_map(|init| &init.relocs);
            relocs.filter_map(move |reloc| match reloc.symbol {
                Symbol::Variable(id) if id.index() > index => Some(id.index()),
                _ => None,
            })
        });
        let declared = forward.max().map_or(0, |last| last + 1);
        for variable in self.variables.iter().take(declared) {
            writeln!(f, "{};", VariableHead { variable, external: true })?;
        }
        for (index, variable) in self.variables.iter().enumerate() {
            if index < declared && variable.linkage == Some(Linkage::Extern) && variable.init.is_none() {
                continue;
            }
            write!(f, "{}", VariableHead { variable, external: false })?;
            if let Some(init) = &variable.init {
                write!(f, " = {}", Initialiser { module: self, variable, init })?;
            }
            writeln!(f, ";")?;
        }
        Ok(())
    }
}

fn function_of(symbol: Symbol) -> Option<FuncId> {
    match symbol {
        Symbol::Function(id) => Some(id),
        _ => None,
    }
}

/// The highest function id a body refers to.
fn highest_used(function: &Function) -> Option<FuncId> {
    let body = function.body.as_ref()?;
    let operands = body.stmts.iter().flat_map(|stmt| match stmt {
        Stmt::Inst(inst) => &inst.operands[..],
        _ => &[],
    });
    let symbols = operands.filter_map(|operand| match operand {
        Operand::Symbol(symbol) => function_of(symbol.symbol),
        _ => None,
    });
    symbols.chain(body.call_targets.iter().flat_map(|targets| targets.functions.iter().copied())).max()
}

/// A function up to its parameters.
struct Header<'a>(&'a Function);

impl Display for Header<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Header(function) = self;
        if let Some(linkage) = function.linkage {
            write!(f, ".{linkage} ")?;
        }
        write!(f, ".{} ", function.kind)?;
        if function.kind == FunctionKind::Func && !function.returns.is_empty() {
            write!(f, "({}) ", Params(&function.returns))?;
        }
        write!(f, "{}({})", function.name, Params(&function.params))
    }
}

struct Params<'a>(&'a [Param]);

impl Display for Params<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, param) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            write!(f, ".{}", if param.space == Space::Reg { "reg" } else { "param" })?;
            if let Some(align) = param.align {
                write!(f, " .align {align}")?;
            }
            if param.lanes > 1 {
                write!(f, " .v{}", param.lanes)?;
            }
            write!(f, " .{}", param.ty)?;
            if let Some(pointer) = param.pointer {
                f.write_str(" .ptr")?;
                if let Some(space) = pointer.space {
                    write!(f, " .{space}")?;
                }
                if let Some(align) = pointer.align {
                    write!(f, " .align {align}")?;
                }
            }
            let name = if param.name.is_empty() { "_" } else { &*param.name };
            write!(f, " {name}{}", Dimensions(&param.dims))?;
        }
        Ok(())
    }
}

/// What stands between header and body, one directive per line.
struct Directives<'a>(&'a Function);

impl Display for Directives<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Limits {
            maxntid,
            reqntid,
            minnctapersm,
            maxnctapersm,
            maxnreg,
            reqnctapercluster,
            maxclusterrank,
            explicitcluster,
        } = &self.0.limits;
        if self.0.noreturn {
            writeln!(f, ".noreturn")?;
        }
        for (name, extent) in
            [("maxntid", maxntid), ("reqntid", reqntid), ("reqnctapercluster", reqnctapercluster)]
        {
            if let Some([x, y, z]) = extent {
                writeln!(f, ".{name} {x}, {y}, {z}")?;
            }
        }
        for (name, number) in [
            ("minnctapersm", minnctapersm),
            ("maxnctapersm", maxnctapersm),
            ("maxnreg", maxnreg),
            ("maxclusterrank", maxclusterrank),
        ] {
            if let Some(number) = number {
                writeln!(f, ".{name} {number}")?;
            }
        }
        if *explicitcluster {
            writeln!(f, ".explicitcluster")?;
        }
        for pragma in &self.0.pragmas {
            writeln!(f, ".pragma \"{pragma}\";")?;
        }
        Ok(())
    }
}

impl Display for Prototype {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: .callprototype ({}) _ ({})", self.name, Params(&self.returns), Params(&self.params))?;
        f.write_str(if self.noreturn { " .noreturn;" } else { ";" })
    }
}
