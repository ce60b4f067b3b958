use super::*;

c_structs! {
    struct nvmlPciInfoExt_t size 64 {
        0 version: u32,
        4 domain: u32,
        8 bus: u32,
        12 device: u32,
        16 pciDeviceId: u32,
        20 pciSubSystemId: u32,
        24 baseClass: u32,
        28 subClass: u32,
        32 busId: [u8; 32],
    }
    struct nvmlPciInfo_t size 68 {
        0 busIdLegacy: [u8; 16],
        16 domain: u32,
        20 bus: u32,
        24 device: u32,
        28 pciDeviceId: u32,
        32 pciSubSystemId: u32,
        36 busId: [u8; 32],
    }
    struct nvmlC2cModeInfo_v1_t size 4 {
        0 isC2cEnabled: u32,
    }
    struct nvmlNvLinkUtilizationControl_t size 8 {
        0 units: nvmlNvLinkUtilizationCountUnits_t,
        4 pktfilter: nvmlNvLinkUtilizationCountPktTypes_t,
    }
    struct nvmlBridgeChipInfo_t size 8 {
        0 type_: nvmlBridgeChipType_t,
        4 fwVersion: u32,
    }
    struct nvmlBridgeChipHierarchy_t size 1028 {
        0 bridgeCount: u8,
        4 bridgeChipInfo: [nvmlBridgeChipInfo_t; 128],
    }
    struct nvmlNvLinkPowerThres_t size 4 {
        0 lowPwrThreshold: u32,
    }
    struct nvmlGpuFabricInfo_t size 28 {
        0 clusterUuid: [u8; 16],
        16 status: nvmlReturn_t,
        20 cliqueId: u32,
        24 state: nvmlGpuFabricState_t,
    }
    struct nvmlGpuFabricInfo_v2_t size 36 {
        0 version: u32,
        4 clusterUuid: [u8; 16],
        20 status: nvmlReturn_t,
        24 cliqueId: u32,
        28 state: nvmlGpuFabricState_t,
        32 healthMask: u32,
    }
    struct nvmlGpuFabricInfoV_t size 40 {
        0 version: u32,
        4 clusterUuid: [u8; 16],
        20 status: nvmlReturn_t,
        24 cliqueId: u32,
        28 state: nvmlGpuFabricState_t,
        32 healthMask: u32,
        36 healthSummary: u8,
    }
    struct nvmlGpuFabricClique_v1_t size 8 {
        0 type_: u8,
        4 id: u32,
    }
    struct nvmlGpuFabricInfo_v4_t size 548 {
        0 clusterUuid: [u8; 16],
        16 status: nvmlReturn_t,
        20 cliques: [nvmlGpuFabricClique_v1_t; 64],
        532 numCliques: u32,
        536 state: nvmlGpuFabricState_t,
        540 healthMask: u32,
        544 healthSummary: u8,
    }
    struct nvmlNvlinkSupportedBwModes_t size 28 {
        0 version: u32,
        4 bwModes: [u8; 23],
        27 totalBwModes: u8,
    }
    struct nvmlNvlinkGetBwMode_t size 12 {
        0 version: u32,
        4 bIsBest: u32,
        8 bwMode: u8,
    }
    struct nvmlNvlinkSetBwMode_t size 12 {
        0 version: u32,
        4 bSetBest: u32,
        8 bwMode: u8,
    }
    struct nvmlNvlinkSetBwModeAsync_v1_t size 12 {
        0 bSetBest: u32,
        4 bwMode: u32,
        8 asyncPollTimeoutMs: u32,
    }
    struct nvmlNvLinkInfo_v1_t size 8 {
        0 version: u32,
        4 isNvleEnabled: u32,
    }
    struct nvmlNvlinkFirmwareVersion_t size 16 {
        0 ucodeType: u8,
        4 major: u32,
        8 minor: u32,
        12 subMinor: u32,
    }
    struct nvmlNvlinkFirmwareInfo_t size 1604 {
        0 firmwareVersion: [nvmlNvlinkFirmwareVersion_t; 100],
        1600 numValidEntries: u32,
    }
    struct nvmlNvLinkInfo_t size 1612 {
        0 version: u32,
        4 isNvleEnabled: u32,
        8 firmwareInfo: nvmlNvlinkFirmwareInfo_t,
    }
    struct nvmlNvlinkTelemetrySample_v1_t size 32 {
        0 linkId: u32,
        4 sampleType: u32,
        8 sampleCount: u32,
        16 samples: Ptr<u64>,
        24 nvmlReturn: nvmlReturn_t,
    }
    struct nvmlNvlinkTelemetrySamples_v1_t size 16 {
        0 telemetryCount: u32,
        8 telemetrySamples: Ptr<nvmlNvlinkTelemetrySample_v1_t>,
    }
}

pub type nvmlPciInfoExt_v1_t = nvmlPciInfoExt_t;
pub type nvmlGpuFabricInfo_v3_t = nvmlGpuFabricInfoV_t;
pub type nvmlNvlinkSupportedBwModes_v1_t = nvmlNvlinkSupportedBwModes_t;
pub type nvmlNvlinkGetBwMode_v1_t = nvmlNvlinkGetBwMode_t;
pub type nvmlNvlinkSetBwMode_v1_t = nvmlNvlinkSetBwMode_t;
pub type nvmlNvLinkInfo_v2_t = nvmlNvLinkInfo_t;
