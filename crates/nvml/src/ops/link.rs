use cleave_api::nvml::types::*;

use crate::edge::{self, Answer, InOut, Out, Str};
use crate::gpu::Gpu;
use crate::state::Library;

/// Device and vendor number. No such board was ever sold.
const PCI_DEVICE: u32 = 0xc1ea_10de;

/// Class "display controller", subclass "3D controller".
const PCI_CLASS: (u32, u32) = (0x03, 0x02);

pub fn nvmlDeviceGetHandleByPciBusId(library: &Library, text: Str, device: Out<nvmlDevice_t>) -> Answer {
    let wanted = parse(text.get()?).ok_or(NVML_ERROR_INVALID_ARGUMENT)?;
    device.set(library.find(|gpu| gpu.device().pci() == wanted)?.handle())
}

pub use nvmlDeviceGetHandleByPciBusId as nvmlDeviceGetHandleByPciBusId_v2;

/// `domain:bus:device.function`, each in hexadecimal; without a domain it is the first.
fn parse(text: &str) -> Option<(u32, u32, u32)> {
    let text = text.split_once('.').map_or(text, |(place, _function)| place);
    let numbers: Option<Vec<u32>> = text.split(':').map(|n| u32::from_str_radix(n, 16).ok()).collect();
    match *numbers?.as_slice() {
        [domain, bus, device] => Some((domain, bus, device)),
        [bus, device] => Some((0, bus, device)),
        _ => None,
    }
}

/// NVML writes eight digits of domain, its first interface four.
fn bus_id(gpu: &Gpu) -> String {
    let (domain, bus, device) = gpu.device().pci();
    format!("{domain:08X}:{bus:02X}:{device:02X}.0")
}

pub fn nvmlDeviceGetPciInfo_v3(library: &Library, device: nvmlDevice_t, pci: Out<nvmlPciInfo_t>) -> Answer {
    let gpu = library.gpu(device)?;
    let (domain, bus, slot) = gpu.device().pci();
    pci.set(nvmlPciInfo_t {
        busIdLegacy: edge::field(&gpu.device().pci_text().to_ascii_uppercase()),
        domain,
        bus,
        device: slot,
        pciDeviceId: PCI_DEVICE,
        pciSubSystemId: PCI_DEVICE,
        busId: edge::field(&bus_id(gpu)),
    })
}

pub use {
    nvmlDeviceGetPciInfo_v3 as nvmlDeviceGetPciInfo, nvmlDeviceGetPciInfo_v3 as nvmlDeviceGetPciInfo_v2,
};

pub fn nvmlDeviceGetPciInfoExt(
    library: &Library,
    device: nvmlDevice_t,
    pci: InOut<nvmlPciInfoExt_t>,
) -> Answer {
    let gpu = library.gpu(device)?;
    edge::version(pci.get()?.version, nvmlPciInfoExt_v1)?;
    let (domain, bus, slot) = gpu.device().pci();
    pci.set(nvmlPciInfoExt_t {
        version: nvmlPciInfoExt_v1,
        domain,
        bus,
        device: slot,
        pciDeviceId: PCI_DEVICE,
        pciSubSystemId: PCI_DEVICE,
        baseClass: PCI_CLASS.0,
        subClass: PCI_CLASS.1,
        busId: edge::field(&bus_id(gpu)),
    })
}

/// Devices reach each other's memory as libcuda says they do: directly, and without NVLink.
pub fn nvmlDeviceGetP2PStatus(
    library: &Library,
    device1: nvmlDevice_t,
    device2: nvmlDevice_t,
    ability: nvmlGpuP2PCapsIndex_t,
    status: Out<nvmlGpuP2PStatus_t>,
) -> Answer {
    library.gpu(device1)?;
    library.gpu(device2)?;
    status.set(match ability {
        NVML_P2P_CAPS_INDEX_READ
        | NVML_P2P_CAPS_INDEX_WRITE
        | NVML_P2P_CAPS_INDEX_ATOMICS
        | NVML_P2P_CAPS_INDEX_PCI => NVML_P2P_STATUS_OK,
        NVML_P2P_CAPS_INDEX_NVLINK => NVML_P2P_STATUS_NOT_SUPPORTED,
        _ => return Err(NVML_ERROR_INVALID_ARGUMENT),
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn pci_addresses() {
        assert_eq!(parse("00000000:01:00.0"), Some((0, 1, 0)));
        assert_eq!(parse("0000:0A:1f.0"), Some((0, 10, 31)));
        assert_eq!(parse("01:00.0"), Some((0, 1, 0)));
        assert_eq!(parse("01"), None);
        assert_eq!(parse("zz:00"), None);
        assert_eq!(parse(""), None);
    }
}
