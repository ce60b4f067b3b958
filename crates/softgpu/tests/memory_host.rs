//! Page-locked, registered and managed memory, and what a pointer is.

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(unsafe_code, dead_code)]
mod host_unsafe;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use host_unsafe::*;
use std::ffi::c_void;

const INCREMENT: &str = r"
.version 7.0
.target sm_80
.address_size 64
.visible .entry increment(.param .u64 at)
{
    .reg .u64 %a, %o;
    .reg .u32 %t, %v;
    ld.param.u64 %a, [at];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %o, %t, 4;
    add.u64 %a, %a, %o;
    ld.global.u32 %v, [%a];
    add.u32 %v, %v, 1;
    st.global.u32 [%a], %v;
    ret;
}
";

/// Adds one to 64 words on the device.
fn increment(at: u64) -> CUresult {
    assert_eq!(launch(kernel(INCREMENT, "increment"), 64, CUstream(0), &[at]), CUDA_SUCCESS);
    Libcuda.cuCtxSynchronize()
}

#[test]
fn kernels_and_host_share_page_locked_memory() {
    context();
    let pp = out(|pp| Libcuda.cuMemHostAlloc(pp, 4096, CU_MEMHOSTALLOC_DEVICEMAP)).expect("host memory");
    let words: &mut [u32] = host(pp.addr() as u64, 64);
    words.copy_from_slice(&std::array::from_fn::<u32, 64, _>(|i| i as u32));
    let device = out(|dptr| Libcuda.cuMemHostGetDevicePointer_v2(dptr, pp, 0)).expect("a device pointer");
    assert_eq!(increment(device.0), CUDA_SUCCESS);
    assert!(words.iter().enumerate().all(|(i, &word)| word == i as u32 + 1));
    assert_eq!(out(|flags| Libcuda.cuMemHostGetFlags(flags, pp)), Ok(CU_MEMHOSTALLOC_DEVICEMAP));
    assert_eq!(Libcuda.cuMemFreeHost(raw(pp.addr() as u64 + 8)), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuMemFreeHost(pp), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemFreeHost(pp), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(out(|flags| Libcuda.cuMemHostGetFlags(flags, pp)), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(out(|pp| Libcuda.cuMemHostAlloc(pp, 16, 0x100)).map(|_| ()), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(out(|pp| Libcuda.cuMemHostAlloc(pp, 0, 0)).map(|_| ()), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(
        out(|pp| Libcuda.cuMemHostAlloc(pp, usize::MAX, 0)).map(|_| ()),
        Err(CUDA_ERROR_OUT_OF_MEMORY)
    );
    assert_eq!(Libcuda.cuMemHostAlloc(null(), 16, 0), CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn large_page_locked_memory_is_gone_when_freed() {
    context();
    let pp = out(|pp| Libcuda.cuMemAllocHost_v2(pp, 8 << 20)).expect("host memory");
    host::<u8>(pp.addr() as u64, 8 << 20).fill(1);
    assert_eq!(Libcuda.cuMemFreeHost(pp), CUDA_SUCCESS);
    assert!(!readable(pp.addr() as u64));
}

#[test]
fn the_programs_own_memory_can_be_registered() {
    context();
    let own = pages(1 << 16, true);
    let p = raw::<c_void>(own);
    assert_eq!(Libcuda.cuMemHostUnregister(p), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    assert_eq!(Libcuda.cuMemHostRegister_v2(p, 1 << 16, 0), CUDA_SUCCESS);
    let inside = raw::<c_void>(own + 4096);
    assert_eq!(Libcuda.cuMemHostRegister_v2(inside, 4096, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    let device = out(|dptr| Libcuda.cuMemHostGetDevicePointer_v2(dptr, inside, 0)).expect("a device pointer");
    assert_eq!(increment(device.0), CUDA_SUCCESS);
    assert_eq!(host::<u32>(own + 4096, 64), [1; 64]);
    assert_eq!(Libcuda.cuMemHostUnregister(p), CUDA_SUCCESS);
    // What is not there, or not accessible, cannot be registered; kernels rely on it.
    let nothing = pages(4096, false);
    assert_eq!(Libcuda.cuMemHostRegister_v2(raw(nothing), 4096, 0), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuMemHostRegister_v2(raw(8), 4096, 0), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuMemHostRegister_v2(p, 0, 0), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuMemHostRegister_v2(p, usize::MAX, 0), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(increment(device.0), CUDA_ERROR_ILLEGAL_ADDRESS, "no longer registered");
}

#[test]
fn managed_memory_is_the_same_everywhere() {
    context();
    let managed =
        out(|dptr| Libcuda.cuMemAllocManaged(dptr, 1 << 20, CU_MEM_ATTACH_GLOBAL.0)).expect("managed memory");
    host::<u32>(managed.0, 64).fill(41);
    assert_eq!(increment(managed.0), CUDA_SUCCESS);
    assert_eq!(host::<u32>(managed.0, 64), [42; 64]);
    assert_eq!(read_back::<u32>(managed, 64), [42; 64]);
    for flags in [0, CU_MEM_ATTACH_SINGLE.0, 99] {
        assert!(out(|dptr| Libcuda.cuMemAllocManaged(dptr, 16, flags)).is_err(), "{flags}");
    }
    let attribute = |attribute| {
        let mut value = 0i32;
        Libcuda
            .cuMemRangeGetAttribute(target(std::slice::from_mut(&mut value)), 4, attribute, managed, 1 << 20)
            .ok()
            .map(|()| value)
    };
    assert_eq!(attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), Ok(0));
    assert_eq!(attribute(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), Ok(CU_DEVICE_INVALID.0));
    let advise = |advice, device| Libcuda.cuMemAdvise(managed, 1 << 20, advice, CUdevice(device));
    assert_eq!(advise(CU_MEM_ADVISE_SET_READ_MOSTLY, 0), CUDA_SUCCESS);
    assert_eq!(advise(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU.0), CUDA_SUCCESS);
    assert_eq!(advise(CU_MEM_ADVISE_SET_ACCESSED_BY, 7), CUDA_ERROR_INVALID_DEVICE);
    assert_eq!(Libcuda.cuMemPrefetchAsync(managed, 4096, CUdevice(0), CUstream(0)), CUDA_SUCCESS);
    assert_eq!(attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), Ok(1));
    assert_eq!(attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), Ok(CU_DEVICE_CPU.0));
    assert_eq!(attribute(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), Ok(0));
    let plain = memory(4096);
    assert_eq!(Libcuda.cuMemPrefetchAsync(plain, 4096, CUdevice(0), CUstream(0)), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuMemFree_v2(managed), CUDA_SUCCESS);
}

fn narrow(attribute: CUpointer_attribute, at: u64) -> Result<u32, CUresult> {
    let mut value = 0u32;
    Libcuda.cuPointerGetAttribute(raw_to(&mut value), attribute, CUdeviceptr(at)).ok().map(|()| value)
}

fn wide(attribute: CUpointer_attribute, at: u64) -> Result<u64, CUresult> {
    let mut value = 0u64;
    Libcuda.cuPointerGetAttribute(raw_to(&mut value), attribute, CUdeviceptr(at)).ok().map(|()| value)
}

#[test]
fn a_pointer_tells_what_it_is() {
    let context = context();
    let linear = memory(1000).0;
    let pinned = out(|pp| Libcuda.cuMemAllocHost_v2(pp, 1000)).expect("host memory").addr() as u64;
    let (managed, _) = word();
    assert_eq!(narrow(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, linear), Ok(CU_MEMORYTYPE_DEVICE.0));
    assert_eq!(narrow(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pinned), Ok(CU_MEMORYTYPE_HOST.0));
    assert_eq!(wide(CU_POINTER_ATTRIBUTE_CONTEXT, linear + 10), Ok(context.0 as u64));
    assert_eq!(wide(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, pinned + 10), Ok(pinned + 10));
    assert_eq!(wide(CU_POINTER_ATTRIBUTE_HOST_POINTER, pinned + 10), Ok(pinned + 10));
    assert_eq!(wide(CU_POINTER_ATTRIBUTE_HOST_POINTER, linear), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(narrow(CU_POINTER_ATTRIBUTE_IS_MANAGED, managed.0), Ok(1));
    assert_eq!(narrow(CU_POINTER_ATTRIBUTE_IS_MANAGED, linear), Ok(0));
    assert_eq!(narrow(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, linear), Ok(0));
    assert_eq!(wide(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, linear + 999), Ok(linear));
    assert_eq!(wide(CU_POINTER_ATTRIBUTE_RANGE_SIZE, linear), Ok(1000));
    assert_eq!(narrow(CU_POINTER_ATTRIBUTE_MAPPED, linear), Ok(1));
    assert_eq!(wide(CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, linear), Ok(3));
    assert_eq!(wide(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, linear), Ok(0));
    assert_ne!(wide(CU_POINTER_ATTRIBUTE_BUFFER_ID, linear), wide(CU_POINTER_ATTRIBUTE_BUFFER_ID, pinned));
    assert_eq!(narrow(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, linear + 1000), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(narrow(CUpointer_attribute(999), linear), Err(CUDA_ERROR_INVALID_VALUE));
    let mut on = 1u32;
    let set =
        Libcuda.cuPointerSetAttribute(raw_to(&mut on), CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, CUdeviceptr(linear));
    assert_eq!(set, CUDA_SUCCESS);
    assert_eq!(narrow(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, linear), Ok(1));
    let null = Libcuda.cuPointerGetAttribute(raw(0), CU_POINTER_ATTRIBUTE_MAPPED, CUdeviceptr(linear));
    assert_eq!(null, CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn several_attributes_of_a_foreign_pointer_are_nothing_and_no_error() {
    context();
    let (mut kind, mut start) = (7u32, 7u64);
    let attributes = [CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR];
    let data = [raw_to::<_, c_void>(&mut kind), raw_to::<_, c_void>(&mut start)];
    let own = [0u8; 4];
    let foreign = CUdeviceptr(own.as_ptr() as u64);
    let got = Libcuda.cuPointerGetAttributes(2, slice(&attributes), slice(&data), foreign);
    assert_eq!((got, kind, start), (CUDA_SUCCESS, 0, 0));
    assert_eq!(narrow(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, foreign.0), Err(CUDA_ERROR_INVALID_VALUE));
}
