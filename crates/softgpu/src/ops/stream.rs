use std::sync::Arc;

use cleave_api::cuda::types::*;
use cleave_api::edge::{In, Out};

use super::context::PRIORITIES;
use crate::context::Context;
use crate::default_stream;
use crate::gpu::SoftGpu;
use crate::graph::EventRef;
use crate::queue::{Patience, Stream, StreamKind, Work, in_host_function};

impl SoftGpu {
    /// The stream behind a handle, if its context can be used. The default streams are those of `context`; which of
    /// them handle 0 means, the call being made says.
    pub fn stream(&self, context: &Context, handle: CUstream) -> Result<Arc<Stream>, CUresult> {
        let per_thread = match handle {
            CUstream(0) => default_stream::is_per_thread(),
            CU_STREAM_LEGACY => false,
            CU_STREAM_PER_THREAD => true,
            _ => return self.made_stream(handle),
        };
        if in_host_function() {
            return Err(CUDA_ERROR_NOT_PERMITTED);
        }
        Ok(if per_thread { Stream::per_thread(&context.queue) } else { Stream::legacy(&context.queue) })
    }

    /// The same; the default streams are those of the calling thread's context.
    pub fn stream_here(&self, handle: CUstream) -> Result<Arc<Stream>, CUresult> {
        if handle <= CU_STREAM_PER_THREAD {
            self.stream(&*self.current()?, handle)
        } else {
            self.made_stream(handle)
        }
    }

    /// A stream the program made.
    fn made_stream(&self, handle: CUstream) -> Result<Arc<Stream>, CUresult> {
        if in_host_function() {
            return Err(CUDA_ERROR_NOT_PERMITTED);
        }
        let stream = self.streams.get(handle.0).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        stream.queue().check()?;
        Ok(stream)
    }

    /// The context a stream's commands run in.
    pub fn context_of(&self, stream: &Stream) -> Result<Arc<Context>, CUresult> {
        self.context(stream.queue().context())
    }

    /// Blocks until a stream is idle; the error its context has met meanwhile.
    pub fn wait_for(&self, stream: &Stream) -> Result<(), CUresult> {
        let context = self.context_of(stream)?;
        stream.wait(patience(&context, stream));
        self.after_synchronize(&context);
        context.check()
    }
}

/// How the program wants to wait.
fn patience(context: &Context, stream: &Stream) -> Patience {
    let policy =
        stream.attribute(CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY).value.get::<CUsynchronizationPolicy>();
    let blocking = match policy {
        CU_SYNC_POLICY_AUTO => context.flags() & CU_CTX_SCHED_BLOCKING_SYNC.0 != 0,
        policy => policy == CU_SYNC_POLICY_BLOCKING_SYNC,
    };
    if blocking { Patience::Sleep } else { Patience::Spin }
}

pub fn cuStreamCreate(gpu: &SoftGpu, phStream: Out<CUstream>, Flags: u32) -> Result<(), CUresult> {
    cuStreamCreateWithPriority(gpu, phStream, Flags, 0)
}

pub fn cuStreamCreateWithPriority(
    gpu: &SoftGpu,
    phStream: Out<CUstream>,
    flags: u32,
    priority: i32,
) -> Result<(), CUresult> {
    let context = gpu.current()?;
    if phStream.is_null() || flags & !CU_STREAM_NON_BLOCKING.0 != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let (least, greatest) = PRIORITIES;
    let blocking = flags & CU_STREAM_NON_BLOCKING.0 == 0;
    let stream = Stream::create(&context.queue, blocking, priority.clamp(greatest, least));
    phStream.set(CUstream(gpu.streams.insert(stream).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?))
}

/// The commands given so far still run.
pub fn cuStreamDestroy_v2(gpu: &SoftGpu, hStream: CUstream) -> Result<(), CUresult> {
    let stream = gpu.streams.remove(hStream.0).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
    gpu.graphs.captures.leave(&gpu.graphs, &stream);
    Ok(())
}

pub use cuStreamDestroy_v2 as cuStreamDestroy;

pub fn cuStreamQuery(gpu: &SoftGpu, hStream: CUstream) -> Result<(), CUresult> {
    let stream = gpu.stream_here(hStream)?;
    gpu.graphs.captures.refuse(&stream)?;
    let idle = stream.is_idle();
    stream.queue().check()?;
    if idle { Ok(()) } else { Err(CUDA_ERROR_NOT_READY) }
}

pub use cuStreamQuery as cuStreamQuery_ptsz;

pub fn cuStreamSynchronize(gpu: &SoftGpu, hStream: CUstream) -> Result<(), CUresult> {
    let stream = gpu.stream_here(hStream)?;
    gpu.graphs.captures.refuse(&stream)?;
    gpu.wait_for(&stream)
}

pub use cuStreamSynchronize as cuStreamSynchronize_ptsz;

pub fn cuStreamWaitEvent(
    gpu: &SoftGpu,
    hStream: CUstream,
    hEvent: CUevent,
    Flags: u32,
) -> Result<(), CUresult> {
    if Flags & !CU_EVENT_WAIT_EXTERNAL.0 != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let stream = gpu.stream_here(hStream)?;
    let event = EventRef { handle: hEvent, event: gpu.event(hEvent)? };
    let external = Flags & CU_EVENT_WAIT_EXTERNAL.0 != 0;
    if gpu.graphs.captures.wait(&gpu.graphs, &stream, &event, external)? {
        return Ok(());
    }
    if let Some(probe) = event.event.foreign() {
        stream.submit(Work::Until(probe));
    } else if let Some(task) = event.event.last().filter(|task| !task.is_done()) {
        stream.queue().submit(stream.lane(), Work::Join, &[task]);
    }
    Ok(())
}

pub use cuStreamWaitEvent as cuStreamWaitEvent_ptsz;

pub fn cuStreamGetPriority(gpu: &SoftGpu, hStream: CUstream, priority: Out<i32>) -> Result<(), CUresult> {
    priority.set(gpu.stream_here(hStream)?.priority())
}

pub use cuStreamGetPriority as cuStreamGetPriority_ptsz;

pub fn cuStreamGetFlags(gpu: &SoftGpu, hStream: CUstream, flags: Out<u32>) -> Result<(), CUresult> {
    let free = gpu.stream_here(hStream)?.kind() == StreamKind::Created { blocking: false };
    flags.set(if free { CU_STREAM_NON_BLOCKING.0 } else { CU_STREAM_DEFAULT.0 })
}

pub use cuStreamGetFlags as cuStreamGetFlags_ptsz;

pub fn cuStreamGetId(gpu: &SoftGpu, hStream: CUstream, streamId: Out<u64>) -> Result<(), CUresult> {
    streamId.set(gpu.stream_here(hStream)?.id())
}

pub use cuStreamGetId as cuStreamGetId_ptsz;

pub fn cuStreamGetCtx(gpu: &SoftGpu, hStream: CUstream, pctx: Out<CUcontext>) -> Result<(), CUresult> {
    pctx.set(gpu.stream_here(hStream)?.queue().context())
}

pub use cuStreamGetCtx as cuStreamGetCtx_ptsz;

pub fn cuStreamGetCtx_v2(
    gpu: &SoftGpu,
    hStream: CUstream,
    pCtx: Out<CUcontext>,
    pGreenCtx: Out<CUgreenCtx>,
) -> Result<(), CUresult> {
    if pCtx.is_null() || pGreenCtx.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    pGreenCtx.set(CUgreenCtx(0))?;
    cuStreamGetCtx(gpu, hStream, pCtx)
}

pub use cuStreamGetCtx_v2 as cuStreamGetCtx_v2_ptsz;

pub fn cuStreamGetDevice(gpu: &SoftGpu, hStream: CUstream, device: Out<CUdevice>) -> Result<(), CUresult> {
    let context = gpu.context_of(&*gpu.stream_here(hStream)?)?;
    device.set(CUdevice(context.device as i32))
}

pub use cuStreamGetDevice as cuStreamGetDevice_ptsz;

pub fn cuStreamCopyAttributes(gpu: &SoftGpu, dst: CUstream, src: CUstream) -> Result<(), CUresult> {
    let (dst, src) = (gpu.stream_here(dst)?, gpu.stream_here(src)?);
    dst.copy_attributes(&src);
    Ok(())
}

pub use cuStreamCopyAttributes as cuStreamCopyAttributes_ptsz;

pub fn cuStreamGetAttribute(
    gpu: &SoftGpu,
    hStream: CUstream,
    attr: CUlaunchAttributeID,
    value: Out<CUlaunchAttributeValue>,
) -> Result<(), CUresult> {
    let stream = gpu.stream_here(hStream)?;
    check_attribute(attr)?;
    value.set(stream.attribute(attr))
}

pub use cuStreamGetAttribute as cuStreamGetAttribute_ptsz;

pub fn cuStreamSetAttribute(
    gpu: &SoftGpu,
    hStream: CUstream,
    attr: CUlaunchAttributeID,
    value: In<CUlaunchAttributeValue>,
) -> Result<(), CUresult> {
    let stream = gpu.stream_here(hStream)?;
    check_attribute(attr)?;
    let value = value.get()?;
    let good = match attr {
        CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY => {
            let policy: CUsynchronizationPolicy = value.value.get();
            (CU_SYNC_POLICY_AUTO..=CU_SYNC_POLICY_BLOCKING_SYNC).contains(&policy)
        }
        CU_LAUNCH_ATTRIBUTE_PRIORITY => {
            let (least, greatest) = PRIORITIES;
            (greatest..=least).contains(&value.value.get())
        }
        CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN => {
            value.value.get::<CUlaunchMemSyncDomain>() <= CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE
        }
        _ => true,
    };
    if !good {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    stream.set_attribute(attr, value);
    Ok(())
}

pub use cuStreamSetAttribute as cuStreamSetAttribute_ptsz;

/// The attributes a stream has.
fn check_attribute(attr: CUlaunchAttributeID) -> Result<(), CUresult> {
    match attr {
        CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW
        | CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY
        | CU_LAUNCH_ATTRIBUTE_PRIORITY
        | CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP
        | CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN => Ok(()),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// Managed memory is visible everywhere at all times, so attaching it only takes its place in the stream.
pub fn cuStreamAttachMemAsync(
    gpu: &SoftGpu,
    hStream: CUstream,
    dptr: CUdeviceptr,
    length: usize,
    flags: u32,
) -> Result<(), CUresult> {
    let stream = gpu.stream_here(hStream)?;
    gpu.graphs.captures.refuse(&stream)?;
    let single = flags == CU_MEM_ATTACH_SINGLE.0;
    let known = single || flags == CU_MEM_ATTACH_GLOBAL.0 || flags == CU_MEM_ATTACH_HOST.0;
    let memory = gpu.memory.live.find(dptr.0).filter(|memory| memory.is_managed());
    let memory = memory.ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let whole = length == 0 || (dptr.0 == memory.start && length as u64 == memory.len);
    if !known || !whole || (single && stream.kind() == StreamKind::Legacy) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    stream.submit(Work::Join);
    Ok(())
}

pub use cuStreamAttachMemAsync as cuStreamAttachMemAsync_ptsz;
