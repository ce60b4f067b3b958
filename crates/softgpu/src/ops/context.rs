use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use cleave_api::cuda::types::*;
use cleave_api::edge::{In, Out, Slice};

use crate::context::Context;
use crate::current;
use crate::gpu::SoftGpu;

/// Priorities of streams: least and greatest.
pub const PRIORITIES: (i32, i32) = (0, -5);

pub fn cuCtxCreate_v2(
    gpu: &SoftGpu,
    pctx: Out<CUcontext>,
    flags: u32,
    dev: CUdevice,
) -> Result<(), CUresult> {
    if pctx.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let (ordinal, _) = gpu.device(dev)?;
    let context = gpu.create_context(ordinal, checked_flags(flags)?, false)?;
    pctx.set(context.handle)?;
    current::push(context);
    Ok(())
}

pub use cuCtxCreate_v2 as cuCtxCreate;

pub fn cuCtxCreate_v3(
    gpu: &SoftGpu,
    pctx: Out<CUcontext>,
    params: Slice<CUexecAffinityParam>,
    _count: i32,
    flags: u32,
    dev: CUdevice,
) -> Result<(), CUresult> {
    if !params.is_empty() {
        return Err(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    }
    cuCtxCreate_v2(gpu, pctx, flags, dev)
}

pub fn cuCtxCreate_v4(
    gpu: &SoftGpu,
    pctx: Out<CUcontext>,
    params: In<CUctxCreateParams>,
    flags: u32,
    dev: CUdevice,
) -> Result<(), CUresult> {
    match params.get_if() {
        Some(params) if !params.cigParams.is_null() => Err(CUDA_ERROR_NOT_SUPPORTED),
        Some(params) if params.numExecAffinityParams != 0 => Err(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY),
        _ => cuCtxCreate_v2(gpu, pctx, flags, dev),
    }
}

/// Known bits, and at most one way to wait.
fn checked_flags(flags: u32) -> Result<u32, CUresult> {
    let waits = (flags & CU_CTX_SCHED_MASK.0).count_ones();
    if flags & !CU_CTX_FLAGS_MASK.0 != 0 || waits > 1 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    Ok(flags)
}

pub fn cuCtxDestroy_v2(gpu: &SoftGpu, ctx: CUcontext) -> Result<(), CUresult> {
    let context = gpu.context(ctx)?;
    if context.primary {
        return Err(CUDA_ERROR_INVALID_CONTEXT);
    }
    if is_current(&context) {
        current::pop();
    }
    gpu.destroy_context(&context);
    Ok(())
}

pub use cuCtxDestroy_v2 as cuCtxDestroy;

pub fn cuCtxAttach(gpu: &SoftGpu, pctx: Out<CUcontext>, flags: u32) -> Result<(), CUresult> {
    if flags != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let context = gpu.current()?;
    pctx.set(context.handle)?;
    context.attach();
    Ok(())
}

pub fn cuCtxDetach(gpu: &SoftGpu, ctx: CUcontext) -> Result<(), CUresult> {
    let context = gpu.context(ctx)?;
    if !is_current(&context) {
        return Err(CUDA_ERROR_INVALID_CONTEXT);
    }
    if context.detach() { cuCtxDestroy_v2(gpu, ctx) } else { Ok(()) }
}

fn is_current(context: &Arc<Context>) -> bool {
    current::peek(|top| top.is_some_and(|top| Arc::ptr_eq(top, context))).unwrap_or(false)
}

pub fn cuCtxPushCurrent_v2(gpu: &SoftGpu, ctx: CUcontext) -> Result<(), CUresult> {
    current::push(gpu.context(ctx)?);
    Ok(())
}

pub use cuCtxPushCurrent_v2 as cuCtxPushCurrent;

/// A caller who does not care which context it was may pass null.
pub fn cuCtxPopCurrent_v2(_: &SoftGpu, pctx: Out<CUcontext>) -> Result<(), CUresult> {
    let context = current::pop().ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
    pctx.set_if(context.handle);
    Ok(())
}

pub use cuCtxPopCurrent_v2 as cuCtxPopCurrent;

pub fn cuCtxSetCurrent(gpu: &SoftGpu, ctx: CUcontext) -> Result<(), CUresult> {
    if ctx.is_null() {
        current::set(None);
        return Ok(());
    }
    // By far the most frequent case: it is current already.
    let same = current::peek(|top| top.is_some_and(|top| top.handle == ctx && !top.is_destroyed()));
    if same != Some(true) {
        current::set(Some(gpu.context(ctx)?));
    }
    Ok(())
}

pub fn cuCtxGetCurrent(_: &SoftGpu, pctx: Out<CUcontext>) -> Result<(), CUresult> {
    let handle = current::peek(|top| top.map(|context| context.handle)).flatten();
    pctx.set(handle.unwrap_or(CUcontext(0)))
}

pub fn cuCtxGetDevice(_: &SoftGpu, device: Out<CUdevice>) -> Result<(), CUresult> {
    let context = current::top().ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
    if context.is_destroyed() {
        return Err(CUDA_ERROR_CONTEXT_IS_DESTROYED);
    }
    device.set(CUdevice(context.device as i32))
}

pub fn cuCtxGetDevice_v2(gpu: &SoftGpu, device: Out<CUdevice>, ctx: CUcontext) -> Result<(), CUresult> {
    device.set(CUdevice(given_or_current(gpu, ctx)?.device as i32))
}

pub fn cuCtxGetFlags(gpu: &SoftGpu, flags: Out<u32>) -> Result<(), CUresult> {
    flags.set(gpu.current()?.flags())
}

pub fn cuCtxSetFlags(gpu: &SoftGpu, flags: u32) -> Result<(), CUresult> {
    gpu.current()?.set_flags(checked_flags(flags)?);
    Ok(())
}

pub fn cuCtxGetId(gpu: &SoftGpu, ctx: CUcontext, id: Out<u64>) -> Result<(), CUresult> {
    id.set(given_or_current(gpu, ctx)?.id)
}

pub fn cuCtxSynchronize(gpu: &SoftGpu) -> Result<(), CUresult> {
    synchronize(gpu, &*gpu.current()?)
}

pub fn cuCtxSynchronize_v2(gpu: &SoftGpu, ctx: CUcontext) -> Result<(), CUresult> {
    synchronize(gpu, &*given_or_current(gpu, ctx)?)
}

fn synchronize(gpu: &SoftGpu, context: &Context) -> Result<(), CUresult> {
    context.wait()?;
    gpu.after_synchronize(context);
    context.check()
}

/// The context behind the handle, or the thread's own for null.
fn given_or_current(gpu: &SoftGpu, ctx: CUcontext) -> Result<Arc<Context>, CUresult> {
    if ctx.is_null() {
        return gpu.current();
    }
    let context = gpu.context(ctx)?;
    context.check()?;
    Ok(context)
}

pub fn cuCtxSetLimit(gpu: &SoftGpu, limit: CUlimit, value: usize) -> Result<(), CUresult> {
    gpu.current()?.limits.set(limit, value as u64)
}

pub fn cuCtxGetLimit(gpu: &SoftGpu, value: Out<usize>, limit: CUlimit) -> Result<(), CUresult> {
    value.set(gpu.current()?.limits.get(limit)? as usize)
}

pub fn cuCtxGetCacheConfig(gpu: &SoftGpu, config: Out<CUfunc_cache>) -> Result<(), CUresult> {
    config.set(CUfunc_cache(gpu.current()?.cache_config.load(Relaxed)))
}

pub fn cuCtxSetCacheConfig(gpu: &SoftGpu, config: CUfunc_cache) -> Result<(), CUresult> {
    if config > CU_FUNC_CACHE_PREFER_EQUAL {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    gpu.current()?.cache_config.store(config.0, Relaxed);
    Ok(())
}

/// Banks have one width on every chip of today; the setting is kept and has no effect, as there.
pub fn cuCtxGetSharedMemConfig(gpu: &SoftGpu, config: Out<CUsharedconfig>) -> Result<(), CUresult> {
    gpu.current()?;
    config.set(CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE)
}

pub fn cuCtxSetSharedMemConfig(gpu: &SoftGpu, config: CUsharedconfig) -> Result<(), CUresult> {
    gpu.current()?;
    if config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    Ok(())
}

pub fn cuCtxGetApiVersion(gpu: &SoftGpu, ctx: CUcontext, version: Out<u32>) -> Result<(), CUresult> {
    const SINCE_64_BIT_POINTERS: u32 = 3020;
    given_or_current(gpu, ctx)?;
    version.set(SINCE_64_BIT_POINTERS)
}

pub fn cuCtxGetStreamPriorityRange(
    gpu: &SoftGpu,
    least: Out<i32>,
    greatest: Out<i32>,
) -> Result<(), CUresult> {
    gpu.current()?;
    least.set_if(PRIORITIES.0);
    greatest.set_if(PRIORITIES.1);
    Ok(())
}

/// There is no such cache, so nothing of it persists.
pub fn cuCtxResetPersistingL2Cache(gpu: &SoftGpu) -> Result<(), CUresult> {
    gpu.current().map(|_| ())
}

pub fn cuCtxGetExecAffinity(
    gpu: &SoftGpu,
    affinity: Out<CUexecAffinityParam>,
    type_: CUexecAffinityType,
) -> Result<(), CUresult> {
    let sms = gpu.devices[gpu.current()?.device].setup.sms;
    if type_ != CU_EXEC_AFFINITY_TYPE_SM_COUNT {
        return Err(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    }
    affinity.set(CUexecAffinityParam { type_, param: CUexecAffinitySmCount { val: sms } })
}

pub fn cuCtxEnablePeerAccess(gpu: &SoftGpu, peer: CUcontext, flags: u32) -> Result<(), CUresult> {
    let (context, peer) = (gpu.current()?, gpu.context(peer)?);
    if flags != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if context.device == peer.device {
        return Err(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    }
    let newly = gpu.memory.live.befriend(context.id, peer.id);
    newly.then_some(()).ok_or(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
}

pub fn cuCtxDisablePeerAccess(gpu: &SoftGpu, peer: CUcontext) -> Result<(), CUresult> {
    let (context, peer) = (gpu.current()?, gpu.context(peer)?);
    let parted = gpu.memory.live.part(context.id, peer.id);
    parted.then_some(()).ok_or(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED)
}

pub fn cuDevicePrimaryCtxRetain(gpu: &SoftGpu, pctx: Out<CUcontext>, dev: CUdevice) -> Result<(), CUresult> {
    let (ordinal, device) = gpu.device(dev)?;
    if pctx.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let mut primary = device.primary();
    let context = match &primary.context {
        Some(context) => context.clone(),
        None => gpu.create_context(ordinal, primary.flags, true)?,
    };
    primary.users += 1;
    primary.context = Some(context.clone());
    pctx.set(context.handle)
}

pub fn cuDevicePrimaryCtxRelease_v2(gpu: &SoftGpu, dev: CUdevice) -> Result<(), CUresult> {
    let (_, device) = gpu.device(dev)?;
    let mut primary = device.primary();
    primary.users = primary.users.checked_sub(1).ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
    if primary.users > 0 {
        return Ok(());
    }
    if let Some(context) = primary.context.take() {
        gpu.destroy_context(&context);
    }
    Ok(())
}

pub use cuDevicePrimaryCtxRelease_v2 as cuDevicePrimaryCtxRelease;

pub fn cuDevicePrimaryCtxReset_v2(gpu: &SoftGpu, dev: CUdevice) -> Result<(), CUresult> {
    let (_, device) = gpu.device(dev)?;
    let mut primary = device.primary();
    primary.users = 0;
    if let Some(context) = primary.context.take() {
        gpu.destroy_context(&context);
    }
    Ok(())
}

pub use cuDevicePrimaryCtxReset_v2 as cuDevicePrimaryCtxReset;

pub fn cuDevicePrimaryCtxSetFlags_v2(gpu: &SoftGpu, dev: CUdevice, flags: u32) -> Result<(), CUresult> {
    let (_, device) = gpu.device(dev)?;
    let flags = checked_flags(flags)?;
    let mut primary = device.primary();
    primary.flags = flags;
    if let Some(context) = &primary.context {
        context.set_flags(flags);
    }
    Ok(())
}

/// The first form refused to change the flags of a context in use.
pub fn cuDevicePrimaryCtxSetFlags(gpu: &SoftGpu, dev: CUdevice, flags: u32) -> Result<(), CUresult> {
    let (_, device) = gpu.device(dev)?;
    if device.primary().context.is_some() {
        return Err(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE);
    }
    cuDevicePrimaryCtxSetFlags_v2(gpu, dev, flags)
}

pub fn cuDevicePrimaryCtxGetState(
    gpu: &SoftGpu,
    dev: CUdevice,
    flags: Out<u32>,
    active: Out<i32>,
) -> Result<(), CUresult> {
    let (_, device) = gpu.device(dev)?;
    let primary = device.primary();
    flags.set(primary.flags)?;
    active.set(i32::from(primary.context.is_some()))
}
