//! What a program may set by cuCtxSetLimit.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use cleave_api::cuda::types::*;

/// Limits of one context, in the units of the driver API.
pub struct Limits {
    stack: AtomicU64,
    printf: AtomicU64,
    heap: AtomicU64,
    fetch: AtomicU64,
    persisting_l2: AtomicU64,
}

/// Most local memory a thread may have.
pub const MOST_STACK: u64 = 512 << 10;

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            stack: AtomicU64::new(1 << 10),
            printf: AtomicU64::new(1 << 20),
            heap: AtomicU64::new(8 << 20),
            fetch: AtomicU64::new(64),
            persisting_l2: AtomicU64::new(0),
        }
    }
}

impl Limits {
    pub fn get(&self, limit: CUlimit) -> Result<u64, CUresult> {
        Ok(self.word(limit)?.load(Relaxed))
    }

    /// Sets a limit, rounded and bounded as a driver would.
    pub fn set(&self, limit: CUlimit, value: u64) -> Result<(), CUresult> {
        let value = match limit {
            CU_LIMIT_STACK_SIZE if value > MOST_STACK => return Err(CUDA_ERROR_INVALID_VALUE),
            CU_LIMIT_STACK_SIZE => value.next_multiple_of(16),
            CU_LIMIT_MAX_L2_FETCH_GRANULARITY => value.min(128),
            CU_LIMIT_PERSISTING_L2_CACHE_SIZE => 0,
            _ => value,
        };
        self.word(limit)?.store(value, Relaxed);
        Ok(())
    }

    pub fn stack(&self) -> u32 {
        self.stack.load(Relaxed).min(MOST_STACK) as u32
    }

    pub fn printf(&self) -> usize {
        self.printf.load(Relaxed) as usize
    }

    pub fn heap(&self) -> u64 {
        self.heap.load(Relaxed)
    }

    fn word(&self, limit: CUlimit) -> Result<&AtomicU64, CUresult> {
        match limit {
            CU_LIMIT_STACK_SIZE => Ok(&self.stack),
            CU_LIMIT_PRINTF_FIFO_SIZE => Ok(&self.printf),
            CU_LIMIT_MALLOC_HEAP_SIZE => Ok(&self.heap),
            CU_LIMIT_MAX_L2_FETCH_GRANULARITY => Ok(&self.fetch),
            CU_LIMIT_PERSISTING_L2_CACHE_SIZE => Ok(&self.persisting_l2),
            // Device-side launches and synchronisation do not exist here, nor do the shared-memory carve-outs of later chips.
            _ => Err(CUDA_ERROR_UNSUPPORTED_LIMIT),
        }
    }
}
