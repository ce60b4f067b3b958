#[macro_export]
macro_rules! nvml_link_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn nvmlDeviceGetHandleByPciBusId since 11070 [todo forward call]
        (pciBusId: cstr(), device: out(nvmlDevice_t));

    fn nvmlDeviceGetHandleByPciBusId_v2 since 11070 [todo forward call]
        (pciBusId: cstr(), device: out(nvmlDevice_t));

    fn nvmlDeviceGetC2cModeInfoV since 12030 [todo forward call]
        (device: val(nvmlDevice_t), c2cModeInfo: out(nvmlC2cModeInfo_v1_t));

    fn nvmlDeviceGetP2PStatus since 11070 [todo forward call]
        (device1: val(nvmlDevice_t), device2: val(nvmlDevice_t), p2pIndex: val(nvmlGpuP2PCapsIndex_t),
         p2pStatus: out(nvmlGpuP2PStatus_t));

    fn nvmlDeviceGetPciInfoExt since 12040 [todo forward call]
        (device: val(nvmlDevice_t), pci: inout(nvmlPciInfoExt_t));

    fn nvmlDeviceGetPciInfo since 11070 [todo forward call]
        (device: val(nvmlDevice_t), pci: out(nvmlPciInfo_t));

    fn nvmlDeviceGetPciInfo_v2 since 11070 [todo forward call]
        (device: val(nvmlDevice_t), pci: out(nvmlPciInfo_t));

    fn nvmlDeviceGetPciInfo_v3 since 11070 [todo forward call]
        (device: val(nvmlDevice_t), pci: out(nvmlPciInfo_t));

    fn nvmlDeviceGetMaxPcieLinkGeneration since 11070 [todo forward call]
        (device: val(nvmlDevice_t), maxLinkGen: out(u32));

    fn nvmlDeviceGetGpuMaxPcieLinkGeneration since 12000 [todo forward call]
        (device: val(nvmlDevice_t), maxLinkGenDevice: out(u32));

    fn nvmlDeviceGetMaxPcieLinkWidth since 11070 [todo forward call]
        (device: val(nvmlDevice_t), maxLinkWidth: out(u32));

    fn nvmlDeviceGetCurrPcieLinkGeneration since 11070 [todo forward call]
        (device: val(nvmlDevice_t), currLinkGen: out(u32));

    fn nvmlDeviceGetCurrPcieLinkWidth since 11070 [todo forward call]
        (device: val(nvmlDevice_t), currLinkWidth: out(u32));

    fn nvmlDeviceGetPcieThroughput since 11070 [todo forward call]
        (device: val(nvmlDevice_t), counter: val(nvmlPcieUtilCounter_t), value: out(u32));

    fn nvmlDeviceGetPcieReplayCounter since 11070 [todo forward call]
        (device: val(nvmlDevice_t), value: out(u32));

    fn nvmlDeviceGetBridgeChipInfo since 11070 [todo forward call]
        (device: val(nvmlDevice_t), bridgeHierarchy: out(nvmlBridgeChipHierarchy_t));

    fn nvmlDeviceGetPcieLinkMaxSpeed since 11070 [todo forward call]
        (device: val(nvmlDevice_t), maxSpeed: out(u32));

    fn nvmlDeviceGetPcieSpeed since 11070 [todo forward call]
        (device: val(nvmlDevice_t), pcieSpeed: out(u32));

    fn nvmlDeviceGetGpuFabricInfo since 12000 [todo forward call]
        (device: val(nvmlDevice_t), gpuFabricInfo: out(nvmlGpuFabricInfo_t));

    fn nvmlDeviceGetGpuFabricInfo_v4 since 13040 [todo forward call]
        (device: val(nvmlDevice_t), gpuFabricInfo: out(nvmlGpuFabricInfo_v4_t));

    fn nvmlDeviceGetGpuFabricInfoV since 12040 [todo forward call]
        (device: val(nvmlDevice_t), gpuFabricInfo: inout(nvmlGpuFabricInfoV_t));

    fn nvmlDeviceGetNvLinkState since 11070 [todo forward call]
        (device: val(nvmlDevice_t), link: val(u32), isActive: out(nvmlEnableState_t));

    fn nvmlDeviceGetNvLinkVersion since 11070 [todo forward call]
        (device: val(nvmlDevice_t), link: val(u32), version: out(u32));

    fn nvmlDeviceGetNvLinkCapability since 11070 [todo forward call]
        (device: val(nvmlDevice_t), link: val(u32), capability: val(nvmlNvLinkCapability_t), capResult: out(u32));

    fn nvmlDeviceGetNvLinkRemotePciInfo since 11070 [todo forward call]
        (device: val(nvmlDevice_t), link: val(u32), pci: out(nvmlPciInfo_t));

    fn nvmlDeviceGetNvLinkRemotePciInfo_v2 since 11070 [todo forward call]
        (device: val(nvmlDevice_t), link: val(u32), pci: out(nvmlPciInfo_t));

    fn nvmlDeviceGetNvLinkErrorCounter since 11070 [todo forward call]
        (device: val(nvmlDevice_t), link: val(u32), counter: val(nvmlNvLinkErrorCounter_t), counterValue: out(u64));

    fn nvmlDeviceResetNvLinkErrorCounters since 11070 [todo forward call]
        (device: val(nvmlDevice_t), link: val(u32));

    fn nvmlDeviceSetNvLinkUtilizationControl since 11070 [todo forward call]
        (device: val(nvmlDevice_t), link: val(u32), counter: val(u32),
         control: input(nvmlNvLinkUtilizationControl_t), reset: val(u32));

    fn nvmlDeviceGetNvLinkUtilizationControl since 11070 [todo forward call]
        (device: val(nvmlDevice_t), link: val(u32), counter: val(u32), control: out(nvmlNvLinkUtilizationControl_t));

    fn nvmlDeviceGetNvLinkUtilizationCounter since 11070 [todo forward call]
        (device: val(nvmlDevice_t), link: val(u32), counter: val(u32), rxcounter: out(u64), txcounter: out(u64));

    fn nvmlDeviceFreezeNvLinkUtilizationCounter since 11070 [todo forward call]
        (device: val(nvmlDevice_t), link: val(u32), counter: val(u32), freeze: val(nvmlEnableState_t));

    fn nvmlDeviceResetNvLinkUtilizationCounter since 11070 [todo forward call]
        (device: val(nvmlDevice_t), link: val(u32), counter: val(u32));

    fn nvmlDeviceGetNvLinkRemoteDeviceType since 11070 [todo forward call]
        (device: val(nvmlDevice_t), link: val(u32), pNvLinkDeviceType: out(nvmlIntNvLinkDeviceType_t));

    fn nvmlDeviceSetNvLinkDeviceLowPowerThreshold since 12000 [todo forward call]
        (device: val(nvmlDevice_t), info: input(nvmlNvLinkPowerThres_t));

    fn nvmlSystemSetNvlinkBwMode since 12020 [todo forward call]
        (nvlinkBwMode: val(u32));

    fn nvmlSystemGetNvlinkBwMode since 12020 [todo forward call]
        (nvlinkBwMode: out(u32));

    fn nvmlDeviceGetNvlinkSupportedBwModes since 12080 [todo forward call]
        (device: val(nvmlDevice_t), supportedBwMode: inout(nvmlNvlinkSupportedBwModes_t));

    fn nvmlDeviceGetNvlinkBwMode since 12080 [todo forward call]
        (device: val(nvmlDevice_t), getBwMode: inout(nvmlNvlinkGetBwMode_t));

    fn nvmlDeviceSetNvlinkBwMode since 12080 [todo forward call]
        (device: val(nvmlDevice_t), setBwMode: input(nvmlNvlinkSetBwMode_t));

    fn nvmlDeviceSetNvlinkBwModeAsync_v1 since 13040 [todo forward call]
        (device: val(nvmlDevice_t), setBwModeAsync: input(nvmlNvlinkSetBwModeAsync_v1_t));

    fn nvmlDeviceGetNvLinkInfo since 13000 [todo forward call]
        (device: val(nvmlDevice_t), info: inout(nvmlNvLinkInfo_t));

    fn nvmlDeviceGetNvLinkTelemetrySamples_v1 since 13040 [todo forward call custom_wire]
        (device: val(nvmlDevice_t), samples: out(nvmlNvlinkTelemetrySamples_v1_t));

    fn nvmlDeviceModifyDrainState since 11070 [todo forward call]
        (pciInfo: input(nvmlPciInfo_t), newState: val(nvmlEnableState_t));

    fn nvmlDeviceQueryDrainState since 11070 [todo forward call]
        (pciInfo: input(nvmlPciInfo_t), currentState: out(nvmlEnableState_t));

    fn nvmlDeviceRemoveGpu since 11070 [todo forward call]
        (pciInfo: input(nvmlPciInfo_t));

    fn nvmlDeviceRemoveGpu_v2 since 11070 [todo forward call]
        (pciInfo: input(nvmlPciInfo_t), gpuState: val(nvmlDetachGpuState_t), linkState: val(nvmlPcieLinkState_t));

    fn nvmlDeviceDiscoverGpus since 11070 [todo forward call]
        (pciInfo: input(nvmlPciInfo_t));

}}}}
