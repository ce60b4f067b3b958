use std::sync::Arc;

use cleave_api::cuda::types::*;
use cleave_api::edge::Slice;

use crate::gpu::SoftGpu;
use crate::graph::Op;
use crate::graph::values::{ValueOps, single};

pub fn cuStreamBatchMemOp_v2(
    gpu: &'static SoftGpu,
    stream: CUstream,
    _count: u32,
    paramArray: Slice<CUstreamBatchMemOpParams>,
    flags: u32,
) -> Result<(), CUresult> {
    batch(gpu, stream, paramArray.to_vec()?, flags)
}

pub use cuStreamBatchMemOp_v2 as cuStreamBatchMemOp;
pub use cuStreamBatchMemOp_v2 as cuStreamBatchMemOp_ptsz;
pub use cuStreamBatchMemOp_v2 as cuStreamBatchMemOp_v2_ptsz;

fn batch(
    gpu: &'static SoftGpu,
    stream: CUstream,
    params: Vec<CUstreamBatchMemOpParams>,
    flags: u32,
) -> Result<(), CUresult> {
    let stream = gpu.stream_here(stream)?;
    let context = gpu.context_of(&stream)?;
    gpu.submit(&stream, Op::Values(Arc::new(ValueOps::new(&context, params, flags)?)))
}

/// Each of these four is a batch of one, under four names.
macro_rules! values {
    ($( $name:ident, $v1:ident, $v1_ptsz:ident, $ptsz:ident: $value:ty => $operation:ident; )*) => { $(
        pub fn $name(
            gpu: &'static SoftGpu,
            stream: CUstream,
            addr: CUdeviceptr,
            value: $value,
            flags: u32,
        ) -> Result<(), CUresult> {
            batch(gpu, stream, vec![single($operation, addr, value.into(), flags)], 0)
        }
        pub use $name as $v1;
        pub use $name as $v1_ptsz;
        pub use $name as $ptsz;
    )* };
}
values! {
    cuStreamWaitValue32_v2, cuStreamWaitValue32, cuStreamWaitValue32_ptsz, cuStreamWaitValue32_v2_ptsz:
        u32 => CU_STREAM_MEM_OP_WAIT_VALUE_32;
    cuStreamWaitValue64_v2, cuStreamWaitValue64, cuStreamWaitValue64_ptsz, cuStreamWaitValue64_v2_ptsz:
        u64 => CU_STREAM_MEM_OP_WAIT_VALUE_64;
    cuStreamWriteValue32_v2, cuStreamWriteValue32, cuStreamWriteValue32_ptsz, cuStreamWriteValue32_v2_ptsz:
        u32 => CU_STREAM_MEM_OP_WRITE_VALUE_32;
    cuStreamWriteValue64_v2, cuStreamWriteValue64, cuStreamWriteValue64_ptsz, cuStreamWriteValue64_v2_ptsz:
        u64 => CU_STREAM_MEM_OP_WRITE_VALUE_64;
}
