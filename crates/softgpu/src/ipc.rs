//! Memory that goes from one process to another by a handle.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use cleave_api::cuda::types::*;
use cleave_device::chunks::CHUNK;
use cleave_device::share_handle::{HANDLE_BYTES, Handle, Kind};

use crate::gpu::SoftGpu;
use crate::memory::allocation::{self, Allocation, Owner};
use crate::memory::space::Numbers;

/// Linear memory of other processes that is open here.
#[derive(Default)]
pub struct Imports {
    open: Mutex<Vec<Import>>,
}

struct Import {
    handle: [u8; HANDLE_BYTES],
    context: u64,
    /// Gone when its context is.
    memory: Weak<Allocation>,
    uses: u32,
}

impl Imports {
    /// The memory a handle names, opened for `context`: what it has open already once more, else what `make` finds.
    pub fn open(
        &self,
        handle: [u8; HANDLE_BYTES],
        context: u64,
        make: impl FnOnce() -> Result<Arc<Allocation>, CUresult>,
    ) -> Result<CUdeviceptr, CUresult> {
        let mut open = self.lock();
        open.retain(|import| import.memory.strong_count() > 0);
        if let Some(import) = open.iter_mut().find(|import| import.handle == handle) {
            // One context of a process may have it.
            let memory = import.memory.upgrade().filter(|_| import.context == context);
            let memory = memory.ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
            import.uses += 1;
            return Ok(CUdeviceptr(memory.start));
        }
        let memory = make()?;
        open.push(Import { handle, context, memory: Arc::downgrade(&memory), uses: 1 });
        Ok(CUdeviceptr(memory.start))
    }

    /// Takes one opening back; the memory, if that was the last.
    pub fn close(&self, ptr: CUdeviceptr) -> Result<Option<Arc<Allocation>>, CUresult> {
        let mut open = self.lock();
        let found = open.iter_mut().enumerate().find_map(|(i, import)| {
            let memory = import.memory.upgrade().filter(|memory| memory.start == ptr.0)?;
            import.uses -= 1;
            Some((i, memory, import.uses))
        });
        let (i, memory, uses) = found.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        if uses > 0 {
            return Ok(None);
        }
        open.swap_remove(i);
        Ok(Some(memory))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Import>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SoftGpu {
    /// A handle made by this process for something on a device; what it names is still to be filled in.
    pub fn handle(&self, kind: Kind, device: usize) -> Handle {
        Handle {
            kind,
            machine: self.machine.id().0,
            device: self.devices[device].identity.ordinal as u8,
            record: self.member.record().get(),
            generation: self.member.generation(),
            first: 0,
            count: 0,
            second: 0,
            offset: 0,
            len: 0,
        }
    }

    /// Reads a handle of this machine, of the kind that is wanted.
    pub fn read_handle(&self, bytes: &[u8; HANDLE_BYTES], kind: Kind) -> Result<Handle, CUresult> {
        let handle = Handle::unpack(bytes).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        self.check_handle(&handle, kind)?;
        Ok(handle)
    }

    pub fn check_handle(&self, handle: &Handle, kind: Kind) -> Result<(), CUresult> {
        let ours = handle.machine == self.machine.id().0 && handle.kind == kind;
        if ours { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) }
    }

    /// Whether this process made it.
    pub fn is_own(&self, handle: &Handle) -> bool {
        (handle.record, handle.generation) == (self.member.record().get(), self.member.generation())
    }

    /// The device a handle is about, as this process numbers it.
    pub fn device_of(&self, handle: &Handle) -> Result<usize, CUresult> {
        let here = self.devices.iter().position(|device| device.identity.ordinal == handle.device.into());
        here.ok_or(CUDA_ERROR_INVALID_DEVICE)
    }

    /// Opens an allocation of this process to others; the handle they find it by.
    pub fn share_memory(&self, kind: Kind, memory: &Allocation) -> Result<Handle, CUresult> {
        let numbers = self.devices[memory.device].space.share(memory.start, memory.len);
        let Numbers { first, count, second } = numbers.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let offset = (memory.start % CHUNK) as u32;
        Ok(Handle { first, count, second, offset, len: memory.len, ..self.handle(kind, memory.device) })
    }

    /// Maps an allocation of another process.
    pub fn import_memory(
        &self,
        handle: &Handle,
        kind: allocation::Kind,
        context: u64,
    ) -> Result<Arc<Allocation>, CUresult> {
        let device = self.device_of(handle)?;
        let (offset, len) = (u64::from(handle.offset), handle.len);
        let end = offset.checked_add(len).filter(|_| offset < CHUNK && len > 0);
        let chunks = end.ok_or(CUDA_ERROR_INVALID_VALUE)?.div_ceil(CHUNK);
        let space = &self.devices[device].space;
        let addr = space.join(numbers(handle), chunks).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        let owner = Owner { context, device };
        let memory = Allocation::in_span((space, addr, chunks), (offset, len), kind, owner);
        if self.memory.live.insert(&memory) { Ok(memory) } else { Err(CUDA_ERROR_MAP_FAILED) }
    }
}

/// The numbers of the chunks a handle names.
pub fn numbers(handle: &Handle) -> Numbers {
    Numbers { first: handle.first, count: handle.count, second: handle.second }
}
