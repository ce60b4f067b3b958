//! Functions of the private table about PCI addresses: `nvidia-smi -i ADDRESS` and `topo -m`.

use core::ffi::c_char;

use cleave_api::edge::{Out, Str};
use cleave_api::nvml::types::*;

use crate::exports_unsafe::guard;
use crate::state::{self, Library};
use crate::{edge, pci};

/// "The same host bridge", in the numbers that this function has for distances.
const HOST_BRIDGE: u32 = 2;

/// The numbers of an address.
///
/// # Safety
/// `text` is null or ends in zero; the others are null or point to a number.
pub unsafe extern "C" fn parse(
    text: *const c_char,
    domain: *mut u32,
    bus: *mut u32,
    device: *mut u32,
    function: *mut u32,
) -> nvmlReturn_t {
    // SAFETY: by the caller's promise.
    let text = unsafe { Str::<nvmlReturn_t>::new(text) };
    // SAFETY: likewise.
    let numbers =
        [domain, bus, device, function].map(|number| unsafe { Out::<u32, nvmlReturn_t>::new(number) });
    let run = || {
        let place = pci::parse(text.get()?).ok_or(NVML_ERROR_INVALID_ARGUMENT)?;
        numbers.into_iter().zip([place.0, place.1, place.2, 0]).try_for_each(|(to, number)| to.set(number))
    };
    guard("PCI address", || run().into())
}

/// The address of the device with a number.
///
/// # Safety
/// The pointers are null or point to a number.
pub unsafe extern "C" fn of_index(
    index: u32,
    domain: *mut u32,
    bus: *mut u32,
    device: *mut u32,
) -> nvmlReturn_t {
    // SAFETY: by the caller's promise.
    let numbers = [domain, bus, device].map(|number| unsafe { Out::<u32, nvmlReturn_t>::new(number) });
    let run = || {
        let gpu = state::running()?.gpus.get(index as usize).ok_or(NVML_ERROR_INVALID_ARGUMENT)?;
        let (domain, bus, device) = gpu.device().pci();
        numbers.into_iter().zip([domain, bus, device]).try_for_each(|(to, number)| to.set(number))
    };
    guard("PCI address of a number", || run().into())
}

/// How far apart the devices at two addresses are.
///
/// # Safety
/// The texts are null or end in zero; `level` is null or points to a number.
pub unsafe extern "C" fn distance(one: *const c_char, other: *const c_char, level: *mut u32) -> nvmlReturn_t {
    // SAFETY: by the caller's promise.
    let texts = [one, other].map(|text| unsafe { Str::<nvmlReturn_t>::new(text) });
    // SAFETY: likewise.
    let level = unsafe { Out::<u32, nvmlReturn_t>::new(level) };
    let run = || {
        let library = state::running()?;
        texts.into_iter().try_for_each(|text| known(library, text))?;
        level.set(HOST_BRIDGE)
    };
    guard("distance", || run().into())
}

fn known(library: &Library, text: Str<nvmlReturn_t>) -> edge::Answer {
    let place = pci::parse(text.get()?).ok_or(NVML_ERROR_INVALID_ARGUMENT)?;
    library.find(|gpu| gpu.device().pci() == place).map(drop)
}
