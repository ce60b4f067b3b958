//! Memory of allocation nodes: the address is fixed when the node is made, memory comes with the first launch and
//! stays with the node until it is trimmed or the last graph that names it is gone.

use super::op::Op;
use crate::gpu::SoftGpu;
use crate::memory::access::Access;
use crate::memory::allocation::{Allocation, Kind, Owner};
use crate::memory::layout::MAX_DEVICES;
use crate::memory::vmm::{GRANULARITY, Mapping, Physical};
use crate::queue::{Status, Work};
use cleave_api::cuda::types::*;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The allocations of all graphs, by address.
#[derive(Default)]
pub struct GraphMemory {
    known: Mutex<HashMap<u64, Weak<GraphAlloc>>>,
    /// Allocated by a launch and not freed yet; they outlive their graphs.
    outstanding: Mutex<HashMap<u64, Arc<GraphAlloc>>>,
    usage: [Usage; MAX_DEVICES],
}

/// Bytes of one device.
#[derive(Default)]
pub struct Usage {
    pub used: Gauge,
    pub reserved: Gauge,
}

/// A number and the highest it has been.
#[derive(Default)]
pub struct Gauge {
    now: AtomicU64,
    high: AtomicU64,
}

/// One allocation node's memory.
pub struct GraphAlloc {
    gpu: &'static SoftGpu,
    pub params: CUDA_MEM_ALLOC_NODE_PARAMS,
    grants: Vec<(usize, Access)>,
    device: usize,
    span: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    mapping: Option<Arc<Mapping>>,
    shown: bool,
    /// Launched and not freed, in the order the program made its calls.
    outstanding: bool,
    /// Launches that have not ended.
    pins: usize,
}

impl GraphAlloc {
    /// Reserves addresses for what the program describes.
    pub fn reserve(
        gpu: &'static SoftGpu,
        mut params: CUDA_MEM_ALLOC_NODE_PARAMS,
    ) -> Result<Arc<GraphAlloc>, CUresult> {
        let props = &params.poolProps;
        let on_device = props.location.type_ == CU_MEM_LOCATION_TYPE_DEVICE;
        let plain =
            props.allocType == CU_MEM_ALLOCATION_TYPE_PINNED && props.handleTypes == CU_MEM_HANDLE_TYPE_NONE;
        if !on_device || !plain || params.bytesize == 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let (device, _) = gpu.device(CUdevice(props.location.id)).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
        let mut grants = vec![(device, Access::ReadWrite)];
        for desc in params.accessDescs.slice::<CUresult>(params.accessDescCount).to_vec()? {
            let (peer, _) = gpu.device(CUdevice(desc.location.id)).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
            grants.push((peer, Access::from_flags(desc.flags.0).ok_or(CUDA_ERROR_INVALID_VALUE)?));
        }
        let bytes = u64::try_from(params.bytesize).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
        let span = bytes.checked_next_multiple_of(GRANULARITY).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let start = gpu.memory.reserved.reserve(span, GRANULARITY, 0).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        params.dptr = CUdeviceptr(start);
        let state = Mutex::default();
        let alloc = Arc::new(GraphAlloc { gpu, params, grants, device, span, state });
        lock(&gpu.graphs.memory.known).insert(start, Arc::downgrade(&alloc));
        Ok(alloc)
    }

    pub fn address(&self) -> CUdeviceptr {
        self.params.dptr
    }

    /// Puts memory behind the address, if there is none yet.
    pub fn back(&self) -> Result<(), CUresult> {
        let mut state = lock(&self.state);
        if state.mapping.is_some() {
            return Ok(());
        }
        let device = self.gpu.devices.get(self.device).ok_or(CUDA_ERROR_INVALID_DEVICE)?;
        let physical =
            Physical::create(&device.space, self.device, self.span, 0).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let mapped = self.gpu.memory.reserved.map(&Arc::new(physical), self.address().0, self.span);
        let mapping = mapped.map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
        for (device, access) in &self.grants {
            mapping.set_access(*device, *access);
        }
        state.mapping = Some(mapping);
        self.usage().reserved.add(self.span);
        Ok(())
    }

    /// The allocation node runs: kernels may touch the memory from now on.
    pub fn show(&self) -> Status {
        self.back()?;
        let mut state = lock(&self.state);
        let Some(mapping) = state.mapping.clone().filter(|_| !state.shown) else { return Ok(()) };
        let owner = Owner { context: 0, device: self.device };
        let (start, len) = (self.address().0, self.params.bytesize as u64);
        if !self.gpu.memory.live.insert(&Allocation::elsewhere(start, len, Kind::Mapped(mapping), owner)) {
            return Err(CUDA_ERROR_UNKNOWN);
        }
        state.shown = true;
        self.usage().used.add(self.span);
        Ok(())
    }

    /// The free runs: a kernel that touches the memory after it faults.
    pub fn hide(&self) {
        let mut state = lock(&self.state);
        if std::mem::take(&mut state.shown) {
            drop(self.gpu.memory.live.remove_if(self.address().0, |_| true));
            self.usage().used.sub(self.span);
        }
    }

    /// Gives the memory back, keeping the address.
    fn unback(&self, state: &mut State) {
        if let Some(mapping) = state.mapping.take() {
            // A failure leaves the old pages visible to the engine, behind an address no context may touch.
            let _ = self.gpu.memory.reserved.unmap(self.address().0, self.span);
            drop(mapping);
            self.usage().reserved.sub(self.span);
        }
    }

    fn usage(&self) -> &Usage {
        &self.gpu.graphs.memory.usage[self.device]
    }
}

impl Drop for GraphAlloc {
    fn drop(&mut self) {
        self.hide();
        let start = self.address().0;
        self.unback(&mut lock(&self.state));
        lock(&self.gpu.graphs.memory.known).remove(&start);
        self.gpu.memory.reserved.free(start, self.span);
    }
}

impl GraphMemory {
    pub fn usage(&self, device: usize) -> Option<&Usage> {
        self.usage.get(device)
    }

    /// Gives back the memory of a device that no launch needs now.
    pub fn trim(&self, device: usize) {
        let known: Vec<_> = lock(&self.known).values().filter_map(Weak::upgrade).collect();
        for alloc in known.into_iter().filter(|alloc| alloc.device == device) {
            let mut state = lock(&alloc.state);
            if !state.outstanding && state.pins == 0 && !state.shown {
                alloc.unback(&mut state);
            }
        }
    }

    /// Whether an allocation node has this address.
    pub fn knows(&self, address: CUdeviceptr) -> bool {
        self.find(address).is_some()
    }

    fn find(&self, address: CUdeviceptr) -> Option<Arc<GraphAlloc>> {
        lock(&self.known).get(&address.0).and_then(Weak::upgrade)
    }

    /// The program frees what a launch has allocated, outside any graph: what is to be hidden when the free runs.
    /// `None` if the address is not such memory, or not allocated.
    pub fn free(&self, address: CUdeviceptr) -> Option<Arc<GraphAlloc>> {
        let alloc = lock(&self.outstanding).remove(&address.0)?;
        lock(&alloc.state).outstanding = false;
        Some(alloc)
    }
}

/// A free node runs.
pub fn hide(gpu: &'static SoftGpu, address: CUdeviceptr) -> Status {
    match gpu.graphs.memory.find(address) {
        Some(alloc) => {
            alloc.hide();
            Ok(())
        }
        None => Err(CUDA_ERROR_ILLEGAL_ADDRESS),
    }
}

/// The memory one launch works with, held until the launch has ended.
pub struct Lease {
    held: Vec<Arc<GraphAlloc>>,
}

impl Lease {
    /// Checks that every allocation of the launch can be made and every free is of something allocated, and gets the
    /// memory. `free_first`: what the last launch left allocated counts as freed.
    pub fn take<'a>(
        gpu: &'static SoftGpu,
        ops: impl Iterator<Item = &'a Op> + Clone,
        free_first: bool,
    ) -> Result<Lease, CUresult> {
        let memory = &gpu.graphs.memory;
        let allocs: Vec<_> = ops.clone().filter_map(Op::alloc).cloned().collect();
        let frees: HashSet<u64> =
            ops.filter_map(|op| if let Op::Free(at) = op { Some(at.0) } else { None }).collect();
        let own: HashSet<u64> = allocs.iter().map(|alloc| alloc.address().0).collect();
        for alloc in &allocs {
            if lock(&alloc.state).outstanding && !free_first {
                return Err(CUDA_ERROR_INVALID_VALUE);
            }
            alloc.back()?;
        }
        let others: Vec<_> = frees.difference(&own).copied().collect();
        {
            let mut outstanding = lock(&memory.outstanding);
            if others.iter().any(|at| !outstanding.contains_key(at)) {
                return Err(CUDA_ERROR_INVALID_VALUE);
            }
            for alloc in &allocs {
                let stays = !frees.contains(&alloc.address().0);
                lock(&alloc.state).outstanding = stays;
                match stays {
                    true => outstanding.insert(alloc.address().0, alloc.clone()),
                    false => outstanding.remove(&alloc.address().0),
                };
            }
        }
        let mut held = allocs;
        held.extend(others.into_iter().filter_map(|at| memory.free(CUdeviceptr(at))));
        for alloc in &held {
            lock(&alloc.state).pins += 1;
        }
        Ok(Lease { held })
    }

    /// The last command of the launch. The lease ends with it, also when it is cancelled.
    pub fn end(self) -> Work {
        if self.held.is_empty() {
            return Work::Join;
        }
        Work::Inline(Box::new(move || {
            drop(self);
            Ok(())
        }))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        for alloc in &self.held {
            lock(&alloc.state).pins -= 1;
        }
    }
}

impl Gauge {
    pub fn now(&self) -> u64 {
        self.now.load(Relaxed)
    }

    pub fn high(&self) -> u64 {
        self.high.load(Relaxed)
    }

    pub fn reset_high(&self) {
        self.high.store(self.now(), Relaxed);
    }

    fn add(&self, bytes: u64) {
        let now = self.now.fetch_add(bytes, Relaxed) + bytes;
        self.high.fetch_max(now, Relaxed);
    }

    fn sub(&self, bytes: u64) {
        self.now.fetch_sub(bytes, Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
