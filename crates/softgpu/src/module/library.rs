//! Code that is loaded once: each context that uses it gets a module of its own, made at the first use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cleave_api::cuda::types::*;
use cleave_ptx::ir::FunctionKind;

use super::function::c_text;
use super::jit::Jit;
use super::loaded::Module;
use super::source::Source;
use crate::context::Context;
use crate::gpu::SoftGpu;

pub struct Library {
    pub handle: CUlibrary,
    source: Source,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// By context id.
    modules: HashMap<u64, Arc<Module>>,
    kernels: HashMap<String, CUkernel>,
}

/// A kernel of a library, in no context.
pub struct Kernel {
    pub library: CUlibrary,
    pub name: String,
    c_name: Box<[u8]>,
}

impl Kernel {
    /// The name with its closing zero, for programs that ask.
    pub fn c_name(&self) -> &[u8] {
        &self.c_name
    }
}

impl Library {
    pub fn new(handle: CUlibrary, source: Source) -> Library {
        Library { handle, source, inner: Mutex::default() }
    }

    /// The module in a context.
    pub fn module(&self, gpu: &SoftGpu, context: &Context) -> Result<Arc<Module>, CUresult> {
        let mut jit = Jit::none();
        let module = self.load(gpu, context, &mut jit);
        jit.finish();
        module
    }

    /// The same, with a log.
    pub fn load(&self, gpu: &SoftGpu, context: &Context, jit: &mut Jit) -> Result<Arc<Module>, CUresult> {
        let mut inner = self.inner();
        if let Some(module) = inner.modules.get(&context.id) {
            return Ok(module.clone());
        }
        let module = Module::load(gpu, context, &self.source, true, jit)?;
        inner.modules.insert(context.id, module.clone());
        Ok(module)
    }

    /// The handle of a kernel by name.
    pub fn kernel(&self, gpu: &SoftGpu, name: &str) -> Result<CUkernel, CUresult> {
        if !self.kernel_names().any(|known| known == name) {
            return Err(CUDA_ERROR_NOT_FOUND);
        }
        let mut inner = self.inner();
        if let Some(&handle) = inner.kernels.get(name) {
            return Ok(handle);
        }
        let kernel = Kernel { library: self.handle, name: name.to_owned(), c_name: c_text(name) };
        let handle = CUkernel(gpu.kernels.insert(Arc::new(kernel)).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?);
        inner.kernels.insert(name.to_owned(), handle);
        Ok(handle)
    }

    pub fn kernel_names(&self) -> impl Iterator<Item = &str> {
        let functions = self.source.modules.iter().flat_map(|module| &module.functions);
        functions.filter(|f| f.kind == FunctionKind::Entry && f.body.is_some()).map(|f| &*f.name)
    }

    /// Ends the library: its modules and all handles.
    pub fn unload(&self, gpu: &SoftGpu) {
        let inner = std::mem::take(&mut *self.inner());
        inner.modules.values().for_each(|module| module.unload(gpu));
        for handle in inner.kernels.values() {
            gpu.kernels.remove(handle.0);
        }
    }

    /// A context is gone, and the module in it with it.
    pub fn forget(&self, context: u64) {
        self.inner().modules.remove(&context);
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
