//! Compiled modules and their kernels.

use crate::code::Code;
use crate::isa_unsafe::Isa;
use crate::lower::{self, Assembly, CompileError, Linked};
use crate::window;
use cleave_ptx::ir::{FunctionKind, Module, Variable};
use std::collections::HashMap;
use std::sync::Arc;

/// What the program is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    pub isa: Isa,
}

impl Default for Target {
    /// The processor this runs on.
    fn default() -> Target {
        Target { isa: Isa::detect() }
    }
}

/// Where module variables are.
pub trait Symbols {
    /// Generic address of a `.global` or `.const` variable of the module at this position in the list being compiled.
    /// Declarations (`.extern`) are asked for as well: whoever implements this links them.
    fn variable(&self, module: usize, variable: &Variable) -> Option<u64>;
}

impl Symbols for HashMap<String, u64> {
    fn variable(&self, _: usize, variable: &Variable) -> Option<u64> {
        self.get(&*variable.name).copied()
    }
}

/// Modules lowered to micro-operations.
pub struct Program {
    kernels: HashMap<String, Arc<Kernel>>,
    functions: HashMap<String, u64>,
}

/// A function that can be launched.
pub struct Kernel {
    pub name: String,
    /// Offset, size and alignment of each parameter in the buffer.
    pub params: Vec<KernelParam>,
    /// Bytes of the parameter buffer.
    pub param_bytes: u32,
    /// Bytes of static shared memory.
    pub static_shared: u32,
    /// Bytes of local memory per thread, without what it calls.
    pub local_bytes: u32,
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Most threads a block may have, from `.maxntid` or `.reqntid`.
    pub max_threads: u32,
    /// Exact block shape, if the kernel demands one.
    pub required_block: Option<[u32; 3]>,
    /// `.minnctapersm`
    pub min_blocks: Option<u32>,
    /// Where dynamic shared memory starts.
    pub(crate) dynamic_base: u32,
    pub(crate) code: Arc<Code>,
    /// Number in `code.functions`.
    pub(crate) function: u32,
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelParam {
    pub offset: u32,
    pub size: u32,
    pub align: u32,
}

impl Program {
    /// Compiles one module.
    pub fn compile(module: &Module, symbols: &dyn Symbols, target: &Target) -> Result<Program, CompileError> {
        Program::link(&[module], symbols, target)
    }

    /// Compiles modules that may call each other's functions.
    pub fn link(
        modules: &[&Module],
        symbols: &dyn Symbols,
        target: &Target,
    ) -> Result<Program, CompileError> {
        let linked = Linked::new(modules, symbols)?;
        let mut assembly = Assembly::default();
        let mut local = Vec::new();
        for &at in &linked.defined {
            lower::lower(target.isa, &linked, at, &mut assembly)?;
            local.push(at);
        }
        let code = Arc::new(assembly.finish());
        let mut program = Program { kernels: HashMap::new(), functions: HashMap::new() };
        for (number, &at) in (0u32..).zip(&linked.defined) {
            let function = linked.function(at);
            program.functions.entry(function.name.to_string()).or_insert(window::of_function(number));
            if function.kind != FunctionKind::Entry {
                continue;
            }
            let (places, param_bytes) = function.param_layout();
            let lowered = &code.functions[number as usize];
            let limits = &function.limits;
            let threads = |block: [u32; 3]| block.iter().fold(1u32, |n, &d| n.saturating_mul(d));
            let kernel = Kernel {
                name: function.name.to_string(),
                params: places
                    .iter()
                    .map(|p| KernelParam {
                        offset: p.offset as u32,
                        size: p.size as u32,
                        align: p.align as u32,
                    })
                    .collect(),
                param_bytes: param_bytes as u32,
                static_shared: linked.static_shared[number as usize],
                local_bytes: lowered.local,
                registers: registers(lowered, limits.maxnreg),
                max_threads: limits.reqntid.or(limits.maxntid).map_or(1024, threads).min(1024),
                required_block: limits.reqntid,
                min_blocks: limits.minnctapersm,
                dynamic_base: linked.dynamic_base(linked.static_shared[number as usize]),
                code: code.clone(),
                function: number,
            };
            program.kernels.entry(kernel.name.clone()).or_insert_with(|| Arc::new(kernel));
        }
        Ok(program)
    }

    pub fn kernel(&self, name: &str) -> Option<Arc<Kernel>> {
        self.kernels.get(name).cloned()
    }

    pub fn kernels(&self) -> impl Iterator<Item = &Arc<Kernel>> {
        self.kernels.values()
    }

    /// The address of a function, as device code sees it: what relocations to functions are filled with.
    pub fn function(&self, name: &str) -> Option<u64> {
        self.functions.get(name).copied()
    }
}

/// What a compiler for hardware would have to find room for, within the limits it has.
fn registers(function: &crate::code::Function, limit: Option<u32>) -> u32 {
    let constants = function.constants32.len() + 2 * function.constants64.len();
    let rows = function.extent.rows32 + 2 * function.extent.rows64;
    let needed = rows.saturating_sub(constants as u32).clamp(8, 255);
    limit.map_or(needed, |limit| needed.min(limit.max(8)))
}
