//! The container's devices in NVML's order, which numbers them where nobody wrote their names down.

use cleave_api::nvml::types::*;
use cleave_slot::Uuid;

use crate::nvml::ask_unsafe::{Unanswered, ask};
use crate::nvml::room_unsafe::{filled, text};
use crate::real_unsafe::nvml as real;

/// Every device that NVML shows this container.
pub fn by_number() -> Result<Vec<Uuid>, String> {
    ask(list).map_err(|why| match why {
        Unanswered::Missing => {
            "the devices that the limits number cannot be listed: libnvidia-ml.so.1 is missing; \
             give the container the utility capability, or NVIDIA_VISIBLE_DEVICES as identifiers"
                .into()
        }
        Unanswered::Refused(code) => {
            format!("the devices that the limits number cannot be listed: NVML says {}", code.0)
        }
    })
}

fn list() -> Result<Vec<Uuid>, nvmlReturn_t> {
    let count = filled(real::nvmlDeviceGetCount_v2)?;
    (0..count).map(uuid).collect()
}

fn uuid(number: u32) -> Result<Uuid, nvmlReturn_t> {
    let device = filled(|device| real::nvmlDeviceGetHandleByIndex_v2(number, device))?;
    let uuid = text(|room, length| real::nvmlDeviceGetUUID(device, room, length))?;
    uuid.parse().map_err(|_| NVML_ERROR_UNKNOWN)
}
