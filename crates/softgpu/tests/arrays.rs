//! Arrays and mipmapped arrays: memory with a shape.

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

fn shape(width: usize, height: usize, depth: usize) -> CUDA_ARRAY3D_DESCRIPTOR {
    CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Depth: depth,
        Format: CU_AD_FORMAT_FLOAT,
        NumChannels: 1,
        Flags: 0,
    }
}

fn create(descriptor: CUDA_ARRAY3D_DESCRIPTOR) -> Result<CUarray, CUresult> {
    out(|array| Libcuda.cuArray3DCreate_v2(array, input(&descriptor)))
}

#[test]
fn one_row() {
    context();
    let array = create(shape(256, 0, 0)).expect("an array");
    let data: Vec<f32> = (0..256).map(|i| i as f32).collect();
    assert_eq!(Libcuda.cuMemcpyHtoA_v2(array, 0, source(&data), 1024), CUDA_SUCCESS);
    let mut part = [0f32; 4];
    assert_eq!(Libcuda.cuMemcpyAtoH_v2(target(&mut part), array, 40, 16), CUDA_SUCCESS);
    assert_eq!(part, [10.0, 11.0, 12.0, 13.0]);
    let device = memory(1024);
    assert_eq!(Libcuda.cuMemcpyAtoD_v2(device, array, 0, 1024), CUDA_SUCCESS);
    assert_eq!(read_back::<f32>(device, 256), data);
    let other = create(shape(256, 0, 0)).expect("an array");
    assert_eq!(Libcuda.cuMemcpyAtoA_v2(other, 8, array, 0, 16), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemcpyAtoH_v2(target(&mut part), other, 8, 16), CUDA_SUCCESS);
    assert_eq!(part, [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(Libcuda.cuMemcpyHtoA_v2(array, 1020, source(&data), 8), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuMemcpyHtoA_v2(CUarray(7), 0, source(&data), 8), CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(Libcuda.cuArrayDestroy(array), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(Libcuda.cuMemcpyHtoA_v2(array, 0, source(&data), 8), CUDA_ERROR_INVALID_HANDLE);
}

#[test]
fn boxes_in_and_out() {
    context();
    let array = create(shape(10, 6, 4)).expect("an array");
    let data: Vec<f32> = (0..10 * 6 * 4).map(|i| i as f32).collect();
    let mut copy = CUDA_MEMCPY3D {
        srcMemoryType: CU_MEMORYTYPE_HOST,
        srcHost: raw(data.as_ptr() as u64),
        srcPitch: 40,
        srcHeight: 6,
        dstMemoryType: CU_MEMORYTYPE_ARRAY,
        dstArray: array,
        WidthInBytes: 40,
        Height: 6,
        Depth: 4,
        ..CUDA_MEMCPY3D::zeroed()
    };
    assert_eq!(Libcuda.cuMemcpy3D_v2(input(&copy)), CUDA_SUCCESS);
    let mut cell = [0f32];
    copy = CUDA_MEMCPY3D {
        srcMemoryType: CU_MEMORYTYPE_ARRAY,
        srcArray: array,
        srcXInBytes: 12,
        srcY: 5,
        srcZ: 2,
        dstMemoryType: CU_MEMORYTYPE_HOST,
        dstHost: raw(cell.as_mut_ptr() as u64),
        WidthInBytes: 4,
        Height: 1,
        Depth: 1,
        ..CUDA_MEMCPY3D::zeroed()
    };
    assert_eq!(Libcuda.cuMemcpy3D_v2(input(&copy)), CUDA_SUCCESS);
    assert_eq!(cell[0], (3 + 5 * 10 + 2 * 60) as f32);
    for outside in [
        CUDA_MEMCPY3D { srcXInBytes: 40, ..copy },
        CUDA_MEMCPY3D { srcY: 6, ..copy },
        CUDA_MEMCPY3D { srcZ: 4, ..copy },
        CUDA_MEMCPY3D { srcZ: usize::MAX, ..copy },
    ] {
        assert_eq!(Libcuda.cuMemcpy3D_v2(input(&outside)), CUDA_ERROR_INVALID_VALUE);
    }
    let descriptor = out(|d| Libcuda.cuArray3DGetDescriptor_v2(d, array)).expect("a descriptor");
    assert_eq!((descriptor.Width, descriptor.Height, descriptor.Depth), (10, 6, 4));
}

#[test]
fn shapes_that_do_not_exist() {
    context();
    let odd = |change: fn(&mut CUDA_ARRAY3D_DESCRIPTOR)| {
        let mut descriptor = shape(8, 8, 0);
        change(&mut descriptor);
        create(descriptor).map(|_| ())
    };
    assert_eq!(odd(|d| d.Width = 0), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(odd(|d| d.NumChannels = 3), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(odd(|d| d.Format = CUarray_format(77)), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(odd(|d| d.Flags = 0x8000_0000), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(odd(|d| d.Flags = CUDA_ARRAY3D_SPARSE), Err(CUDA_ERROR_NOT_SUPPORTED));
    assert_eq!(odd(|d| d.Width = usize::MAX), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(odd(|d| d.Width = 1 << 50), Err(CUDA_ERROR_OUT_OF_MEMORY));
    assert_eq!(odd(|d| (d.Flags, d.Depth) = (CUDA_ARRAY3D_CUBEMAP, 6)), Ok(()));
    assert_eq!(odd(|d| (d.Flags, d.Depth) = (CUDA_ARRAY3D_CUBEMAP, 5)), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(odd(|d| (d.Flags, d.Depth) = (CUDA_ARRAY3D_LAYERED, 3)), Ok(()));
    assert_eq!(odd(|d| (d.Flags, d.Depth) = (CUDA_ARRAY3D_LAYERED, 0)), Err(CUDA_ERROR_INVALID_VALUE));
}

#[test]
fn mipmaps_and_what_arrays_cost() {
    child::run("mipmaps_and_what_arrays_cost", &[("CLEAVE_SOFTGPU_MEMORY", "64M")], || {
        let context = context();
        let free = || out(|free| Libcuda.cuMemGetInfo_v2(free, null())).expect("memory info");
        let all = free();
        let base = CUDA_ARRAY3D_DESCRIPTOR { NumChannels: 4, ..shape(1024, 512, 0) };
        let mipmaps = out(|m| Libcuda.cuMipmappedArrayCreate(m, input(&base), 4)).expect("mipmaps");
        // 8 MiB, 2 MiB, 512 KiB and 128 KiB.
        assert_eq!(all - free(), (8 + 2 + 2) << 20);
        let level = out(|array| Libcuda.cuMipmappedArrayGetLevel(array, mipmaps, 3)).expect("a level");
        let descriptor = out(|d| Libcuda.cuArrayGetDescriptor_v2(d, level)).expect("a descriptor");
        assert_eq!((descriptor.Width, descriptor.Height), (128, 64));
        assert!(out(|array| Libcuda.cuMipmappedArrayGetLevel(array, mipmaps, 4)).is_err());
        assert_eq!(Libcuda.cuArrayDestroy(level), CUDA_ERROR_INVALID_HANDLE, "a level dies with the others");
        assert_eq!(Libcuda.cuMipmappedArrayDestroy(mipmaps), CUDA_SUCCESS);
        assert_eq!(free(), all);
        create(CUDA_ARRAY3D_DESCRIPTOR { Format: CU_AD_FORMAT_HALF, ..shape(4096, 1024, 0) })
            .expect("an array");
        assert_eq!(all - free(), 8 << 20);
        assert_eq!(Libcuda.cuCtxDestroy_v2(context), CUDA_SUCCESS);
        call_unsafe::context();
        assert_eq!(free(), all, "arrays go with their context");
    });
}
