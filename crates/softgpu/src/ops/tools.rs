use cleave_api::cuda::types::*;

use crate::gpu::SoftGpu;

/// Without a profiler attached there is nothing to start.
pub fn cuProfilerStart(gpu: &SoftGpu) -> Result<(), CUresult> {
    gpu.current().map(|_| ())
}

pub fn cuProfilerStop(gpu: &SoftGpu) -> Result<(), CUresult> {
    gpu.current().map(|_| ())
}
