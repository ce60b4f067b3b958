use cleave_api::cuda::types::*;

use crate::enqueue::{fill, fill_now};
use crate::gpu::SoftGpu;

fn row(dst: CUdeviceptr, value: u32, elementSize: u32, width: usize) -> CUDA_MEMSET_NODE_PARAMS {
    CUDA_MEMSET_NODE_PARAMS { dst, pitch: 0, value, elementSize, width, height: 1 }
}

fn rows(
    dst: CUdeviceptr,
    pitch: usize,
    value: u32,
    elementSize: u32,
    size: [usize; 2],
) -> CUDA_MEMSET_NODE_PARAMS {
    CUDA_MEMSET_NODE_PARAMS { dst, pitch, value, elementSize, width: size[0], height: size[1] }
}

pub fn cuMemsetD8_v2(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    value: u8,
    count: usize,
) -> Result<(), CUresult> {
    fill_now(gpu, row(dst, value.into(), 1, count))
}

pub fn cuMemsetD8Async(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    value: u8,
    count: usize,
    stream: CUstream,
) -> Result<(), CUresult> {
    fill(gpu, row(dst, value.into(), 1, count), stream)
}

pub fn cuMemsetD2D8_v2(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    pitch: usize,
    value: u8,
    width: usize,
    height: usize,
) -> Result<(), CUresult> {
    fill_now(gpu, rows(dst, pitch, value.into(), 1, [width, height]))
}

pub fn cuMemsetD2D8Async(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    pitch: usize,
    value: u8,
    width: usize,
    height: usize,
    stream: CUstream,
) -> Result<(), CUresult> {
    fill(gpu, rows(dst, pitch, value.into(), 1, [width, height]), stream)
}

pub fn cuMemsetD16_v2(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    value: u16,
    count: usize,
) -> Result<(), CUresult> {
    fill_now(gpu, row(dst, value.into(), 2, count))
}

pub fn cuMemsetD16Async(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    value: u16,
    count: usize,
    stream: CUstream,
) -> Result<(), CUresult> {
    fill(gpu, row(dst, value.into(), 2, count), stream)
}

pub fn cuMemsetD2D16_v2(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    pitch: usize,
    value: u16,
    width: usize,
    height: usize,
) -> Result<(), CUresult> {
    fill_now(gpu, rows(dst, pitch, value.into(), 2, [width, height]))
}

pub fn cuMemsetD2D16Async(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    pitch: usize,
    value: u16,
    width: usize,
    height: usize,
    stream: CUstream,
) -> Result<(), CUresult> {
    fill(gpu, rows(dst, pitch, value.into(), 2, [width, height]), stream)
}

pub fn cuMemsetD32_v2(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    value: u32,
    count: usize,
) -> Result<(), CUresult> {
    fill_now(gpu, row(dst, value, 4, count))
}

pub fn cuMemsetD32Async(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    value: u32,
    count: usize,
    stream: CUstream,
) -> Result<(), CUresult> {
    fill(gpu, row(dst, value, 4, count), stream)
}

pub fn cuMemsetD2D32_v2(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    pitch: usize,
    value: u32,
    width: usize,
    height: usize,
) -> Result<(), CUresult> {
    fill_now(gpu, rows(dst, pitch, value, 4, [width, height]))
}

pub fn cuMemsetD2D32Async(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    pitch: usize,
    value: u32,
    width: usize,
    height: usize,
    stream: CUstream,
) -> Result<(), CUresult> {
    fill(gpu, rows(dst, pitch, value, 4, [width, height]), stream)
}

pub use cuMemsetD2D8_v2 as cuMemsetD2D8_v2_ptds;
pub use cuMemsetD2D8Async as cuMemsetD2D8Async_ptsz;
pub use cuMemsetD2D16_v2 as cuMemsetD2D16_v2_ptds;
pub use cuMemsetD2D16Async as cuMemsetD2D16Async_ptsz;
pub use cuMemsetD2D32_v2 as cuMemsetD2D32_v2_ptds;
pub use cuMemsetD2D32Async as cuMemsetD2D32Async_ptsz;
pub use cuMemsetD8_v2 as cuMemsetD8_v2_ptds;
pub use cuMemsetD8Async as cuMemsetD8Async_ptsz;
pub use cuMemsetD16_v2 as cuMemsetD16_v2_ptds;
pub use cuMemsetD16Async as cuMemsetD16Async_ptsz;
pub use cuMemsetD32_v2 as cuMemsetD32_v2_ptds;
pub use cuMemsetD32Async as cuMemsetD32Async_ptsz;
