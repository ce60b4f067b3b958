use core::ffi::c_void;

use cleave_api::cuda::types::*;
use cleave_api::edge::{Bytes, BytesMut, In, Plain, Ptr};

use crate::enqueue::{copy, copy_now};
use crate::gpu::SoftGpu;
use crate::memory::host_unsafe::{source, target};

/// One end of a copy of one row.
enum End {
    Host(Ptr<c_void>),
    Device(CUdeviceptr),
    /// Whatever the pointer says.
    Unified(CUdeviceptr),
    Array(CUarray, usize),
}

use End::*;

/// Every copy is a box in three dimensions; this is a box of one row.
fn row(dst: End, src: End, bytes: usize) -> CUDA_MEMCPY3D {
    let mut copy = CUDA_MEMCPY3D { WidthInBytes: bytes, Height: 1, Depth: 1, ..CUDA_MEMCPY3D::zeroed() };
    match src {
        Host(ptr) => (copy.srcMemoryType, copy.srcHost) = (CU_MEMORYTYPE_HOST, ptr),
        Device(ptr) => (copy.srcMemoryType, copy.srcDevice) = (CU_MEMORYTYPE_DEVICE, ptr),
        Unified(ptr) => (copy.srcMemoryType, copy.srcDevice) = (CU_MEMORYTYPE_UNIFIED, ptr),
        Array(array, x) => {
            (copy.srcMemoryType, copy.srcArray, copy.srcXInBytes) = (CU_MEMORYTYPE_ARRAY, array, x);
        }
    }
    match dst {
        Host(ptr) => (copy.dstMemoryType, copy.dstHost) = (CU_MEMORYTYPE_HOST, ptr),
        Device(ptr) => (copy.dstMemoryType, copy.dstDevice) = (CU_MEMORYTYPE_DEVICE, ptr),
        Unified(ptr) => (copy.dstMemoryType, copy.dstDevice) = (CU_MEMORYTYPE_UNIFIED, ptr),
        Array(array, x) => {
            (copy.dstMemoryType, copy.dstArray, copy.dstXInBytes) = (CU_MEMORYTYPE_ARRAY, array, x);
        }
    }
    copy
}

/// A box of one layer.
fn layer(copy: In<CUDA_MEMCPY2D>) -> Result<CUDA_MEMCPY3D, CUresult> {
    let copy = copy.get()?;
    Ok(CUDA_MEMCPY3D {
        srcXInBytes: copy.srcXInBytes,
        srcY: copy.srcY,
        srcMemoryType: copy.srcMemoryType,
        srcHost: copy.srcHost,
        srcDevice: copy.srcDevice,
        srcArray: copy.srcArray,
        srcPitch: copy.srcPitch,
        dstXInBytes: copy.dstXInBytes,
        dstY: copy.dstY,
        dstMemoryType: copy.dstMemoryType,
        dstHost: copy.dstHost,
        dstDevice: copy.dstDevice,
        dstArray: copy.dstArray,
        dstPitch: copy.dstPitch,
        WidthInBytes: copy.WidthInBytes,
        Height: copy.Height,
        Depth: 1,
        ..CUDA_MEMCPY3D::zeroed()
    })
}

/// One address space holds every context's memory, so a copy between contexts is a copy.
fn between(gpu: &SoftGpu, copy: In<CUDA_MEMCPY3D_PEER>) -> Result<CUDA_MEMCPY3D, CUresult> {
    let copy = copy.get()?;
    check_contexts(gpu, [copy.srcContext, copy.dstContext])?;
    Ok(CUDA_MEMCPY3D {
        srcXInBytes: copy.srcXInBytes,
        srcY: copy.srcY,
        srcZ: copy.srcZ,
        srcLOD: copy.srcLOD,
        srcMemoryType: copy.srcMemoryType,
        srcHost: copy.srcHost,
        srcDevice: copy.srcDevice,
        srcArray: copy.srcArray,
        srcPitch: copy.srcPitch,
        srcHeight: copy.srcHeight,
        dstXInBytes: copy.dstXInBytes,
        dstY: copy.dstY,
        dstZ: copy.dstZ,
        dstLOD: copy.dstLOD,
        dstMemoryType: copy.dstMemoryType,
        dstHost: copy.dstHost,
        dstDevice: copy.dstDevice,
        dstArray: copy.dstArray,
        dstPitch: copy.dstPitch,
        dstHeight: copy.dstHeight,
        WidthInBytes: copy.WidthInBytes,
        Height: copy.Height,
        Depth: copy.Depth,
        ..CUDA_MEMCPY3D::zeroed()
    })
}

fn check_contexts(gpu: &SoftGpu, contexts: [CUcontext; 2]) -> Result<(), CUresult> {
    contexts.into_iter().try_for_each(|handle| gpu.context(handle)?.check())
}

/// Arrays of the one-row forms have one row.
fn check_row(gpu: &SoftGpu, arrays: &[CUarray]) -> Result<(), CUresult> {
    arrays.iter().try_for_each(|array| {
        let array = gpu.arrays.get(array.0).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        if array.descriptor.Height > 1 || array.descriptor.Depth > 1 {
            Err(CUDA_ERROR_INVALID_VALUE)
        } else {
            Ok(())
        }
    })
}

pub fn cuMemcpy(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    src: CUdeviceptr,
    bytes: usize,
) -> Result<(), CUresult> {
    copy_now(gpu, row(Unified(dst), Unified(src), bytes))
}

pub fn cuMemcpyAsync(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    src: CUdeviceptr,
    bytes: usize,
    stream: CUstream,
) -> Result<(), CUresult> {
    copy(gpu, row(Unified(dst), Unified(src), bytes), stream)
}

pub fn cuMemcpyHtoD_v2(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    src: Bytes,
    bytes: usize,
) -> Result<(), CUresult> {
    copy_now(gpu, row(Device(dst), Host(source(src)), bytes))
}

pub fn cuMemcpyHtoDAsync_v2(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    src: Bytes,
    bytes: usize,
    stream: CUstream,
) -> Result<(), CUresult> {
    copy(gpu, row(Device(dst), Host(source(src)), bytes), stream)
}

pub fn cuMemcpyDtoH_v2(
    gpu: &'static SoftGpu,
    dst: BytesMut,
    src: CUdeviceptr,
    bytes: usize,
) -> Result<(), CUresult> {
    copy_now(gpu, row(Host(target(dst)), Device(src), bytes))
}

pub fn cuMemcpyDtoHAsync_v2(
    gpu: &'static SoftGpu,
    dst: BytesMut,
    src: CUdeviceptr,
    bytes: usize,
    stream: CUstream,
) -> Result<(), CUresult> {
    copy(gpu, row(Host(target(dst)), Device(src), bytes), stream)
}

pub fn cuMemcpyDtoD_v2(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    src: CUdeviceptr,
    bytes: usize,
) -> Result<(), CUresult> {
    copy_now(gpu, row(Device(dst), Device(src), bytes))
}

pub fn cuMemcpyDtoDAsync_v2(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    src: CUdeviceptr,
    bytes: usize,
    stream: CUstream,
) -> Result<(), CUresult> {
    copy(gpu, row(Device(dst), Device(src), bytes), stream)
}

pub fn cuMemcpyDtoA_v2(
    gpu: &'static SoftGpu,
    dst: CUarray,
    offset: usize,
    src: CUdeviceptr,
    bytes: usize,
) -> Result<(), CUresult> {
    check_row(gpu, &[dst])?;
    copy_now(gpu, row(Array(dst, offset), Device(src), bytes))
}

pub fn cuMemcpyAtoD_v2(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    src: CUarray,
    offset: usize,
    bytes: usize,
) -> Result<(), CUresult> {
    check_row(gpu, &[src])?;
    copy_now(gpu, row(Device(dst), Array(src, offset), bytes))
}

pub fn cuMemcpyHtoA_v2(
    gpu: &'static SoftGpu,
    dst: CUarray,
    offset: usize,
    src: Bytes,
    bytes: usize,
) -> Result<(), CUresult> {
    check_row(gpu, &[dst])?;
    copy_now(gpu, row(Array(dst, offset), Host(source(src)), bytes))
}

pub fn cuMemcpyHtoAAsync_v2(
    gpu: &'static SoftGpu,
    dst: CUarray,
    offset: usize,
    src: Bytes,
    bytes: usize,
    stream: CUstream,
) -> Result<(), CUresult> {
    check_row(gpu, &[dst])?;
    copy(gpu, row(Array(dst, offset), Host(source(src)), bytes), stream)
}

pub fn cuMemcpyAtoH_v2(
    gpu: &'static SoftGpu,
    dst: BytesMut,
    src: CUarray,
    offset: usize,
    bytes: usize,
) -> Result<(), CUresult> {
    check_row(gpu, &[src])?;
    copy_now(gpu, row(Host(target(dst)), Array(src, offset), bytes))
}

pub fn cuMemcpyAtoHAsync_v2(
    gpu: &'static SoftGpu,
    dst: BytesMut,
    src: CUarray,
    offset: usize,
    bytes: usize,
    stream: CUstream,
) -> Result<(), CUresult> {
    check_row(gpu, &[src])?;
    copy(gpu, row(Host(target(dst)), Array(src, offset), bytes), stream)
}

pub fn cuMemcpyAtoA_v2(
    gpu: &'static SoftGpu,
    dst: CUarray,
    to: usize,
    src: CUarray,
    from: usize,
    bytes: usize,
) -> Result<(), CUresult> {
    check_row(gpu, &[dst, src])?;
    copy_now(gpu, row(Array(dst, to), Array(src, from), bytes))
}

pub fn cuMemcpy2D_v2(gpu: &'static SoftGpu, params: In<CUDA_MEMCPY2D>) -> Result<(), CUresult> {
    copy_now(gpu, layer(params)?)
}

pub fn cuMemcpy2DAsync_v2(
    gpu: &'static SoftGpu,
    params: In<CUDA_MEMCPY2D>,
    stream: CUstream,
) -> Result<(), CUresult> {
    copy(gpu, layer(params)?, stream)
}

pub fn cuMemcpy3D_v2(gpu: &'static SoftGpu, params: In<CUDA_MEMCPY3D>) -> Result<(), CUresult> {
    copy_now(gpu, params.get()?)
}

pub fn cuMemcpy3DAsync_v2(
    gpu: &'static SoftGpu,
    params: In<CUDA_MEMCPY3D>,
    stream: CUstream,
) -> Result<(), CUresult> {
    copy(gpu, params.get()?, stream)
}

pub fn cuMemcpy3DPeer(gpu: &'static SoftGpu, params: In<CUDA_MEMCPY3D_PEER>) -> Result<(), CUresult> {
    copy_now(gpu, between(gpu, params)?)
}

pub fn cuMemcpy3DPeerAsync(
    gpu: &'static SoftGpu,
    params: In<CUDA_MEMCPY3D_PEER>,
    stream: CUstream,
) -> Result<(), CUresult> {
    copy(gpu, between(gpu, params)?, stream)
}

pub fn cuMemcpyPeer(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    to: CUcontext,
    src: CUdeviceptr,
    from: CUcontext,
    bytes: usize,
) -> Result<(), CUresult> {
    check_contexts(gpu, [to, from])?;
    copy_now(gpu, row(Device(dst), Device(src), bytes))
}

pub fn cuMemcpyPeerAsync(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    to: CUcontext,
    src: CUdeviceptr,
    from: CUcontext,
    bytes: usize,
    stream: CUstream,
) -> Result<(), CUresult> {
    check_contexts(gpu, [to, from])?;
    copy(gpu, row(Device(dst), Device(src), bytes), stream)
}

pub use cuMemcpy as cuMemcpy_ptds;
pub use cuMemcpy2D_v2 as cuMemcpy2D_v2_ptds;
pub use cuMemcpy2D_v2 as cuMemcpy2DUnaligned_v2;
pub use cuMemcpy2D_v2 as cuMemcpy2DUnaligned_v2_ptds;
pub use cuMemcpy2DAsync_v2 as cuMemcpy2DAsync_v2_ptsz;
pub use cuMemcpy3D_v2 as cuMemcpy3D_v2_ptds;
pub use cuMemcpy3DAsync_v2 as cuMemcpy3DAsync_v2_ptsz;
pub use cuMemcpy3DPeer as cuMemcpy3DPeer_ptds;
pub use cuMemcpy3DPeerAsync as cuMemcpy3DPeerAsync_ptsz;
pub use cuMemcpyAsync as cuMemcpyAsync_ptsz;
pub use cuMemcpyAtoA_v2 as cuMemcpyAtoA_v2_ptds;
pub use cuMemcpyAtoD_v2 as cuMemcpyAtoD_v2_ptds;
pub use cuMemcpyAtoH_v2 as cuMemcpyAtoH_v2_ptds;
pub use cuMemcpyAtoHAsync_v2 as cuMemcpyAtoHAsync_v2_ptsz;
pub use cuMemcpyDtoA_v2 as cuMemcpyDtoA_v2_ptds;
pub use cuMemcpyDtoD_v2 as cuMemcpyDtoD_v2_ptds;
pub use cuMemcpyDtoDAsync_v2 as cuMemcpyDtoDAsync_v2_ptsz;
pub use cuMemcpyDtoH_v2 as cuMemcpyDtoH_v2_ptds;
pub use cuMemcpyDtoHAsync_v2 as cuMemcpyDtoHAsync_v2_ptsz;
pub use cuMemcpyHtoA_v2 as cuMemcpyHtoA_v2_ptds;
pub use cuMemcpyHtoAAsync_v2 as cuMemcpyHtoAAsync_v2_ptsz;
pub use cuMemcpyHtoD_v2 as cuMemcpyHtoD_v2_ptds;
pub use cuMemcpyHtoDAsync_v2 as cuMemcpyHtoDAsync_v2_ptsz;
pub use cuMemcpyPeer as cuMemcpyPeer_ptds;
pub use cuMemcpyPeerAsync as cuMemcpyPeerAsync_ptsz;
