//! The linker of the driver API: PTX texts in, one image out.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cleave_api::cuda::types::*;
use cleave_ptx::ir;
use cleave_ptx::ir::Linkage;

use super::image_unsafe::Image;
use super::jit::Jit;
use super::{linked, source};

/// A link under way.
pub struct Link {
    inner: Mutex<Inner>,
}

struct Inner {
    jit: Jit,
    texts: Vec<String>,
    modules: Vec<ir::Module>,
    /// Lives until the link is destroyed: the program reads it in place.
    image: Option<Box<[u8]>>,
}

impl Link {
    /// A link whose log goes where `jit` says.
    pub fn new(jit: Jit) -> Link {
        Link { inner: Mutex::new(Inner { jit, texts: Vec::new(), modules: Vec::new(), image: None }) }
    }

    /// Adds an input. Only PTX can be linked; machine code is no use here. `target` is the device's compute capability, two
    /// digits.
    pub fn add(&self, kind: CUjitInputType, bytes: &[u8], target: u32) -> Result<(), CUresult> {
        let image = Image::of(bytes);
        match (kind, &image) {
            (CU_JIT_INPUT_PTX, Image::Text(_) | Image::Linked(_))
            | (CU_JIT_INPUT_FATBINARY, Image::Fatbin(_)) => {}
            // What our own linker made is handed on under the name of what a real one makes.
            (CU_JIT_INPUT_CUBIN | CU_JIT_INPUT_OBJECT | CU_JIT_INPUT_FATBINARY, Image::Linked(_)) => {}
            (CU_JIT_INPUT_CUBIN | CU_JIT_INPUT_OBJECT | CU_JIT_INPUT_LIBRARY, _) | (_, Image::Elf) => {
                return Err(CUDA_ERROR_NO_BINARY_FOR_GPU);
            }
            (CU_JIT_INPUT_NVVM, _) => return Err(CUDA_ERROR_NOT_SUPPORTED),
            (CU_JIT_INPUT_PTX | CU_JIT_INPUT_FATBINARY, _) => return Err(CUDA_ERROR_INVALID_IMAGE),
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
        let inner = &mut *self.inner();
        for text in source::texts(&image, target)? {
            let module = source::module(&text, &mut inner.jit);
            inner.jit.finish();
            inner.modules.push(module?);
            inner.texts.push(text);
        }
        Ok(())
    }

    /// Checks that every name is defined once, makes the image and shows it; it stays until the link is destroyed.
    pub fn complete(&self, show: impl FnOnce(&[u8]) -> Result<(), CUresult>) -> Result<(), CUresult> {
        let inner = &mut *self.inner();
        let problems = check(&inner.modules);
        problems.iter().for_each(|problem| inner.jit.error(problem));
        inner.jit.finish();
        if !problems.is_empty() {
            return Err(CUDA_ERROR_INVALID_PTX);
        }
        show(inner.image.get_or_insert_with(|| linked::write(&inner.texts).into()))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What keeps modules from being one program: names defined twice.
fn check(modules: &[ir::Module]) -> Vec<String> {
    let strong = |linkage: Option<Linkage>| linkage == Some(Linkage::Visible);
    let mut seen = HashSet::new();
    let mut problems = Vec::new();
    for module in modules {
        let functions =
            module.functions.iter().filter(|f| f.body.is_some() && strong(f.linkage)).map(|f| &f.name);
        let variables = module.variables.iter().filter(|v| strong(v.linkage)).map(|v| &v.name);
        for name in functions.chain(variables) {
            if !seen.insert(name) {
                problems.push(format!("link: multiple definition of '{name}'"));
            }
        }
    }
    problems
}
