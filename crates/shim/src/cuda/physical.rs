use core::ffi::c_void;

use cleave_api::cuda::types::*;
use cleave_api::edge::{In, Out, Ptr, Slice};

use crate::books::{self, Books, lock};
use crate::movable;
use crate::real_unsafe::cuda as real;
use crate::vmm::{Paid, Taken, Tile};

/// Charged to the device it is made on, which need not be the current one; host memory is not charged.
pub fn cuMemCreate(
    handle: Out<CUmemGenericAllocationHandle>,
    size: usize,
    prop: In<CUmemAllocationProp>,
    flags: u64,
) -> CUresult {
    let call = |handle: Out<CUmemGenericAllocationHandle>| real::cuMemCreate(handle, size, prop, flags);
    let Some(books) = books::get() else { return call(handle) };
    let location = prop.get_if().map(|prop| prop.location).filter(on_device);
    let Some(location) = location.filter(|_| !handle.is_null() && size > 0) else { return call(handle) };
    let Ok(card) = books.cards.get(CUdevice(location.id)) else { return call(handle) };
    let run = || {
        let charge = card.charge("cuMemCreate", size as u64)?;
        let mut made = CUmemGenericAllocationHandle(0);
        call((&mut made).into()).ok()?;
        charge.keep();
        lock(&books.vmm).create(made.0, Some(Paid { card, bytes: size as u64 }));
        handle.set(made)
    };
    run().into()
}

/// Any kind of location that is a device's memory.
pub fn on_device(location: &CUmemLocation) -> bool {
    let host =
        [CU_MEM_LOCATION_TYPE_HOST, CU_MEM_LOCATION_TYPE_HOST_NUMA, CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT];
    !host.contains(&location.type_)
}

/// Takes references away, asks the driver, and gives back what is no longer referred to.
fn part(take: impl FnOnce(&Books) -> Taken, call: impl FnOnce() -> CUresult) -> CUresult {
    let Some(books) = books::get() else { return call() };
    let taken = take(books);
    let result = call();
    if result == CUDA_SUCCESS {
        let paid = lock(&books.vmm).confirm(taken);
        paid.into_iter().for_each(Paid::give_back);
    } else {
        lock(&books.vmm).undo(taken);
    }
    result
}

pub fn cuMemRelease(handle: CUmemGenericAllocationHandle) -> CUresult {
    part(|books| lock(&books.vmm).take_handle(handle.0), || real::cuMemRelease(handle))
}

pub fn cuMemUnmap(ptr: CUdeviceptr, size: usize) -> CUresult {
    part(|books| lock(&books.vmm).take_mappings(ptr.0, size as u64), || real::cuMemUnmap(ptr, size))
}

/// A mapping keeps the memory when its handle is released.
pub fn cuMemMap(
    ptr: CUdeviceptr,
    size: usize,
    offset: usize,
    handle: CUmemGenericAllocationHandle,
    flags: u64,
) -> CUresult {
    let call = || real::cuMemMap(ptr, size, offset, handle, flags);
    let Some(books) = books::get() else { return call() };
    let noted = lock(&books.vmm).map(ptr.0, size as u64, handle.0);
    let result = call();
    if noted && result != CUDA_SUCCESS {
        let mut vmm = lock(&books.vmm);
        let taken = vmm.take_mappings(ptr.0, size as u64);
        let paid = vmm.confirm(taken);
        drop(vmm);
        paid.into_iter().for_each(Paid::give_back);
    }
    result
}

pub fn cuMemRetainAllocationHandle(handle: Out<CUmemGenericAllocationHandle>, addr: Ptr<c_void>) -> CUresult {
    let call = |handle: Out<CUmemGenericAllocationHandle>| real::cuMemRetainAllocationHandle(handle, addr);
    let Some(books) = books::get().filter(|_| !handle.is_null()) else { return call(handle) };
    // Linear memory has no handle, whatever is behind it.
    if movable::get().is_some_and(|movable| movable.holding(addr.addr() as u64).is_some()) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    let mut made = CUmemGenericAllocationHandle(0);
    let result = call((&mut made).into());
    if result == CUDA_SUCCESS {
        lock(&books.vmm).retain(addr.addr() as u64, made.0);
        handle.set_if(made);
    }
    result
}

/// Who exports may import again, in this process too, and then release what is known here.
pub fn cuMemExportToShareableHandle(
    shareableHandle: Ptr<c_void>,
    handle: CUmemGenericAllocationHandle,
    handleType: CUmemAllocationHandleType,
    flags: u64,
) -> CUresult {
    if let Some(books) = books::get() {
        lock(&books.vmm).export(handle.0);
    }
    real::cuMemExportToShareableHandle(shareableHandle, handle, handleType, flags)
}

/// The owner pays.
pub fn cuMemImportFromShareableHandle(
    handle: Out<CUmemGenericAllocationHandle>,
    osHandle: Ptr<c_void>,
    shHandleType: CUmemAllocationHandleType,
) -> CUresult {
    let call = |handle: Out<CUmemGenericAllocationHandle>| {
        real::cuMemImportFromShareableHandle(handle, osHandle, shHandleType)
    };
    let Some(books) = books::get().filter(|_| !handle.is_null()) else { return call(handle) };
    let mut made = CUmemGenericAllocationHandle(0);
    let result = call((&mut made).into());
    if result == CUDA_SUCCESS {
        lock(&books.vmm).create(made.0, None);
        handle.set_if(made);
    }
    result
}

pub fn cuMemMapArrayAsync(mapInfoList: Slice<CUarrayMapInfo>, count: u32, hStream: CUstream) -> CUresult {
    map_tiles(mapInfoList, || real::cuMemMapArrayAsync(mapInfoList, count, hStream))
}

pub fn cuMemMapArrayAsync_ptsz(
    mapInfoList: Slice<CUarrayMapInfo>,
    count: u32,
    hStream: CUstream,
) -> CUresult {
    map_tiles(mapInfoList, || real::cuMemMapArrayAsync_ptsz(mapInfoList, count, hStream))
}

/// Tiles refer to memory as mappings do. One that is unmapped in other pieces than it was mapped keeps its memory charged until
/// the array is gone.
fn map_tiles(list: Slice<CUarrayMapInfo>, call: impl FnOnce() -> CUresult) -> CUresult {
    let result = call();
    let Some(books) = books::get().filter(|_| result == CUDA_SUCCESS) else { return result };
    for info in list.iter() {
        let tile = tile(&info);
        if info.memOperationType == CU_MEM_OPERATION_TYPE_MAP {
            lock(&books.vmm).map_tile(tile, info.memHandle.0);
        } else {
            give_back_tiles(books, |other| *other == tile);
        }
    }
    result
}

fn tile(info: &CUarrayMapInfo) -> Tile {
    let [a, b, c, d] = info.subresource.get::<[u64; 4]>();
    let kind = u64::from(info.subresourceType.0);
    let part = match info.subresourceType {
        CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL => [kind, a & 0xffff_ffff, b, c, 0],
        _ => [kind, a, b, c, d],
    };
    Tile { array: info.resource.get::<u64>(), part }
}

/// An array is gone, and with it what its tiles referred to.
pub fn forget_tiles(books: &Books, array: u64) {
    give_back_tiles(books, |tile| tile.array == array);
}

fn give_back_tiles(books: &Books, of: impl Fn(&Tile) -> bool) {
    let mut vmm = lock(&books.vmm);
    let taken = vmm.take_tiles(of);
    let paid = vmm.confirm(taken);
    drop(vmm);
    paid.into_iter().for_each(Paid::give_back);
}
