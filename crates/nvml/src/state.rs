//! Whether the library is initialised in this process: as often as nvmlInit was called and nvmlShutdown was not.

use std::fmt::Display;
use std::sync::{Mutex, PoisonError};

use cleave_api::nvml::types::*;
use cleave_device::{Machine, Place, Request};

use crate::event_sets::EventSets;
use crate::gpu::Gpu;
use crate::{log, version};

/// What every call but the first few works on.
pub struct Library {
    machine: &'static Machine,
    pub gpus: Vec<Gpu>,
    pub event_sets: EventSets,
}

/// How often it is initialised, and what was opened for it. That stays when it is no longer: what is open stays open.
struct State {
    count: usize,
    library: Option<&'static Library>,
}

static STATE: Mutex<State> = Mutex::new(State { count: 0, library: None });

/// The devices, while the library is initialised.
pub fn running() -> Result<&'static Library, nvmlReturn_t> {
    let state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    state.library.filter(|_| state.count > 0).ok_or(NVML_ERROR_UNINITIALIZED)
}

/// Initialises the library once more. The device is made if there is none yet: a driver would be there too.
pub fn start() -> Result<(), nvmlReturn_t> {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    if state.count == 0 {
        let machine = open()?;
        // A monitor that comes and goes finds another device after a reset.
        let known = state.library.filter(|library| std::ptr::eq(library.machine, machine));
        state.library = known.or_else(|| Some(Library::new(machine)));
    }
    state.count += 1;
    Ok(())
}

/// Gives one initialisation back.
pub fn stop() -> Result<(), nvmlReturn_t> {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    state.count = state.count.checked_sub(1).ok_or(NVML_ERROR_UNINITIALIZED)?;
    Ok(())
}

fn open() -> Result<&'static Machine, nvmlReturn_t> {
    let refuse = |reason: &dyn Display| {
        log::warn(format_args!("{reason}"));
        NVML_ERROR_DRIVER_NOT_LOADED
    };
    let request = version::asked().and_then(|_| Request::of_process()).map_err(|error| refuse(&error))?;
    if request.place == Place::Private {
        return Err(refuse(&"a private device is libcuda's alone: NVML shows devices that processes share"));
    }
    Machine::open(&request).map_err(|error| refuse(&error))
}

impl Library {
    fn new(machine: &'static Machine) -> &'static Library {
        let library = Library { machine, gpus: Gpu::all(machine), event_sets: EventSets::default() };
        Box::leak(Box::new(library))
    }

    /// The device behind a handle.
    pub fn gpu(&self, handle: nvmlDevice_t) -> Result<&Gpu, nvmlReturn_t> {
        self.gpus.iter().find(|gpu| gpu.handle() == handle).ok_or(NVML_ERROR_INVALID_ARGUMENT)
    }

    /// The device that something is true of.
    pub fn find(&self, is: impl Fn(&&Gpu) -> bool) -> Result<&Gpu, nvmlReturn_t> {
        self.gpus.iter().find(is).ok_or(NVML_ERROR_NOT_FOUND)
    }
}
