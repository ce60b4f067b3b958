//! The memory pools of a process: one default pool per device, and those the program makes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};

use cleave_api::cuda::types::*;

use crate::device::Device;
use crate::gpu::SoftGpu;
use crate::handle::{Kind, Table};
use crate::memory::allocation::{self, Allocation, Owner};
use crate::memory::pool::{Pool, Wish};

pub struct Pools {
    table: Table<Pool>,
    /// Per device: the pool it was born with, and the one cuMemAllocAsync takes from.
    defaults: Vec<CUmemoryPool>,
    chosen: Vec<AtomicUsize>,
    /// Something was freed since pools last settled.
    unsettled: AtomicBool,
}

/// Pool memory belongs to its device, not to a context.
const NO_CONTEXT: u64 = 0;

impl Pools {
    pub fn new(devices: &[Device]) -> Pools {
        let table = Table::new(Kind::Pool);
        let make = |(ordinal, device): (usize, &Device)| {
            table.insert_with(|name| Arc::new(Pool::new(&device.space, ordinal, name, Wish::default())))
        };
        let defaults: Vec<CUmemoryPool> =
            devices.iter().enumerate().filter_map(make).map(CUmemoryPool).collect();
        let chosen = defaults.iter().map(|pool| AtomicUsize::new(pool.0)).collect();
        Pools { table, defaults, chosen, unsettled: AtomicBool::new(false) }
    }

    pub fn create(&self, device: &Device, ordinal: usize, wish: Wish) -> Option<CUmemoryPool> {
        let make = |name| Arc::new(Pool::new(&device.space, ordinal, name, wish));
        self.table.insert_with(make).map(CUmemoryPool)
    }

    pub fn get(&self, pool: CUmemoryPool) -> Result<Arc<Pool>, CUresult> {
        self.table.get(pool.0).ok_or(CUDA_ERROR_INVALID_VALUE)
    }

    /// Ends a pool of the program's; its memory lives until it is freed. A device that used it uses its default again.
    pub fn destroy(&self, pool: CUmemoryPool) -> Result<(), CUresult> {
        if self.defaults.contains(&pool) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let gone = self.table.remove(pool.0).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let chosen = &self.chosen[gone.device];
        let _ = chosen.compare_exchange(pool.0, self.defaults[gone.device].0, AcqRel, Relaxed);
        Ok(())
    }

    pub fn default_of(&self, device: usize) -> CUmemoryPool {
        self.defaults[device]
    }

    pub fn chosen_of(&self, device: usize) -> CUmemoryPool {
        CUmemoryPool(self.chosen[device].load(Acquire))
    }

    pub fn choose(&self, device: usize, pool: CUmemoryPool) -> Result<(), CUresult> {
        let wanted = self.get(pool)?;
        if wanted.device != device || wanted.origin.is_some() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        self.chosen[device].store(pool.0, Release);
        Ok(())
    }

    /// Something went back to a pool: the next synchronisation settles it.
    pub fn freed(&self) {
        self.unsettled.store(true, Release);
    }

    /// After a synchronisation: pools give back what they hold above their thresholds.
    pub fn settle(&self) {
        if self.unsettled.swap(false, AcqRel) {
            self.table.all().iter().for_each(|pool| pool.settle());
        }
    }

    /// Takes back all that pools keep without using it. False if they kept nothing.
    pub fn trim(&self) -> bool {
        let pools = self.table.all();
        let held = || pools.iter().map(|pool| pool.holding().reserved).sum::<u64>();
        let before = held();
        pools.iter().for_each(|pool| pool.trim(0));
        held() < before
    }

    /// The address of new memory, usable in the order of the stream that asked.
    pub fn alloc(&self, gpu: &SoftGpu, pool: &Arc<Pool>, bytes: u64) -> Result<CUdeviceptr, CUresult> {
        let memory = match self.try_alloc(gpu, pool, bytes) {
            Some(memory) => memory,
            // Frees that wait in streams, and what other pools keep, may be all that is missing.
            None => {
                gpu.wait_for_all()?;
                self.trim();
                self.try_alloc(gpu, pool, bytes).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?
            }
        };
        pool.note();
        Ok(CUdeviceptr(memory.start))
    }

    fn try_alloc(&self, gpu: &SoftGpu, pool: &Arc<Pool>, bytes: u64) -> Option<Arc<Allocation>> {
        if !pool.has_room(bytes) {
            return None;
        }
        let owner = Owner { context: NO_CONTEXT, device: pool.device };
        gpu.memory.alloc(pool.heap(), bytes, allocation::Kind::Pooled(pool.clone()), owner)
    }

    /// What frees pool memory when it is dropped: run by its stream, or cancelled with it.
    pub fn pending_free(&self, gpu: &'static SoftGpu, ptr: CUdeviceptr) -> Result<PendingFree, CUresult> {
        let pooled = |a: &Allocation| matches!(a.kind, allocation::Kind::Pooled(_));
        let memory = gpu.memory.live.find(ptr.0).filter(|a| a.start == ptr.0 && pooled(a) && a.leave());
        memory.map(|_| PendingFree { gpu, ptr }).ok_or(CUDA_ERROR_INVALID_VALUE)
    }
}

/// A free on its way down a stream.
pub struct PendingFree {
    gpu: &'static SoftGpu,
    ptr: CUdeviceptr,
}

impl Drop for PendingFree {
    fn drop(&mut self) {
        drop(self.gpu.memory.live.remove_if(self.ptr.0, |_| true));
        self.gpu.pools.freed();
    }
}
