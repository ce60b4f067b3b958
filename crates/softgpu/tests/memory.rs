//! Linear device memory: exact sizes, exact errors, flat cost.

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(dead_code)]
mod child;
#[allow(unsafe_code, dead_code)]
mod host_unsafe;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use host_unsafe::*;
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;

fn info() -> (usize, usize) {
    let mut total = 0;
    let free = out(|free| {
        let all = out(|total| Libcuda.cuMemGetInfo_v2(free, total));
        all.map_or_else(
            |code| code,
            |all| {
                total = all;
                CUDA_SUCCESS
            },
        )
    });
    (free.expect("memory info"), total)
}

fn alloc(bytes: usize) -> Result<CUdeviceptr, CUresult> {
    out(|dptr| Libcuda.cuMemAlloc_v2(dptr, bytes))
}

#[test]
fn a_device_holds_what_it_has_and_not_a_byte_more() {
    child::run("a_device_holds_what_it_has_and_not_a_byte_more", &[("CLEAVE_SOFTGPU_MEMORY", "64M")], || {
        context();
        assert_eq!(info(), (64 * MIB, 64 * MIB));
        let all = alloc(64 * MIB).expect("all of it");
        assert_eq!(info().0, 0);
        assert_eq!(alloc(1), Err(CUDA_ERROR_OUT_OF_MEMORY));
        assert_eq!(Libcuda.cuMemFree_v2(all), CUDA_SUCCESS);
        assert_eq!(info().0, 64 * MIB);
        let parts: Vec<_> = (0..32).map(|_| alloc(2 * MIB).expect("a part")).collect();
        assert_eq!(alloc(512), Err(CUDA_ERROR_OUT_OF_MEMORY));
        parts.iter().step_by(2).for_each(|&part| assert_eq!(Libcuda.cuMemFree_v2(part), CUDA_SUCCESS));
        assert_eq!(info().0, 32 * MIB);
        let scattered = alloc(32 * MIB).expect("chunks need not be neighbours");
        write(scattered, &vec![7u8; 32 * MIB]);
        assert_eq!(read_back::<u8>(CUdeviceptr(scattered.0 + 32 * MIB as u64 - 1), 1), [7]);
        // Host memory is not device memory.
        assert!(out(|pp| Libcuda.cuMemAllocHost_v2(pp, 16 * MIB)).is_ok());
        assert!(out(|dptr| Libcuda.cuMemAllocManaged(dptr, 256 * MIB, CU_MEM_ATTACH_GLOBAL.0)).is_ok());
        for absurd in [usize::MAX, usize::MAX - MIB, 1 << 62, 65 * MIB] {
            assert_eq!(alloc(absurd), Err(CUDA_ERROR_OUT_OF_MEMORY), "{absurd:#x}");
        }
        assert_eq!(alloc(0), Err(CUDA_ERROR_INVALID_VALUE));
        assert_eq!(Libcuda.cuMemAlloc_v2(null(), 4), CUDA_ERROR_INVALID_VALUE);
        assert_eq!(Libcuda.cuMemGetInfo_v2(null(), null()), CUDA_SUCCESS);
    });
}

#[test]
fn what_is_not_an_allocation_cannot_be_freed() {
    context();
    let memory = alloc(1000).expect("memory");
    for wrong in [memory.0 + 1, memory.0 + 512, 8, 0x7fff_0000_0000, u64::MAX] {
        assert_eq!(Libcuda.cuMemFree_v2(CUdeviceptr(wrong)), CUDA_ERROR_INVALID_VALUE, "{wrong:#x}");
    }
    assert_eq!(Libcuda.cuMemFree_v2(CUdeviceptr(0)), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemFree_v2(memory), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemFree_v2(memory), CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn a_device_pointer_is_no_host_pointer() {
    context();
    let memory = alloc(4096).expect("memory");
    assert!(!readable(memory.0));
    let (managed, _) = word();
    assert!(readable(managed.0));
}

#[test]
fn fresh_memory_is_zero_and_ranges_are_exact() {
    context();
    let memory = alloc(3 * MIB).expect("memory");
    assert!(read_back::<u8>(memory, 3 * MIB).iter().all(|&b| b == 0));
    let mut size = 0;
    let base = out(|base| {
        let got = out(|size| Libcuda.cuMemGetAddressRange_v2(base, size, CUdeviceptr(memory.0 + 12345)));
        size = got.unwrap_or(0);
        CUDA_SUCCESS
    });
    assert_eq!((base, size), (Ok(memory), 3 * MIB));
    let past = CUdeviceptr(memory.0 + 3 * MIB as u64);
    assert_eq!(Libcuda.cuMemGetAddressRange_v2(null(), null(), past), CUDA_ERROR_NOT_FOUND);
    // One byte more than there is cannot be copied.
    let mut room = vec![0u8; 3 * MIB + 1];
    assert_eq!(Libcuda.cuMemcpyDtoH_v2(target(&mut room), memory, 3 * MIB + 1), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuMemcpyHtoD_v2(past, source(&room), 1), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuMemFree_v2(memory), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemcpyDtoH_v2(target(&mut room), memory, 1), CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn rows_of_pitched_memory() {
    context();
    let mut pitch = 0;
    let mut call = |width, height, element| {
        out(|dptr| {
            let got = out(|pitch| Libcuda.cuMemAllocPitch_v2(dptr, pitch, width, height, element));
            got.map_or_else(
                |code| code,
                |got| {
                    pitch = got;
                    CUDA_SUCCESS
                },
            )
        })
    };
    assert!(call(1000, 10, 4).is_ok());
    assert_eq!(call(0, 10, 4), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(call(10, 0, 4), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(call(10, 10, 3), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(call(1 << 30, usize::MAX, 4), Err(CUDA_ERROR_OUT_OF_MEMORY));
    assert_eq!(pitch, 1024);
}

#[test]
fn memory_goes_with_its_context() {
    child::run("memory_goes_with_its_context", &[("CLEAVE_SOFTGPU_MEMORY", "32M")], || {
        let first = context();
        alloc(20 * MIB).expect("memory");
        let second = context();
        assert_eq!(info().0, 12 * MIB, "contexts of a device share its memory");
        assert_eq!(Libcuda.cuCtxDestroy_v2(first), CUDA_SUCCESS);
        assert_eq!(info().0, 32 * MIB);
        assert_eq!(Libcuda.cuCtxDestroy_v2(second), CUDA_SUCCESS);
    });
}

#[test]
fn threads_allocate_side_by_side() {
    let context = context();
    let worker = |seed: usize| {
        assert_eq!(Libcuda.cuCtxSetCurrent(context), CUDA_SUCCESS);
        for round in 0..200 {
            let size = 1 + (seed * 7919 + round * 104_729) % 300_000;
            let memory = alloc(size).expect("memory");
            let mark = [seed as u8; 1];
            write(CUdeviceptr(memory.0 + size as u64 - 1), &mark);
            assert_eq!(read_back::<u8>(CUdeviceptr(memory.0 + size as u64 - 1), 1), mark);
            assert_eq!(Libcuda.cuMemFree_v2(memory), CUDA_SUCCESS);
        }
    };
    std::thread::scope(|scope| {
        for seed in 1..=8 {
            scope.spawn(move || worker(seed));
        }
    });
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
}

#[test]
fn fifty_thousand_live_allocations_cost_the_next_one_nothing() {
    child::run("fifty_thousand_live_allocations_cost_the_next_one_nothing", &[], || {
        context();
        let pair = || {
            const ROUNDS: u32 = 5000;
            let start = Instant::now();
            for _ in 0..ROUNDS {
                let memory = alloc(2000).expect("memory");
                assert_eq!(Libcuda.cuMemFree_v2(memory), CUDA_SUCCESS);
            }
            start.elapsed() / ROUNDS
        };
        alloc(2000).expect("memory");
        let few = (0..5).map(|_| pair()).min().expect("a time");
        let live: Vec<_> = (0..50_000).map(|i| alloc(256 + i % 4096).expect("memory")).collect();
        let many = (0..5).map(|_| pair()).min().expect("a time");
        println!("alloc+free: {few:?} alone, {many:?} beside 50,000");
        // A list would cost a hundred microseconds; the slack is for noisy machines.
        assert!(many < few * 4 + Duration::from_micros(2), "{few:?} -> {many:?}");
        assert!(live.windows(2).all(|w| w[0] != w[1]));
        live.iter().for_each(|&memory| assert_eq!(Libcuda.cuMemFree_v2(memory), CUDA_SUCCESS));
    });
}
