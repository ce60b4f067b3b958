use cleave_api::nvml::types::*;

use crate::edge::{self, Answer, BytesMut, In, InOut, Out, SliceMut, Str};
use crate::near;
use crate::state::Library;

pub fn nvmlDeviceGetCount(library: &Library, count: Out<u32>) -> Answer {
    count.set(library.gpus.len() as u32)
}

pub use nvmlDeviceGetCount as nvmlDeviceGetCount_v2;

pub fn nvmlDeviceGetHandleByIndex(library: &Library, index: u32, device: Out<nvmlDevice_t>) -> Answer {
    let gpu = library.gpus.get(index as usize).ok_or(NVML_ERROR_INVALID_ARGUMENT)?;
    device.set(gpu.handle())
}

pub use nvmlDeviceGetHandleByIndex as nvmlDeviceGetHandleByIndex_v2;

pub fn nvmlDeviceGetHandleBySerial(library: &Library, serial: Str, device: Out<nvmlDevice_t>) -> Answer {
    let wanted = serial.get()?;
    device.set(library.find(|gpu| gpu.serial() == wanted)?.handle())
}

pub fn nvmlDeviceGetHandleByUUID(library: &Library, uuid: Str, device: Out<nvmlDevice_t>) -> Answer {
    let wanted = uuid.get()?;
    device.set(library.find(|gpu| gpu.device().uuid_text().eq_ignore_ascii_case(wanted))?.handle())
}

pub fn nvmlDeviceGetHandleByUUIDV(
    library: &Library,
    uuid: In<nvmlUUID_t>,
    device: Out<nvmlDevice_t>,
) -> Answer {
    let uuid = uuid.get()?;
    edge::version(uuid.version, nvmlUUID_v1)?;
    let gpu = match nvmlUUIDType_t(uuid.type_) {
        NVML_UUID_TYPE_ASCII => {
            let text: [u8; 41] = uuid.value.value.get();
            let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
            library.find(|gpu| gpu.device().uuid_text().as_bytes().eq_ignore_ascii_case(text))?
        }
        NVML_UUID_TYPE_BINARY => {
            let bytes: [u8; 16] = uuid.value.value.get();
            library.find(|gpu| gpu.device().uuid == bytes)?
        }
        _ => return Err(NVML_ERROR_INVALID_ARGUMENT),
    };
    device.set(gpu.handle())
}

pub fn nvmlDeviceGetName(library: &Library, device: nvmlDevice_t, name: BytesMut, _length: u32) -> Answer {
    edge::text(name, &library.gpu(device)?.device().name)
}

/// No brand of the vendor's.
pub fn nvmlDeviceGetBrand(library: &Library, device: nvmlDevice_t, brand: Out<nvmlBrandType_t>) -> Answer {
    library.gpu(device)?;
    brand.set(NVML_BRAND_UNKNOWN)
}

pub fn nvmlDeviceGetIndex(library: &Library, device: nvmlDevice_t, index: Out<u32>) -> Answer {
    index.set(library.gpu(device)?.index() as u32)
}

pub use nvmlDeviceGetIndex as nvmlDeviceGetMinorNumber;

pub fn nvmlDeviceGetSerial(
    library: &Library,
    device: nvmlDevice_t,
    serial: BytesMut,
    _length: u32,
) -> Answer {
    edge::text(serial, &library.gpu(device)?.serial())
}

pub fn nvmlDeviceGetUUID(library: &Library, device: nvmlDevice_t, uuid: BytesMut, _length: u32) -> Answer {
    edge::text(uuid, &library.gpu(device)?.device().uuid_text())
}

/// Sets of bits, as long as the caller wants them.
fn bits(found: &[u64], size: u32, set: SliceMut<u64>) -> Answer {
    if size == 0 || set.is_null() {
        return Err(NVML_ERROR_INVALID_ARGUMENT);
    }
    (0..size as usize).try_for_each(|i| set.set(i, found.get(i).copied().unwrap_or(0)))
}

fn scope(scope: nvmlAffinityScope_t) -> Answer {
    match scope {
        NVML_AFFINITY_SCOPE_NODE | NVML_AFFINITY_SCOPE_SOCKET => Ok(()),
        _ => Err(NVML_ERROR_INVALID_ARGUMENT),
    }
}

pub fn nvmlDeviceGetMemoryAffinity(
    library: &Library,
    device: nvmlDevice_t,
    size: u32,
    set: SliceMut<u64>,
    within: nvmlAffinityScope_t,
) -> Answer {
    library.gpu(device)?;
    scope(within)?;
    bits(&near::nodes(), size, set)
}

pub fn nvmlDeviceGetCpuAffinityWithinScope(
    library: &Library,
    device: nvmlDevice_t,
    size: u32,
    set: SliceMut<u64>,
    within: nvmlAffinityScope_t,
) -> Answer {
    library.gpu(device)?;
    scope(within)?;
    bits(&near::cpus(), size, set)
}

pub fn nvmlDeviceGetCpuAffinity(
    library: &Library,
    device: nvmlDevice_t,
    size: u32,
    set: SliceMut<u64>,
) -> Answer {
    library.gpu(device)?;
    bits(&near::cpus(), size, set)
}

/// Between two devices lies the host, as if each had a slot of its own.
const BETWEEN: nvmlGpuTopologyLevel_t = NVML_TOPOLOGY_HOSTBRIDGE;

pub fn nvmlDeviceGetTopologyCommonAncestor(
    library: &Library,
    device1: nvmlDevice_t,
    device2: nvmlDevice_t,
    level: Out<nvmlGpuTopologyLevel_t>,
) -> Answer {
    let (a, b) = (library.gpu(device1)?, library.gpu(device2)?);
    level.set(if a.index() == b.index() { NVML_TOPOLOGY_INTERNAL } else { BETWEEN })
}

pub fn nvmlDeviceGetTopologyNearestGpus(
    library: &Library,
    device: nvmlDevice_t,
    level: nvmlGpuTopologyLevel_t,
    count: InOut<u32>,
    devices: SliceMut<nvmlDevice_t>,
) -> Answer {
    library.gpu(device)?;
    let others =
        library.gpus.iter().map(|gpu| gpu.handle()).filter(|&other| other != device && level == BETWEEN);
    let others: Vec<nvmlDevice_t> = others.collect();
    // Asked without room, it only counts.
    if devices.is_null() {
        return count.set(others.len() as u32);
    }
    edge::list(&others, count, devices)
}

pub fn nvmlDeviceGetDisplayMode(
    library: &Library,
    device: nvmlDevice_t,
    state: Out<nvmlEnableState_t>,
) -> Answer {
    library.gpu(device)?;
    state.set(NVML_FEATURE_DISABLED)
}

pub use nvmlDeviceGetDisplayMode as nvmlDeviceGetDisplayActive;

/// The device stays when its last process goes.
pub fn nvmlDeviceGetPersistenceMode(
    library: &Library,
    device: nvmlDevice_t,
    mode: Out<nvmlEnableState_t>,
) -> Answer {
    library.gpu(device)?;
    mode.set(NVML_FEATURE_ENABLED)
}

pub fn nvmlDeviceSetPersistenceMode(
    library: &Library,
    device: nvmlDevice_t,
    mode: nvmlEnableState_t,
) -> Answer {
    library.gpu(device)?;
    if mode == NVML_FEATURE_ENABLED { Ok(()) } else { Err(NVML_ERROR_NOT_SUPPORTED) }
}

pub fn nvmlDeviceGetComputeMode(
    library: &Library,
    device: nvmlDevice_t,
    mode: Out<nvmlComputeMode_t>,
) -> Answer {
    library.gpu(device)?;
    mode.set(NVML_COMPUTEMODE_DEFAULT)
}

pub fn nvmlDeviceSetComputeMode(library: &Library, device: nvmlDevice_t, mode: nvmlComputeMode_t) -> Answer {
    library.gpu(device)?;
    if mode == NVML_COMPUTEMODE_DEFAULT { Ok(()) } else { Err(NVML_ERROR_NOT_SUPPORTED) }
}

pub fn nvmlDeviceGetCudaComputeCapability(
    library: &Library,
    device: nvmlDevice_t,
    major: Out<i32>,
    minor: Out<i32>,
) -> Answer {
    let capability = library.gpu(device)?.setup().capability;
    major.set(capability.0 as i32)?;
    minor.set(capability.1 as i32)
}

pub fn nvmlDeviceGetArchitecture(
    library: &Library,
    device: nvmlDevice_t,
    architecture: Out<nvmlDeviceArchitecture_t>,
) -> Answer {
    architecture.set(match library.gpu(device)?.setup().capability {
        (7, 0) => NVML_DEVICE_ARCH_VOLTA,
        (7, 5) => NVML_DEVICE_ARCH_TURING,
        (8, 0 | 6) => NVML_DEVICE_ARCH_AMPERE,
        (8, 9) => NVML_DEVICE_ARCH_ADA,
        (9, 0) => NVML_DEVICE_ARCH_HOPPER,
        _ => NVML_DEVICE_ARCH_UNKNOWN,
    })
}

/// Lanes of a multiprocessor of that kind, times multiprocessors.
pub fn nvmlDeviceGetNumGpuCores(library: &Library, device: nvmlDevice_t, cores: Out<u32>) -> Answer {
    let setup = library.gpu(device)?.setup();
    let lanes = if matches!(setup.capability, (7, _) | (8, 0)) { 64 } else { 128 };
    cores.set(setup.sms * lanes)
}

/// A board of its own for each device.
pub fn nvmlDeviceGetBoardId(library: &Library, device: nvmlDevice_t, board: Out<u32>) -> Answer {
    let (domain, bus, slot) = library.gpu(device)?.device().pci();
    board.set(domain << 16 | bus << 8 | slot)
}

pub fn nvmlDeviceGetMultiGpuBoard(library: &Library, device: nvmlDevice_t, several: Out<u32>) -> Answer {
    library.gpu(device)?;
    several.set(0)
}

pub fn nvmlDeviceOnSameBoard(
    library: &Library,
    device1: nvmlDevice_t,
    device2: nvmlDevice_t,
    same: Out<i32>,
) -> Answer {
    let (a, b) = (library.gpu(device1)?, library.gpu(device2)?);
    same.set(i32::from(a.index() == b.index()))
}

/// Host memory and device memory are apart.
pub fn nvmlDeviceGetAddressingMode(
    library: &Library,
    device: nvmlDevice_t,
    mode: InOut<nvmlDeviceAddressingMode_t>,
) -> Answer {
    library.gpu(device)?;
    edge::version(mode.get()?.version, nvmlDeviceAddressingMode_v1)?;
    mode.set(nvmlDeviceAddressingMode_t {
        version: nvmlDeviceAddressingMode_v1,
        value: NVML_DEVICE_ADDRESSING_MODE_NONE.0,
    })
}

/// None of the abilities NVML has bits for.
pub fn nvmlDeviceGetCapabilities(
    library: &Library,
    device: nvmlDevice_t,
    abilities: InOut<nvmlDeviceCapabilities_t>,
) -> Answer {
    library.gpu(device)?;
    edge::version(abilities.get()?.version, nvmlDeviceCapabilities_v1)?;
    abilities.set(nvmlDeviceCapabilities_t { version: nvmlDeviceCapabilities_v1, capMask: 0 })
}
