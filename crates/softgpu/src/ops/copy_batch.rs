use cleave_api::cuda::types::*;
use cleave_api::edge::{In, Out, Plain, Slice};

use crate::copy::Copy;
use crate::enqueue::copy_in;
use crate::gpu::SoftGpu;

#[allow(clippy::too_many_arguments)]
pub fn cuMemcpyBatchAsync(
    gpu: &'static SoftGpu,
    dsts: Slice<CUdeviceptr>,
    srcs: Slice<CUdeviceptr>,
    sizes: Slice<usize>,
    _count: usize,
    attributes: Slice<CUmemcpyAttributes>,
    firsts: Slice<usize>,
    _attribute_count: usize,
    failed: Out<usize>,
    stream: CUstream,
) -> Result<(), CUresult> {
    // Which copy is at fault; past the last one when the fault is in the call as a whole.
    failed.set_if(usize::MAX);
    let batch = Batch::read(dsts, srcs, sizes, attributes, firsts)?;
    if let Some(index) = batch.first_bad(gpu) {
        failed.set_if(index);
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    batch.submit(gpu, stream)
}

#[allow(clippy::too_many_arguments)]
pub fn cuMemcpyBatchAsync_v2(
    gpu: &'static SoftGpu,
    dsts: Slice<CUdeviceptr>,
    srcs: Slice<CUdeviceptr>,
    sizes: Slice<usize>,
    _count: usize,
    attributes: Slice<CUmemcpyAttributes>,
    firsts: Slice<usize>,
    _attribute_count: usize,
    stream: CUstream,
) -> Result<(), CUresult> {
    let batch = Batch::read(dsts, srcs, sizes, attributes, firsts)?;
    if batch.first_bad(gpu).is_some() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    batch.submit(gpu, stream)
}

pub fn cuMemcpyWithAttributesAsync(
    gpu: &'static SoftGpu,
    dst: CUdeviceptr,
    src: CUdeviceptr,
    size: usize,
    attributes: In<CUmemcpyAttributes>,
    stream: CUstream,
) -> Result<(), CUresult> {
    let order = attributes.get()?.srcAccessOrder;
    let context = gpu.current()?;
    let stream = gpu.stream(&context, stream)?;
    copy_in(gpu, &context, &stream, row(dst, src, size), order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL)
}

pub use cuMemcpyBatchAsync as cuMemcpyBatchAsync_ptsz;
pub use cuMemcpyBatchAsync_v2 as cuMemcpyBatchAsync_v2_ptsz;
pub use cuMemcpyWithAttributesAsync as cuMemcpyWithAttributesAsync_ptsz;

/// Copies, each with the moment its source may be read.
struct Batch {
    copies: Vec<(CUDA_MEMCPY3D, CUmemcpySrcAccessOrder)>,
}

impl Batch {
    fn read(
        dsts: Slice<CUdeviceptr>,
        srcs: Slice<CUdeviceptr>,
        sizes: Slice<usize>,
        attributes: Slice<CUmemcpyAttributes>,
        firsts: Slice<usize>,
    ) -> Result<Batch, CUresult> {
        let (dsts, srcs, sizes) = (dsts.to_vec()?, srcs.to_vec()?, sizes.to_vec()?);
        let (attributes, firsts) = (attributes.to_vec()?, firsts.to_vec()?);
        let ordered =
            firsts.first() == Some(&0) && firsts.is_sorted() && firsts.iter().all(|&i| i < dsts.len());
        if dsts.is_empty() || !ordered || sizes.contains(&0) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let order = |i: usize| attributes[firsts.partition_point(|&first| first <= i) - 1].srcAccessOrder;
        let copies = dsts.iter().zip(&srcs).zip(&sizes).enumerate();
        let copies = copies.map(|(i, ((&dst, &src), &size))| (row(dst, src, size), order(i))).collect();
        Ok(Batch { copies })
    }

    fn first_bad(&self, gpu: &SoftGpu) -> Option<usize> {
        let known =
            |order| (CU_MEMCPY_SRC_ACCESS_ORDER_STREAM..CU_MEMCPY_SRC_ACCESS_ORDER_MAX).contains(&order);
        self.copies.iter().position(|(copy, order)| !known(*order) || Copy::new(gpu, copy).is_err())
    }

    /// One after the other: a batch promises no order, so this one is as good as any.
    fn submit(&self, gpu: &'static SoftGpu, stream: CUstream) -> Result<(), CUresult> {
        let context = gpu.current()?;
        let stream = gpu.stream(&context, stream)?;
        self.copies.iter().try_for_each(|(copy, order)| {
            copy_in(gpu, &context, &stream, *copy, *order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL)
        })
    }
}

/// A copy of one row between whatever the pointers say.
fn row(dst: CUdeviceptr, src: CUdeviceptr, bytes: usize) -> CUDA_MEMCPY3D {
    CUDA_MEMCPY3D {
        srcMemoryType: CU_MEMORYTYPE_UNIFIED,
        srcDevice: src,
        dstMemoryType: CU_MEMORYTYPE_UNIFIED,
        dstDevice: dst,
        WidthInBytes: bytes,
        Height: 1,
        Depth: 1,
        ..CUDA_MEMCPY3D::zeroed()
    }
}
