//! Where an instance of a partitioned device lies, which is how it was named before it had a name of its own.

use cleave_api::nvml::types::*;
use cleave_slot::Uuid;

use super::ask_unsafe::ask;
use super::devices::handle;
use super::room_unsafe::{filled, text};
use crate::real_unsafe::nvml as real;

/// An instance of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The whole device, as NVML writes its name.
    pub device: String,
    /// The number of its GPU instance.
    pub gpu: u32,
    /// The number of its compute instance in that.
    pub compute: u32,
}

impl Instance {
    /// The instance with this name; `None` if it is none, or if there is no NVML to ask.
    pub fn named(uuid: &Uuid) -> Option<Instance> {
        let look = || -> Result<Instance, nvmlReturn_t> {
            let instance = handle(&uuid.to_string())?;
            let device =
                filled(|device| real::nvmlDeviceGetDeviceHandleFromMigDeviceHandle(instance, device))?;
            Ok(Instance {
                device: text(|room, length| real::nvmlDeviceGetUUID(device, room, length))?,
                gpu: filled(|id| real::nvmlDeviceGetGpuInstanceId(instance, id))?,
                compute: filled(|id| real::nvmlDeviceGetComputeInstanceId(instance, id))?,
            })
        };
        ask(look).ok()
    }
}
