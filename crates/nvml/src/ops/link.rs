use cleave_api::nvml::types::*;

use crate::edge::{self, Answer, InOut, Out, Str};
use crate::pci;
use crate::state::Library;

/// Device and vendor number. No such board was ever sold.
const PCI_DEVICE: u32 = 0xc1ea_10de;

/// Class "display controller", subclass "3D controller".
const PCI_CLASS: (u32, u32) = (0x03, 0x02);

pub fn nvmlDeviceGetHandleByPciBusId(library: &Library, text: Str, device: Out<nvmlDevice_t>) -> Answer {
    let wanted = pci::parse(text.get()?).ok_or(NVML_ERROR_INVALID_ARGUMENT)?;
    device.set(library.find(|gpu| gpu.device().pci() == wanted)?.handle())
}

pub use nvmlDeviceGetHandleByPciBusId as nvmlDeviceGetHandleByPciBusId_v2;

pub fn nvmlDeviceGetPciInfo_v3(library: &Library, device: nvmlDevice_t, info: Out<nvmlPciInfo_t>) -> Answer {
    let gpu = library.gpu(device)?;
    let (domain, bus, slot) = gpu.device().pci();
    info.set(nvmlPciInfo_t {
        busIdLegacy: edge::field(&gpu.device().pci_text().to_ascii_uppercase()),
        domain,
        bus,
        device: slot,
        pciDeviceId: PCI_DEVICE,
        pciSubSystemId: PCI_DEVICE,
        busId: edge::field(&pci::text(gpu.device().pci())),
    })
}

pub use {
    nvmlDeviceGetPciInfo_v3 as nvmlDeviceGetPciInfo, nvmlDeviceGetPciInfo_v3 as nvmlDeviceGetPciInfo_v2,
};

pub fn nvmlDeviceGetPciInfoExt(
    library: &Library,
    device: nvmlDevice_t,
    info: InOut<nvmlPciInfoExt_t>,
) -> Answer {
    let gpu = library.gpu(device)?;
    edge::version(info.get()?.version, nvmlPciInfoExt_v1)?;
    let (domain, bus, slot) = gpu.device().pci();
    info.set(nvmlPciInfoExt_t {
        version: nvmlPciInfoExt_v1,
        domain,
        bus,
        device: slot,
        pciDeviceId: PCI_DEVICE,
        pciSubSystemId: PCI_DEVICE,
        baseClass: PCI_CLASS.0,
        subClass: PCI_CLASS.1,
        busId: edge::field(&pci::text(gpu.device().pci())),
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
