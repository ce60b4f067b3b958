use std::sync::Arc;

use cleave_api::cuda::types::*;
use cleave_api::edge::{Bytes, In, Out, Ptr};

use super::library::param_info;
use crate::gpu::SoftGpu;
use crate::memory::host_unsafe;
use crate::module::Function;
use crate::occupancy;

pub fn cuFuncGetAttribute(
    gpu: &SoftGpu,
    value: Out<i32>,
    attribute: CUfunction_attribute,
    function: CUfunction,
) -> Result<(), CUresult> {
    value.set(find(gpu, function)?.attribute(attribute)?)
}

pub fn cuFuncSetAttribute(
    gpu: &SoftGpu,
    function: CUfunction,
    attribute: CUfunction_attribute,
    value: i32,
) -> Result<(), CUresult> {
    find(gpu, function)?.set_attribute(attribute, value)
}

/// There is one cache; a preference changes nothing.
pub fn cuFuncSetCacheConfig(
    gpu: &SoftGpu,
    function: CUfunction,
    config: CUfunc_cache,
) -> Result<(), CUresult> {
    find(gpu, function)?;
    if config > CU_FUNC_CACHE_PREFER_EQUAL { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(()) }
}

/// Banks have one width.
pub fn cuFuncSetSharedMemConfig(
    gpu: &SoftGpu,
    function: CUfunction,
    config: CUsharedconfig,
) -> Result<(), CUresult> {
    find(gpu, function)?;
    if config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(()) }
}

pub fn cuFuncGetModule(gpu: &SoftGpu, module: Out<CUmodule>, function: CUfunction) -> Result<(), CUresult> {
    module.set(find(gpu, function)?.module)
}

pub fn cuFuncGetName(gpu: &SoftGpu, name: Out<Ptr<u8>>, function: CUfunction) -> Result<(), CUresult> {
    name.set(host_unsafe::lent(find(gpu, function)?.name()))
}

pub fn cuFuncGetParamInfo(
    gpu: &SoftGpu,
    function: CUfunction,
    index: usize,
    offset: Out<usize>,
    size: Out<usize>,
) -> Result<(), CUresult> {
    param_info(&*find(gpu, function)?, index, offset, size)
}

pub fn cuFuncGetParamCount(gpu: &SoftGpu, function: CUfunction, count: Out<usize>) -> Result<(), CUresult> {
    count.set(find(gpu, function)?.kernel.params.len())
}

pub fn cuFuncIsLoaded(
    gpu: &SoftGpu,
    state: Out<CUfunctionLoadingState>,
    function: CUfunction,
) -> Result<(), CUresult> {
    find(gpu, function)?;
    state.set(CU_FUNCTION_LOADING_STATE_LOADED)
}

pub fn cuFuncLoad(gpu: &SoftGpu, function: CUfunction) -> Result<(), CUresult> {
    find(gpu, function).map(|_| ())
}

pub fn cuFuncSetBlockShape(
    gpu: &SoftGpu,
    function: CUfunction,
    x: i32,
    y: i32,
    z: i32,
) -> Result<(), CUresult> {
    let function = find(gpu, function)?;
    let mut block = [0; 3];
    for (to, from) in block.iter_mut().zip([x, y, z]) {
        *to = u32::try_from(from).ok().filter(|&n| n > 0).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    }
    function.old().block = block;
    Ok(())
}

pub fn cuFuncSetSharedSize(gpu: &SoftGpu, function: CUfunction, bytes: u32) -> Result<(), CUresult> {
    find(gpu, function)?.old().shared = bytes;
    Ok(())
}

pub fn cuParamSetSize(gpu: &SoftGpu, function: CUfunction, bytes: u32) -> Result<(), CUresult> {
    let function = find(gpu, function)?;
    if bytes > function.kernel.param_bytes {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    function.old().params.resize(bytes as usize, 0);
    Ok(())
}

pub fn cuParamSeti(gpu: &SoftGpu, function: CUfunction, offset: i32, value: u32) -> Result<(), CUresult> {
    set_param(gpu, function, offset, &value.to_ne_bytes())
}

pub fn cuParamSetf(gpu: &SoftGpu, function: CUfunction, offset: i32, value: f32) -> Result<(), CUresult> {
    set_param(gpu, function, offset, &value.to_ne_bytes())
}

pub fn cuParamSetv(
    gpu: &SoftGpu,
    function: CUfunction,
    offset: i32,
    value: Bytes,
    _count: u32,
) -> Result<(), CUresult> {
    set_param(gpu, function, offset, &value.to_vec()?)
}

fn set_param(gpu: &SoftGpu, function: CUfunction, offset: i32, bytes: &[u8]) -> Result<(), CUresult> {
    let function = find(gpu, function)?;
    let at = usize::try_from(offset).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
    let end = at.checked_add(bytes.len()).filter(|&end| end <= function.kernel.param_bytes as usize);
    let end = end.ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let mut old = function.old();
    if old.params.len() < end {
        old.params.resize(end, 0);
    }
    old.params[at..end].copy_from_slice(bytes);
    Ok(())
}

pub fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    gpu: &SoftGpu,
    blocks: Out<i32>,
    function: CUfunction,
    block: i32,
    dynamic: usize,
) -> Result<(), CUresult> {
    blocks.set(occupancy::blocks(gpu, &*find(gpu, function)?, block, dynamic)? as i32)
}

pub fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    gpu: &SoftGpu,
    blocks: Out<i32>,
    function: CUfunction,
    block: i32,
    dynamic: usize,
    _flags: u32,
) -> Result<(), CUresult> {
    cuOccupancyMaxActiveBlocksPerMultiprocessor(gpu, blocks, function, block, dynamic)
}

pub fn cuOccupancyMaxPotentialBlockSize(
    gpu: &SoftGpu,
    grid: Out<i32>,
    block: Out<i32>,
    function: CUfunction,
    dynamic_of: CUoccupancyB2DSize,
    dynamic: usize,
    limit: i32,
) -> Result<(), CUresult> {
    let function = find(gpu, function)?;
    let (best, blocks) = occupancy::best_block(gpu, &function, dynamic_of, dynamic, limit)?;
    grid.set((blocks * gpu.machine.setup().sms) as i32)?;
    block.set(best as i32)
}

#[allow(clippy::too_many_arguments)]
pub fn cuOccupancyMaxPotentialBlockSizeWithFlags(
    gpu: &SoftGpu,
    grid: Out<i32>,
    block: Out<i32>,
    function: CUfunction,
    dynamic_of: CUoccupancyB2DSize,
    dynamic: usize,
    limit: i32,
    _flags: u32,
) -> Result<(), CUresult> {
    cuOccupancyMaxPotentialBlockSize(gpu, grid, block, function, dynamic_of, dynamic, limit)
}

pub fn cuOccupancyAvailableDynamicSMemPerBlock(
    gpu: &SoftGpu,
    bytes: Out<usize>,
    function: CUfunction,
    blocks: i32,
    block: i32,
) -> Result<(), CUresult> {
    bytes.set(occupancy::available_shared(gpu, &*find(gpu, function)?, blocks, block)?)
}

/// The device has no clusters.
pub fn cuOccupancyMaxPotentialClusterSize(
    gpu: &SoftGpu,
    size: Out<i32>,
    function: CUfunction,
    config: In<CUlaunchConfig>,
) -> Result<(), CUresult> {
    find(gpu, function)?;
    config.get()?;
    size.set(1)
}

/// The kernel behind a handle; a library's kernel stands for its function in the current context.
fn find(gpu: &SoftGpu, function: CUfunction) -> Result<Arc<Function>, CUresult> {
    gpu.function_in(&*gpu.current()?, function, CUkernel(0))
}
