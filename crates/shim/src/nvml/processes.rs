//! Who is on a device: the tenant's processes, as its slot has them. All of them compute.

use cleave_api::edge::Plain;
use cleave_api::nvml::types::*;

use super::room_unsafe::{changed, list, would_list};
use super::tenant::{Process, Tenant, tenant};
use super::{Answer, BytesMut, InOut, Out, SliceMut, answer_list, answer_list_or_count};
use crate::real_unsafe::nvml as real;

/// What a field without a meaning holds on a device without instances.
pub const NO_INSTANCE: u32 = u32::MAX;

/// The vendor's function of one of the lists.
type List<T> = for<'a> fn(nvmlDevice_t, InOut<'a, u32>, SliceMut<'a, T>) -> nvmlReturn_t;

/// A list of processes in one of NVML's forms.
fn running<T: Plain>(
    real: List<T>,
    device: nvmlDevice_t,
    count: InOut<u32>,
    infos: SliceMut<T>,
    find: fn(Tenant, nvmlDevice_t) -> Result<Vec<Process>, nvmlReturn_t>,
    form: fn(&Process) -> T,
) -> nvmlReturn_t {
    let Some(tenant) = tenant().filter(|_| !count.is_null()) else { return real(device, count, infos) };
    let run = || -> Answer {
        would_list(|count, infos| real(device, count, infos))?;
        let found: Vec<T> = find(tenant, device)?.iter().map(form).collect();
        answer_list(&found, count, infos)
    };
    run().into()
}

fn computing(tenant: Tenant, device: nvmlDevice_t) -> Result<Vec<Process>, nvmlReturn_t> {
    Ok(tenant.device(device)?.processes())
}

fn nobody(_: Tenant, _: nvmlDevice_t) -> Result<Vec<Process>, nvmlReturn_t> {
    Ok(Vec::new())
}

fn short(process: &Process) -> nvmlProcessInfo_v1_t {
    nvmlProcessInfo_v1_t { pid: process.pid, usedGpuMemory: process.memory }
}

fn long(process: &Process) -> nvmlProcessInfo_t {
    nvmlProcessInfo_t {
        pid: process.pid,
        usedGpuMemory: process.memory,
        gpuInstanceId: NO_INSTANCE,
        computeInstanceId: NO_INSTANCE,
    }
}

macro_rules! lists {
    ($( $name:ident $info:ty = $find:ident $form:ident; )*) => { $(
        pub fn $name(device: nvmlDevice_t, count: InOut<u32>, infos: SliceMut<$info>) -> nvmlReturn_t {
            running(|device, count, infos| real::$name(device, count, infos), device, count, infos, $find, $form)
        }
    )* };
}
lists! {
    nvmlDeviceGetComputeRunningProcesses nvmlProcessInfo_v1_t = computing short;
    nvmlDeviceGetComputeRunningProcesses_v2 nvmlProcessInfo_t = computing long;
    nvmlDeviceGetComputeRunningProcesses_v3 nvmlProcessInfo_t = computing long;
    nvmlDeviceGetGraphicsRunningProcesses nvmlProcessInfo_v1_t = nobody short;
    nvmlDeviceGetGraphicsRunningProcesses_v2 nvmlProcessInfo_t = nobody long;
    nvmlDeviceGetGraphicsRunningProcesses_v3 nvmlProcessInfo_t = nobody long;
    nvmlDeviceGetMPSComputeRunningProcesses nvmlProcessInfo_v1_t = nobody short;
    nvmlDeviceGetMPSComputeRunningProcesses_v2 nvmlProcessInfo_t = nobody long;
    nvmlDeviceGetMPSComputeRunningProcesses_v3 nvmlProcessInfo_t = nobody long;
}

pub fn nvmlDeviceGetRunningProcessDetailList(
    device: nvmlDevice_t,
    plist: InOut<nvmlProcessDetailList_t>,
) -> nvmlReturn_t {
    let (Some(tenant), Ok(asked)) = (tenant(), plist.get()) else {
        return real::nvmlDeviceGetRunningProcessDetailList(device, plist);
    };
    let run = || -> Answer {
        let none = nvmlProcessDetailList_t {
            numProcArrayEntries: 0,
            procArray: cleave_api::edge::Ptr::NULL,
            ..asked
        };
        match changed(none, |list| real::nvmlDeviceGetRunningProcessDetailList(device, list)).0 {
            NVML_ERROR_INSUFFICIENT_SIZE => {}
            code => code.ok()?,
        }
        let found = match nvmlProcessMode_t(asked.mode) {
            NVML_PROCESS_MODE_COMPUTE | NVML_PROCESS_MODE_ALL => tenant.device(device)?.processes(),
            _ => Vec::new(),
        };
        plist.set(nvmlProcessDetailList_t { numProcArrayEntries: found.len() as u32, ..asked })?;
        if found.len() > asked.numProcArrayEntries as usize {
            return Err(NVML_ERROR_INSUFFICIENT_SIZE);
        }
        let room: SliceMut<nvmlProcessDetail_v1_t> = asked.procArray.slice_mut(found.len());
        found.iter().enumerate().try_for_each(|(i, process)| room.set(i, detail(process)))
    };
    run().into()
}

fn detail(process: &Process) -> nvmlProcessDetail_v1_t {
    nvmlProcessDetail_v1_t {
        pid: process.pid,
        usedGpuMemory: process.memory,
        gpuInstanceId: NO_INSTANCE,
        computeInstanceId: NO_INSTANCE,
        usedGpuCcProtectedMemory: 0,
    }
}

/// Others' processes have no name here.
pub fn nvmlSystemGetProcessName(pid: u32, name: BytesMut, length: u32) -> nvmlReturn_t {
    match tenant() {
        Some(tenant) if !name.is_null() && !tenant.has(pid) => NVML_ERROR_NOT_FOUND,
        _ => real::nvmlSystemGetProcessName(pid, name, length),
    }
}

/// What is remembered of processes, as long as they live: of those that ended nobody knows whose they were.
pub fn nvmlDeviceGetAccountingPids(
    device: nvmlDevice_t,
    count: InOut<u32>,
    pids: SliceMut<u32>,
) -> nvmlReturn_t {
    let Some(tenant) = tenant().filter(|_| !count.is_null()) else {
        return real::nvmlDeviceGetAccountingPids(device, count, pids);
    };
    let run = || -> Answer {
        let mut found = list(|count, pids| real::nvmlDeviceGetAccountingPids(device, count, pids))?;
        found.retain(|&pid| tenant.has(pid));
        answer_list(&found, count, pids)
    };
    run().into()
}

pub fn nvmlDeviceGetAccountingStats(
    device: nvmlDevice_t,
    pid: u32,
    stats: Out<nvmlAccountingStats_t>,
) -> nvmlReturn_t {
    match tenant() {
        Some(tenant) if !stats.is_null() && !tenant.has(pid) => NVML_ERROR_NOT_FOUND,
        _ => real::nvmlDeviceGetAccountingStats(device, pid, stats),
    }
}

pub fn nvmlDeviceGetAccountingStats_v2(
    device: nvmlDevice_t,
    stats: InOut<nvmlAccountingStats_v2_t>,
) -> nvmlReturn_t {
    match (tenant(), stats.get()) {
        (Some(tenant), Ok(asked)) if !tenant.has(asked.pid) => NVML_ERROR_NOT_FOUND,
        _ => real::nvmlDeviceGetAccountingStats_v2(device, stats),
    }
}

/// Sessions of the tenant's processes, of all that the vendor lists.
fn sessions<T: Plain>(
    device: nvmlDevice_t,
    count: InOut<u32>,
    room: SliceMut<T>,
    real: List<T>,
    pid: fn(&T) -> u32,
) -> nvmlReturn_t {
    let Some(tenant) = tenant().filter(|_| !count.is_null()) else { return real(device, count, room) };
    let run = || -> Answer {
        let mut found = list(|count, room| real(device, count, room))?;
        let own = tenant.device(device)?.processes();
        found.retain(|session| own.iter().any(|process| process.is(pid(session))));
        answer_list_or_count(&found, count, room)
    };
    run().into()
}

pub fn nvmlDeviceGetEncoderSessions(
    device: nvmlDevice_t,
    count: InOut<u32>,
    room: SliceMut<nvmlEncoderSessionInfo_t>,
) -> nvmlReturn_t {
    let real: List<_> = |device, count, room| real::nvmlDeviceGetEncoderSessions(device, count, room);
    sessions(device, count, room, real, |session| session.pid)
}

pub fn nvmlDeviceGetFBCSessions(
    device: nvmlDevice_t,
    count: InOut<u32>,
    room: SliceMut<nvmlFBCSessionInfo_t>,
) -> nvmlReturn_t {
    let real: List<_> = |device, count, room| real::nvmlDeviceGetFBCSessions(device, count, room);
    sessions(device, count, room, real, |session| session.pid)
}
