use core::ffi::c_void;

use cleave_api::cuda::types::*;
use cleave_api::edge::{Out, Ptr};

use crate::gpu::SoftGpu;
use crate::memory::allocation::{Allocation, Kind};
use crate::memory::{host_unsafe, layout};

pub fn cuMemHostAlloc(gpu: &SoftGpu, pp: Out<Ptr<c_void>>, bytes: usize, flags: u32) -> Result<(), CUresult> {
    const KNOWN: u32 = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    if pp.is_null() || bytes == 0 || flags & !KNOWN != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let context = gpu.current()?;
    let memory = gpu.memory.alloc_host(bytes as u64, flags, context.owner());
    pp.set(host_unsafe::pointer(&*memory.ok_or(CUDA_ERROR_OUT_OF_MEMORY)?).unwrap_or_default())
}

pub fn cuMemAllocHost_v2(gpu: &SoftGpu, pp: Out<Ptr<c_void>>, bytes: usize) -> Result<(), CUresult> {
    cuMemHostAlloc(gpu, pp, bytes, 0)
}

pub fn cuMemAllocHost(gpu: &SoftGpu, pp: Out<Ptr<c_void>>, bytes: u32) -> Result<(), CUresult> {
    cuMemHostAlloc(gpu, pp, bytes as usize, 0)
}

pub fn cuMemFreeHost(gpu: &SoftGpu, p: Ptr<c_void>) -> Result<(), CUresult> {
    let ours = |a: &Allocation| matches!(a.kind, Kind::Host { .. });
    take(gpu, p, ours, CUDA_ERROR_INVALID_VALUE)
}

pub fn cuMemHostRegister_v2(gpu: &SoftGpu, p: Ptr<c_void>, bytes: usize, flags: u32) -> Result<(), CUresult> {
    const KNOWN: u32 =
        CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY;
    if flags & CU_MEMHOSTREGISTER_IOMEMORY != 0 {
        return Err(CUDA_ERROR_NOT_SUPPORTED);
    }
    let start = p.addr() as u64;
    if !layout::is_address(start, bytes as u64) || bytes == 0 || flags & !KNOWN != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let context = gpu.current()?;
    if !host_unsafe::lock_pages(p, bytes, flags & CU_MEMHOSTREGISTER_READ_ONLY != 0) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let memory = Allocation::elsewhere(start, bytes as u64, Kind::Registered { flags }, context.owner());
    gpu.memory.live.insert(&memory).then_some(()).ok_or(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
}

pub use cuMemHostRegister_v2 as cuMemHostRegister;

pub fn cuMemHostUnregister(gpu: &SoftGpu, p: Ptr<c_void>) -> Result<(), CUresult> {
    if p.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let theirs = |a: &Allocation| matches!(a.kind, Kind::Registered { .. });
    take(gpu, p, theirs, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)
}

/// Removes the allocation that starts at `p`, after what may still use it.
fn take(
    gpu: &SoftGpu,
    p: Ptr<c_void>,
    may: impl Fn(&Allocation) -> bool,
    otherwise: CUresult,
) -> Result<(), CUresult> {
    let start = p.addr() as u64;
    gpu.memory.live.find(start).filter(|a| a.start == start && may(a)).ok_or(otherwise)?;
    gpu.wait_for_all()?;
    gpu.memory.live.remove_if(start, may).map(|_| ()).ok_or(otherwise)
}

pub fn cuMemHostGetDevicePointer_v2(
    gpu: &SoftGpu,
    dptr: Out<CUdeviceptr>,
    p: Ptr<c_void>,
    flags: u32,
) -> Result<(), CUresult> {
    gpu.current()?;
    let addr = p.addr() as u64;
    if flags != 0 || !gpu.memory.live.find(addr).is_some_and(|a| a.is_on_host()) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    dptr.set(CUdeviceptr(addr))
}

pub fn cuMemHostGetFlags(gpu: &SoftGpu, out: Out<u32>, p: Ptr<c_void>) -> Result<(), CUresult> {
    gpu.current()?;
    match gpu.memory.live.find(p.addr() as u64).as_deref().map(|a| &a.kind) {
        Some(Kind::Host { flags } | Kind::Registered { flags }) => out.set(*flags),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}
