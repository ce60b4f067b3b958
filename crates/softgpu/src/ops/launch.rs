use core::ffi::c_void;
use std::sync::Arc;

use cleave_api::cuda::types::*;
use cleave_api::edge::{In, Plain, Ptr};

use crate::gpu::SoftGpu;
use crate::graph::{KernelOp, Op};
use crate::launch;
use crate::module::OldLaunch;
use crate::queue::Stream;

#[allow(clippy::too_many_arguments)]
pub fn cuLaunchKernel(
    gpu: &'static SoftGpu,
    f: CUfunction,
    gridDimX: u32,
    gridDimY: u32,
    gridDimZ: u32,
    blockDimX: u32,
    blockDimY: u32,
    blockDimZ: u32,
    sharedMemBytes: u32,
    stream: CUstream,
    kernelParams: Ptr<Ptr<c_void>>,
    extra: Ptr<Ptr<c_void>>,
) -> Result<(), CUresult> {
    let config = CUlaunchConfig {
        gridDimX,
        gridDimY,
        gridDimZ,
        blockDimX,
        blockDimY,
        blockDimZ,
        sharedMemBytes,
        hStream: stream,
        ..CUlaunchConfig::zeroed()
    };
    submit(gpu, config, f, kernelParams, extra, Vec::new())
}

#[allow(clippy::too_many_arguments)]
pub fn cuLaunchCooperativeKernel(
    gpu: &'static SoftGpu,
    f: CUfunction,
    gridDimX: u32,
    gridDimY: u32,
    gridDimZ: u32,
    blockDimX: u32,
    blockDimY: u32,
    blockDimZ: u32,
    sharedMemBytes: u32,
    stream: CUstream,
    kernelParams: Ptr<Ptr<c_void>>,
) -> Result<(), CUresult> {
    let config = CUlaunchConfig {
        gridDimX,
        gridDimY,
        gridDimZ,
        blockDimX,
        blockDimY,
        blockDimZ,
        sharedMemBytes,
        hStream: stream,
        ..CUlaunchConfig::zeroed()
    };
    submit(gpu, config, f, kernelParams, Ptr::NULL, vec![cooperative()])
}

fn cooperative() -> CUlaunchAttribute {
    let mut attribute =
        CUlaunchAttribute { id: CU_LAUNCH_ATTRIBUTE_COOPERATIVE, ..CUlaunchAttribute::zeroed() };
    attribute.value.value.set(1i32);
    attribute
}

pub fn cuLaunchKernelEx(
    gpu: &'static SoftGpu,
    config: In<CUlaunchConfig>,
    f: CUfunction,
    kernelParams: Ptr<Ptr<c_void>>,
    extra: Ptr<Ptr<c_void>>,
) -> Result<(), CUresult> {
    let config = config.get()?;
    let attributes = config.attrs.slice::<CUresult>(config.numAttrs as usize).to_vec()?;
    attributes.iter().try_for_each(check_attribute)?;
    submit(gpu, config, f, kernelParams, extra, attributes)
}

/// What a launch may ask for. Hints are kept; what would change the result and does not exist here is refused.
fn check_attribute(attribute: &CUlaunchAttribute) -> Result<(), CUresult> {
    let value = &attribute.value.value;
    match attribute.id {
        CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION | CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION => {
            let CUlaunchAttributeValue_clusterDim { x, y, z } = value.get();
            let none = [x, y, z].iter().all(|&n| n <= 1);
            none.then_some(()).ok_or(CUDA_ERROR_INVALID_CLUSTER_SIZE)
        }
        CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT
        | CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT
        | CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE => Err(CUDA_ERROR_NOT_SUPPORTED),
        id if id < CU_LAUNCH_ATTRIBUTE_MAX => Ok(()),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// A launch has the priority of its stream unless it brings its own; captured, it keeps it.
fn inherit_priority(attributes: &mut Vec<CUlaunchAttribute>, stream: &Stream) {
    let priority = stream.priority();
    if priority != 0 && attributes.iter().all(|a| a.id != CU_LAUNCH_ATTRIBUTE_PRIORITY) {
        let mut attribute =
            CUlaunchAttribute { id: CU_LAUNCH_ATTRIBUTE_PRIORITY, ..CUlaunchAttribute::zeroed() };
        attribute.value.value.set(priority);
        attributes.push(attribute);
    }
}

fn submit(
    gpu: &'static SoftGpu,
    config: CUlaunchConfig,
    f: CUfunction,
    kernelParams: Ptr<Ptr<c_void>>,
    extra: Ptr<Ptr<c_void>>,
    attributes: Vec<CUlaunchAttribute>,
) -> Result<(), CUresult> {
    let context = gpu.current()?;
    let stream = gpu.stream(&context, config.hStream)?;
    if stream.queue().context() != context.handle {
        return Err(CUDA_ERROR_INVALID_HANDLE);
    }
    let described = CUDA_KERNEL_NODE_PARAMS {
        func: f,
        gridDimX: config.gridDimX,
        gridDimY: config.gridDimY,
        gridDimZ: config.gridDimZ,
        blockDimX: config.blockDimX,
        blockDimY: config.blockDimY,
        blockDimZ: config.blockDimZ,
        sharedMemBytes: config.sharedMemBytes,
        kernelParams,
        extra,
        kern: CUkernel(0),
        ctx: context.handle,
    };
    let mut op = KernelOp { attributes, ..launch::kernel(gpu, &context, &described)? };
    inherit_priority(&mut op.attributes, &stream);
    if launch::is_cooperative(&op) {
        launch::check_cooperative(gpu, &op)?;
    }
    gpu.submit(&stream, Op::Kernel(Arc::new(op)))
}

pub fn cuLaunch(gpu: &'static SoftGpu, f: CUfunction) -> Result<(), CUresult> {
    cuLaunchGridAsync(gpu, f, 1, 1, CUstream(0))
}

pub fn cuLaunchGrid(gpu: &'static SoftGpu, f: CUfunction, width: i32, height: i32) -> Result<(), CUresult> {
    cuLaunchGridAsync(gpu, f, width, height, CUstream(0))
}

/// The oldest form: everything but the grid was set before, call by call.
pub fn cuLaunchGridAsync(
    gpu: &'static SoftGpu,
    f: CUfunction,
    width: i32,
    height: i32,
    stream: CUstream,
) -> Result<(), CUresult> {
    let context = gpu.current()?;
    let function = gpu.function_in(&context, f, CUkernel(0))?;
    let OldLaunch { block, shared, mut params } = function.old().clone();
    params.resize(function.kernel.param_bytes as usize, 0);
    let size = |n: i32| u32::try_from(n).map_err(|_| CUDA_ERROR_INVALID_VALUE);
    let op = KernelOp {
        context: context.clone(),
        func: f,
        kern: CUkernel(0),
        grid: [size(width)?, size(height)?, 1],
        block,
        shared,
        params: params.into(),
        attributes: Vec::new(),
        arguments: Default::default(),
        function,
    };
    launch::check(&op)?;
    let stream = gpu.stream(&context, stream)?;
    gpu.submit(&stream, Op::Kernel(Arc::new(op)))
}

pub use cuLaunchCooperativeKernel as cuLaunchCooperativeKernel_ptsz;
pub use cuLaunchKernel as cuLaunchKernel_ptsz;
pub use cuLaunchKernelEx as cuLaunchKernelEx_ptsz;
