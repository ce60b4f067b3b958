use std::time::Duration;

use cleave_api::nvml::types::*;

use crate::edge::{Answer, Out};
use crate::state::Library;

pub fn nvmlEventSetCreate(library: &Library, set: Out<nvmlEventSet_t>) -> Answer {
    if set.is_null() {
        return Err(NVML_ERROR_INVALID_ARGUMENT);
    }
    set.set(library.event_sets.create())
}

/// There is nothing to register for but nothing.
pub fn nvmlDeviceRegisterEvents(
    library: &Library,
    device: nvmlDevice_t,
    types: u64,
    set: nvmlEventSet_t,
) -> Answer {
    library.gpu(device)?;
    library.event_sets.has(set)?;
    if types == 0 { Ok(()) } else { Err(NVML_ERROR_NOT_SUPPORTED) }
}

pub fn nvmlDeviceGetSupportedEventTypes(library: &Library, device: nvmlDevice_t, types: Out<u64>) -> Answer {
    library.gpu(device)?;
    types.set(0)
}

pub fn nvmlEventSetWait(
    library: &Library,
    set: nvmlEventSet_t,
    data: Out<nvmlEventData_t>,
    timeout_ms: u32,
) -> Answer {
    library.event_sets.has(set)?;
    if data.is_null() {
        return Err(NVML_ERROR_INVALID_ARGUMENT);
    }
    std::thread::sleep(Duration::from_millis(timeout_ms.into()));
    Err(NVML_ERROR_TIMEOUT)
}

pub use nvmlEventSetWait as nvmlEventSetWait_v2;

pub fn nvmlEventSetFree(library: &Library, set: nvmlEventSet_t) -> Answer {
    library.event_sets.free(set)
}
