use core::ffi::c_void;
use std::sync::atomic::Ordering::Relaxed;

use cleave_api::cuda::types::*;
use cleave_api::edge::{Ptr, Slice};

use crate::current;
use crate::gpu::SoftGpu;
use crate::memory::allocation::{Allocation, Kind};

/// A value of the width its attribute has.
enum Value {
    Narrow(u32),
    Wide(u64),
}

use Value::*;

pub fn cuPointerGetAttribute(
    gpu: &SoftGpu,
    data: Ptr<c_void>,
    attribute: CUpointer_attribute,
    ptr: CUdeviceptr,
) -> Result<(), CUresult> {
    write(data, attribute_of(gpu, attribute, ptr)?)
}

/// Asks for several at once. What has no answer is zero; a pointer the driver does not know is no error here.
pub fn cuPointerGetAttributes(
    gpu: &SoftGpu,
    _count: u32,
    attributes: Slice<CUpointer_attribute>,
    data: Slice<Ptr<c_void>>,
    ptr: CUdeviceptr,
) -> Result<(), CUresult> {
    let (attributes, data) = (attributes.to_vec()?, data.to_vec()?);
    for (attribute, target) in attributes.into_iter().zip(data) {
        let value = match attribute_of(gpu, attribute, ptr) {
            Ok(value) => value,
            Err(_) => nothing(attribute).ok_or(CUDA_ERROR_INVALID_VALUE)?,
        };
        write(target, value)?;
    }
    Ok(())
}

pub fn cuPointerSetAttribute(
    gpu: &SoftGpu,
    value: Ptr<c_void>,
    attribute: CUpointer_attribute,
    ptr: CUdeviceptr,
) -> Result<(), CUresult> {
    let memory = gpu.memory.live.find(ptr.0).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    if attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    memory.sync_memops.store(value.cast::<u32>().one::<CUresult>().get()? != 0, Relaxed);
    Ok(())
}

fn write(data: Ptr<c_void>, value: Value) -> Result<(), CUresult> {
    match value {
        Narrow(value) => data.cast::<u32>().slice_mut(1).set(0, value),
        Wide(value) => data.cast::<u64>().slice_mut(1).set(0, value),
    }
}

/// What an attribute is of memory that has no such thing.
fn nothing(attribute: CUpointer_attribute) -> Option<Value> {
    match attribute {
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => Some(Narrow(CU_DEVICE_INVALID.0 as u32)),
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE
        | CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
        | CU_POINTER_ATTRIBUTE_IS_MANAGED
        | CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE
        | CU_POINTER_ATTRIBUTE_MAPPED
        | CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE
        | CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE
        | CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL => Some(Narrow(0)),
        CU_POINTER_ATTRIBUTE_CONTEXT
        | CU_POINTER_ATTRIBUTE_DEVICE_POINTER
        | CU_POINTER_ATTRIBUTE_HOST_POINTER
        | CU_POINTER_ATTRIBUTE_BUFFER_ID
        | CU_POINTER_ATTRIBUTE_RANGE_START_ADDR
        | CU_POINTER_ATTRIBUTE_RANGE_SIZE
        | CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES
        | CU_POINTER_ATTRIBUTE_ACCESS_FLAGS
        | CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE
        | CU_POINTER_ATTRIBUTE_MAPPING_SIZE
        | CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR
        | CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID => Some(Wide(0)),
        _ => None,
    }
}

fn attribute_of(gpu: &SoftGpu, attribute: CUpointer_attribute, ptr: CUdeviceptr) -> Result<Value, CUresult> {
    let memory = match gpu.memory.live.find(ptr.0) {
        Some(memory) => memory,
        None => return of_reservation(gpu, attribute, ptr),
    };
    let kind = if memory.is_on_host() { CU_MEMORYTYPE_HOST } else { CU_MEMORYTYPE_DEVICE };
    Ok(match attribute {
        CU_POINTER_ATTRIBUTE_CONTEXT => Wide(context_of(gpu, &memory).0 as u64),
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE => Narrow(kind.0),
        CU_POINTER_ATTRIBUTE_DEVICE_POINTER => Wide(ptr.0),
        CU_POINTER_ATTRIBUTE_HOST_POINTER if memory.is_on_host() || memory.is_managed() => Wide(ptr.0),
        CU_POINTER_ATTRIBUTE_SYNC_MEMOPS => Narrow(memory.sync_memops.load(Relaxed).into()),
        CU_POINTER_ATTRIBUTE_BUFFER_ID => Wide(memory.id),
        CU_POINTER_ATTRIBUTE_IS_MANAGED => Narrow(memory.is_managed().into()),
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => Narrow(memory.device as u32),
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR => Wide(reservation(gpu, ptr).map_or(memory.start, |r| r.0)),
        CU_POINTER_ATTRIBUTE_RANGE_SIZE => Wide(reservation(gpu, ptr).map_or(memory.len, |r| r.1)),
        CU_POINTER_ATTRIBUTE_MAPPED => Narrow(1),
        CU_POINTER_ATTRIBUTE_ACCESS_FLAGS => Wide(access_of(gpu, &memory)?),
        CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE => match &memory.kind {
            Kind::Pooled(pool) => Wide(pool.handle as u64),
            _ => Wide(0),
        },
        CU_POINTER_ATTRIBUTE_MAPPING_SIZE => Wide(memory.len),
        CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR => Wide(memory.start),
        CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID => Wide(memory.id),
        CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE => Narrow(matches!(memory.kind, Kind::Linear).into()),
        CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES => Wide(match &memory.kind {
            Kind::Mapped(mapping) => mapping.physical.handle_types.into(),
            Kind::Pooled(pool) => pool.handle_types.into(),
            _ => 0,
        }),
        CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE
        | CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE
        | CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL => {
            return nothing(attribute).ok_or(CUDA_ERROR_INVALID_VALUE);
        }
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    })
}

/// Addresses that are reserved and have nothing mapped still have a range.
fn of_reservation(
    gpu: &SoftGpu,
    attribute: CUpointer_attribute,
    ptr: CUdeviceptr,
) -> Result<Value, CUresult> {
    let (start, len) = reservation(gpu, ptr).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    match attribute {
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR => Ok(Wide(start)),
        CU_POINTER_ATTRIBUTE_RANGE_SIZE => Ok(Wide(len)),
        CU_POINTER_ATTRIBUTE_MAPPED => Ok(Narrow(0)),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

fn reservation(gpu: &SoftGpu, ptr: CUdeviceptr) -> Option<(u64, u64)> {
    gpu.memory.reserved.find(ptr.0)
}

fn context_of(gpu: &SoftGpu, memory: &Allocation) -> CUcontext {
    let own = current::peek(|top| top.filter(|c| c.id == memory.context).map(|c| c.handle)).flatten();
    own.unwrap_or_else(|| {
        let owner = gpu.contexts.all().into_iter().find(|c| c.id == memory.context);
        owner.map_or(CUcontext(0), |context| context.handle)
    })
}

/// What the current context's device may do with it: the driver's bits for read and write.
fn access_of(gpu: &SoftGpu, memory: &Allocation) -> Result<u64, CUresult> {
    let (read, write) = memory.granted(gpu.current()?.device);
    Ok(u64::from(read) | u64::from(write) << 1)
}
