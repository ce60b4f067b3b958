//! The state of the driver in one process: devices, memory, engines, and every object a program holds a handle to.

use std::sync::Arc;
use std::time::Instant;

use cleave_api::cuda::types::*;

use crate::config::{self, Config};
use crate::context::{Context, Parts};
use crate::current;
use crate::device::{self, Device};
use crate::handle::{Kind, Table};
use crate::log;
use crate::memory::heap::Heap;
use crate::memory::space::Space;
use crate::memory::store::Memory;
use crate::queue::{Engines, Queue};

pub struct SoftGpu {
    pub config: Config,
    pub devices: Vec<Device>,
    pub memory: Memory,
    pub contexts: Table<Context>,
    pub engines: Arc<Engines>,
}

impl SoftGpu {
    /// Sets up what the environment describes. Starts no thread.
    pub fn new() -> Result<SoftGpu, CUresult> {
        let config = Config::from_env();
        let uuids: Vec<String> = (0..config.devices).map(|i| device::uuid_text(&device::uuid(i))).collect();
        let visible = match &config.visible {
            Some(list) => config::visible(list, &uuids),
            None => (0..config.devices).collect(),
        };
        if visible.is_empty() {
            return Err(CUDA_ERROR_NO_DEVICE);
        }
        let devices = visible.into_iter().map(|ordinal| {
            Space::of_device(ordinal, config.memory).map(|space| Device::new(ordinal, Arc::new(space)))
        });
        let devices = devices.collect::<Result<Vec<Device>, _>>().map_err(no_address_space)?;
        let memory = Memory::new().map_err(no_address_space)?;
        let start = Instant::now();
        Ok(SoftGpu {
            config,
            devices,
            memory,
            contexts: Table::new(Kind::Context),
            engines: Engines::new(move || start.elapsed().as_nanos() as u64),
        })
    }

    pub fn device(&self, device: CUdevice) -> Result<(usize, &Device), CUresult> {
        let ordinal = usize::try_from(device.0).map_err(|_| CUDA_ERROR_INVALID_DEVICE)?;
        self.devices.get(ordinal).map(|device| (ordinal, device)).ok_or(CUDA_ERROR_INVALID_DEVICE)
    }

    /// The calling thread's context, if it can be used.
    pub fn current(&self) -> Result<Arc<Context>, CUresult> {
        let context = current::top().ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        context.check()?;
        Ok(context)
    }

    /// The context behind a handle, whatever its state.
    pub fn context(&self, handle: CUcontext) -> Result<Arc<Context>, CUresult> {
        self.contexts.get(handle.0).ok_or(CUDA_ERROR_INVALID_CONTEXT)
    }

    /// A new context on device `ordinal`.
    pub fn create_context(&self, ordinal: usize, flags: u32, primary: bool) -> Result<Arc<Context>, CUresult> {
        let device = self.devices.get(ordinal).ok_or(CUDA_ERROR_INVALID_DEVICE)?;
        let handle = self.contexts.insert_with(|handle| {
            let queue = Queue::new(&self.engines, CUcontext(handle));
            let heap = Arc::new(Heap::new(device.space.clone()));
            Arc::new(Context::new(handle, Parts { device: ordinal, primary, flags, queue, heap }))
        });
        let context = self.context(CUcontext(handle.ok_or(CUDA_ERROR_OUT_OF_MEMORY)?))?;
        self.memory.live.open(context.id, ordinal, context.ranges.clone());
        Ok(context)
    }

    /// Ends a context: what waits is dropped, what runs is stopped, what it holds is given back.
    pub fn destroy_context(&self, context: &Context) {
        if !context.destroy() {
            return;
        }
        context.queue.poison(CUDA_ERROR_CONTEXT_IS_DESTROYED);
        context.queue.quiesce();
        context.printf.flush();
        self.contexts.remove(context.handle.0);
        drop(self.memory.live.close(context.id));
    }

    /// What follows every wait for the device: device output appears, pools settle.
    pub fn after_synchronize(&self, context: &Context) {
        context.printf.flush();
    }
}

fn no_address_space(error: std::io::Error) -> CUresult {
    log::warn(format_args!("cannot set up device memory error={error}"));
    CUDA_ERROR_OPERATING_SYSTEM
}
