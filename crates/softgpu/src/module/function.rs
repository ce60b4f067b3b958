//! A kernel of a module: what the program knows about it and may set.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cleave_api::cuda::types::*;
use cleave_simt::Kernel;

use crate::device::limits;

pub struct Function {
    pub handle: CUfunction,
    pub module: CUmodule,
    pub kernel: Arc<Kernel>,
    /// Compute capability of its device.
    capability: (u32, u32),
    /// The name with its closing zero, for programs that ask.
    name: Box<[u8]>,
    /// Dynamic shared memory a launch may ask for.
    max_dynamic: AtomicU32,
    carveout: AtomicI32,
    old: Mutex<OldLaunch>,
}

/// What the oldest form of launching collects call by call.
#[derive(Clone, Default)]
pub struct OldLaunch {
    pub block: [u32; 3],
    pub shared: u32,
    pub params: Vec<u8>,
}

impl Function {
    pub fn new(
        handle: CUfunction,
        module: CUmodule,
        kernel: Arc<Kernel>,
        capability: (u32, u32),
    ) -> Function {
        let name = c_text(&kernel.name);
        let max_dynamic = AtomicU32::new(limits::SHARED_PER_BLOCK.saturating_sub(kernel.static_shared));
        let (carveout, old) = (AtomicI32::new(-1), Mutex::default());
        Function { handle, module, kernel, capability, name, max_dynamic, carveout, old }
    }

    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Where each parameter begins in the parameter buffer.
    pub fn offsets(&self) -> impl Iterator<Item = usize> + '_ {
        self.kernel.params.iter().map(|param| param.offset as usize)
    }

    pub fn max_dynamic(&self) -> u32 {
        self.max_dynamic.load(Relaxed)
    }

    pub fn old(&self) -> MutexGuard<'_, OldLaunch> {
        self.old.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn attribute(&self, attribute: CUfunction_attribute) -> Result<i32, CUresult> {
        let kernel = &self.kernel;
        Ok(match attribute {
            CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK => {
                kernel.max_threads.min(limits::THREADS_PER_BLOCK) as i32
            }
            CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES => kernel.static_shared as i32,
            CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES => 0,
            CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES => kernel.local_bytes as i32,
            CU_FUNC_ATTRIBUTE_NUM_REGS => kernel.registers as i32,
            CU_FUNC_ATTRIBUTE_PTX_VERSION | CU_FUNC_ATTRIBUTE_BINARY_VERSION => {
                (self.capability.0 * 10 + self.capability.1) as i32
            }
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => self.max_dynamic() as i32,
            CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => self.carveout.load(Relaxed),
            attribute if attribute < CU_FUNC_ATTRIBUTE_MAX => 0,
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        })
    }

    pub fn set_attribute(&self, attribute: CUfunction_attribute, value: i32) -> Result<(), CUresult> {
        match attribute {
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => {
                let most = limits::limits(self.capability).shared_per_block_optin;
                let most = most.saturating_sub(self.kernel.static_shared);
                let bytes = u32::try_from(value).ok().filter(|&bytes| bytes <= most);
                self.max_dynamic.store(bytes.ok_or(CUDA_ERROR_INVALID_VALUE)?, Relaxed);
            }
            CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT if (-1..=100).contains(&value) => {
                self.carveout.store(value, Relaxed);
            }
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
        Ok(())
    }
}

/// A name with its closing zero.
pub fn c_text(name: &str) -> Box<[u8]> {
    [name.as_bytes(), &[0]].concat().into()
}
