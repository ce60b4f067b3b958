//! Which devices there are: those of the tenant's grants, numbered as there.

use std::ffi::CString;

use cleave_api::nvml::types::*;

use super::room_unsafe::{c_text, filled, list};
use super::tenant::{Tenant, tenant};
use super::{Answer, In, InOut, Out, SliceMut, Str, answer_list_or_count};
use crate::real_unsafe::nvml as real;
use crate::tenancy;

/// Without its grants a tenant has no driver.
fn admitted(init: impl FnOnce() -> nvmlReturn_t) -> nvmlReturn_t {
    match tenancy::current().admit() {
        Ok(()) => init(),
        Err(_) => NVML_ERROR_DRIVER_NOT_LOADED,
    }
}

pub fn nvmlInit() -> nvmlReturn_t {
    admitted(real::nvmlInit)
}

pub fn nvmlInit_v2() -> nvmlReturn_t {
    admitted(real::nvmlInit_v2)
}

pub fn nvmlInitWithFlags(flags: u32) -> nvmlReturn_t {
    admitted(|| real::nvmlInitWithFlags(flags))
}

fn count(tenant: Tenant, count: Out<u32>, real: impl FnOnce(Out<u32>) -> nvmlReturn_t) -> nvmlReturn_t {
    let run = || -> Answer {
        filled(real)?;
        count.set(tenant.len() as u32)
    };
    run().into()
}

pub fn nvmlDeviceGetCount(devices: Out<u32>) -> nvmlReturn_t {
    match tenant().filter(|_| !devices.is_null()) {
        Some(tenant) => count(tenant, devices, real::nvmlDeviceGetCount),
        None => real::nvmlDeviceGetCount(devices),
    }
}

pub fn nvmlDeviceGetCount_v2(devices: Out<u32>) -> nvmlReturn_t {
    match tenant().filter(|_| !devices.is_null()) {
        Some(tenant) => count(tenant, devices, real::nvmlDeviceGetCount_v2),
        None => real::nvmlDeviceGetCount_v2(devices),
    }
}

/// The handle of a device by its number in the tenant.
fn by_number(tenant: Tenant, number: u32) -> Result<nvmlDevice_t, nvmlReturn_t> {
    // Before nvmlInit no number is wrong yet.
    filled(real::nvmlDeviceGetCount_v2)?;
    let uuid = tenant.named(number as usize).ok_or(NVML_ERROR_INVALID_ARGUMENT)?;
    handle(&uuid.to_string())
}

/// The handle of a device by its name.
pub(super) fn handle(uuid: &str) -> Result<nvmlDevice_t, nvmlReturn_t> {
    let uuid = CString::new(uuid).map_err(|_| NVML_ERROR_INVALID_ARGUMENT)?;
    filled(|device| real::nvmlDeviceGetHandleByUUID(c_text(&uuid), device))
}

pub fn nvmlDeviceGetHandleByIndex(index: u32, device: Out<nvmlDevice_t>) -> nvmlReturn_t {
    match tenant().filter(|_| !device.is_null()) {
        Some(tenant) => by_number(tenant, index).and_then(|found| device.set(found)).into(),
        None => real::nvmlDeviceGetHandleByIndex(index, device),
    }
}

pub fn nvmlDeviceGetHandleByIndex_v2(index: u32, device: Out<nvmlDevice_t>) -> nvmlReturn_t {
    match tenant().filter(|_| !device.is_null()) {
        Some(tenant) => by_number(tenant, index).and_then(|found| device.set(found)).into(),
        None => real::nvmlDeviceGetHandleByIndex_v2(index, device),
    }
}

/// A handle that the vendor finds is the tenant's if its device is.
fn found(device: Out<nvmlDevice_t>, find: impl Fn(Out<nvmlDevice_t>) -> nvmlReturn_t) -> nvmlReturn_t {
    let Some(tenant) = tenant().filter(|_| !device.is_null()) else { return find(device) };
    let run = || -> Answer {
        let handle = filled(find)?;
        tenant.number(handle)?.ok_or(NVML_ERROR_NOT_FOUND)?;
        device.set(handle)
    };
    run().into()
}

pub fn nvmlDeviceGetHandleBySerial(serial: Str, device: Out<nvmlDevice_t>) -> nvmlReturn_t {
    found(device, |device| real::nvmlDeviceGetHandleBySerial(serial, device))
}

pub fn nvmlDeviceGetHandleByUUID(uuid: Str, device: Out<nvmlDevice_t>) -> nvmlReturn_t {
    found(device, |device| real::nvmlDeviceGetHandleByUUID(uuid, device))
}

pub fn nvmlDeviceGetHandleByUUIDV(uuid: In<nvmlUUID_t>, device: Out<nvmlDevice_t>) -> nvmlReturn_t {
    found(device, |device| real::nvmlDeviceGetHandleByUUIDV(uuid, device))
}

pub fn nvmlDeviceGetHandleByPciBusId(address: Str, device: Out<nvmlDevice_t>) -> nvmlReturn_t {
    found(device, |device| real::nvmlDeviceGetHandleByPciBusId(address, device))
}

pub fn nvmlDeviceGetHandleByPciBusId_v2(address: Str, device: Out<nvmlDevice_t>) -> nvmlReturn_t {
    found(device, |device| real::nvmlDeviceGetHandleByPciBusId_v2(address, device))
}

pub fn nvmlDeviceGetIndex(device: nvmlDevice_t, index: Out<u32>) -> nvmlReturn_t {
    let Some(tenant) = tenant().filter(|_| !index.is_null()) else {
        return real::nvmlDeviceGetIndex(device, index);
    };
    let run = || -> Answer {
        filled(|index| real::nvmlDeviceGetIndex(device, index))?;
        let number = tenant.number(device)?.ok_or(NVML_ERROR_INVALID_ARGUMENT)?;
        index.set(number as u32)
    };
    run().into()
}

/// Of the devices that the vendor lists, the tenant's.
fn granted(tenant: Tenant, devices: Vec<nvmlDevice_t>) -> Vec<nvmlDevice_t> {
    let is_granted = |&device: &nvmlDevice_t| tenant.number(device).is_ok_and(|number| number.is_some());
    devices.into_iter().filter(is_granted).collect()
}

pub fn nvmlDeviceGetTopologyNearestGpus(
    device: nvmlDevice_t,
    level: nvmlGpuTopologyLevel_t,
    count: InOut<u32>,
    devices: SliceMut<nvmlDevice_t>,
) -> nvmlReturn_t {
    let Some(tenant) = tenant().filter(|_| !count.is_null()) else {
        return real::nvmlDeviceGetTopologyNearestGpus(device, level, count, devices);
    };
    let all = list(|count, devices| real::nvmlDeviceGetTopologyNearestGpus(device, level, count, devices));
    all.and_then(|all| answer_list_or_count(&granted(tenant, all), count, devices)).into()
}

pub fn nvmlSystemGetTopologyGpuSet(
    cpu: u32,
    count: InOut<u32>,
    devices: SliceMut<nvmlDevice_t>,
) -> nvmlReturn_t {
    let Some(tenant) = tenant().filter(|_| !count.is_null()) else {
        return real::nvmlSystemGetTopologyGpuSet(cpu, count, devices);
    };
    let all = list(|count, devices| real::nvmlSystemGetTopologyGpuSet(cpu, count, devices));
    all.and_then(|all| answer_list_or_count(&granted(tenant, all), count, devices)).into()
}
