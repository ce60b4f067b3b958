//! Memory that kernels allocate themselves.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cleave_simt::Heap;

use crate::context::Context;
use crate::gpu::SoftGpu;
use crate::memory::allocation::{Allocation, Kind};

/// The `malloc` of one context's device code, bounded by cuCtxSetLimit.
pub struct DeviceHeap {
    gpu: &'static SoftGpu,
    context: Arc<Context>,
}

/// What a context's kernels have allocated so far.
#[derive(Default)]
pub struct Blocks {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    used: u64,
    blocks: HashMap<u64, Arc<Allocation>>,
}

impl DeviceHeap {
    pub fn of(gpu: &'static SoftGpu, context: &Arc<Context>) -> Arc<DeviceHeap> {
        Arc::new(DeviceHeap { gpu, context: context.clone() })
    }
}

impl Heap for DeviceHeap {
    fn alloc(&self, bytes: u64) -> Option<u64> {
        let mut inner = self.context.blocks.inner();
        let used = inner.used.checked_add(bytes.max(1)).filter(|&used| used <= self.context.limits.heap())?;
        // Not the program's to free, like a variable.
        let block =
            self.gpu.memory.alloc(&self.context.heap, bytes.max(1), Kind::Variable, self.context.owner())?;
        inner.used = used;
        let start = block.start;
        inner.blocks.insert(start, block);
        Some(start)
    }

    fn free(&self, address: u64) -> bool {
        let mut inner = self.context.blocks.inner();
        let Some(block) = inner.blocks.remove(&address) else { return false };
        inner.used -= block.len;
        self.gpu.memory.live.remove_if(address, |_| true).is_some()
    }
}

impl Blocks {
    /// The context is gone; so is what its kernels allocated.
    pub fn clear(&self) {
        *self.inner() = Inner::default();
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
