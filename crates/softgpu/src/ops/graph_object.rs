use core::ffi::c_void;
use std::sync::Arc;

use cleave_api::cuda::types::*;
use cleave_api::edge::{In, Out, Ptr};

use crate::gpu::SoftGpu;
use crate::graph::UserObject;
use crate::graph::memory::Gauge;

pub fn cuUserObjectCreate(
    gpu: &SoftGpu,
    object_out: Out<CUuserObject>,
    ptr: Ptr<c_void>,
    destroy: CUhostFn,
    initialRefcount: u32,
    flags: u32,
) -> Result<(), CUresult> {
    // The destructor never waits for the device, and the flag promises that the program does not rely on it.
    let promised = flags == CU_USER_OBJECT_NO_DESTRUCTOR_SYNC.0;
    if object_out.is_null() || destroy.is_none() || !promised || !is_count(initialRefcount) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let make = |handle| Arc::new(UserObject::new(handle, ptr, destroy, initialRefcount));
    let handle = gpu.graphs.objects.insert_with(make).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
    object_out.set(CUuserObject(handle))
}

/// Counts are positive as a C int.
fn is_count(count: u32) -> bool {
    count != 0 && i32::try_from(count).is_ok()
}

fn object(gpu: &SoftGpu, handle: CUuserObject, count: u32) -> Result<Arc<UserObject>, CUresult> {
    let object = gpu.graphs.objects.get(handle.0).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    if is_count(count) { Ok(object) } else { Err(CUDA_ERROR_INVALID_VALUE) }
}

pub fn cuUserObjectRetain(gpu: &SoftGpu, handle: CUuserObject, count: u32) -> Result<(), CUresult> {
    object(gpu, handle, count)?.retain(count);
    Ok(())
}

pub fn cuUserObjectRelease(gpu: &SoftGpu, handle: CUuserObject, count: u32) -> Result<(), CUresult> {
    gpu.graphs.release_object(&object(gpu, handle, count)?, count);
    Ok(())
}

pub fn cuGraphRetainUserObject(
    gpu: &SoftGpu,
    graph: CUgraph,
    handle: CUuserObject,
    count: u32,
    flags: u32,
) -> Result<(), CUresult> {
    let (graph, object) = (gpu.graphs.get(graph)?, object(gpu, handle, count)?);
    if flags & !CU_GRAPH_USER_OBJECT_MOVE.0 != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    // Moved references are the program's own; others are new.
    if flags & CU_GRAPH_USER_OBJECT_MOVE.0 == 0 {
        object.retain(count);
    }
    let mut body = graph.body();
    match body.objects.iter_mut().find(|(held, _)| held.handle == object.handle) {
        Some((_, times)) => *times = times.saturating_add(count),
        None => body.objects.push((object, count)),
    }
    Ok(())
}

pub fn cuGraphReleaseUserObject(
    gpu: &SoftGpu,
    graph: CUgraph,
    handle: CUuserObject,
    count: u32,
) -> Result<(), CUresult> {
    let (graph, object) = (gpu.graphs.get(graph)?, object(gpu, handle, count)?);
    {
        let mut body = graph.body();
        let held =
            body.objects.iter_mut().find(|(held, times)| held.handle == object.handle && *times >= count);
        held.ok_or(CUDA_ERROR_INVALID_VALUE)?.1 -= count;
        body.objects.retain(|(_, times)| *times > 0);
    }
    gpu.graphs.release_object(&object, count);
    Ok(())
}

pub fn cuDeviceGetGraphMemAttribute(
    gpu: &SoftGpu,
    device: CUdevice,
    attr: CUgraphMem_attribute,
    value: Out<u64>,
) -> Result<(), CUresult> {
    let (gauge, high) = gauge(gpu, device, attr)?;
    value.set(if high { gauge.high() } else { gauge.now() })
}

/// High marks can be reset, and nothing else.
pub fn cuDeviceSetGraphMemAttribute(
    gpu: &SoftGpu,
    device: CUdevice,
    attr: CUgraphMem_attribute,
    value: In<u64>,
) -> Result<(), CUresult> {
    let (gauge, high) = gauge(gpu, device, attr)?;
    if !high || value.get()? != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    gauge.reset_high();
    Ok(())
}

fn gauge(gpu: &SoftGpu, device: CUdevice, attr: CUgraphMem_attribute) -> Result<(&Gauge, bool), CUresult> {
    let (ordinal, _) = gpu.device(device)?;
    let usage = gpu.graphs.memory.usage(ordinal).ok_or(CUDA_ERROR_INVALID_DEVICE)?;
    match attr {
        CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT => Ok((&usage.used, false)),
        CU_GRAPH_MEM_ATTR_USED_MEM_HIGH => Ok((&usage.used, true)),
        CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT => Ok((&usage.reserved, false)),
        CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH => Ok((&usage.reserved, true)),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

pub fn cuDeviceGraphMemTrim(gpu: &SoftGpu, device: CUdevice) -> Result<(), CUresult> {
    let (ordinal, _) = gpu.device(device)?;
    gpu.graphs.memory.trim(ordinal);
    Ok(())
}
