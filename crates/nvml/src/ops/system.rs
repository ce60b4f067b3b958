use core::ffi::c_void;

use cleave_api::edge::Ptr;
use cleave_api::nvml::error;
use cleave_api::nvml::types::*;

use crate::edge::{self, Answer, BytesMut, In, InOut, Out, SliceMut};
use crate::state::{self, Library};
use crate::{near, private_table_unsafe, proc, version};

pub fn nvmlInit((): ()) -> Answer {
    state::start()
}

pub use nvmlInit as nvmlInit_v2;

/// The flags say what to do about devices that fail, which these do not.
pub fn nvmlInitWithFlags((): (), _flags: u32) -> Answer {
    state::start()
}

pub fn nvmlShutdown((): ()) -> Answer {
    state::stop()
}

pub fn nvmlErrorString(result: nvmlReturn_t) -> Ptr<u8> {
    Ptr::to_bytes(error::description(result).to_bytes_with_nul()).cast()
}

pub fn nvmlSystemGetDriverVersion((): (), version: BytesMut, _length: u32) -> Answer {
    edge::text(version, version::name(version::cuda()))
}

pub fn nvmlSystemGetNVMLVersion((): (), version: BytesMut, _length: u32) -> Answer {
    edge::text(version, &version::library(version::cuda()))
}

pub fn nvmlSystemGetCudaDriverVersion((): (), version: Out<i32>) -> Answer {
    version.set(i32::try_from(version::cuda()).unwrap_or(i32::MAX))
}

pub use nvmlSystemGetCudaDriverVersion as nvmlSystemGetCudaDriverVersion_v2;

pub fn nvmlSystemGetDriverBranch(
    _library: &Library,
    info: InOut<nvmlSystemDriverBranchInfo_t>,
    length: u32,
) -> Answer {
    let branch = version::branch(version::cuda());
    edge::version(info.get()?.version, nvmlSystemDriverBranchInfo_v1)?;
    if length as usize <= branch.len() {
        return Err(NVML_ERROR_INSUFFICIENT_SIZE);
    }
    info.set(nvmlSystemDriverBranchInfo_t {
        version: nvmlSystemDriverBranchInfo_v1,
        branch: edge::field(&branch),
    })
}

/// Cut to the room there is, as the vendor's does.
pub fn nvmlSystemGetProcessName(_library: &Library, pid: u32, name: BytesMut, _length: u32) -> Answer {
    if name.is_null() || name.is_empty() {
        return Err(NVML_ERROR_INVALID_ARGUMENT);
    }
    name.set_text(&proc::name(pid).ok_or(NVML_ERROR_NOT_FOUND)?)
}

pub fn nvmlSystemGetHicVersion(
    _library: &Library,
    count: InOut<u32>,
    entries: SliceMut<nvmlHwbcEntry_t>,
) -> Answer {
    edge::list(&[], count, entries)
}

/// Every device is near to every CPU.
pub fn nvmlSystemGetTopologyGpuSet(
    library: &Library,
    cpu: u32,
    count: InOut<u32>,
    devices: SliceMut<nvmlDevice_t>,
) -> Answer {
    let word = near::cpus().get(cpu as usize / 64).copied().unwrap_or(0);
    if word >> (cpu % 64) & 1 == 0 {
        return Err(NVML_ERROR_INVALID_ARGUMENT);
    }
    let all: Vec<nvmlDevice_t> = library.gpus.iter().map(|gpu| gpu.handle()).collect();
    // Asked without room, it only counts.
    if devices.is_null() {
        return count.set(all.len() as u32);
    }
    edge::list(&all, count, devices)
}

pub fn nvmlGetExcludedDeviceCount(_library: &Library, count: Out<u32>) -> Answer {
    count.set(0)
}

pub use nvmlGetExcludedDeviceCount as nvmlGetBlacklistDeviceCount;

pub fn nvmlGetExcludedDeviceInfoByIndex(
    _library: &Library,
    _index: u32,
    _info: Out<nvmlExcludedDeviceInfo_t>,
) -> Answer {
    Err(NVML_ERROR_INVALID_ARGUMENT)
}

pub use nvmlGetExcludedDeviceInfoByIndex as nvmlGetBlacklistDeviceInfoByIndex;

pub fn nvmlInternalGetExportTable((): (), table: Out<Ptr<c_void>>, id: In<[u8; 16]>) -> Answer {
    let found = private_table_unsafe::table(&id.get()?).ok_or(NVML_ERROR_NOT_FOUND)?;
    table.set(found)
}
