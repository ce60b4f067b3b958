use cleave_api::edge::Plain;
use cleave_api::nvml::types::*;

use crate::edge::{self, Answer, InOut, Out, SliceMut};
use crate::gpu::{self, Part, Process};
use crate::state::Library;

/// Microseconds that utilisation is taken over.
const PERIOD_US: u32 = 1_000_000;

/// What a field without a meaning holds on a device without instances.
const NO_INSTANCE: u32 = u32::MAX;

pub fn nvmlDeviceGetUtilizationRates(
    library: &Library,
    device: nvmlDevice_t,
    utilization: Out<nvmlUtilization_t>,
) -> Answer {
    let gpu = library.gpu(device)?;
    utilization.set(nvmlUtilization_t { gpu: gpu.load(Part::Gr), memory: gpu.load(Part::Copy) })
}

pub fn nvmlDeviceGetEncoderUtilization(
    library: &Library,
    device: nvmlDevice_t,
    utilization: Out<u32>,
    period: Out<u32>,
) -> Answer {
    utilization.set(library.gpu(device)?.load(Part::Encode))?;
    period.set(PERIOD_US)
}

pub fn nvmlDeviceGetDecoderUtilization(
    library: &Library,
    device: nvmlDevice_t,
    utilization: Out<u32>,
    period: Out<u32>,
) -> Answer {
    utilization.set(library.gpu(device)?.load(Part::Decode))?;
    period.set(PERIOD_US)
}

/// Nothing encodes yet.
pub fn nvmlDeviceGetEncoderStats(
    library: &Library,
    device: nvmlDevice_t,
    sessions: Out<u32>,
    fps: Out<u32>,
    latency: Out<u32>,
) -> Answer {
    library.gpu(device)?;
    sessions.set(0)?;
    fps.set(0)?;
    latency.set(0)
}

pub fn nvmlDeviceGetEncoderSessions(
    library: &Library,
    device: nvmlDevice_t,
    count: InOut<u32>,
    sessions: SliceMut<nvmlEncoderSessionInfo_t>,
) -> Answer {
    library.gpu(device)?;
    edge::list(&[], count, sessions)
}

/// The processes of a device in one of NVML's forms.
fn running<T: Plain>(
    library: &Library,
    device: nvmlDevice_t,
    count: InOut<u32>,
    infos: SliceMut<T>,
    form: impl Fn(&Process) -> T,
) -> Answer {
    let all: Vec<T> = library.gpu(device)?.processes().iter().map(form).collect();
    edge::list(&all, count, infos)
}

/// No process is of this kind.
fn none<T: Plain>(library: &Library, device: nvmlDevice_t, count: InOut<u32>, infos: SliceMut<T>) -> Answer {
    library.gpu(device)?;
    edge::list(&[], count, infos)
}

pub fn nvmlDeviceGetComputeRunningProcesses(
    library: &Library,
    device: nvmlDevice_t,
    count: InOut<u32>,
    infos: SliceMut<nvmlProcessInfo_v1_t>,
) -> Answer {
    running(library, device, count, infos, |process| nvmlProcessInfo_v1_t {
        pid: process.pid,
        usedGpuMemory: process.memory,
    })
}

pub fn nvmlDeviceGetComputeRunningProcesses_v2(
    library: &Library,
    device: nvmlDevice_t,
    count: InOut<u32>,
    infos: SliceMut<nvmlProcessInfo_t>,
) -> Answer {
    running(library, device, count, infos, |process| nvmlProcessInfo_t {
        pid: process.pid,
        usedGpuMemory: process.memory,
        gpuInstanceId: NO_INSTANCE,
        computeInstanceId: NO_INSTANCE,
    })
}

pub use nvmlDeviceGetComputeRunningProcesses_v2 as nvmlDeviceGetComputeRunningProcesses_v3;

pub fn nvmlDeviceGetGraphicsRunningProcesses(
    library: &Library,
    device: nvmlDevice_t,
    count: InOut<u32>,
    infos: SliceMut<nvmlProcessInfo_v1_t>,
) -> Answer {
    none(library, device, count, infos)
}

pub use nvmlDeviceGetGraphicsRunningProcesses as nvmlDeviceGetMPSComputeRunningProcesses;

pub fn nvmlDeviceGetGraphicsRunningProcesses_v2(
    library: &Library,
    device: nvmlDevice_t,
    count: InOut<u32>,
    infos: SliceMut<nvmlProcessInfo_t>,
) -> Answer {
    none(library, device, count, infos)
}

pub use {
    nvmlDeviceGetGraphicsRunningProcesses_v2 as nvmlDeviceGetGraphicsRunningProcesses_v3,
    nvmlDeviceGetGraphicsRunningProcesses_v2 as nvmlDeviceGetMPSComputeRunningProcesses_v2,
    nvmlDeviceGetGraphicsRunningProcesses_v2 as nvmlDeviceGetMPSComputeRunningProcesses_v3,
};

pub fn nvmlDeviceGetRunningProcessDetailList(
    library: &Library,
    device: nvmlDevice_t,
    list: InOut<nvmlProcessDetailList_t>,
) -> Answer {
    let gpu = library.gpu(device)?;
    let asked = list.get()?;
    edge::version(asked.version, nvmlProcessDetailList_v1)?;
    let found = match nvmlProcessMode_t(asked.mode) {
        NVML_PROCESS_MODE_COMPUTE | NVML_PROCESS_MODE_ALL => gpu.processes(),
        NVML_PROCESS_MODE_GRAPHICS | NVML_PROCESS_MODE_MPS => Vec::new(),
        _ => return Err(NVML_ERROR_INVALID_ARGUMENT),
    };
    list.set(nvmlProcessDetailList_t { numProcArrayEntries: found.len() as u32, ..asked })?;
    if found.len() > asked.numProcArrayEntries as usize {
        return Err(NVML_ERROR_INSUFFICIENT_SIZE);
    }
    let room: SliceMut<nvmlProcessDetail_v1_t> = asked.procArray.slice_mut(found.len());
    found.iter().enumerate().try_for_each(|(i, process)| {
        room.set(
            i,
            nvmlProcessDetail_v1_t {
                pid: process.pid,
                usedGpuMemory: process.memory,
                gpuInstanceId: NO_INSTANCE,
                computeInstanceId: NO_INSTANCE,
                usedGpuCcProtectedMemory: 0,
            },
        )
    })
}

/// Ended processes are not remembered.
pub fn nvmlDeviceGetAccountingMode(
    library: &Library,
    device: nvmlDevice_t,
    mode: Out<nvmlEnableState_t>,
) -> Answer {
    library.gpu(device)?;
    mode.set(NVML_FEATURE_DISABLED)
}

/// The processes that kept an engine busy since the caller last looked, and when that was measured. NVML knows none to
/// mean that there is no answer.
fn busy(
    library: &Library,
    device: nvmlDevice_t,
    last_seen: u64,
) -> Result<(u64, Vec<Process>), nvmlReturn_t> {
    let gpu = library.gpu(device)?;
    let now = gpu::wall_us();
    let mut found = gpu.processes();
    found.retain(Process::is_busy);
    if found.is_empty() || now <= last_seen { Err(NVML_ERROR_NOT_FOUND) } else { Ok((now, found)) }
}

pub fn nvmlDeviceGetProcessUtilization(
    library: &Library,
    device: nvmlDevice_t,
    samples: SliceMut<nvmlProcessUtilizationSample_t>,
    count: InOut<u32>,
    last_seen: u64,
) -> Answer {
    let (now, found) = busy(library, device, last_seen)?;
    let found = found.iter().map(|process| nvmlProcessUtilizationSample_t {
        pid: process.pid,
        timeStamp: now,
        smUtil: process.load(Part::Gr),
        memUtil: process.load(Part::Copy),
        encUtil: process.load(Part::Encode),
        decUtil: process.load(Part::Decode),
    });
    edge::list(&found.collect::<Vec<_>>(), count, samples)
}

pub fn nvmlDeviceGetProcessesUtilizationInfo(
    library: &Library,
    device: nvmlDevice_t,
    info: InOut<nvmlProcessesUtilizationInfo_t>,
) -> Answer {
    let asked = info.get()?;
    edge::version(asked.version, nvmlProcessesUtilizationInfo_v1)?;
    let (now, found) = busy(library, device, asked.lastSeenTimeStamp)?;
    info.set(nvmlProcessesUtilizationInfo_t { processSamplesCount: found.len() as u32, ..asked })?;
    if found.len() > asked.processSamplesCount as usize {
        return Err(NVML_ERROR_INSUFFICIENT_SIZE);
    }
    let room: SliceMut<nvmlProcessUtilizationInfo_v1_t> = asked.procUtilArray.slice_mut(found.len());
    found.iter().enumerate().try_for_each(|(i, process)| {
        room.set(
            i,
            nvmlProcessUtilizationInfo_v1_t {
                timeStamp: now,
                pid: process.pid,
                smUtil: process.load(Part::Gr),
                memUtil: process.load(Part::Copy),
                encUtil: process.load(Part::Encode),
                decUtil: process.load(Part::Decode),
                jpgUtil: 0,
                ofaUtil: 0,
            },
        )
    })
}
