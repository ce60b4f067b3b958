use cleave_api::cuda::types::*;
use cleave_api::edge::Out;
use cleave_device::share_handle::{Handle, Kind};
use cleave_device::shared_event::EventName;

use crate::gpu::SoftGpu;
use crate::ipc_event::SharedPart;
use crate::memory::allocation;
use crate::queue::{Event, Patience};

/// The handle names the whole allocation, also for a pointer into it. Mapped and pooled memory have handles of their own.
pub fn cuIpcGetMemHandle(
    gpu: &SoftGpu,
    handle: Out<CUipcMemHandle>,
    dptr: CUdeviceptr,
) -> Result<(), CUresult> {
    gpu.current()?;
    let memory = gpu.memory.live.find(dptr.0).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    if handle.is_null() || !matches!(memory.kind, allocation::Kind::Linear) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    handle.set(CUipcMemHandle { reserved: gpu.share_memory(Kind::Memory, &memory)?.pack() })
}

pub fn cuIpcOpenMemHandle_v2(
    gpu: &SoftGpu,
    dptr: Out<CUdeviceptr>,
    handle: CUipcMemHandle,
    flags: u32,
) -> Result<(), CUresult> {
    let context = gpu.current()?;
    if dptr.is_null() || flags & !CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0 != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let named = gpu.read_handle(&handle.reserved, Kind::Memory)?;
    // It is open already to who made it, under its own address.
    if gpu.is_own(&named) {
        return Err(CUDA_ERROR_INVALID_CONTEXT);
    }
    let open = || gpu.import_memory(&named, allocation::Kind::Imported, context.id);
    dptr.set(gpu.imports.open(handle.reserved, context.id, open)?)
}

pub use cuIpcOpenMemHandle_v2 as cuIpcOpenMemHandle;

/// Waits for what may still use the memory. The process it belongs to keeps it.
pub fn cuIpcCloseMemHandle(gpu: &SoftGpu, dptr: CUdeviceptr) -> Result<(), CUresult> {
    gpu.current()?;
    if let Some(memory) = gpu.imports.close(dptr)? {
        gpu.wait_for_owner(&memory)?;
        drop(gpu.memory.live.remove_if(memory.start, |found| found.id == memory.id));
    }
    Ok(())
}

pub fn cuIpcGetEventHandle(
    gpu: &SoftGpu,
    handle: Out<CUipcEventHandle>,
    event: CUevent,
) -> Result<(), CUresult> {
    let event = gpu.event(event)?;
    let shared = event.shared().ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let EventName { slot, number } = shared.name();
    let named = Handle { first: number, count: slot, ..gpu.handle(Kind::Event, 0) };
    handle.set(CUipcEventHandle { reserved: named.pack() })
}

pub fn cuIpcOpenEventHandle(
    gpu: &SoftGpu,
    event: Out<CUevent>,
    handle: CUipcEventHandle,
) -> Result<(), CUresult> {
    let context = gpu.current()?;
    let named = gpu.read_handle(&handle.reserved, Kind::Event)?;
    if event.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if gpu.is_own(&named) {
        return Err(CUDA_ERROR_INVALID_CONTEXT);
    }
    let name = EventName { slot: named.count, number: named.first };
    let part = SharedPart::open(gpu, name).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
    let opened = Event::new(&context.queue, false, Patience::Spin);
    opened.share(std::sync::Arc::new(part));
    event.set(CUevent(gpu.events.insert(opened).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?))
}
