use cleave_api::nvml::types::*;

use crate::edge::{self, Answer, BytesMut, InOut, Out, SliceMut};
use crate::gpu::{Gpu, Part};
use crate::heat;
use crate::state::Library;

/// The clock that memory would run at. The model of the device knows bandwidths, no memory clock; this one is for display.
const MEMORY_MHZ: u32 = 1000;

/// Clocks never change. There is no video clock, because nothing runs at one.
fn clock(gpu: &Gpu, kind: nvmlClockType_t) -> Result<u32, nvmlReturn_t> {
    match kind {
        NVML_CLOCK_GRAPHICS | NVML_CLOCK_SM => Ok(gpu.setup().clock_khz / 1000),
        NVML_CLOCK_MEM => Ok(MEMORY_MHZ),
        NVML_CLOCK_VIDEO => Err(NVML_ERROR_NOT_SUPPORTED),
        _ => Err(NVML_ERROR_INVALID_ARGUMENT),
    }
}

pub fn nvmlDeviceGetClockInfo(
    library: &Library,
    device: nvmlDevice_t,
    kind: nvmlClockType_t,
    mhz: Out<u32>,
) -> Answer {
    mhz.set(clock(library.gpu(device)?, kind)?)
}

pub use {
    nvmlDeviceGetClockInfo as nvmlDeviceGetApplicationsClock,
    nvmlDeviceGetClockInfo as nvmlDeviceGetDefaultApplicationsClock,
    nvmlDeviceGetClockInfo as nvmlDeviceGetMaxClockInfo,
};

pub fn nvmlDeviceGetClock(
    library: &Library,
    device: nvmlDevice_t,
    kind: nvmlClockType_t,
    id: nvmlClockId_t,
    mhz: Out<u32>,
) -> Answer {
    let gpu = library.gpu(device)?;
    if id >= NVML_CLOCK_ID_COUNT {
        return Err(NVML_ERROR_INVALID_ARGUMENT);
    }
    mhz.set(clock(gpu, kind)?)
}

pub fn nvmlDeviceGetSupportedMemoryClocks(
    library: &Library,
    device: nvmlDevice_t,
    count: InOut<u32>,
    clocks: SliceMut<u32>,
) -> Answer {
    library.gpu(device)?;
    edge::list(&[MEMORY_MHZ], count, clocks)
}

pub fn nvmlDeviceGetSupportedGraphicsClocks(
    library: &Library,
    device: nvmlDevice_t,
    memory: u32,
    count: InOut<u32>,
    clocks: SliceMut<u32>,
) -> Answer {
    let gpu = library.gpu(device)?;
    if memory != MEMORY_MHZ {
        return Err(NVML_ERROR_NOT_FOUND);
    }
    edge::list(&[clock(gpu, NVML_CLOCK_GRAPHICS)?], count, clocks)
}

pub fn nvmlDeviceGetMinMaxClockOfPState(
    library: &Library,
    device: nvmlDevice_t,
    kind: nvmlClockType_t,
    state: nvmlPstates_t,
    least: Out<u32>,
    most: Out<u32>,
) -> Answer {
    let mhz = clock(library.gpu(device)?, kind)?;
    if state != NVML_PSTATE_0 {
        return Err(NVML_ERROR_INVALID_ARGUMENT);
    }
    least.set(mhz)?;
    most.set(mhz)
}

/// Idle or not, the device is ready at once.
pub fn nvmlDeviceGetPerformanceState(
    library: &Library,
    device: nvmlDevice_t,
    state: Out<nvmlPstates_t>,
) -> Answer {
    library.gpu(device)?;
    state.set(NVML_PSTATE_0)
}

pub use nvmlDeviceGetPerformanceState as nvmlDeviceGetPowerState;

/// The states there are, closed by one that is none.
pub fn nvmlDeviceGetSupportedPerformanceStates(
    library: &Library,
    device: nvmlDevice_t,
    states: BytesMut,
    _size: u32,
) -> Answer {
    library.gpu(device)?;
    let list = [NVML_PSTATE_0].into_iter().chain(std::iter::repeat(NVML_PSTATE_UNKNOWN));
    let list = list.take(NVML_MAX_GPU_PERF_PSTATES as usize);
    let bytes: Vec<u8> = list.flat_map(|state| state.0.to_ne_bytes()).collect();
    let room = states.len().min(bytes.len());
    if room < size_of::<nvmlPstates_t>() {
        return Err(NVML_ERROR_INSUFFICIENT_SIZE);
    }
    states.copy_from(&bytes[..room])
}

/// Clocks are never held down; an idle device is said to be idle.
pub fn nvmlDeviceGetCurrentClocksEventReasons(
    library: &Library,
    device: nvmlDevice_t,
    reasons: Out<u64>,
) -> Answer {
    let idle = library.gpu(device)?.load(Part::Gr) == 0;
    reasons.set(if idle { nvmlClocksEventReasonGpuIdle } else { nvmlClocksEventReasonNone })
}

pub use nvmlDeviceGetCurrentClocksEventReasons as nvmlDeviceGetCurrentClocksThrottleReasons;

pub fn nvmlDeviceGetSupportedClocksEventReasons(
    library: &Library,
    device: nvmlDevice_t,
    reasons: Out<u64>,
) -> Answer {
    library.gpu(device)?;
    reasons.set(nvmlClocksEventReasonGpuIdle)
}

pub use nvmlDeviceGetSupportedClocksEventReasons as nvmlDeviceGetSupportedClocksThrottleReasons;

pub fn nvmlDeviceGetDynamicPstatesInfo(
    library: &Library,
    device: nvmlDevice_t,
    info: Out<nvmlGpuDynamicPstatesInfo_t>,
) -> Answer {
    let gpu = library.gpu(device)?;
    let mut all = nvmlGpuDynamicPstatesInfo_t::default();
    for (domain, percentage) in [
        (NVML_GPU_UTILIZATION_DOMAIN_GPU, gpu.load(Part::Gr)),
        (NVML_GPU_UTILIZATION_DOMAIN_FB, gpu.load(Part::Copy)),
    ] {
        let entry = &mut all.utilization[domain.0 as usize];
        (entry.bIsPresent, entry.percentage) = (1, percentage);
    }
    info.set(all)
}

pub fn nvmlDeviceGetNumFans(library: &Library, device: nvmlDevice_t, fans: Out<u32>) -> Answer {
    library.gpu(device)?;
    fans.set(0)
}

fn temperature(gpu: &Gpu, sensor: nvmlTemperatureSensors_t) -> Result<u32, nvmlReturn_t> {
    match sensor {
        NVML_TEMPERATURE_GPU => Ok(heat::temperature(gpu.load(Part::Gr))),
        _ => Err(NVML_ERROR_INVALID_ARGUMENT),
    }
}

pub fn nvmlDeviceGetTemperature(
    library: &Library,
    device: nvmlDevice_t,
    sensor: nvmlTemperatureSensors_t,
    degrees: Out<u32>,
) -> Answer {
    degrees.set(temperature(library.gpu(device)?, sensor)?)
}

pub fn nvmlDeviceGetTemperatureV(
    library: &Library,
    device: nvmlDevice_t,
    info: InOut<nvmlTemperature_t>,
) -> Answer {
    let gpu = library.gpu(device)?;
    let asked = info.get()?;
    edge::version(asked.version, nvmlTemperature_v1)?;
    info.set(nvmlTemperature_t { temperature: temperature(gpu, asked.sensorType)? as i32, ..asked })
}

pub fn nvmlDeviceGetTemperatureThreshold(
    library: &Library,
    device: nvmlDevice_t,
    threshold: nvmlTemperatureThresholds_t,
    degrees: Out<u32>,
) -> Answer {
    library.gpu(device)?;
    degrees.set(match threshold {
        NVML_TEMPERATURE_THRESHOLD_SHUTDOWN => heat::SHUTDOWN,
        NVML_TEMPERATURE_THRESHOLD_SLOWDOWN => heat::SLOWDOWN,
        NVML_TEMPERATURE_THRESHOLD_GPU_MAX => heat::HIGHEST,
        other if other < NVML_TEMPERATURE_THRESHOLD_COUNT => return Err(NVML_ERROR_NOT_SUPPORTED),
        _ => return Err(NVML_ERROR_INVALID_ARGUMENT),
    })
}

pub fn nvmlDeviceGetMarginTemperature(
    library: &Library,
    device: nvmlDevice_t,
    margin: InOut<nvmlMarginTemperature_t>,
) -> Answer {
    let now = temperature(library.gpu(device)?, NVML_TEMPERATURE_GPU)?;
    edge::version(margin.get()?.version, nvmlMarginTemperature_v1)?;
    margin.set(nvmlMarginTemperature_t {
        version: nvmlMarginTemperature_v1,
        marginTemperature: heat::SLOWDOWN as i32 - now as i32,
    })
}

pub fn nvmlDeviceGetPowerManagementMode(
    library: &Library,
    device: nvmlDevice_t,
    mode: Out<nvmlEnableState_t>,
) -> Answer {
    library.gpu(device)?;
    mode.set(NVML_FEATURE_ENABLED)
}

pub fn nvmlDeviceGetPowerManagementLimit(library: &Library, device: nvmlDevice_t, limit: Out<u32>) -> Answer {
    limit.set(heat::limit(library.gpu(device)?.setup().sms))
}

pub use {
    nvmlDeviceGetPowerManagementLimit as nvmlDeviceGetEnforcedPowerLimit,
    nvmlDeviceGetPowerManagementLimit as nvmlDeviceGetPowerManagementDefaultLimit,
};

pub fn nvmlDeviceGetPowerManagementLimitConstraints(
    library: &Library,
    device: nvmlDevice_t,
    least: Out<u32>,
    most: Out<u32>,
) -> Answer {
    let limit = heat::limit(library.gpu(device)?.setup().sms);
    least.set(limit)?;
    most.set(limit)
}

pub fn nvmlDeviceGetPowerUsage(library: &Library, device: nvmlDevice_t, power: Out<u32>) -> Answer {
    let gpu = library.gpu(device)?;
    power.set(heat::power(gpu.setup().sms, gpu.load(Part::Gr)))
}

pub fn nvmlDeviceGetTotalEnergyConsumption(
    library: &Library,
    device: nvmlDevice_t,
    energy: Out<u64>,
) -> Answer {
    let gpu = library.gpu(device)?;
    let (age, busy) = gpu.life_ns();
    energy.set(heat::energy(gpu.setup().sms, age, busy))
}
