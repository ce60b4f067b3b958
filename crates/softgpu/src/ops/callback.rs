use core::ffi::c_void;

use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;

use crate::gpu::SoftGpu;
use crate::graph::{HostOp, Op};
use crate::queue::Work;
use crate::queue::callback_unsafe::stream_callback;

pub fn cuLaunchHostFunc(
    gpu: &'static SoftGpu,
    hStream: CUstream,
    func: CUhostFn,
    userData: Ptr<c_void>,
) -> Result<(), CUresult> {
    let stream = gpu.stream_here(hStream)?;
    if func.is_none() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    gpu.submit(&stream, Op::Host(HostOp { func, user_data: userData }))
}

pub use cuLaunchHostFunc as cuLaunchHostFunc_ptsz;

/// The way the stream waits for the function makes no difference here: its thread sleeps until it is needed.
pub fn cuLaunchHostFunc_v2(
    gpu: &'static SoftGpu,
    hStream: CUstream,
    func: CUhostFn,
    userData: Ptr<c_void>,
    syncMode: u32,
) -> Result<(), CUresult> {
    if syncMode > CU_HOST_TASK_SPINWAIT.0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    cuLaunchHostFunc(gpu, hStream, func, userData)
}

pub use cuLaunchHostFunc_v2 as cuLaunchHostFunc_v2_ptsz;

/// Unlike a host function it is called even after a fault, which it is told.
pub fn cuStreamAddCallback(
    gpu: &SoftGpu,
    hStream: CUstream,
    callback: CUstreamCallback,
    userData: Ptr<c_void>,
    flags: u32,
) -> Result<(), CUresult> {
    let stream = gpu.stream_here(hStream)?;
    if callback.is_none() || flags != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    gpu.graphs.captures.refuse(&stream)?;
    let call = Box::new(move |status: Result<(), CUresult>| {
        stream_callback(callback, hStream, status.into(), userData)
    });
    stream.submit(Work::Host { call, even_after_fault: true });
    Ok(())
}

pub use cuStreamAddCallback as cuStreamAddCallback_ptsz;
