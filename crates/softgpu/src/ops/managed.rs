use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use cleave_api::cuda::types::*;
use cleave_api::edge::{BytesMut, Out, Slice};

use crate::gpu::SoftGpu;
use crate::memory::advice::{Advice, Location};
use crate::memory::allocation::{Allocation, Kind};
use crate::memory::host_unsafe;

pub fn cuMemAllocManaged(
    gpu: &SoftGpu,
    dptr: Out<CUdeviceptr>,
    bytes: usize,
    flags: u32,
) -> Result<(), CUresult> {
    let attached = flags == CU_MEM_ATTACH_GLOBAL.0 || flags == CU_MEM_ATTACH_HOST.0;
    if dptr.is_null() || bytes == 0 || !attached {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let context = gpu.current()?;
    let memory = gpu.memory.alloc_managed(bytes as u64, context.owner()).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
    dptr.set(CUdeviceptr(memory.start))
}

pub fn cuMemAdvise(
    gpu: &SoftGpu,
    ptr: CUdeviceptr,
    count: usize,
    advice: CUmem_advise,
    device: CUdevice,
) -> Result<(), CUresult> {
    let location = match advice {
        CU_MEM_ADVISE_SET_READ_MOSTLY
        | CU_MEM_ADVISE_UNSET_READ_MOSTLY
        | CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION => Location::NONE,
        _ => of_device(gpu, device)?,
    };
    advise(gpu, ptr, count, advice, location)
}

pub fn cuMemAdvise_v2(
    gpu: &SoftGpu,
    ptr: CUdeviceptr,
    count: usize,
    advice: CUmem_advise,
    location: CUmemLocation,
) -> Result<(), CUresult> {
    let location = match advice {
        CU_MEM_ADVISE_SET_READ_MOSTLY
        | CU_MEM_ADVISE_UNSET_READ_MOSTLY
        | CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION => Location::NONE,
        _ => of_location(gpu, location)?,
    };
    advise(gpu, ptr, count, advice, location)
}

/// Advice is kept per allocation, not per page.
fn advise(
    gpu: &SoftGpu,
    ptr: CUdeviceptr,
    count: usize,
    advice: CUmem_advise,
    location: Location,
) -> Result<(), CUresult> {
    let memory = managed(gpu, ptr, count)?;
    let kept = about(&memory)?;
    match advice {
        CU_MEM_ADVISE_SET_READ_MOSTLY => kept.read_mostly.store(true, Relaxed),
        CU_MEM_ADVISE_UNSET_READ_MOSTLY => kept.read_mostly.store(false, Relaxed),
        CU_MEM_ADVISE_SET_PREFERRED_LOCATION => kept.set_preferred(location),
        CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION => kept.set_preferred(Location::NONE),
        CU_MEM_ADVISE_SET_ACCESSED_BY => kept.set_accessed_by(location, true),
        CU_MEM_ADVISE_UNSET_ACCESSED_BY => kept.set_accessed_by(location, false),
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    }
    Ok(())
}

pub fn cuMemPrefetchAsync(
    gpu: &SoftGpu,
    ptr: CUdeviceptr,
    count: usize,
    device: CUdevice,
    stream: CUstream,
) -> Result<(), CUresult> {
    prefetch(gpu, &[(ptr, count)], of_device(gpu, device)?, stream)
}

pub fn cuMemPrefetchAsync_v2(
    gpu: &SoftGpu,
    ptr: CUdeviceptr,
    count: usize,
    location: CUmemLocation,
    flags: u32,
    stream: CUstream,
) -> Result<(), CUresult> {
    if flags != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    prefetch(gpu, &[(ptr, count)], of_location(gpu, location)?, stream)
}

/// Every place is equally near: a prefetch is known, and done.
fn prefetch(
    gpu: &SoftGpu,
    ranges: &[(CUdeviceptr, usize)],
    location: Location,
    stream: CUstream,
) -> Result<(), CUresult> {
    gpu.stream_here(stream)?;
    for &(ptr, count) in ranges {
        about(&*managed(gpu, ptr, count)?)?.set_prefetched(location);
    }
    Ok(())
}

#[allow(clippy::too_many_arguments)]
pub fn cuMemPrefetchBatchAsync(
    gpu: &SoftGpu,
    ptrs: Slice<CUdeviceptr>,
    sizes: Slice<usize>,
    _count: usize,
    locations: Slice<CUmemLocation>,
    firsts: Slice<usize>,
    _location_count: usize,
    flags: u64,
    stream: CUstream,
) -> Result<(), CUresult> {
    let ranges: Vec<_> = ptrs.to_vec()?.into_iter().zip(sizes.to_vec()?).collect();
    let (locations, firsts) = (locations.to_vec()?, firsts.to_vec()?);
    let ordered =
        firsts.first() == Some(&0) && firsts.is_sorted() && firsts.iter().all(|&i| i < ranges.len());
    if flags != 0 || ranges.is_empty() || !ordered {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    for (i, location) in locations.iter().enumerate() {
        let end = firsts.get(i + 1).copied().unwrap_or(ranges.len());
        prefetch(gpu, &ranges[firsts[i]..end], of_location(gpu, *location)?, stream)?;
    }
    Ok(())
}

/// What is discarded may keep its content.
pub fn cuMemDiscardBatchAsync(
    gpu: &SoftGpu,
    ptrs: Slice<CUdeviceptr>,
    sizes: Slice<usize>,
    _count: usize,
    flags: u64,
    stream: CUstream,
) -> Result<(), CUresult> {
    gpu.stream_here(stream)?;
    if flags != 0 || ptrs.is_empty() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    for (ptr, size) in ptrs.to_vec()?.into_iter().zip(sizes.to_vec()?) {
        managed(gpu, ptr, size)?;
    }
    Ok(())
}

pub use cuMemDiscardBatchAsync as cuMemDiscardBatchAsync_ptsz;
pub use cuMemPrefetchAsync as cuMemPrefetchAsync_ptsz;
pub use cuMemPrefetchAsync_v2 as cuMemPrefetchAsync_v2_ptsz;
pub use cuMemPrefetchBatchAsync as cuMemPrefetchBatchAsync_ptsz;
pub use cuMemPrefetchBatchAsync as cuMemDiscardAndPrefetchBatchAsync;
pub use cuMemPrefetchBatchAsync as cuMemDiscardAndPrefetchBatchAsync_ptsz;

pub fn cuMemRangeGetAttribute(
    gpu: &SoftGpu,
    data: BytesMut,
    size: usize,
    attribute: CUmem_range_attribute,
    ptr: CUdeviceptr,
    count: usize,
) -> Result<(), CUresult> {
    let memory = managed(gpu, ptr, count)?;
    let kept = about(&memory)?;
    let one = |value: i32| data.copy_from(&value.to_ne_bytes());
    match attribute {
        CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY => {
            if size == 0 || !size.is_multiple_of(4) {
                return Err(CUDA_ERROR_INVALID_VALUE);
            }
            let padding = std::iter::repeat(CU_DEVICE_INVALID.0);
            let list = kept.accessed_by().into_iter().chain(padding).take(size / 4);
            data.copy_from(&list.flat_map(i32::to_ne_bytes).collect::<Vec<u8>>())
        }
        _ if size != 4 => Err(CUDA_ERROR_INVALID_VALUE),
        CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY => one(i32::from(kept.read_mostly.load(Relaxed))),
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION | CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID => {
            one(kept.preferred().id)
        }
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION | CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID => {
            one(kept.prefetched().id)
        }
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE => one(kept.preferred().kind as i32),
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE => one(kept.prefetched().kind as i32),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

pub fn cuMemRangeGetAttributes(
    gpu: &SoftGpu,
    data: Slice<cleave_api::edge::Ptr<core::ffi::c_void>>,
    sizes: Slice<usize>,
    attributes: Slice<CUmem_range_attribute>,
    count: usize,
    ptr: CUdeviceptr,
    bytes: usize,
) -> Result<(), CUresult> {
    let (data, sizes, attributes) = (data.to_vec()?, sizes.to_vec()?, attributes.to_vec()?);
    if count == 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    for ((target, size), attribute) in data.into_iter().zip(sizes).zip(attributes) {
        cuMemRangeGetAttribute(gpu, host_unsafe::room(target, size), size, attribute, ptr, bytes)?;
    }
    Ok(())
}

fn about(memory: &Allocation) -> Result<&Advice, CUresult> {
    match &memory.kind {
        Kind::Managed(advice) => Ok(advice),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// The managed allocation that holds the whole range.
fn managed(gpu: &SoftGpu, ptr: CUdeviceptr, count: usize) -> Result<Arc<Allocation>, CUresult> {
    let memory = gpu.memory.live.find(ptr.0).filter(|a| a.is_managed()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let end = ptr.0.checked_add(count as u64).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    if count == 0 || end > memory.end() { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(memory) }
}

fn of_device(gpu: &SoftGpu, device: CUdevice) -> Result<Location, CUresult> {
    if device == CU_DEVICE_CPU {
        return Ok(Location::HOST);
    }
    Ok(Location::device(gpu.device(device)?.0))
}

fn of_location(gpu: &SoftGpu, location: CUmemLocation) -> Result<Location, CUresult> {
    match location.type_ {
        CU_MEM_LOCATION_TYPE_DEVICE => of_device(gpu, CUdevice(location.id)),
        CU_MEM_LOCATION_TYPE_HOST
        | CU_MEM_LOCATION_TYPE_HOST_NUMA
        | CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => Ok(Location::HOST),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}
