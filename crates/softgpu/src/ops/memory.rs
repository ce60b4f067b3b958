use cleave_api::cuda::types::*;
use cleave_api::edge::Out;

use crate::device::limits;
use crate::gpu::SoftGpu;
use crate::memory::allocation::{Allocation, Kind};

pub fn cuMemGetInfo_v2(gpu: &SoftGpu, free: Out<usize>, total: Out<usize>) -> Result<(), CUresult> {
    let (have, all) = gpu.devices[gpu.current()?.device].space.info();
    free.set_if(have as usize);
    total.set_if(all as usize);
    Ok(())
}

/// The first interface had 32 bits; what does not fit is cut to the greatest number that does.
pub fn cuMemGetInfo(gpu: &SoftGpu, free: Out<u32>, total: Out<u32>) -> Result<(), CUresult> {
    let (have, all) = gpu.devices[gpu.current()?.device].space.info();
    free.set_if(u32::try_from(have).unwrap_or(u32::MAX));
    total.set_if(u32::try_from(all).unwrap_or(u32::MAX));
    Ok(())
}

pub fn cuMemAlloc_v2(gpu: &SoftGpu, dptr: Out<CUdeviceptr>, bytes: usize) -> Result<(), CUresult> {
    if dptr.is_null() || bytes == 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let context = gpu.current()?;
    let take = || gpu.memory.alloc(&context.heap, bytes as u64, Kind::Linear, context.owner());
    dptr.set(CUdeviceptr(gpu.or_trim(take)?.start))
}

pub fn cuMemAllocPitch_v2(
    gpu: &SoftGpu,
    dptr: Out<CUdeviceptr>,
    pitch: Out<usize>,
    width: usize,
    height: usize,
    element: u32,
) -> Result<(), CUresult> {
    if pitch.is_null() || width == 0 || height == 0 || !matches!(element, 4 | 8 | 16) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let row = (width as u64).checked_next_multiple_of(limits::PITCH).filter(|&row| row <= limits::MAX_PITCH);
    let row = row.ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let bytes = row.checked_mul(height as u64).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
    cuMemAlloc_v2(gpu, dptr, bytes as usize)?;
    pitch.set(row as usize)
}

/// Waits for what may still use the memory, as hardware does, then gives it back.
pub fn cuMemFree_v2(gpu: &SoftGpu, dptr: CUdeviceptr) -> Result<(), CUresult> {
    gpu.current()?;
    if dptr.is_null() {
        return Ok(());
    }
    if let Some(memory) = gpu.graphs.memory.free(dptr) {
        gpu.wait_for_all()?;
        memory.hide();
        return Ok(());
    }
    let freeable = |a: &Allocation| matches!(a.kind, Kind::Linear | Kind::Managed(_) | Kind::Pooled(_));
    let memory = gpu.memory.live.find(dptr.0).filter(|a| a.start == dptr.0 && freeable(a));
    gpu.wait_for_owner(&*memory.ok_or(CUDA_ERROR_INVALID_VALUE)?)?;
    let gone = gpu.memory.live.remove_if(dptr.0, |a| freeable(a) && a.leave());
    if matches!(gone.ok_or(CUDA_ERROR_INVALID_VALUE)?.kind, Kind::Pooled(_)) {
        gpu.pools.freed();
    }
    Ok(())
}

pub fn cuMemGetAddressRange_v2(
    gpu: &SoftGpu,
    base: Out<CUdeviceptr>,
    size: Out<usize>,
    dptr: CUdeviceptr,
) -> Result<(), CUresult> {
    gpu.current()?;
    let memory = gpu.memory.live.find(dptr.0).ok_or(CUDA_ERROR_NOT_FOUND)?;
    base.set_if(CUdeviceptr(memory.start));
    size.set_if(memory.len as usize);
    Ok(())
}
