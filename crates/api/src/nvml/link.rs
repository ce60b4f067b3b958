#[macro_export]
#[doc(hidden)]
macro_rules! nvml_link_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Device at a PCI address.
    fn nvmlDeviceGetHandleByPciBusId since 11070 [soft answer call]
        (pciBusId: cstr(), device: out(nvmlDevice_t));

    /// Device at a PCI address.
    fn nvmlDeviceGetHandleByPciBusId_v2 since 11070 [soft answer call]
        (pciBusId: cstr(), device: out(nvmlDevice_t));

    /// Whether the link between chips is on.
    fn nvmlDeviceGetC2cModeInfoV since 12030 [absent forward call]
        (device: val(nvmlDevice_t), c2cModeInfo: out(nvmlC2cModeInfo_v1_t));

    /// Whether two devices can do something with each other directly.
    fn nvmlDeviceGetP2PStatus since 11070 [soft forward call]
        (device1: val(nvmlDevice_t), device2: val(nvmlDevice_t), p2pIndex: val(nvmlGpuP2PCapsIndex_t),
         p2pStatus: out(nvmlGpuP2PStatus_t));

    /// PCI address, ids and class of a device.
    fn nvmlDeviceGetPciInfoExt since 12040 [soft forward call]
        (device: val(nvmlDevice_t), pci: inout(nvmlPciInfoExt_t));

    /// PCI address and ids of a device.
    fn nvmlDeviceGetPciInfo since 11070 [soft forward call]
        (device: val(nvmlDevice_t), pci: out(nvmlPciInfo_t));

    /// PCI address and ids of a device.
    fn nvmlDeviceGetPciInfo_v2 since 11070 [soft forward call]
        (device: val(nvmlDevice_t), pci: out(nvmlPciInfo_t));

    /// PCI address and ids of a device.
    fn nvmlDeviceGetPciInfo_v3 since 11070 [soft forward call]
        (device: val(nvmlDevice_t), pci: out(nvmlPciInfo_t));

    /// Highest PCIe generation of device and slot.
    fn nvmlDeviceGetMaxPcieLinkGeneration since 11070 [absent forward call]
        (device: val(nvmlDevice_t), maxLinkGen: out(u32));

    /// Highest PCIe generation of the device alone.
    fn nvmlDeviceGetGpuMaxPcieLinkGeneration since 12000 [absent forward call]
        (device: val(nvmlDevice_t), maxLinkGenDevice: out(u32));

    /// Most PCIe lanes of device and slot.
    fn nvmlDeviceGetMaxPcieLinkWidth since 11070 [absent forward call]
        (device: val(nvmlDevice_t), maxLinkWidth: out(u32));

    /// PCIe generation in use.
    fn nvmlDeviceGetCurrPcieLinkGeneration since 11070 [absent forward call]
        (device: val(nvmlDevice_t), currLinkGen: out(u32));

    /// PCIe lanes in use.
    fn nvmlDeviceGetCurrPcieLinkWidth since 11070 [absent forward call]
        (device: val(nvmlDevice_t), currLinkWidth: out(u32));

    /// Recent PCIe traffic.
    fn nvmlDeviceGetPcieThroughput since 11070 [todo forward call]
        (device: val(nvmlDevice_t), counter: val(nvmlPcieUtilCounter_t), value: out(u32));

    /// How many PCIe packets were sent again.
    fn nvmlDeviceGetPcieReplayCounter since 11070 [absent forward call]
        (device: val(nvmlDevice_t), value: out(u32));

    /// Bridge chips of a board.
    fn nvmlDeviceGetBridgeChipInfo since 11070 [absent forward call]
        (device: val(nvmlDevice_t), bridgeHierarchy: out(nvmlBridgeChipHierarchy_t));

    /// Highest PCIe speed as an index.
    fn nvmlDeviceGetPcieLinkMaxSpeed since 11070 [absent forward call]
        (device: val(nvmlDevice_t), maxSpeed: out(u32));

    /// PCIe speed in use.
    fn nvmlDeviceGetPcieSpeed since 11070 [absent forward call]
        (device: val(nvmlDevice_t), pcieSpeed: out(u32));

    /// State of the device in its fabric.
    fn nvmlDeviceGetGpuFabricInfo since 12000 [absent forward call]
        (device: val(nvmlDevice_t), gpuFabricInfo: out(nvmlGpuFabricInfo_t));

    /// State of the device in its fabric, with cliques.
    fn nvmlDeviceGetGpuFabricInfo_v4 since 13040 [absent forward call]
        (device: val(nvmlDevice_t), gpuFabricInfo: out(nvmlGpuFabricInfo_v4_t));

    /// State of the device in its fabric, in a versioned struct.
    fn nvmlDeviceGetGpuFabricInfoV since 12040 [absent forward call custom_wire]
        (device: val(nvmlDevice_t), gpuFabricInfo: raw(Ptr<nvmlGpuFabricInfoV_t>));

    /// Whether an NVLink is on.
    fn nvmlDeviceGetNvLinkState since 11070 [absent forward call]
        (device: val(nvmlDevice_t), link: val(u32), isActive: out(nvmlEnableState_t));

    /// Version of an NVLink.
    fn nvmlDeviceGetNvLinkVersion since 11070 [absent forward call]
        (device: val(nvmlDevice_t), link: val(u32), version: out(u32));

    /// One ability of an NVLink.
    fn nvmlDeviceGetNvLinkCapability since 11070 [absent forward call]
        (device: val(nvmlDevice_t), link: val(u32), capability: val(nvmlNvLinkCapability_t), capResult: out(u32));

    /// PCI address at the other end of an NVLink.
    fn nvmlDeviceGetNvLinkRemotePciInfo since 11070 [absent forward call]
        (device: val(nvmlDevice_t), link: val(u32), pci: out(nvmlPciInfo_t));

    /// PCI address at the other end of an NVLink.
    fn nvmlDeviceGetNvLinkRemotePciInfo_v2 since 11070 [absent forward call]
        (device: val(nvmlDevice_t), link: val(u32), pci: out(nvmlPciInfo_t));

    /// Errors of an NVLink.
    fn nvmlDeviceGetNvLinkErrorCounter since 11070 [absent forward call]
        (device: val(nvmlDevice_t), link: val(u32), counter: val(nvmlNvLinkErrorCounter_t), counterValue: out(u64));

    /// Sets errors of an NVLink to zero.
    fn nvmlDeviceResetNvLinkErrorCounters since 11070 [absent forward call]
        (device: val(nvmlDevice_t), link: val(u32));

    /// What an NVLink counter shall count.
    fn nvmlDeviceSetNvLinkUtilizationControl since 11070 [absent forward call]
        (device: val(nvmlDevice_t), link: val(u32), counter: val(u32),
         control: input(nvmlNvLinkUtilizationControl_t), reset: val(u32));

    /// What an NVLink counter counts.
    fn nvmlDeviceGetNvLinkUtilizationControl since 11070 [absent forward call]
        (device: val(nvmlDevice_t), link: val(u32), counter: val(u32), control: out(nvmlNvLinkUtilizationControl_t));

    /// Value of an NVLink counter.
    fn nvmlDeviceGetNvLinkUtilizationCounter since 11070 [absent forward call]
        (device: val(nvmlDevice_t), link: val(u32), counter: val(u32), rxcounter: out(u64), txcounter: out(u64));

    /// Stops or continues an NVLink counter.
    fn nvmlDeviceFreezeNvLinkUtilizationCounter since 11070 [absent forward call]
        (device: val(nvmlDevice_t), link: val(u32), counter: val(u32), freeze: val(nvmlEnableState_t));

    /// Sets an NVLink counter to zero.
    fn nvmlDeviceResetNvLinkUtilizationCounter since 11070 [absent forward call]
        (device: val(nvmlDevice_t), link: val(u32), counter: val(u32));

    /// What is at the other end of an NVLink.
    fn nvmlDeviceGetNvLinkRemoteDeviceType since 11070 [absent forward call]
        (device: val(nvmlDevice_t), link: val(u32), pNvLinkDeviceType: out(nvmlIntNvLinkDeviceType_t));

    /// When NVLinks go to low power.
    fn nvmlDeviceSetNvLinkDeviceLowPowerThreshold since 12000 [absent forward call]
        (device: val(nvmlDevice_t), info: input(nvmlNvLinkPowerThres_t));

    /// Bandwidth mode of all NVLinks.
    fn nvmlSystemSetNvlinkBwMode since 12020 [absent forward call]
        (nvlinkBwMode: val(u32));

    /// Bandwidth mode of all NVLinks.
    fn nvmlSystemGetNvlinkBwMode since 12020 [absent forward call]
        (nvlinkBwMode: out(u32));

    /// Bandwidth modes NVLinks of a device can have.
    fn nvmlDeviceGetNvlinkSupportedBwModes since 12080 [absent forward call]
        (device: val(nvmlDevice_t), supportedBwMode: inout(nvmlNvlinkSupportedBwModes_t));

    /// Bandwidth mode of a device's NVLinks.
    fn nvmlDeviceGetNvlinkBwMode since 12080 [absent forward call]
        (device: val(nvmlDevice_t), getBwMode: inout(nvmlNvlinkGetBwMode_t));

    /// Changes the bandwidth mode of a device's NVLinks.
    fn nvmlDeviceSetNvlinkBwMode since 12080 [absent forward call]
        (device: val(nvmlDevice_t), setBwMode: input(nvmlNvlinkSetBwMode_t));

    /// Begins to change the bandwidth mode of a device's NVLinks.
    fn nvmlDeviceSetNvlinkBwModeAsync_v1 since 13040 [absent forward call]
        (device: val(nvmlDevice_t), setBwModeAsync: input(nvmlNvlinkSetBwModeAsync_v1_t));

    /// Firmware and state of a device's NVLinks.
    fn nvmlDeviceGetNvLinkInfo since 13000 [absent forward call custom_wire]
        (device: val(nvmlDevice_t), info: raw(Ptr<nvmlNvLinkInfo_t>));

    /// Measurements of a device's NVLinks.
    fn nvmlDeviceGetNvLinkTelemetrySamples_v1 since 13040 [absent forward call custom_wire]
        (device: val(nvmlDevice_t), samples: inout(nvmlNvlinkTelemetrySamples_v1_t));

    /// Stops or allows new clients before removal.
    fn nvmlDeviceModifyDrainState since 11070 [todo forward call]
        (pciInfo: input(nvmlPciInfo_t), newState: val(nvmlEnableState_t));

    /// Whether new clients are stopped.
    fn nvmlDeviceQueryDrainState since 11070 [todo forward call]
        (pciInfo: input(nvmlPciInfo_t), currentState: out(nvmlEnableState_t));

    /// Removes a device from the system.
    fn nvmlDeviceRemoveGpu since 11070 [absent forward call]
        (pciInfo: input(nvmlPciInfo_t));

    /// Removes a device from the system, with a choice of what happens to the link.
    fn nvmlDeviceRemoveGpu_v2 since 11070 [absent forward call]
        (pciInfo: input(nvmlPciInfo_t), gpuState: val(nvmlDetachGpuState_t), linkState: val(nvmlPcieLinkState_t));

    /// Looks for devices that were added or removed.
    fn nvmlDeviceDiscoverGpus since 11070 [absent forward call]
        (pciInfo: input(nvmlPciInfo_t));

}}}}
