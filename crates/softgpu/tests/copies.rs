//! Copies and fills of every shape, between every kind of memory.

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(dead_code)]
mod child;
#[allow(unsafe_code, dead_code)]
mod host_unsafe;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_api::edge::{Plain, Ptr};
use host_unsafe::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

fn counted(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 7 + i / 251) as u8).collect()
}

#[test]
fn one_row_between_all_kinds_of_memory() {
    context();
    let data = counted(10_000);
    let (a, b) = (memory(10_000), memory(10_000));
    let pinned = out(|pp| Libcuda.cuMemAllocHost_v2(pp, 10_000)).expect("host memory").addr() as u64;
    let managed =
        out(|dptr| Libcuda.cuMemAllocManaged(dptr, 10_000, CU_MEM_ATTACH_GLOBAL.0)).expect("memory");
    write(a, &data);
    assert_eq!(Libcuda.cuMemcpyDtoD_v2(b, a, 10_000), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemcpy(managed, b, 10_000), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemcpy(CUdeviceptr(pinned), managed, 10_000), CUDA_SUCCESS);
    let mut own = vec![0u8; 10_000];
    assert_eq!(
        Libcuda.cuMemcpy(CUdeviceptr(own.as_mut_ptr() as u64), CUdeviceptr(pinned), 10_000),
        CUDA_SUCCESS
    );
    assert_eq!(own, data);
    assert_eq!(host::<u8>(managed.0, 10_000), data);
    // Inside an allocation, and overlapping itself.
    assert_eq!(Libcuda.cuMemcpyDtoD_v2(CUdeviceptr(a.0 + 1), a, 9_999), CUDA_SUCCESS);
    assert_eq!(read_back::<u8>(CUdeviceptr(a.0 + 1), 9_999), data[..9_999]);
    assert_eq!(Libcuda.cuMemcpyHtoD_v2(a, source(&data), 0), CUDA_SUCCESS, "nothing is always possible");
}

#[test]
fn pointers_that_are_no_memory() {
    context();
    let a = memory(100);
    let freed = memory(4 << 20);
    assert_eq!(Libcuda.cuMemFree_v2(freed), CUDA_SUCCESS);
    let data = [0u8; 100];
    for bad in [0, 1, a.0 - 1, a.0 + 1, freed.0, 0x1234_5678, u64::MAX, u64::MAX - 99] {
        assert_eq!(
            Libcuda.cuMemcpyHtoD_v2(CUdeviceptr(bad), source(&data), 100),
            CUDA_ERROR_INVALID_VALUE,
            "{bad:#x}"
        );
        assert_eq!(Libcuda.cuMemcpyDtoD_v2(a, CUdeviceptr(bad), 100), CUDA_ERROR_INVALID_VALUE, "{bad:#x}");
        assert_eq!(Libcuda.cuMemsetD8_v2(CUdeviceptr(bad), 1, 100), CUDA_ERROR_INVALID_VALUE, "{bad:#x}");
    }
    assert_eq!(Libcuda.cuMemcpyHtoD_v2(a, wild(0, 100), 100), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(
        Libcuda.cuMemcpyHtoD_v2(a, wild(freed.0 as usize, 100), 100),
        CUDA_ERROR_INVALID_VALUE,
        "a device pointer"
    );
    assert_eq!(Libcuda.cuMemcpyHtoD_v2(a, source(&data), usize::MAX), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuMemcpyDtoD_v2(a, a, usize::MAX), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS, "none of this harms the context");
}

#[test]
fn rectangles_and_boxes() {
    context();
    let data = counted(64 * 32 * 4);
    let device = memory(128 * 64 * 4);
    // A box of 20 x 10 x 3 from (4, 2, 1) of a 64 x 32 x 4 host volume to (8, 4, 0) of a 128 x 64 x 4 device volume.
    let copy = CUDA_MEMCPY3D {
        srcMemoryType: CU_MEMORYTYPE_HOST,
        srcHost: raw(data.as_ptr() as u64),
        srcXInBytes: 4,
        srcY: 2,
        srcZ: 1,
        srcPitch: 64,
        srcHeight: 32,
        dstMemoryType: CU_MEMORYTYPE_DEVICE,
        dstDevice: device,
        dstXInBytes: 8,
        dstY: 4,
        dstPitch: 128,
        dstHeight: 64,
        WidthInBytes: 20,
        Height: 10,
        Depth: 3,
        ..CUDA_MEMCPY3D::zeroed()
    };
    assert_eq!(Libcuda.cuMemcpy3D_v2(input(&copy)), CUDA_SUCCESS);
    let volume = read_back::<u8>(device, 128 * 64 * 4);
    for z in 0..4 {
        for y in 0..64 {
            for x in 0..128 {
                let inside = (8..28).contains(&x) && (4..14).contains(&y) && z < 3;
                let expected = if inside { data[(x - 4) + (y - 2) * 64 + (z + 1) * 64 * 32] } else { 0 };
                assert_eq!(volume[x + y * 128 + z * 128 * 64], expected, "{x} {y} {z}");
            }
        }
    }
    let narrow = CUDA_MEMCPY3D { srcPitch: 16, ..copy };
    assert_eq!(Libcuda.cuMemcpy3D_v2(input(&narrow)), CUDA_ERROR_INVALID_VALUE, "rows would overlap");
    let low = CUDA_MEMCPY3D { dstHeight: 8, ..copy };
    assert_eq!(Libcuda.cuMemcpy3D_v2(input(&low)), CUDA_ERROR_INVALID_VALUE, "layers would overlap");
    let far = CUDA_MEMCPY3D { dstZ: 2, ..copy };
    assert_eq!(Libcuda.cuMemcpy3D_v2(input(&far)), CUDA_ERROR_INVALID_VALUE, "past the end");
    let absurd = CUDA_MEMCPY3D { srcZ: usize::MAX, ..copy };
    assert_eq!(Libcuda.cuMemcpy3D_v2(input(&absurd)), CUDA_ERROR_INVALID_VALUE);
    let empty = CUDA_MEMCPY3D { Depth: 0, ..copy };
    assert_eq!(Libcuda.cuMemcpy3D_v2(input(&empty)), CUDA_SUCCESS);

    let mut back = vec![0u8; 20 * 10];
    let rectangle = CUDA_MEMCPY2D {
        srcMemoryType: CU_MEMORYTYPE_DEVICE,
        srcDevice: device,
        srcXInBytes: 8,
        srcY: 4,
        srcPitch: 128,
        dstMemoryType: CU_MEMORYTYPE_HOST,
        dstHost: raw(back.as_mut_ptr() as u64),
        dstPitch: 20,
        WidthInBytes: 20,
        Height: 10,
        ..CUDA_MEMCPY2D::zeroed()
    };
    assert_eq!(Libcuda.cuMemcpy2D_v2(input(&rectangle)), CUDA_SUCCESS);
    assert_eq!(back[..20], data[4 + 2 * 64 + 64 * 32..][..20]);
    assert_eq!(back[20..40], data[4 + 3 * 64 + 64 * 32..][..20]);
}

#[test]
fn fills() {
    context();
    let a = memory(4096);
    assert_eq!(Libcuda.cuMemsetD8_v2(a, 0x11, 4096), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemsetD16_v2(CUdeviceptr(a.0 + 2), 0x2233, 10), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemsetD32_v2(CUdeviceptr(a.0 + 64), 0x44556677, 4), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemsetD2D32_v2(CUdeviceptr(a.0 + 1024), 256, 0xaabbccdd, 3, 4), CUDA_SUCCESS);
    let bytes = read_back::<u8>(a, 4096);
    assert_eq!(bytes[..4], [0x11, 0x11, 0x33, 0x22]);
    assert_eq!(bytes[22..24], [0x11, 0x11]);
    assert_eq!(bytes[64..68], [0x77, 0x66, 0x55, 0x44]);
    for row in 0..4 {
        let at = 1024 + row * 256;
        assert_eq!(bytes[at..at + 12], [0xdd, 0xcc, 0xbb, 0xaa].repeat(3));
        assert_eq!(bytes[at + 12], 0x11);
    }
    assert_eq!(Libcuda.cuMemsetD32_v2(CUdeviceptr(a.0 + 2), 1, 1), CUDA_ERROR_INVALID_VALUE, "misaligned");
    assert_eq!(Libcuda.cuMemsetD32_v2(a, 1, 1025), CUDA_ERROR_INVALID_VALUE, "too long");
    assert_eq!(Libcuda.cuMemsetD2D8_v2(a, 16, 1, 32, 2), CUDA_ERROR_INVALID_VALUE, "rows would overlap");
    assert_eq!(Libcuda.cuMemsetD8_v2(a, 1, usize::MAX), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuMemsetD8_v2(a, 1, 0), CUDA_SUCCESS);
}

extern "C" fn hold(data: Ptr<c_void>) {
    while !user_data::<AtomicBool>(data).load(SeqCst) {
        std::thread::yield_now();
    }
}

#[test]
fn pageable_memory_is_read_before_the_call_returns() {
    context();
    let stream = stream(CU_STREAM_NON_BLOCKING.0);
    let open: &'static AtomicBool = Box::leak(Box::default());
    assert_eq!(Libcuda.cuLaunchHostFunc(stream, Some(hold), pointer(open)), CUDA_SUCCESS);
    let device = memory(1 << 20);
    let mut data = vec![1u8; 1 << 20];
    assert_eq!(Libcuda.cuMemcpyHtoDAsync_v2(device, source(&data), 1 << 20, stream), CUDA_SUCCESS);
    data.fill(2);
    assert_eq!(Libcuda.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    open.store(true, SeqCst);
    // To pageable memory a copy is complete when the call returns.
    let mut back = vec![0u8; 1 << 20];
    assert_eq!(Libcuda.cuMemcpyDtoHAsync_v2(target(&mut back), device, 1 << 20, stream), CUDA_SUCCESS);
    assert!(back.iter().all(|&b| b == 1));
}

#[test]
fn batches() {
    context();
    let (stream, device) = (stream(0), memory(300));
    let data = counted(300);
    let at = |i: u64| CUdeviceptr(device.0 + i);
    let from = |i: usize| CUdeviceptr(data[i..].as_ptr() as u64);
    let attribute = CUmemcpyAttributes {
        srcAccessOrder: CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
        ..CUmemcpyAttributes::zeroed()
    };
    let batch = |dsts: &[CUdeviceptr], srcs: &[CUdeviceptr], sizes: &[usize], firsts: &[usize]| {
        let attributes = vec![attribute; firsts.len()];
        Libcuda.cuMemcpyBatchAsync_v2(
            slice(dsts),
            slice(srcs),
            slice(sizes),
            sizes.len(),
            slice(&attributes),
            slice(firsts),
            firsts.len(),
            stream,
        )
    };
    assert_eq!(
        batch(&[at(0), at(100), at(200)], &[from(200), from(0), from(100)], &[100; 3], &[0, 2]),
        CUDA_SUCCESS
    );
    assert_eq!(Libcuda.cuStreamSynchronize(stream), CUDA_SUCCESS);
    assert_eq!(read_back::<u8>(device, 300), [&data[200..], &data[..100], &data[100..200]].concat());
    assert_eq!(batch(&[at(0), at(299)], &[from(0); 2], &[1, 2], &[0]), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(batch(&[at(0)], &[from(0)], &[1], &[]), CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn peers() {
    child::run("peers", &[("CLEAVE_SOFTGPU_DEVICES", "2")], || {
        let first = context();
        let a = memory(1000);
        write(a, &counted(1000));
        let second = out(|ctx| Libcuda.cuCtxCreate_v2(ctx, 0, CUdevice(1))).expect("a context");
        let b = memory(1000);
        assert_eq!(out(|can| Libcuda.cuDeviceCanAccessPeer(can, CUdevice(0), CUdevice(1))), Ok(1));
        assert_eq!(out(|can| Libcuda.cuDeviceCanAccessPeer(can, CUdevice(0), CUdevice(0))), Ok(0));
        assert_eq!(Libcuda.cuMemcpyPeer(b, second, a, first, 1000), CUDA_SUCCESS);
        assert_eq!(read_back::<u8>(b, 1000), counted(1000));
        const LOAD: &str = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry load(.param .u64 from, \
            .param .u64 to) { .reg .u64 %a, %b; .reg .u8 %v; ld.param.u64 %a, [from]; ld.param.u64 %b, [to]; \
            ld.global.u8 %v, [%a]; st.global.u8 [%b], %v; ret; }";
        let load = kernel(LOAD, "load");
        assert_eq!(Libcuda.cuCtxEnablePeerAccess(first, 1), CUDA_ERROR_INVALID_VALUE);
        assert_eq!(Libcuda.cuCtxEnablePeerAccess(second, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        assert_eq!(Libcuda.cuCtxDisablePeerAccess(first), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
        assert_eq!(Libcuda.cuCtxEnablePeerAccess(first, 0), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuCtxEnablePeerAccess(first, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
        assert_eq!(launch(load, 1, CUstream(0), &[a.0 + 999, b.0]), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
        assert_eq!(read_back::<u8>(b, 1)[0], counted(1000)[999]);
        assert_eq!(Libcuda.cuCtxDisablePeerAccess(first), CUDA_SUCCESS);
        assert_eq!(launch(load, 1, CUstream(0), &[a.0, b.0]), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS, "another context's memory");
        // The fault stays where it happened.
        assert_eq!(Libcuda.cuCtxSetCurrent(first), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
    });
}
