use cleave_api::nvml::types::*;

use crate::edge::{self, Answer, InOut, Out};
use crate::state::Library;

pub fn nvmlDeviceGetMemoryInfo(library: &Library, device: nvmlDevice_t, memory: Out<nvmlMemory_t>) -> Answer {
    let info = library.gpu(device)?.memory();
    memory.set(nvmlMemory_t { total: info.total, free: info.free, used: info.used })
}

/// The software GPU reserves nothing for itself.
pub fn nvmlDeviceGetMemoryInfo_v2(
    library: &Library,
    device: nvmlDevice_t,
    memory: InOut<nvmlMemory_v2_t>,
) -> Answer {
    let info = library.gpu(device)?.memory();
    edge::version(memory.get()?.version, nvmlMemory_v2)?;
    memory.set(nvmlMemory_v2_t {
        version: nvmlMemory_v2,
        total: info.total,
        reserved: 0,
        free: info.free,
        used: info.used,
    })
}
