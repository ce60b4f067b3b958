//! The state of the driver in one process: devices, memory, engines, and every object a program holds a handle to.

use std::sync::Arc;

use cleave_api::cuda::types::*;
use cleave_device::{Error, Machine, Member, Request};

use crate::array::{Array, Mipmaps};
use crate::config::{self, Config};
use crate::context::{Context, Parts};
use crate::current;
use crate::device::{Device, limits};
use crate::gate::Gate;
use crate::graph::Graphs;
use crate::handle::{Kind, Table};
use crate::ipc::Imports;
use crate::log;
use crate::memory::allocation::{Allocation, Scope};
use crate::memory::bank::Bank;
use crate::memory::heap::Heap;
use crate::memory::space::Space;
use crate::memory::store::Memory;
use crate::memory::vmm::Physical;
use crate::module::link::Link;
use crate::module::{Function, Kernel, Library, Module};
use crate::pools::Pools;
use crate::queue::{Engines, Event, Queue, Stream, in_host_function};

pub struct SoftGpu {
    pub config: Config,
    /// The devices that all processes share.
    pub machine: &'static Machine,
    /// This process's place among them.
    pub member: &'static Member,
    pub devices: Vec<Device>,
    pub memory: Memory,
    pub contexts: Table<Context>,
    pub arrays: Table<Array>,
    pub mipmaps: Table<Mipmaps>,
    pub physicals: Table<Physical>,
    pub pools: Pools,
    /// Memory of other processes that is open here.
    pub imports: Imports,
    pub modules: Table<Module>,
    pub functions: Table<Function>,
    pub libraries: Table<Library>,
    pub kernels: Table<Kernel>,
    pub links: Table<Link>,
    pub streams: Table<Stream>,
    pub events: Table<Event>,
    pub graphs: Graphs,
    pub engines: Arc<Engines>,
}

impl SoftGpu {
    /// Opens the devices that the environment names. Starts no thread.
    pub fn new() -> Result<SoftGpu, CUresult> {
        let config = Config::from_env().map_err(|sentence| {
            log::warn(format_args!("{sentence}"));
            CUDA_ERROR_INVALID_VALUE
        })?;
        let request = Request::of_process().map_err(no_machine)?;
        let machine = Machine::open(&request).map_err(no_machine)?;
        let uuids: Vec<String> = machine.devices().map(|device| device.uuid_text()).collect();
        let visible = match &config.visible {
            Some(list) => config::visible(list, &uuids),
            None => (0..uuids.len()).collect(),
        };
        if visible.is_empty() {
            return Err(CUDA_ERROR_NO_DEVICE);
        }
        let member = machine.join(&process_name()).map_err(no_machine)?;
        let devices = visible.into_iter().map(|ordinal| {
            let bank = Bank::open(machine, ordinal, member.record())?;
            let space = Arc::new(Space::of_device(ordinal, bank)?);
            let gate = Gate::new(machine, member, ordinal, engine(&config, machine));
            Ok(Device::new(machine.device(ordinal), machine.setup(), space, gate))
        });
        let devices = devices.collect::<Result<Vec<Device>, _>>().map_err(no_address_space)?;
        let memory = Memory::new().map_err(no_address_space)?;
        let pools = Pools::new(&devices);
        Ok(SoftGpu {
            machine,
            member,
            devices,
            memory,
            contexts: Table::new(Kind::Context),
            arrays: Table::new(Kind::Array),
            mipmaps: Table::new(Kind::MipmappedArray),
            physicals: Table::new(Kind::Allocation),
            pools,
            imports: Imports::default(),
            modules: Table::new(Kind::Module),
            functions: Table::new(Kind::Function),
            libraries: Table::new(Kind::Library),
            kernels: Table::new(Kind::Kernel),
            links: Table::new(Kind::Link),
            streams: Table::new(Kind::Stream),
            events: Table::new(Kind::Event),
            graphs: Graphs::default(),
            config,
            engines: Engines::new(),
        })
    }

    pub fn device(&self, device: CUdevice) -> Result<(usize, &Device), CUresult> {
        let ordinal = usize::try_from(device.0).map_err(|_| CUDA_ERROR_INVALID_DEVICE)?;
        self.devices.get(ordinal).map(|device| (ordinal, device)).ok_or(CUDA_ERROR_INVALID_DEVICE)
    }

    /// The calling thread's context, if it can be used. A host function has none: it must not call the driver.
    pub fn current(&self) -> Result<Arc<Context>, CUresult> {
        if in_host_function() {
            return Err(CUDA_ERROR_NOT_PERMITTED);
        }
        let context = current::top().ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        context.check()?;
        Ok(context)
    }

    /// The context behind a handle, whatever its state.
    pub fn context(&self, handle: CUcontext) -> Result<Arc<Context>, CUresult> {
        self.contexts.get(handle.0).ok_or(CUDA_ERROR_INVALID_CONTEXT)
    }

    /// A new context on device `ordinal`.
    pub fn create_context(
        &self,
        ordinal: usize,
        flags: u32,
        primary: bool,
    ) -> Result<Arc<Context>, CUresult> {
        let device = self.devices.get(ordinal).ok_or(CUDA_ERROR_INVALID_DEVICE)?;
        let room = self.or_trim(|| device.space.take_room(device.setup.context))?;
        let handle = self.contexts.insert_with(|handle| {
            let queue = Queue::new(&self.engines, device.gate.clone(), CUcontext(handle));
            let heap = Arc::new(Heap::new(device.space.clone()));
            Arc::new(Context::new(handle, Parts { device: ordinal, primary, flags, queue, heap, room }))
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
        self.libraries.all().iter().for_each(|library| library.forget(context.id));
        self.modules.all().iter().filter(|m| m.context == context.id).for_each(|module| module.unload(self));
        self.mipmaps.retain(|mipmaps| mipmaps.context != context.id);
        self.arrays.retain(|array| array.context != context.id);
        self.graphs.captures.leave_all(&self.graphs, &context.queue);
        self.streams.retain(|stream| stream.queue().context() != context.handle);
        self.events.retain(|event| event.queue().context() != context.handle);
        context.blocks.clear();
        drop(self.memory.live.close(context.id));
        context.leave_room();
    }

    /// Compute capability of the devices, two digits.
    pub fn target(&self) -> u32 {
        let (major, minor) = self.machine.setup().capability;
        major * 10 + minor
    }

    /// A kernel in a context: by its function, or by its library's kernel, which programs also pass as a function.
    pub fn function_in(
        &self,
        context: &Context,
        function: CUfunction,
        kernel: CUkernel,
    ) -> Result<Arc<Function>, CUresult> {
        if let Some(function) = self.functions.get(function.0) {
            let here = self.modules.get(function.module.0).is_some_and(|module| module.context == context.id);
            return if here { Ok(function) } else { Err(CUDA_ERROR_INVALID_HANDLE) };
        }
        let handle = if function.is_null() { kernel.0 } else { function.0 };
        let kernel = self.kernels.get(handle).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        let library = self.libraries.get(kernel.library.0).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        let function = library.module(self, context)?.function(self, &kernel.name)?;
        self.functions.get(function.0).ok_or(CUDA_ERROR_INVALID_HANDLE)
    }

    /// Tries again after pools have given back what they only keep for later.
    pub fn or_trim<T>(&self, take: impl Fn() -> Option<T>) -> Result<T, CUresult> {
        take().or_else(|| self.pools.trim().then(take).flatten()).ok_or(CUDA_ERROR_OUT_OF_MEMORY)
    }

    /// Waits until nothing that was submitted so far can touch an allocation.
    pub fn wait_for_owner(&self, allocation: &Allocation) -> Result<(), CUresult> {
        let own = current::peek(|top| top.filter(|c| c.id == allocation.context).cloned()).flatten();
        match own {
            Some(context) if allocation.scope() == Scope::Context => context.wait(),
            _ => self.wait_for_all(),
        }
    }

    /// Waits until every context has done what was submitted so far.
    pub fn wait_for_all(&self) -> Result<(), CUresult> {
        self.contexts.all().iter().try_for_each(|context| context.wait())
    }

    /// What follows every wait for the device: device output appears, pools settle.
    pub fn after_synchronize(&self, context: &Context) {
        context.printf.flush();
        self.pools.settle();
    }
}

/// How grids are executed.
fn engine(config: &Config, machine: &Machine) -> cleave_simt::Config {
    let (setup, chip) = (machine.setup(), machine.setup().limits());
    cleave_simt::Config {
        workers: config.workers,
        sms: setup.sms,
        threads_per_sm: chip.threads_per_sm,
        blocks_per_sm: chip.blocks_per_sm,
        shared_per_sm: chip.shared_per_sm,
        registers_per_sm: limits::REGISTERS_PER_SM,
        adversarial: config.adversarial,
        ..cleave_simt::Config::default()
    }
}

/// What people see this process as.
fn process_name() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Why there are no devices: a line for the reader, a code for the program.
fn no_machine(error: Error) -> CUresult {
    log::warn(format_args!("{error}"));
    match error {
        Error::Nonsense { .. } | Error::Contradiction(_) | Error::Config { .. } | Error::Differs { .. } => {
            CUDA_ERROR_INVALID_VALUE
        }
        Error::System { .. } => CUDA_ERROR_OPERATING_SYSTEM,
        _ => CUDA_ERROR_SYSTEM_NOT_READY,
    }
}

fn no_address_space(error: std::io::Error) -> CUresult {
    log::warn(format_args!("cannot set up device memory error={error}"));
    CUDA_ERROR_OPERATING_SYSTEM
}
