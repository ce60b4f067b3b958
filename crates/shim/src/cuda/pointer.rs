use core::ffi::c_void;

use cleave_api::cuda::types::*;
use cleave_api::edge::{Out, Plain, Ptr, Slice};

use crate::log;
use crate::movable::{self, Block};
use crate::real_unsafe::cuda as real;

/// The block that holds an address, if its memory can move: what the driver would say of it is how it is made, and not what the
/// program asked for.
fn block(address: CUdeviceptr) -> Option<Block> {
    movable::get()?.holding(address.0)
}

pub fn cuMemGetAddressRange_v2(pbase: Out<CUdeviceptr>, psize: Out<usize>, dptr: CUdeviceptr) -> CUresult {
    let Some(block) = block(dptr) else { return real::cuMemGetAddressRange_v2(pbase, psize, dptr) };
    pbase.set_if(CUdeviceptr(block.start));
    psize.set_if(block.bytes as usize);
    CUDA_SUCCESS
}

/// What is refused because memory can move.
fn refuse(symbol: &'static str) -> CUresult {
    log::say(format_args!("refused symbol={symbol}: the tenant's memory can move, so it cannot be shared"));
    CUDA_ERROR_NOT_SUPPORTED
}

/// Another process would keep what is behind the addresses.
pub fn cuIpcGetMemHandle(pHandle: Out<CUipcMemHandle>, dptr: CUdeviceptr) -> CUresult {
    match block(dptr) {
        Some(_) => refuse("cuIpcGetMemHandle"),
        None => real::cuIpcGetMemHandle(pHandle, dptr),
    }
}

pub fn cuMemPoolExportPointer(shareData_out: Out<CUmemPoolPtrExportData>, ptr: CUdeviceptr) -> CUresult {
    match block(ptr) {
        Some(_) => refuse("cuMemPoolExportPointer"),
        None => real::cuMemPoolExportPointer(shareData_out, ptr),
    }
}

/// Other devices would keep it.
pub fn cuMemGetHandleForAddressRange(
    handle: Ptr<c_void>,
    dptr: CUdeviceptr,
    size: usize,
    handleType: CUmemRangeHandleType,
    flags: u64,
) -> CUresult {
    match block(dptr) {
        Some(_) => refuse("cuMemGetHandleForAddressRange"),
        None => real::cuMemGetHandleForAddressRange(handle, dptr, size, handleType, flags),
    }
}

pub fn cuPointerGetAttribute(
    data: Ptr<c_void>,
    attribute: CUpointer_attribute,
    ptr: CUdeviceptr,
) -> CUresult {
    match block(ptr) {
        Some(block) if !data.is_null() => answer(block, attribute, data, ptr).into(),
        _ => real::cuPointerGetAttribute(data, attribute, ptr),
    }
}

/// What does not apply is nought here, and no error.
pub fn cuPointerGetAttributes(
    numAttributes: u32,
    attributes: Slice<CUpointer_attribute>,
    data: Slice<Ptr<c_void>>,
    ptr: CUdeviceptr,
) -> CUresult {
    let known = block(ptr).filter(|_| !attributes.is_null() && !data.is_null());
    let Some(block) = known else {
        return real::cuPointerGetAttributes(numAttributes, attributes, data, ptr);
    };
    for (attribute, place) in attributes.iter().zip(data.iter()).filter(|(_, place)| !place.is_null()) {
        if answer(block, attribute, place, ptr).is_err() && attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER {
            let _there = write(place, 0_u64);
        }
    }
    CUDA_SUCCESS
}

/// What the driver says of linear memory that it made itself; the rest it is asked for.
fn answer(
    block: Block,
    attribute: CUpointer_attribute,
    place: Ptr<c_void>,
    address: CUdeviceptr,
) -> Result<(), CUresult> {
    match attribute {
        CU_POINTER_ATTRIBUTE_CONTEXT => write(place, block.owner.unwrap_or_default()),
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE => write(place, CU_MEMORYTYPE_DEVICE.0),
        CU_POINTER_ATTRIBUTE_DEVICE_POINTER => write(place, address.0),
        CU_POINTER_ATTRIBUTE_HOST_POINTER => Err(CUDA_ERROR_INVALID_VALUE),
        CU_POINTER_ATTRIBUTE_BUFFER_ID | CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID => write(place, block.id),
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => write(place, block.card.device.0),
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR => write(place, block.start),
        CU_POINTER_ATTRIBUTE_RANGE_SIZE => write(place, block.bytes),
        CU_POINTER_ATTRIBUTE_MAPPED => write(place, 1_u32),
        CU_POINTER_ATTRIBUTE_IS_MANAGED | CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE => {
            write(place, 0_u32)
        }
        CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES => write(place, 0_u64),
        CU_POINTER_ATTRIBUTE_ACCESS_FLAGS => {
            write(place, u64::from(CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE.0))
        }
        CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE => write(place, block.pool),
        _ => {
            let _stay = movable::stay();
            real::cuPointerGetAttribute(place, attribute, address).ok()
        }
    }
}

fn write<T: Plain>(place: Ptr<c_void>, value: T) -> Result<(), CUresult> {
    place.cast::<T>().slice_mut::<CUresult>(1).set(0, value)
}
