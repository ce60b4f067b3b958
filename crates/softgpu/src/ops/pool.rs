use core::ffi::c_void;
use std::sync::atomic::Ordering::Relaxed;

use cleave_api::cuda::types::*;
use cleave_api::edge::{In, Out, Plain, Ptr, Slice};
use cleave_device::share_handle::Kind;

use super::vmm::{export, exportable, located, named_by};
use crate::gpu::SoftGpu;
use crate::memory::access::Access;
use crate::memory::allocation;
use crate::memory::pool::{Origin, Pool, Wish};
use crate::queue::{Stream, Work};

pub fn cuDeviceGetDefaultMemPool(
    gpu: &SoftGpu,
    pool: Out<CUmemoryPool>,
    dev: CUdevice,
) -> Result<(), CUresult> {
    pool.set(gpu.pools.default_of(gpu.device(dev)?.0))
}

pub fn cuDeviceGetMemPool(gpu: &SoftGpu, pool: Out<CUmemoryPool>, dev: CUdevice) -> Result<(), CUresult> {
    pool.set(gpu.pools.chosen_of(gpu.device(dev)?.0))
}

pub fn cuDeviceSetMemPool(gpu: &SoftGpu, dev: CUdevice, pool: CUmemoryPool) -> Result<(), CUresult> {
    gpu.pools.choose(gpu.device(dev)?.0, pool)
}

pub fn cuMemGetDefaultMemPool(
    gpu: &SoftGpu,
    pool: Out<CUmemoryPool>,
    location: In<CUmemLocation>,
    type_: CUmemAllocationType,
) -> Result<(), CUresult> {
    pool.set(gpu.pools.default_of(pinned_at(gpu, location, type_)?))
}

pub fn cuMemGetMemPool(
    gpu: &SoftGpu,
    pool: Out<CUmemoryPool>,
    location: In<CUmemLocation>,
    type_: CUmemAllocationType,
) -> Result<(), CUresult> {
    pool.set(gpu.pools.chosen_of(pinned_at(gpu, location, type_)?))
}

pub fn cuMemSetMemPool(
    gpu: &SoftGpu,
    location: In<CUmemLocation>,
    type_: CUmemAllocationType,
    pool: CUmemoryPool,
) -> Result<(), CUresult> {
    gpu.pools.choose(pinned_at(gpu, location, type_)?, pool)
}

/// Pools exist for pinned device memory only.
fn pinned_at(
    gpu: &SoftGpu,
    location: In<CUmemLocation>,
    type_: CUmemAllocationType,
) -> Result<usize, CUresult> {
    if type_ != CU_MEM_ALLOCATION_TYPE_PINNED {
        return Err(CUDA_ERROR_NOT_SUPPORTED);
    }
    located(gpu, &location.get()?)
}

pub fn cuMemPoolCreate(
    gpu: &SoftGpu,
    pool: Out<CUmemoryPool>,
    props: In<CUmemPoolProps>,
) -> Result<(), CUresult> {
    let props = props.get()?;
    if pool.is_null() || props.allocType != CU_MEM_ALLOCATION_TYPE_PINNED {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let device = located(gpu, &props.location)?;
    let handle_types = exportable(props.handleTypes)?;
    let wish = Wish { max_bytes: props.maxSize as u64, handle_types, origin: None };
    let made = gpu.pools.create(&gpu.devices[device], device, wish);
    pool.set(made.ok_or(CUDA_ERROR_OUT_OF_MEMORY)?)
}

pub fn cuMemPoolDestroy(gpu: &SoftGpu, pool: CUmemoryPool) -> Result<(), CUresult> {
    gpu.pools.destroy(pool)
}

pub fn cuMemPoolTrimTo(gpu: &SoftGpu, pool: CUmemoryPool, keep: usize) -> Result<(), CUresult> {
    gpu.pools.get(pool)?.trim(keep as u64);
    Ok(())
}

pub fn cuMemPoolGetAttribute(
    gpu: &SoftGpu,
    pool: CUmemoryPool,
    attribute: CUmemPool_attribute,
    value: Ptr<c_void>,
) -> Result<(), CUresult> {
    let pool = gpu.pools.get(pool)?;
    let flag = |n: usize| value.cast::<i32>().slice_mut(1).set(0, i32::from(pool.reuse[n].load(Relaxed)));
    let number = |n: u64| value.cast::<u64>().slice_mut(1).set(0, n);
    let word = |n: u32| value.cast::<u32>().slice_mut(1).set(0, n);
    match attribute {
        CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES => flag(0),
        CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC => flag(1),
        CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES => flag(2),
        CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => number(pool.threshold()),
        CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT => number(pool.holding().reserved),
        CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH => number(pool.peaks().reserved),
        CU_MEMPOOL_ATTR_USED_MEM_CURRENT => number(pool.holding().used),
        CU_MEMPOOL_ATTR_USED_MEM_HIGH => number(pool.peaks().used),
        CU_MEMPOOL_ATTR_ALLOCATION_TYPE => word(CU_MEM_ALLOCATION_TYPE_PINNED.0),
        CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES => word(pool.handle_types),
        CU_MEMPOOL_ATTR_LOCATION_ID => word(pool.device as u32),
        CU_MEMPOOL_ATTR_LOCATION_TYPE => word(CU_MEM_LOCATION_TYPE_DEVICE.0),
        CU_MEMPOOL_ATTR_MAX_POOL_SIZE => number(pool.max_bytes),
        CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED => word(0),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

pub fn cuMemPoolSetAttribute(
    gpu: &SoftGpu,
    pool: CUmemoryPool,
    attribute: CUmemPool_attribute,
    value: Ptr<c_void>,
) -> Result<(), CUresult> {
    let pool = gpu.pools.get(pool)?;
    let flag = |n: usize| -> Result<(), CUresult> {
        pool.reuse[n].store(value.cast::<i32>().one::<CUresult>().get()? != 0, Relaxed);
        Ok(())
    };
    let number = || value.cast::<u64>().one::<CUresult>().get();
    match attribute {
        CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES => flag(0),
        CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC => flag(1),
        CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES => flag(2),
        CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => {
            pool.set_threshold(number()?);
            Ok(())
        }
        // The peaks can only be reset.
        CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH if number()? == 0 => {
            pool.reset_peak_reserved();
            Ok(())
        }
        CU_MEMPOOL_ATTR_USED_MEM_HIGH if number()? == 0 => {
            pool.reset_peak_used();
            Ok(())
        }
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

pub fn cuMemPoolSetAccess(
    gpu: &SoftGpu,
    pool: CUmemoryPool,
    map: Slice<CUmemAccessDesc>,
    _count: usize,
) -> Result<(), CUresult> {
    let pool = gpu.pools.get(pool)?;
    for desc in map.to_vec()? {
        let device = located(gpu, &desc.location)?;
        let access = Access::from_flags(desc.flags.0).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        // The device the memory is on cannot be locked out.
        if device == pool.device && access != Access::ReadWrite {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        pool.set_access(device, access);
    }
    gpu.memory.live.refresh(0, u64::MAX);
    Ok(())
}

pub fn cuMemPoolGetAccess(
    gpu: &SoftGpu,
    flags: Out<CUmemAccess_flags>,
    pool: CUmemoryPool,
    location: In<CUmemLocation>,
) -> Result<(), CUresult> {
    let device = located(gpu, &location.get()?)?;
    flags.set(CUmemAccess_flags(gpu.pools.get(pool)?.access(device) as u32))
}

pub fn cuMemAllocAsync(
    gpu: &'static SoftGpu,
    dptr: Out<CUdeviceptr>,
    bytes: usize,
    stream: CUstream,
) -> Result<(), CUresult> {
    let context = gpu.current()?;
    cuMemAllocFromPoolAsync(gpu, dptr, bytes, gpu.pools.chosen_of(context.device), stream)
}

pub fn cuMemAllocFromPoolAsync(
    gpu: &'static SoftGpu,
    dptr: Out<CUdeviceptr>,
    bytes: usize,
    pool: CUmemoryPool,
    stream: CUstream,
) -> Result<(), CUresult> {
    let context = gpu.current()?;
    let stream = gpu.stream(&context, stream)?;
    let pool = gpu.pools.get(pool)?;
    if dptr.is_null() || bytes == 0 || pool.origin.is_some() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let memory = match gpu.capture_alloc(&stream, node_params(&pool, bytes))? {
        Some(address) => address,
        None => gpu.pools.alloc(gpu, &pool, bytes as u64)?,
    };
    dptr.set(memory)
}

/// The allocation as a graph node would describe it.
fn node_params(pool: &Pool, bytesize: usize) -> CUDA_MEM_ALLOC_NODE_PARAMS {
    let poolProps = CUmemPoolProps {
        allocType: CU_MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: CUmemAllocationHandleType(pool.handle_types),
        location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: pool.device as i32 },
        ..CUmemPoolProps::zeroed()
    };
    CUDA_MEM_ALLOC_NODE_PARAMS { poolProps, bytesize, ..CUDA_MEM_ALLOC_NODE_PARAMS::zeroed() }
}

pub fn cuMemFreeAsync(gpu: &'static SoftGpu, dptr: CUdeviceptr, stream: CUstream) -> Result<(), CUresult> {
    let context = gpu.current()?;
    let stream = gpu.stream(&context, stream)?;
    if gpu.capture_free(&stream, dptr)? {
        return Ok(());
    }
    if let Some(memory) = gpu.graphs.memory.free(dptr) {
        in_order(&stream, move || memory.hide());
        return Ok(());
    }
    let free = gpu.pools.pending_free(gpu, dptr)?;
    in_order(&stream, move || drop(free));
    Ok(())
}

fn in_order(stream: &Stream, run: impl FnOnce() + Send + 'static) {
    stream.submit(Work::Inline(Box::new(move || {
        run();
        Ok(())
    })));
}

pub fn cuMemPoolExportToShareableHandle(
    gpu: &SoftGpu,
    handle: Ptr<c_void>,
    pool: CUmemoryPool,
    handle_type: CUmemAllocationHandleType,
    flags: u64,
) -> Result<(), CUresult> {
    let shared = gpu.pools.get(pool)?;
    let allowed =
        handle_type != CU_MEM_HANDLE_TYPE_NONE && shared.handle_types & handle_type.0 == handle_type.0;
    if handle.is_null() || flags != 0 || !allowed || shared.origin.is_some() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    export(gpu, handle, &gpu.handle(Kind::Pool, shared.device))
}

/// The imported pool opens memory of the original. It has none itself, and nothing can be allocated from it.
pub fn cuMemPoolImportFromShareableHandle(
    gpu: &SoftGpu,
    pool: Out<CUmemoryPool>,
    handle: Ptr<c_void>,
    handle_type: CUmemAllocationHandleType,
    flags: u64,
) -> Result<(), CUresult> {
    if pool.is_null() || flags != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let named = named_by(gpu, handle, handle_type, Kind::Pool)?;
    let device = gpu.device_of(&named)?;
    let origin = Origin { record: named.record, generation: named.generation };
    let wish = Wish { origin: Some(origin), handle_types: handle_type.0, ..Wish::default() };
    let made = gpu.pools.create(&gpu.devices[device], device, wish);
    pool.set(made.ok_or(CUDA_ERROR_OUT_OF_MEMORY)?)
}

pub fn cuMemPoolExportPointer(
    gpu: &SoftGpu,
    data: Out<CUmemPoolPtrExportData>,
    ptr: CUdeviceptr,
) -> Result<(), CUresult> {
    let memory = gpu.memory.live.find(ptr.0).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let own = |pool: &Pool| pool.handle_types != 0 && pool.origin.is_none();
    match &memory.kind {
        allocation::Kind::Pooled(pool) if own(pool) && !data.is_null() => {}
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    }
    data.set(CUmemPoolPtrExportData { reserved: gpu.share_memory(Kind::Pooled, &memory)?.pack() })
}

/// The memory is freed here as if it came from the pool, before the process it belongs to frees it.
pub fn cuMemPoolImportPointer(
    gpu: &SoftGpu,
    ptr: Out<CUdeviceptr>,
    pool: CUmemoryPool,
    data: In<CUmemPoolPtrExportData>,
) -> Result<(), CUresult> {
    let pool = gpu.pools.get(pool)?;
    let named = gpu.read_handle(&data.get()?.reserved, Kind::Pooled)?;
    let origin = Origin { record: named.record, generation: named.generation };
    let right = pool.origin == Some(origin) && gpu.device_of(&named)? == pool.device;
    if ptr.is_null() || !right {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let memory = gpu.import_memory(&named, allocation::Kind::Pooled(pool), NO_CONTEXT)?;
    ptr.set(CUdeviceptr(memory.start))
}

/// Nobody's context: pool memory belongs to the process.
const NO_CONTEXT: u64 = 0;

pub use cuMemAllocAsync as cuMemAllocAsync_ptsz;
pub use cuMemAllocFromPoolAsync as cuMemAllocFromPoolAsync_ptsz;
pub use cuMemFreeAsync as cuMemFreeAsync_ptsz;
