//! How much of a multiprocessor a kernel can fill.

use cleave_api::cuda::types::*;

use crate::callback_unsafe;
use crate::device::limits;
use crate::gpu::SoftGpu;
use crate::module::Function;

/// Blocks of `threads` threads that one multiprocessor holds.
pub fn blocks(gpu: &SoftGpu, function: &Function, threads: i32, dynamic: usize) -> Result<u32, CUresult> {
    let threads = u32::try_from(threads).ok().filter(|&n| n > 0).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let dynamic = u32::try_from(dynamic).unwrap_or(u32::MAX);
    let kernel = &function.kernel;
    if threads > kernel.max_threads.min(limits::THREADS_PER_BLOCK) || dynamic > function.max_dynamic() {
        return Ok(0);
    }
    let (shared, setup) = (kernel.static_shared + dynamic, gpu.machine.setup());
    Ok(setup.card().blocks_per_sm(threads, kernel.registers, shared + setup.limits().shared_reserved))
}

/// The block size that fills a multiprocessor best, the greatest of several, and how many such blocks fit.
pub fn best_block(
    gpu: &SoftGpu,
    function: &Function,
    dynamic_of: CUoccupancyB2DSize,
    dynamic: usize,
    limit: i32,
) -> Result<(u32, u32), CUresult> {
    let most = function.kernel.max_threads.min(limits::THREADS_PER_BLOCK);
    let most = if limit > 0 { most.min(limit as u32) } else { most };
    let mut best = (0, 0);
    let sizes = (1..=most.div_ceil(limits::WARP)).rev().map(|warps| (warps * limits::WARP).min(most));
    for threads in sizes {
        let dynamic = callback_unsafe::shared_of_block(dynamic_of, threads).unwrap_or(dynamic);
        let fit = blocks(gpu, function, threads as i32, dynamic)?;
        if fit * threads > best.0 * best.1 {
            best = (threads, fit);
        }
    }
    if best.0 == 0 { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(best) }
}

/// Dynamic shared memory each of `blocks` blocks can have on one multiprocessor.
pub fn available_shared(
    gpu: &SoftGpu,
    function: &Function,
    count: i32,
    threads: i32,
) -> Result<usize, CUresult> {
    let count = u32::try_from(count).ok().filter(|&n| n > 0).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    if blocks(gpu, function, threads, 0)? < count {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let kernel = &function.kernel;
    let chip = gpu.machine.setup().limits();
    let each = (chip.shared_per_sm / count).saturating_sub(kernel.static_shared + chip.shared_reserved);
    Ok(each.min(chip.shared_per_block_optin.saturating_sub(kernel.static_shared)) as usize)
}
