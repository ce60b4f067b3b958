use core::ffi::c_void;
use std::os::fd::{AsRawFd, IntoRawFd};
use std::sync::Arc;

use cleave_api::cuda::types::*;
use cleave_api::edge::{In, Out, Plain, Ptr, Slice};
use cleave_device::share_handle::{Handle, Kind};

use crate::gpu::SoftGpu;
use crate::ipc::numbers;
use crate::log;
use crate::memory::access::Access;
use crate::memory::allocation::{self, Allocation, Owner};
use crate::memory::space::Numbers;
use crate::memory::vmm::{GRANULARITY, Physical};

/// Nobody's context: mappings belong to the process.
const NO_CONTEXT: u64 = 0;

pub fn cuMemGetAllocationGranularity(
    gpu: &SoftGpu,
    granularity: Out<usize>,
    prop: In<CUmemAllocationProp>,
    _option: CUmemAllocationGranularity_flags,
) -> Result<(), CUresult> {
    device_of(gpu, &prop.get()?)?;
    granularity.set(GRANULARITY as usize)
}

pub fn cuMemAddressReserve(
    gpu: &SoftGpu,
    ptr: Out<CUdeviceptr>,
    size: usize,
    alignment: usize,
    addr: CUdeviceptr,
    flags: u64,
) -> Result<(), CUresult> {
    let aligned = alignment == 0 || alignment.is_power_of_two();
    if ptr.is_null() || !whole(size) || !aligned || flags != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let align = (alignment as u64).max(GRANULARITY);
    let start = gpu.memory.reserved.reserve(size as u64, align, addr.0).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
    ptr.set(CUdeviceptr(start))
}

pub fn cuMemAddressFree(gpu: &SoftGpu, ptr: CUdeviceptr, size: usize) -> Result<(), CUresult> {
    // Only a reservation without mappings can go.
    if !gpu.memory.live.within(ptr.0, size as u64).is_empty() || !gpu.memory.reserved.free(ptr.0, size as u64)
    {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    Ok(())
}

pub fn cuMemCreate(
    gpu: &SoftGpu,
    handle: Out<CUmemGenericAllocationHandle>,
    size: usize,
    prop: In<CUmemAllocationProp>,
    flags: u64,
) -> Result<(), CUresult> {
    let prop = prop.get()?;
    let device = device_of(gpu, &prop)?;
    if handle.is_null() || !whole(size) || flags != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let handle_types = exportable(prop.requestedHandleTypes)?;
    let space = &gpu.devices[device].space;
    let physical = gpu.or_trim(|| Physical::create(space, device, size as u64, handle_types))?;
    handle.set(store(gpu, physical)?)
}

fn store(gpu: &SoftGpu, physical: Physical) -> Result<CUmemGenericAllocationHandle, CUresult> {
    let stored = gpu.physicals.insert_with(|name| {
        physical.set_handle(name);
        Arc::new(physical)
    });
    Ok(CUmemGenericAllocationHandle(stored.ok_or(CUDA_ERROR_OUT_OF_MEMORY)? as u64))
}

/// A descriptor that names the memory and keeps it, also when this process is gone.
pub fn cuMemExportToShareableHandle(
    gpu: &SoftGpu,
    shareable: Ptr<c_void>,
    handle: CUmemGenericAllocationHandle,
    handle_type: CUmemAllocationHandleType,
    flags: u64,
) -> Result<(), CUresult> {
    let physical = find(gpu, handle)?;
    let allowed =
        handle_type != CU_MEM_HANDLE_TYPE_NONE && physical.handle_types & handle_type.0 == handle_type.0;
    if shareable.is_null() || flags != 0 || !allowed {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let Numbers { first, count, second } = physical.share().ok_or(CUDA_ERROR_UNKNOWN)?;
    let named = gpu.handle(Kind::Physical, physical.device);
    export(gpu, shareable, &Handle { first, count, second, len: physical.bytes, ..named })
}

pub fn cuMemImportFromShareableHandle(
    gpu: &SoftGpu,
    handle: Out<CUmemGenericAllocationHandle>,
    shareable: Ptr<c_void>,
    handle_type: CUmemAllocationHandleType,
) -> Result<(), CUresult> {
    if handle.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let named = named_by(gpu, shareable, handle_type, Kind::Physical)?;
    let device = gpu.device_of(&named)?;
    let space = &gpu.devices[device].space;
    let found = Physical::import(space, device, named.len, handle_type.0, numbers(&named));
    handle.set(store(gpu, found.ok_or(CUDA_ERROR_INVALID_VALUE)?)?)
}

/// What kinds of descriptor memory may be exported as, of those a program asks for.
pub fn exportable(wanted: CUmemAllocationHandleType) -> Result<u32, CUresult> {
    match wanted {
        CU_MEM_HANDLE_TYPE_NONE | CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR => Ok(wanted.0),
        _ => Err(CUDA_ERROR_NOT_SUPPORTED),
    }
}

/// Makes a descriptor for `named` and puts its number where the program wants it.
pub fn export(gpu: &SoftGpu, place: Ptr<c_void>, named: &Handle) -> Result<(), CUresult> {
    let descriptor = gpu.machine.shares().export(named).map_err(|error| {
        log::warn(format_args!("cannot export memory error={error}"));
        CUDA_ERROR_OPERATING_SYSTEM
    })?;
    place.cast::<i32>().slice_mut::<CUresult>(1).set(0, descriptor.as_raw_fd())?;
    // The program's from here on.
    let _ = descriptor.into_raw_fd();
    Ok(())
}

/// What the descriptor names whose number the program passes in place of a pointer.
pub fn named_by(
    gpu: &SoftGpu,
    shareable: Ptr<c_void>,
    handle_type: CUmemAllocationHandleType,
    kind: Kind,
) -> Result<Handle, CUresult> {
    if handle_type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR {
        return Err(CUDA_ERROR_NOT_SUPPORTED);
    }
    let number = i32::try_from(shareable.addr()).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
    let named = gpu.machine.shares().import(number).ok().flatten().ok_or(CUDA_ERROR_INVALID_VALUE)?;
    gpu.check_handle(&named, kind)?;
    Ok(named)
}

/// The memory lives on while it is mapped.
pub fn cuMemRelease(gpu: &SoftGpu, handle: CUmemGenericAllocationHandle) -> Result<(), CUresult> {
    if find(gpu, handle)?.release() {
        gpu.physicals.remove(handle.0 as usize);
    }
    Ok(())
}

pub fn cuMemRetainAllocationHandle(
    gpu: &SoftGpu,
    handle: Out<CUmemGenericAllocationHandle>,
    addr: Ptr<c_void>,
) -> Result<(), CUresult> {
    let mapping = gpu.memory.live.find(addr.addr() as u64).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let allocation::Kind::Mapped(mapping) = &mapping.kind else { return Err(CUDA_ERROR_INVALID_VALUE) };
    if handle.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let physical = &mapping.physical;
    // A handle that was released completely gets a new name; one that is still held keeps its own.
    let name = match gpu.physicals.get(physical.handle()) {
        Some(known) if Arc::ptr_eq(&known, physical) => {
            physical.retain();
            physical.handle()
        }
        _ => {
            let again = gpu.physicals.insert_with(|name| {
                physical.set_handle(name);
                physical.retain();
                physical.clone()
            });
            again.ok_or(CUDA_ERROR_OUT_OF_MEMORY)?
        }
    };
    handle.set(CUmemGenericAllocationHandle(name as u64))
}

pub fn cuMemGetAllocationPropertiesFromHandle(
    gpu: &SoftGpu,
    prop: Out<CUmemAllocationProp>,
    handle: CUmemGenericAllocationHandle,
) -> Result<(), CUresult> {
    let physical = find(gpu, handle)?;
    prop.set(CUmemAllocationProp {
        type_: CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: CUmemAllocationHandleType(physical.handle_types),
        location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: physical.device as i32 },
        ..CUmemAllocationProp::zeroed()
    })
}

pub fn cuMemMap(
    gpu: &SoftGpu,
    ptr: CUdeviceptr,
    size: usize,
    offset: usize,
    handle: CUmemGenericAllocationHandle,
    flags: u64,
) -> Result<(), CUresult> {
    let physical = find(gpu, handle)?;
    let (start, len) = (ptr.0, size as u64);
    let placed = start % GRANULARITY == 0 && whole(size) && gpu.memory.reserved.holds(start, len);
    if !placed || offset != 0 || flags != 0 || len > physical.bytes {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if !gpu.memory.live.within(start, len).is_empty() || gpu.memory.live.find(start).is_some() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let owner = Owner { context: NO_CONTEXT, device: physical.device };
    let mapping = gpu.memory.reserved.map(&physical, start, len).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
    let mapped =
        gpu.memory.live.insert(&Allocation::elsewhere(start, len, allocation::Kind::Mapped(mapping), owner));
    mapped.then_some(()).ok_or(CUDA_ERROR_INVALID_VALUE)
}

pub fn cuMemUnmap(gpu: &SoftGpu, ptr: CUdeviceptr, size: usize) -> Result<(), CUresult> {
    let mappings = mappings(gpu, ptr, size)?;
    gpu.wait_for_all()?;
    for allocation in &mappings {
        gpu.memory.live.remove_if(allocation.start, |_| true).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        gpu.memory
            .reserved
            .unmap(allocation.start, allocation.len)
            .map_err(|_| CUDA_ERROR_OPERATING_SYSTEM)?;
    }
    Ok(())
}

pub fn cuMemSetAccess(
    gpu: &SoftGpu,
    ptr: CUdeviceptr,
    size: usize,
    desc: Slice<CUmemAccessDesc>,
    _count: usize,
) -> Result<(), CUresult> {
    let wanted = desc.to_vec()?;
    if wanted.is_empty() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let mappings = mappings(gpu, ptr, size)?;
    for desc in wanted {
        let device = located(gpu, &desc.location)?;
        let access = Access::from_flags(desc.flags.0).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        for allocation in &mappings {
            if let allocation::Kind::Mapped(mapping) = &allocation.kind {
                mapping.set_access(device, access);
            }
        }
    }
    let (start, end) = (ptr.0, ptr.0 + size as u64);
    gpu.memory.live.refresh(start, end);
    Ok(())
}

pub fn cuMemGetAccess(
    gpu: &SoftGpu,
    flags: Out<u64>,
    location: In<CUmemLocation>,
    ptr: CUdeviceptr,
) -> Result<(), CUresult> {
    let device = located(gpu, &location.get()?)?;
    let allocation = gpu.memory.live.find(ptr.0).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    match &allocation.kind {
        allocation::Kind::Mapped(mapping) => flags.set(mapping.access(device) as u64),
        allocation::Kind::Pooled(pool) => flags.set(pool.access(device) as u64),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// The mappings that fill `ptr..ptr + size` exactly, from edge to edge.
fn mappings(gpu: &SoftGpu, ptr: CUdeviceptr, size: usize) -> Result<Vec<Arc<Allocation>>, CUresult> {
    let end = ptr.0.checked_add(size as u64).filter(|_| whole(size)).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let found = gpu.memory.live.within(ptr.0, size as u64);
    let mut at = ptr.0;
    for allocation in &found {
        if allocation.start != at || !matches!(allocation.kind, allocation::Kind::Mapped(_)) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        at = allocation.end();
    }
    if at == end { Ok(found) } else { Err(CUDA_ERROR_INVALID_VALUE) }
}

/// Sizes are whole pages of the device, and not zero.
fn whole(size: usize) -> bool {
    size != 0 && (size as u64).is_multiple_of(GRANULARITY)
}

fn find(gpu: &SoftGpu, handle: CUmemGenericAllocationHandle) -> Result<Arc<Physical>, CUresult> {
    gpu.physicals.get(handle.0 as usize).ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// The device that memory is wanted on; only pinned device memory exists.
fn device_of(gpu: &SoftGpu, prop: &CUmemAllocationProp) -> Result<usize, CUresult> {
    if prop.type_ != CU_MEM_ALLOCATION_TYPE_PINNED {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    located(gpu, &prop.location)
}

/// The device a location names.
pub fn located(gpu: &SoftGpu, location: &CUmemLocation) -> Result<usize, CUresult> {
    if location.type_ != CU_MEM_LOCATION_TYPE_DEVICE {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let (ordinal, _) = gpu.device(CUdevice(location.id)).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
    Ok(ordinal)
}
