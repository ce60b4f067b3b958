//! Stream-ordered memory and pools.

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(dead_code)]
mod child;
#[allow(unsafe_code, dead_code)]
mod host_unsafe;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_api::edge::Plain;
use host_unsafe::*;

const CHUNK: u64 = 2 << 20;

fn default_pool() -> CUmemoryPool {
    out(|pool| Libcuda.cuDeviceGetDefaultMemPool(pool, CUdevice(0))).expect("a pool")
}

fn attribute(pool: CUmemoryPool, attribute: CUmemPool_attribute) -> u64 {
    let mut value = 0u64;
    assert_eq!(Libcuda.cuMemPoolGetAttribute(pool, attribute, raw_to(&mut value)), CUDA_SUCCESS);
    value
}

fn props() -> CUmemPoolProps {
    CUmemPoolProps {
        allocType: CU_MEM_ALLOCATION_TYPE_PINNED,
        location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 },
        ..CUmemPoolProps::zeroed()
    }
}

#[test]
fn a_pool_reserves_by_chunks_and_settles_at_a_synchronisation() {
    child::run("a_pool_reserves_by_chunks_and_settles_at_a_synchronisation", &[], || {
        context();
        let (stream, pool) = (stream(0), default_pool());
        let memory = out(|dptr| Libcuda.cuMemAllocAsync(dptr, 1000, stream)).expect("memory");
        assert_eq!(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), CHUNK);
        assert_eq!(attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 1024);
        write(memory, &[5u8; 1000]);
        assert_eq!(Libcuda.cuMemFreeAsync(memory, stream), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuMemFreeAsync(memory, stream), CUDA_ERROR_INVALID_VALUE, "freed already");
        assert_eq!(Libcuda.cuMemFree_v2(memory), CUDA_ERROR_INVALID_VALUE);
        assert_eq!(Libcuda.cuStreamSynchronize(stream), CUDA_SUCCESS);
        assert_eq!(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0);
        assert_eq!(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH), CHUNK);
        assert_eq!(attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 1024);
        // Above a threshold it keeps what it has.
        let mut threshold = u64::MAX;
        let set =
            Libcuda.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, raw_to(&mut threshold));
        assert_eq!(set, CUDA_SUCCESS);
        let memory = out(|dptr| Libcuda.cuMemAllocAsync(dptr, 5 << 20, stream)).expect("memory");
        assert_eq!(Libcuda.cuMemFreeAsync(memory, stream), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuStreamSynchronize(stream), CUDA_SUCCESS);
        assert_eq!(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 3 * CHUNK);
        assert_eq!(Libcuda.cuMemPoolTrimTo(pool, CHUNK as usize), CUDA_SUCCESS);
        assert_eq!(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), CHUNK);
        assert_eq!(Libcuda.cuMemPoolTrimTo(pool, 0), CUDA_SUCCESS);
        assert_eq!(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0);
    });
}

#[test]
fn alloc_and_free_in_a_loop_never_runs_out() {
    child::run("alloc_and_free_in_a_loop_never_runs_out", &[("CLEAVE_SOFTGPU_MEMORY", "32M")], || {
        context();
        let stream = stream(0);
        for _ in 0..100 {
            let memory = out(|dptr| Libcuda.cuMemAllocAsync(dptr, 20 << 20, stream)).expect("memory");
            assert_eq!(Libcuda.cuMemsetD8Async(memory, 1, 20 << 20, stream), CUDA_SUCCESS);
            assert_eq!(Libcuda.cuMemFreeAsync(memory, stream), CUDA_SUCCESS);
        }
        assert_eq!(
            out(|dptr| Libcuda.cuMemAllocAsync(dptr, 33 << 20, stream)),
            Err(CUDA_ERROR_OUT_OF_MEMORY)
        );
        // What a pool keeps is there for other allocations as well.
        assert_eq!(Libcuda.cuStreamSynchronize(stream), CUDA_SUCCESS);
        let linear = memory(32 << 20);
        assert_eq!(Libcuda.cuMemFree_v2(linear), CUDA_SUCCESS);
        // Freed by the other function it is freed as well.
        let memory = out(|dptr| Libcuda.cuMemAllocAsync(dptr, 20 << 20, stream)).expect("memory");
        assert_eq!(Libcuda.cuMemFree_v2(memory), CUDA_SUCCESS);
        assert!(out(|dptr| Libcuda.cuMemAllocAsync(dptr, 20 << 20, stream)).is_ok());
    });
}

#[test]
fn pools_of_the_program() {
    context();
    let stream = stream(0);
    let pool = out(|pool| Libcuda.cuMemPoolCreate(pool, input(&props()))).expect("a pool");
    let memory = out(|dptr| Libcuda.cuMemAllocFromPoolAsync(dptr, 4096, pool, stream)).expect("memory");
    let mut handle = 0u64;
    let asked =
        Libcuda.cuPointerGetAttribute(raw_to(&mut handle), CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, memory);
    assert_eq!((asked, handle), (CUDA_SUCCESS, pool.0 as u64));
    assert_eq!(Libcuda.cuDeviceSetMemPool(CUdevice(0), pool), CUDA_SUCCESS);
    assert_eq!(out(|got| Libcuda.cuDeviceGetMemPool(got, CUdevice(0))), Ok(pool));
    assert_eq!(Libcuda.cuMemPoolDestroy(pool), CUDA_SUCCESS);
    assert_eq!(out(|got| Libcuda.cuDeviceGetMemPool(got, CUdevice(0))), Ok(default_pool()));
    write(memory, &[1u8; 4096]);
    assert_eq!(Libcuda.cuMemFreeAsync(memory, stream), CUDA_SUCCESS, "memory outlives its pool");
    assert_eq!(Libcuda.cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuMemPoolDestroy(default_pool()), CUDA_ERROR_INVALID_VALUE);
    let small = CUmemPoolProps { maxSize: 1 << 20, ..props() };
    let small = out(|pool| Libcuda.cuMemPoolCreate(pool, input(&small))).expect("a pool");
    let too_much = out(|dptr| Libcuda.cuMemAllocFromPoolAsync(dptr, 2 << 20, small, stream));
    assert_eq!(too_much, Err(CUDA_ERROR_OUT_OF_MEMORY));
    let managed = CUmemPoolProps { allocType: CU_MEM_ALLOCATION_TYPE_INVALID, ..props() };
    assert!(out(|pool| Libcuda.cuMemPoolCreate(pool, input(&managed))).is_err());
    assert_eq!(
        out(|dptr| Libcuda.cuMemAllocFromPoolAsync(dptr, 16, CUmemoryPool(77), stream)),
        Err(CUDA_ERROR_INVALID_VALUE)
    );
    assert_eq!(
        Libcuda.cuMemFreeAsync(call_unsafe::memory(16), stream),
        CUDA_ERROR_INVALID_VALUE,
        "not a pool's"
    );
}

#[test]
fn threads_share_a_pool() {
    child::run("threads_share_a_pool", &[("CLEAVE_SOFTGPU_MEMORY", "64M")], || {
        let context = context();
        std::thread::scope(|scope| {
            for worker in 1..=6u8 {
                scope.spawn(move || {
                    assert_eq!(Libcuda.cuCtxSetCurrent(context), CUDA_SUCCESS);
                    let stream = stream(CU_STREAM_NON_BLOCKING.0);
                    for round in 0..200 {
                        let size = 1 + (usize::from(worker) * 99_991 + round * 7_919) % (3 << 20);
                        let memory = out(|dptr| Libcuda.cuMemAllocAsync(dptr, size, stream)).expect("memory");
                        assert_eq!(Libcuda.cuMemsetD8Async(memory, worker, size, stream), CUDA_SUCCESS);
                        let mut last = [0u8];
                        let end = CUdeviceptr(memory.0 + size as u64 - 1);
                        assert_eq!(
                            Libcuda.cuMemcpyDtoHAsync_v2(target(&mut last), end, 1, stream),
                            CUDA_SUCCESS
                        );
                        assert_eq!(last, [worker]);
                        assert_eq!(Libcuda.cuMemFreeAsync(memory, stream), CUDA_SUCCESS);
                    }
                    assert_eq!(Libcuda.cuStreamSynchronize(stream), CUDA_SUCCESS);
                });
            }
        });
        assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
        assert_eq!(attribute(default_pool(), CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0);
        assert_eq!(attribute(default_pool(), CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0);
        assert_eq!(out(|free| Libcuda.cuMemGetInfo_v2(free, null())), Ok(64 << 20));
    });
}
