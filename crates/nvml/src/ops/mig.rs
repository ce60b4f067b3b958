use cleave_api::nvml::types::*;

use crate::edge::{self, Answer, InOut, Out};
use crate::state::Library;

pub fn nvmlDeviceIsMigDeviceHandle(library: &Library, device: nvmlDevice_t, is: Out<u32>) -> Answer {
    library.gpu(device)?;
    is.set(0)
}

pub fn nvmlDeviceGetMaxMigDeviceCount(library: &Library, device: nvmlDevice_t, count: Out<u32>) -> Answer {
    library.gpu(device)?;
    count.set(0)
}

pub fn nvmlDeviceGetVirtualizationMode(
    library: &Library,
    device: nvmlDevice_t,
    mode: Out<nvmlGpuVirtualizationMode_t>,
) -> Answer {
    library.gpu(device)?;
    mode.set(NVML_GPU_VIRTUALIZATION_MODE_NONE)
}

pub fn nvmlGpmQueryDeviceSupport(
    library: &Library,
    device: nvmlDevice_t,
    support: InOut<nvmlGpmSupport_t>,
) -> Answer {
    library.gpu(device)?;
    edge::version(support.get()?.version, NVML_GPM_SUPPORT_VERSION)?;
    support.set(nvmlGpmSupport_t { version: NVML_GPM_SUPPORT_VERSION, isSupportedDevice: 0 })
}

/// No handle is that of a MIG device.
pub fn nvmlDeviceGetDeviceHandleFromMigDeviceHandle(
    _library: &Library,
    _instance: nvmlDevice_t,
    _device: Out<nvmlDevice_t>,
) -> Answer {
    Err(NVML_ERROR_INVALID_ARGUMENT)
}
