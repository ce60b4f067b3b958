//! Code in one context: compiled, with memory for its variables.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use cleave_api::cuda::types::*;
use cleave_ptx::ir::Space;
use cleave_simt::{Program, Target};

use super::function::Function;
use super::jit::Jit;
use super::source::Source;
use super::variables::{Variable, Variables};
use crate::context::Context;
use crate::device::limits;
use crate::gpu::SoftGpu;

pub struct Module {
    pub handle: CUmodule,
    /// Identifies the context it is in, as in `Context::id`.
    pub context: u64,
    /// Belongs to a library, which alone may unload it.
    pub of_library: bool,
    program: Program,
    variables: Variables,
    /// Handles given out so far: the same name gets the same one.
    functions: Mutex<HashMap<String, CUfunction>>,
}

impl Module {
    /// Brings code into a context.
    pub fn load(
        gpu: &SoftGpu,
        context: &Context,
        source: &Source,
        of_library: bool,
        jit: &mut Jit,
    ) -> Result<Arc<Module>, CUresult> {
        check_variables(source, jit)?;
        let variables = Variables::place(gpu, context, &source.modules)?;
        let modules: Vec<_> = source.modules.iter().collect();
        let program = match Program::link(&modules, &variables, &Target::default()) {
            Ok(program) => program,
            Err(problem) => {
                jit.error(&format!("ptx: {problem}"));
                forget(gpu, &variables);
                return Err(CUDA_ERROR_INVALID_PTX);
            }
        };
        if !check_kernels(&program, jit) {
            forget(gpu, &variables);
            return Err(CUDA_ERROR_INVALID_PTX);
        }
        for kernel in program.kernels() {
            let (name, registers, shared) = (&kernel.name, kernel.registers, kernel.static_shared);
            jit.info(&format!("ptx: kernel {name}: {registers} registers, {shared} bytes shared"));
        }
        variables.initialise(&source.modules, |name| program.function(name));
        let functions = Mutex::default();
        let context = context.id;
        let handle = gpu.modules.insert_with(|handle| {
            Arc::new(Module { handle: CUmodule(handle), context, of_library, program, variables, functions })
        });
        gpu.modules.get(handle.ok_or(CUDA_ERROR_OUT_OF_MEMORY)?).ok_or(CUDA_ERROR_OUT_OF_MEMORY)
    }

    /// Takes code out of its context: its handles mean nothing any more, its variables are freed.
    pub fn unload(&self, gpu: &SoftGpu) {
        gpu.modules.remove(self.handle.0);
        for handle in self.functions().values() {
            gpu.functions.remove(handle.0);
        }
        forget(gpu, &self.variables);
    }

    /// The handle of a kernel by name.
    pub fn function(&self, gpu: &SoftGpu, name: &str) -> Result<CUfunction, CUresult> {
        let mut functions = self.functions();
        if let Some(&handle) = functions.get(name) {
            return Ok(handle);
        }
        let kernel = self.program.kernel(name).ok_or(CUDA_ERROR_NOT_FOUND)?;
        let capability = gpu.machine.setup().capability;
        let made = gpu.functions.insert_with(|handle| {
            Arc::new(Function::new(CUfunction(handle), self.handle, kernel, capability))
        });
        let handle = CUfunction(made.ok_or(CUDA_ERROR_OUT_OF_MEMORY)?);
        functions.insert(name.to_owned(), handle);
        Ok(handle)
    }

    /// Names of all kernels.
    pub fn kernel_names(&self) -> Vec<String> {
        self.program.kernels().map(|kernel| kernel.name.clone()).collect()
    }

    pub fn variable(&self, name: &str) -> Option<Variable> {
        self.variables.named(name)
    }

    fn functions(&self) -> std::sync::MutexGuard<'_, HashMap<String, CUfunction>> {
        self.functions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What an assembler for the device would refuse: more constants than there is room for.
fn check_variables(source: &Source, jit: &mut Jit) -> Result<(), CUresult> {
    let constants =
        source.modules.iter().flat_map(|module| &module.variables).filter(|v| v.space == Space::Const);
    let bytes = constants.fold(0u64, |sum, variable| sum.saturating_add(variable.size()));
    if bytes > limits::CONSTANT.into() {
        jit.error(&format!("ptx: {bytes} bytes of constants, the device has {}", limits::CONSTANT));
        return Err(CUDA_ERROR_INVALID_PTX);
    }
    Ok(())
}

/// And kernels with more shared memory or parameters than a launch could give them.
fn check_kernels(program: &Program, jit: &mut Jit) -> bool {
    let mut good = true;
    for kernel in program.kernels() {
        let sizes = [
            ("static shared memory", kernel.static_shared, limits::SHARED_PER_BLOCK),
            ("parameters", kernel.param_bytes, limits::PARAMETERS),
        ];
        for (what, bytes, most) in sizes.into_iter().filter(|(_, bytes, most)| bytes > most) {
            jit.error(&format!(
                "ptx: kernel {}: {bytes} bytes of {what}, the device allows {most}",
                kernel.name
            ));
            good = false;
        }
    }
    good
}

fn forget(gpu: &SoftGpu, variables: &Variables) {
    for memory in variables.memory() {
        gpu.memory.live.remove_if(memory.start, |_| true);
    }
}
