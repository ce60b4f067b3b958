//! Code in one context: compiled, with memory for its variables.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use cleave_api::cuda::types::*;
use cleave_simt::{Program, Target};

use super::function::Function;
use super::jit::Jit;
use super::source::Source;
use super::variables::{Variable, Variables};
use crate::context::Context;
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
        let made = gpu
            .functions
            .insert_with(|handle| Arc::new(Function::new(CUfunction(handle), self.handle, kernel)));
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

fn forget(gpu: &SoftGpu, variables: &Variables) {
    for memory in variables.memory() {
        gpu.memory.live.remove_if(memory.start, |_| true);
    }
}
