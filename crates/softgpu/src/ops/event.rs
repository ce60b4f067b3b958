use std::sync::Arc;

use cleave_api::cuda::types::*;
use cleave_api::edge::Out;

use crate::gpu::SoftGpu;
use crate::graph::EventRef;
use crate::ipc_event::SharedPart;
use crate::queue::{Event, Patience, Recorded, in_host_function};

impl SoftGpu {
    /// The event behind a handle, if its context can be used.
    pub fn event(&self, handle: CUevent) -> Result<Arc<Event>, CUresult> {
        if in_host_function() {
            return Err(CUDA_ERROR_NOT_PERMITTED);
        }
        let event = self.events.get(handle.0).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        event.queue().check()?;
        Ok(event)
    }
}

pub fn cuEventCreate(gpu: &SoftGpu, phEvent: Out<CUevent>, Flags: u32) -> Result<(), CUresult> {
    const KNOWN: u32 = CU_EVENT_BLOCKING_SYNC.0 | CU_EVENT_DISABLE_TIMING.0 | CU_EVENT_INTERPROCESS.0;
    let context = gpu.current()?;
    let timing = Flags & CU_EVENT_DISABLE_TIMING.0 == 0;
    let shared = Flags & CU_EVENT_INTERPROCESS.0 != 0;
    if phEvent.is_null() || Flags & !KNOWN != 0 || (shared && timing) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let patience = if Flags & CU_EVENT_BLOCKING_SYNC.0 != 0 { Patience::Sleep } else { Patience::Spin };
    let event = Event::new(&context.queue, timing, patience);
    if shared {
        event.share(Arc::new(SharedPart::create(gpu).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?));
    }
    phEvent.set(CUevent(gpu.events.insert(event).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?))
}

/// A point that is still to be reached is reached all the same.
pub fn cuEventDestroy_v2(gpu: &SoftGpu, hEvent: CUevent) -> Result<(), CUresult> {
    gpu.events.remove(hEvent.0).map(drop).ok_or(CUDA_ERROR_INVALID_HANDLE)
}

pub use cuEventDestroy_v2 as cuEventDestroy;

pub fn cuEventRecord(gpu: &SoftGpu, hEvent: CUevent, hStream: CUstream) -> Result<(), CUresult> {
    cuEventRecordWithFlags(gpu, hEvent, hStream, CU_EVENT_RECORD_DEFAULT.0)
}

pub use cuEventRecord as cuEventRecord_ptsz;

pub fn cuEventRecordWithFlags(
    gpu: &SoftGpu,
    hEvent: CUevent,
    hStream: CUstream,
    flags: u32,
) -> Result<(), CUresult> {
    if flags & !CU_EVENT_RECORD_EXTERNAL.0 != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let event = EventRef { handle: hEvent, event: gpu.event(hEvent)? };
    let stream = gpu.stream_here(hStream)?;
    if !Arc::ptr_eq(event.event.queue(), stream.queue()) {
        return Err(CUDA_ERROR_INVALID_HANDLE);
    }
    let external = flags & CU_EVENT_RECORD_EXTERNAL.0 != 0;
    if !gpu.graphs.captures.record(&gpu.graphs, &stream, &event, external)? {
        event.event.record(&stream);
    }
    Ok(())
}

pub use cuEventRecordWithFlags as cuEventRecordWithFlags_ptsz;

pub fn cuEventQuery(gpu: &SoftGpu, hEvent: CUevent) -> Result<(), CUresult> {
    let event = gpu.event(hEvent)?;
    refuse_captured(&event)?;
    let done = event.is_done();
    event.queue().check()?;
    if done { Ok(()) } else { Err(CUDA_ERROR_NOT_READY) }
}

pub fn cuEventSynchronize(gpu: &SoftGpu, hEvent: CUevent) -> Result<(), CUresult> {
    let event = gpu.event(hEvent)?;
    refuse_captured(&event)?;
    event.wait();
    let context = gpu.context(event.queue().context())?;
    gpu.after_synchronize(&context);
    context.check()
}

/// Nothing runs at a point of a capture, so there is nothing to ask or wait for.
fn refuse_captured(event: &Event) -> Result<(), CUresult> {
    match event.recorded() {
        Recorded::Captured(_) => Err(CUDA_ERROR_CAPTURED_EVENT),
        _ => Ok(()),
    }
}

pub fn cuEventElapsedTime(
    gpu: &SoftGpu,
    pMilliseconds: Out<f32>,
    hStart: CUevent,
    hEnd: CUevent,
) -> Result<(), CUresult> {
    let (start, end) = (gpu.event(hStart)?, gpu.event(hEnd)?);
    if pMilliseconds.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    refuse_captured(&start)?;
    refuse_captured(&end)?;
    let nanoseconds = end.since(&start)?;
    pMilliseconds.set((nanoseconds as f64 / 1e6) as f32)
}

pub use cuEventElapsedTime as cuEventElapsedTime_v2;
