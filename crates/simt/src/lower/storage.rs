//! Where variables lie: module variables at the addresses the driver gave, shared variables at offsets of the block's shared memory,
//! local variables and parameters in the frame.

use super::CompileError;
use crate::builtin::Builtin;
use crate::program::Symbols;
use crate::window;
use cleave_ptx::ir::{
    Address, Base, Body, FuncId, Function, FunctionKind, Linkage, LocalId, Module, Operand, Space, Stmt,
    Symbol, VarId, Variable,
};
use std::collections::{BTreeSet, HashMap};

/// A function some module names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    Function(u32),
    Builtin(Builtin),
    Missing,
}

/// Functions and shared variables of all modules of a program.
pub struct Linked<'a> {
    pub modules: &'a [&'a Module],
    pub symbols: &'a dyn Symbols,
    callees: HashMap<(usize, FuncId), Callee>,
    /// Functions with a body, in the order of their numbers.
    pub defined: Vec<(usize, FuncId)>,
    shared: HashMap<SharedVar, u32>,
    /// Static shared memory of each defined function, as far as it and what it may call need it.
    pub static_shared: Vec<u32>,
    /// Alignment of dynamic shared memory.
    dynamic_align: u32,
}

/// A `.shared` variable: module, function if it is declared inside one, and index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum SharedVar {
    Module(usize, VarId),
    Body(usize, FuncId, LocalId),
}

impl<'a> Linked<'a> {
    pub fn new(modules: &'a [&'a Module], symbols: &'a dyn Symbols) -> Result<Linked<'a>, CompileError> {
        let mut linked = Linked {
            modules,
            symbols,
            callees: HashMap::new(),
            defined: Vec::new(),
            shared: HashMap::new(),
            static_shared: Vec::new(),
            dynamic_align: 16,
        };
        linked.link_functions();
        linked.place_shared()?;
        Ok(linked)
    }

    pub fn function(&self, (module, id): (usize, FuncId)) -> &'a Function {
        &self.modules[module].functions[id.index()]
    }

    pub fn callee(&self, module: usize, id: FuncId) -> Callee {
        self.callees.get(&(module, id)).copied().unwrap_or(Callee::Missing)
    }

    /// Where dynamic shared memory starts after `static_shared` bytes.
    pub fn dynamic_base(&self, static_shared: u32) -> u32 {
        static_shared.next_multiple_of(self.dynamic_align)
    }

    fn link_functions(&mut self) {
        let mut exported: HashMap<&str, u32> = HashMap::new();
        for (m, module) in self.modules.iter().enumerate() {
            for (f, function) in (0..).zip(&module.functions) {
                if function.body.is_some() {
                    let number = self.defined.len() as u32;
                    self.defined.push((m, FuncId(f)));
                    self.callees.insert((m, FuncId(f)), Callee::Function(number));
                    if function.linkage.is_some() {
                        exported.entry(&function.name).or_insert(number);
                    }
                }
            }
        }
        for (m, module) in self.modules.iter().enumerate() {
            for (f, function) in (0..).zip(&module.functions) {
                // Of several weak definitions all modules use the first.
                let weak = function.linkage == Some(Linkage::Weak);
                if function.body.is_none() || weak {
                    let callee = match exported.get(&*function.name) {
                        Some(&number) => Callee::Function(number),
                        None => Builtin::named(&function.name).map_or(Callee::Missing, Callee::Builtin),
                    };
                    self.callees.insert((m, FuncId(f)), callee);
                }
            }
            for &(alias, target) in &module.aliases {
                self.callees.insert((m, alias), self.callee(m, target));
            }
        }
    }

    /// Variables that device functions or several kernels use come first, at the same place for everyone; then each kernel's own.
    fn place_shared(&mut self) -> Result<(), CompileError> {
        let defined = self.defined.clone();
        let uses: Vec<Uses> = defined.iter().map(|&at| self.uses_of(at)).collect();
        let reach: Vec<BTreeSet<u32>> = (0..uses.len()).map(|f| reachable(f as u32, &uses)).collect();
        let mut common = BTreeSet::new();
        let mut seen: HashMap<SharedVar, u32> = HashMap::new();
        for (number, &at) in (0u32..).zip(&self.defined) {
            let kernel = self.function(at).kind == FunctionKind::Entry;
            for &var in &uses[number as usize].shared {
                let owner = *seen.entry(var).or_insert(number);
                if !kernel || owner != number {
                    common.insert(var);
                }
            }
        }
        let mut end = 0;
        for &var in &common {
            end = self.put_shared(var, end)?;
        }
        for reached in &reach {
            let all: BTreeSet<SharedVar> =
                reached.iter().flat_map(|&g| uses[g as usize].shared.iter().copied()).collect();
            let mut size =
                all.iter().filter(|v| common.contains(v)).map(|v| self.end_of(*v)).max().unwrap_or(0);
            for &var in all.iter().filter(|v| !common.contains(v)) {
                size = self.put_shared(var, size)?;
            }
            self.static_shared.push(size);
        }
        Ok(())
    }

    fn shared_variable(&self, var: SharedVar) -> Option<&'a Variable> {
        match var {
            SharedVar::Module(m, id) => self.modules[m].variables.get(id.index()),
            SharedVar::Body(m, f, id) => self.function((m, f)).body.as_ref()?.variables.get(id.index()),
        }
    }

    fn put_shared(&mut self, var: SharedVar, end: u32) -> Result<u32, CompileError> {
        let Some(variable) = self.shared_variable(var) else { return Ok(end) };
        let at = u64::from(end).next_multiple_of(variable.alignment().next_power_of_two());
        let after = at.saturating_add(variable.size());
        // Far above what any device has: the launch refuses long before.
        if after > 1 << 30 {
            let message = format!("shared variable {} is too large", variable.name);
            return Err(CompileError { loc: variable.loc, message });
        }
        self.shared.insert(var, at as u32);
        Ok(after as u32)
    }

    fn end_of(&self, var: SharedVar) -> u32 {
        let size = self.shared_variable(var).map_or(0, |v| v.size());
        self.shared.get(&var).map_or(0, |at| at + size as u32)
    }

    fn uses_of(&mut self, (m, f): (usize, FuncId)) -> Uses {
        let mut uses = Uses::default();
        let Some(body) = &self.function((m, f)).body else { return uses };
        let mut visit = |uses: &mut Uses, symbol: Symbol, called: bool| match symbol {
            Symbol::Variable(id) => {
                let Some(v) = self.modules[m].variables.get(id.index()) else { return };
                if is_dynamic_shared(v) {
                    let align = v.alignment().next_power_of_two().clamp(16, 1024);
                    self.dynamic_align = self.dynamic_align.max(align as u32);
                } else if v.space == Space::Shared {
                    uses.shared.insert(SharedVar::Module(m, id));
                }
            }
            Symbol::Local(id) if body.variables.get(id.index()).is_some_and(|v| v.space == Space::Shared) => {
                uses.shared.insert(SharedVar::Body(m, f, id));
            }
            Symbol::Function(id) => {
                if let Some(Callee::Function(number)) = self.callees.get(&(m, id)) {
                    uses.calls.insert(*number);
                }
                uses.indirect |= !called;
            }
            _ => {}
        };
        for stmt in &body.stmts {
            if let Stmt::Inst(inst) = stmt {
                let direct = inst.opcode == cleave_ptx::ir::Opcode::Call;
                for operand in &inst.operands {
                    symbols_of(operand, &mut |symbol| visit(&mut uses, symbol, direct));
                }
                uses.indirect |= direct && inst.operands.get(1).is_some_and(|o| matches!(o, Operand::Reg(_)));
            }
        }
        uses
    }
}

/// An unsized `.extern .shared` array: the dynamic shared memory.
fn is_dynamic_shared(v: &Variable) -> bool {
    v.space == Space::Shared && v.dims.first() == Some(&0)
}

/// What a function names.
#[derive(Default)]
struct Uses {
    shared: BTreeSet<SharedVar>,
    calls: BTreeSet<u32>,
    /// May call any function whose address somebody takes.
    indirect: bool,
}

fn reachable(from: u32, uses: &[Uses]) -> BTreeSet<u32> {
    let mut seen = BTreeSet::from([from]);
    let mut pending = vec![from];
    while let Some(f) = pending.pop() {
        let all = if uses[f as usize].indirect { 0..uses.len() as u32 } else { 0..0 };
        for next in uses[f as usize].calls.iter().copied().chain(all) {
            if seen.insert(next) {
                pending.push(next);
            }
        }
    }
    seen
}

fn symbols_of(operand: &Operand, visit: &mut dyn FnMut(Symbol)) {
    match operand {
        Operand::Symbol(symbol) => visit(symbol.symbol),
        Operand::Address(Address { base: Base::Symbol(symbol), .. }) => visit(*symbol),
        Operand::Vector(list) => list.iter().for_each(|o| symbols_of(o, visit)),
        _ => {}
    }
}

/// Where something with an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// A fixed address in its own state space.
    Fixed(u64),
    /// An offset in the frame's local memory.
    Frame(u32),
    /// The dynamic shared memory.
    Dynamic,
    /// An offset in the kernel's parameters.
    Param(u32),
}

/// Storage of one function.
pub struct Home<'a> {
    pub module: usize,
    pub id: FuncId,
    pub function: &'a Function,
    /// Frame offsets of the body's local and parameter variables.
    locals: Vec<u32>,
    /// Offsets of parameters and return values: in the frame, or for a kernel in the parameter buffer.
    pub params: Vec<u32>,
    pub returns: Vec<u32>,
    /// Bytes of the frame's local memory.
    pub local_bytes: u32,
    /// Bytes of a kernel's parameters.
    pub param_bytes: u32,
}

impl<'a> Home<'a> {
    pub fn new(
        linked: &Linked<'a>,
        (module, id): (usize, FuncId),
        body: &Body,
    ) -> Result<Home<'a>, CompileError> {
        let function = linked.function((module, id));
        let kernel = function.kind == FunctionKind::Entry;
        let mut frame = Stack { end: 0 };
        let mut buffer = Stack { end: 0 };
        let too_large = |name: &str| CompileError {
            loc: function.loc,
            message: format!("{name}: too large for local memory"),
        };
        let mut place = |size: u64, align: u64, in_frame: bool, name: &str| {
            let stack = if in_frame { &mut frame } else { &mut buffer };
            stack.push(size, align).ok_or_else(|| too_large(name))
        };
        let mut params = Vec::new();
        for p in &function.params {
            params.push(if p.reg.is_some() { 0 } else { place(p.size(), p.alignment(), !kernel, &p.name)? });
        }
        let mut returns = Vec::new();
        for p in &function.returns {
            returns.push(if p.reg.is_some() { 0 } else { place(p.size(), p.alignment(), true, &p.name)? });
        }
        let mut locals = Vec::new();
        for v in &body.variables {
            let in_frame = v.space != Space::Shared;
            locals.push(if in_frame { place(v.size(), v.alignment(), true, &v.name)? } else { 0 });
        }
        let (local_bytes, param_bytes) = (frame.end, buffer.end);
        Ok(Home { module, id, function, locals, params, returns, local_bytes, param_bytes })
    }

    pub fn is_kernel(&self) -> bool {
        self.function.kind == FunctionKind::Entry
    }

    /// Where a symbol of this function is.
    pub fn find(&self, linked: &Linked<'_>, symbol: Symbol) -> Result<Where, String> {
        match symbol {
            Symbol::Variable(id) => {
                let Some(v) = linked.modules[self.module].variables.get(id.index()) else {
                    return Err("unknown variable".into());
                };
                if is_dynamic_shared(v) {
                    return Ok(Where::Dynamic);
                }
                if v.space == Space::Shared {
                    let at = linked.shared.get(&SharedVar::Module(self.module, id));
                    return Ok(Where::Fixed(at.copied().unwrap_or(0).into()));
                }
                let address = linked.symbols.variable(self.module, v);
                address.map(Where::Fixed).ok_or_else(|| format!("variable {} has no address", v.name))
            }
            Symbol::Function(id) => match linked.callee(self.module, id) {
                Callee::Function(number) => Ok(Where::Fixed(window::of_function(number))),
                _ => Err("address of a function that is not defined".into()),
            },
            Symbol::Local(id) => {
                let key = SharedVar::Body(self.module, self.id, id);
                match linked.shared.get(&key) {
                    Some(&at) => Ok(Where::Fixed(at.into())),
                    None => Ok(Where::Frame(self.locals.get(id.index()).copied().unwrap_or(0))),
                }
            }
            Symbol::Param(id) => {
                let at = self.params.get(id.index()).copied().unwrap_or(0);
                Ok(if self.is_kernel() { Where::Param(at) } else { Where::Frame(at) })
            }
            Symbol::Return(id) => Ok(Where::Frame(self.returns.get(id.index()).copied().unwrap_or(0))),
        }
    }
}

struct Stack {
    end: u32,
}

impl Stack {
    fn push(&mut self, size: u64, align: u64) -> Option<u32> {
        let at = u64::from(self.end).checked_next_multiple_of(align.max(1))?;
        let end = u32::try_from(at.checked_add(size)?).ok().filter(|end| *end < 1 << 30)?;
        self.end = end;
        Some(at as u32)
    }
}
