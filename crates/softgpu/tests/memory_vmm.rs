//! Physical memory, reserved addresses and mappings.

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(dead_code)]
mod child;
#[allow(unsafe_code, dead_code)]
mod fd_unsafe;
#[allow(unsafe_code, dead_code)]
mod host_unsafe;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_api::edge::Plain;
use host_unsafe::*;
use std::os::fd::AsRawFd;

const CHUNK: usize = 2 << 20;

fn prop() -> CUmemAllocationProp {
    CUmemAllocationProp {
        type_: CU_MEM_ALLOCATION_TYPE_PINNED,
        location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 },
        ..CUmemAllocationProp::zeroed()
    }
}

fn create(size: usize) -> Result<CUmemGenericAllocationHandle, CUresult> {
    out(|handle| Libcuda.cuMemCreate(handle, size, input(&prop()), 0))
}

fn reserve(size: usize) -> CUdeviceptr {
    out(|ptr| Libcuda.cuMemAddressReserve(ptr, size, 0, CUdeviceptr(0), 0)).expect("addresses")
}

fn map(at: u64, size: usize, handle: CUmemGenericAllocationHandle) -> CUresult {
    Libcuda.cuMemMap(CUdeviceptr(at), size, 0, handle, 0)
}

fn allow(at: u64, size: usize, flags: CUmemAccess_flags) -> CUresult {
    let desc =
        CUmemAccessDesc { location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 }, flags };
    Libcuda.cuMemSetAccess(CUdeviceptr(at), size, slice(&[desc]), 1)
}

fn free_bytes() -> usize {
    out(|free| Libcuda.cuMemGetInfo_v2(free, null())).expect("memory info")
}

const STORE: &str = r"
.version 7.0
.target sm_80
.address_size 64
.visible .entry store(.param .u64 at, .param .u64 value)
{
    .reg .u64 %a, %v;
    ld.param.u64 %a, [at];
    ld.param.u64 %v, [value];
    st.global.u64 [%a], %v;
    ret;
}
";

#[test]
fn memory_lives_while_a_handle_or_a_mapping_does() {
    child::run("memory_lives_while_a_handle_or_a_mapping_does", &[("CLEAVE_SOFTGPU_MEMORY", "64M")], || {
        context();
        let granularity = out(|granularity| {
            Libcuda.cuMemGetAllocationGranularity(
                granularity,
                input(&prop()),
                CU_MEM_ALLOC_GRANULARITY_MINIMUM,
            )
        });
        assert_eq!(granularity, Ok(CHUNK));
        let all = free_bytes();
        let handle = create(4 * CHUNK).expect("memory");
        assert_eq!(free_bytes(), all - 4 * CHUNK);
        let at = reserve(8 * CHUNK);
        assert_eq!(free_bytes(), all - 4 * CHUNK, "addresses cost nothing");
        assert_eq!(map(at.0, 4 * CHUNK, handle), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuMemRelease(handle), CUDA_SUCCESS);
        assert_eq!(free_bytes(), all - 4 * CHUNK, "mapped memory is not free");
        assert_eq!(Libcuda.cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
        // A mapping leads back to its memory.
        let again = out(|h| Libcuda.cuMemRetainAllocationHandle(h, raw(at.0 + 5))).expect("a handle");
        let found =
            out(|prop| Libcuda.cuMemGetAllocationPropertiesFromHandle(prop, again)).expect("properties");
        assert_eq!((found.type_, found.location.id), (CU_MEM_ALLOCATION_TYPE_PINNED, 0));
        assert_eq!(Libcuda.cuMemAddressFree(at, 8 * CHUNK), CUDA_ERROR_INVALID_VALUE, "something is mapped");
        assert_eq!(Libcuda.cuMemUnmap(at, 4 * CHUNK), CUDA_SUCCESS);
        assert_eq!(free_bytes(), all - 4 * CHUNK, "a handle is held");
        assert_eq!(Libcuda.cuMemRelease(again), CUDA_SUCCESS);
        assert_eq!(free_bytes(), all);
        assert_eq!(Libcuda.cuMemAddressFree(at, 8 * CHUNK), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuMemAddressFree(at, 8 * CHUNK), CUDA_ERROR_INVALID_VALUE);
        // Create, map and release in a loop hold what is mapped, no more and no less.
        let at = reserve(32 * CHUNK);
        for i in 0..32 {
            let handle = create(CHUNK).expect("memory");
            assert_eq!(map(at.0 + i * CHUNK as u64, CHUNK, handle), CUDA_SUCCESS);
            assert_eq!(Libcuda.cuMemRelease(handle), CUDA_SUCCESS);
        }
        assert_eq!(create(CHUNK), Err(CUDA_ERROR_OUT_OF_MEMORY));
        assert_eq!(Libcuda.cuMemUnmap(at, 32 * CHUNK), CUDA_SUCCESS);
        assert_eq!(free_bytes(), all);
    });
}

#[test]
fn one_memory_at_two_places_and_side_by_side() {
    context();
    let (a, b) = (create(CHUNK).expect("memory"), create(CHUNK).expect("memory"));
    let at = reserve(4 * CHUNK).0;
    let chunk = CHUNK as u64;
    assert_eq!(map(at, CHUNK, a), CUDA_SUCCESS);
    assert_eq!(map(at + chunk, CHUNK, b), CUDA_SUCCESS);
    assert_eq!(map(at + 2 * chunk, CHUNK, a), CUDA_SUCCESS);
    assert_eq!(map(at + 2 * chunk, CHUNK, b), CUDA_ERROR_INVALID_VALUE, "something is mapped there");
    assert_eq!(allow(at, 3 * CHUNK, CU_MEM_ACCESS_FLAGS_PROT_READWRITE), CUDA_SUCCESS);
    // A copy goes across mappings as if they were one piece.
    let pattern: Vec<u32> = (0..2 * CHUNK as u32 / 4).collect();
    write(CUdeviceptr(at), &pattern);
    assert_eq!(read_back::<u32>(CUdeviceptr(at + chunk - 4), 2), [CHUNK as u32 / 4 - 1, CHUNK as u32 / 4]);
    assert_eq!(read_back::<u32>(CUdeviceptr(at + 2 * chunk + 8), 1), [2], "the same memory again");
    let mut beyond = [0u32; 2];
    let end = CUdeviceptr(at + 3 * chunk - 4);
    assert_eq!(Libcuda.cuMemcpyDtoH_v2(target(&mut beyond), end, 8), CUDA_ERROR_INVALID_VALUE);
    assert!(!readable(at));
    assert_eq!(Libcuda.cuMemUnmap(CUdeviceptr(at), CHUNK / 2), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuMemUnmap(CUdeviceptr(at), 3 * CHUNK), CUDA_SUCCESS);
}

#[test]
fn access_is_what_was_given() {
    context();
    let handle = create(CHUNK).expect("memory");
    let at = reserve(CHUNK);
    assert_eq!(map(at.0, CHUNK, handle), CUDA_SUCCESS);
    let location = CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 };
    let access = || out(|flags| Libcuda.cuMemGetAccess(flags, input(&location), at));
    assert_eq!(access(), Ok(0));
    assert_eq!(allow(at.0, CHUNK, CU_MEM_ACCESS_FLAGS_PROT_READWRITE), CUDA_SUCCESS);
    assert_eq!(access(), Ok(3));
    let store = kernel(STORE, "store");
    assert_eq!(launch(store, 1, CUstream(0), &[at.0, 77]), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
    assert_eq!(read_back::<u64>(at, 1), [77]);
    assert_eq!(allow(at.0, CHUNK, CU_MEM_ACCESS_FLAGS_PROT_READ), CUDA_SUCCESS);
    assert_eq!(launch(store, 1, CUstream(0), &[at.0, 78]), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS, "a store to read-only memory");
}

#[test]
fn unreasonable_requests() {
    context();
    for size in [0, 1, CHUNK - 1, CHUNK + 1] {
        assert_eq!(create(size), Err(CUDA_ERROR_INVALID_VALUE), "{size}");
    }
    assert_eq!(create(usize::MAX / CHUNK * CHUNK), Err(CUDA_ERROR_OUT_OF_MEMORY));
    let elsewhere = CUmemAllocationProp { location: CUmemLocation { id: 9, ..prop().location }, ..prop() };
    assert!(out(|handle| Libcuda.cuMemCreate(handle, CHUNK, input(&elsewhere), 0)).is_err());
    let at = reserve(2 * CHUNK).0;
    let handle = create(2 * CHUNK).expect("memory");
    assert_eq!(map(at + 1, CHUNK, handle), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(map(at, 4 * CHUNK, handle), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(map(at + CHUNK as u64, 2 * CHUNK, handle), CUDA_ERROR_INVALID_VALUE, "past the reservation");
    assert_eq!(map(memory(CHUNK).0, CHUNK, handle), CUDA_ERROR_INVALID_VALUE, "not reserved");
    assert_eq!(map(at, CHUNK, CUmemGenericAllocationHandle(12345)), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(
        allow(at, CHUNK, CU_MEM_ACCESS_FLAGS_PROT_READWRITE),
        CUDA_ERROR_INVALID_VALUE,
        "nothing is mapped"
    );
    let huge = out(|ptr| Libcuda.cuMemAddressReserve(ptr, 1 << 60, 0, CUdeviceptr(0), 0));
    assert_eq!(huge, Err(CUDA_ERROR_OUT_OF_MEMORY));
    let aligned =
        out(|ptr| Libcuda.cuMemAddressReserve(ptr, CHUNK, 1 << 30, CUdeviceptr(0), 0)).expect("addresses");
    assert_eq!(aligned.0 % (1 << 30), 0);
}

#[test]
fn threads_create_map_and_release_side_by_side() {
    child::run("threads_create_map_and_release_side_by_side", &[("CLEAVE_SOFTGPU_MEMORY", "256M")], || {
        let context = context();
        let all = free_bytes();
        std::thread::scope(|scope| {
            for worker in 0..6u64 {
                scope.spawn(move || {
                    assert_eq!(Libcuda.cuCtxSetCurrent(context), CUDA_SUCCESS);
                    let at = reserve(4 * CHUNK);
                    for round in 0..100 {
                        let size = CHUNK * (1 + round % 4);
                        let handle = create(size).expect("memory");
                        assert_eq!(map(at.0, size, handle), CUDA_SUCCESS);
                        assert_eq!(Libcuda.cuMemRelease(handle), CUDA_SUCCESS);
                        assert_eq!(allow(at.0, size, CU_MEM_ACCESS_FLAGS_PROT_READWRITE), CUDA_SUCCESS);
                        let last = CUdeviceptr(at.0 + size as u64 - 8);
                        write(last, &[worker + 1]);
                        assert_eq!(read_back::<u64>(last, 1), [worker + 1]);
                        assert_eq!(Libcuda.cuMemUnmap(at, size), CUDA_SUCCESS);
                    }
                    assert_eq!(Libcuda.cuMemAddressFree(at, 4 * CHUNK), CUDA_SUCCESS);
                });
            }
        });
        assert_eq!(free_bytes(), all);
    });
}

#[test]
fn a_descriptor_is_a_handle_in_the_same_process_too() {
    child::run(
        "a_descriptor_is_a_handle_in_the_same_process_too",
        &[("CLEAVE_SOFTGPU_MEMORY", "64M")],
        || {
            context();
            let kind = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
            let export = |handle| {
                let mut number = -1i32;
                let place = raw_to(&mut number);
                let code = Libcuda.cuMemExportToShareableHandle(place, handle, kind, 0);
                code.ok().map(|()| fd_unsafe::own(number))
            };
            let import = |number: u64| out(|h| Libcuda.cuMemImportFromShareableHandle(h, raw(number), kind));
            let closed = create(CHUNK).expect("memory");
            assert_eq!(
                export(closed).err(),
                Some(CUDA_ERROR_INVALID_VALUE),
                "not asked for when it was made"
            );
            let open = CUmemAllocationProp { requestedHandleTypes: kind, ..prop() };
            let memory = out(|h| Libcuda.cuMemCreate(h, CHUNK, input(&open), 0)).expect("memory");
            let at = reserve(2 * CHUNK);
            assert_eq!(map(at.0, CHUNK, memory), CUDA_SUCCESS);
            assert_eq!(allow(at.0, CHUNK, CU_MEM_ACCESS_FLAGS_PROT_READWRITE), CUDA_SUCCESS);
            write(at, &[5u8; 100]);
            let fd = export(memory).expect("a descriptor");
            // Two names of one memory.
            let same = import(fd.as_raw_fd() as u64).expect("memory");
            let beside = at.0 + CHUNK as u64;
            assert_eq!(map(beside, CHUNK, same), CUDA_SUCCESS);
            assert_eq!(allow(beside, CHUNK, CU_MEM_ACCESS_FLAGS_PROT_READWRITE), CUDA_SUCCESS);
            assert_eq!(read_back::<u8>(CUdeviceptr(beside), 100), [5; 100]);
            assert_eq!(free_bytes(), 60 << 20, "counted once");
            assert_eq!(Libcuda.cuMemUnmap(at, 2 * CHUNK), CUDA_SUCCESS);
            assert_eq!(Libcuda.cuMemRelease(memory), CUDA_SUCCESS);
            assert_eq!(Libcuda.cuMemRelease(same), CUDA_SUCCESS);
            // Only the descriptor is left, and it is enough.
            let again = import(fd.as_raw_fd() as u64).expect("memory");
            assert_eq!(map(at.0, CHUNK, again), CUDA_SUCCESS);
            assert_eq!(allow(at.0, CHUNK, CU_MEM_ACCESS_FLAGS_PROT_READ), CUDA_SUCCESS);
            assert_eq!(read_back::<u8>(at, 100), [5; 100]);
            assert_eq!(Libcuda.cuMemUnmap(at, CHUNK), CUDA_SUCCESS);
            drop(fd);
            assert_eq!(Libcuda.cuMemRelease(again), CUDA_SUCCESS);
            assert_eq!(free_bytes(), 62 << 20);
            for wrong in [0, 1, 12345, u64::MAX] {
                assert_eq!(import(wrong), Err(CUDA_ERROR_INVALID_VALUE), "{wrong}");
            }
        },
    );
}
