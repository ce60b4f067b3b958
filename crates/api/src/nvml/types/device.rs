use super::*;

c_structs! {
    struct nvmlEccErrorCounts_t size 32 {
        0 l1Cache: u64,
        8 l2Cache: u64,
        16 deviceMemory: u64,
        24 registerFile: u64,
    }
    struct nvmlUtilization_t size 8 {
        0 gpu: u32,
        4 memory: u32,
    }
    struct nvmlMemory_t size 24 {
        0 total: u64,
        8 free: u64,
        16 used: u64,
    }
    struct nvmlMemory_v2_t size 40 {
        0 version: u32,
        8 total: u64,
        16 reserved: u64,
        24 free: u64,
        32 used: u64,
    }
    struct nvmlSetMemoryLimits_v1_t size 24 {
        0 nameSpace: Ptr<u8>,
        8 softLimit: u64,
        16 hardLimit: u64,
    }
    struct nvmlGetMemoryLimits_v1_t size 32 {
        0 nameSpace: Ptr<u8>,
        8 softLimit: u64,
        16 hardLimit: u64,
        24 currentUsed: u64,
    }
    struct nvmlBAR1Memory_t size 24 {
        0 bar1Total: u64,
        8 bar1Free: u64,
        16 bar1Used: u64,
    }
    struct nvmlProcessInfo_v1_t size 16 {
        0 pid: u32,
        8 usedGpuMemory: u64,
    }
    struct nvmlProcessInfo_t size 24 {
        0 pid: u32,
        8 usedGpuMemory: u64,
        16 gpuInstanceId: u32,
        20 computeInstanceId: u32,
    }
    struct nvmlProcessDetail_v1_t size 32 {
        0 pid: u32,
        8 usedGpuMemory: u64,
        16 gpuInstanceId: u32,
        20 computeInstanceId: u32,
        24 usedGpuCcProtectedMemory: u64,
    }
    struct nvmlProcessDetailList_t size 24 {
        0 version: u32,
        4 mode: u32,
        8 numProcArrayEntries: u32,
        16 procArray: Ptr<nvmlProcessDetail_v1_t>,
    }
    struct nvmlDeviceAttributes_t size 40 {
        0 multiprocessorCount: u32,
        4 sharedCopyEngineCount: u32,
        8 sharedDecoderCount: u32,
        12 sharedEncoderCount: u32,
        16 sharedJpegCount: u32,
        20 sharedOfaCount: u32,
        24 gpuInstanceSliceCount: u32,
        28 computeInstanceSliceCount: u32,
        32 memorySizeMB: u64,
    }
    struct nvmlDeviceAddressingMode_t size 8 {
        0 version: u32,
        4 value: u32,
    }
    struct nvmlRepairStatus_t size 12 {
        0 version: u32,
        4 bChannelRepairPending: u32,
        8 bTpcRepairPending: u32,
    }
    struct nvmlUnrepairableMemoryStatus_v1_t size 4 {
        0 bUnrepairableMemory: u32,
    }
    struct nvmlRowRemapperHistogramValues_t size 20 {
        0 max: u32,
        4 high: u32,
        8 partial: u32,
        12 low: u32,
        16 none: u32,
    }
    struct nvmlValue_t size 8 {
        0 value: Union<[u64; 1]>,
    }
    struct nvmlViolationTime_t size 16 {
        0 referenceTime: u64,
        8 violationTime: u64,
    }
    struct nvmlGpuThermalSettings_t_sensor size 20 {
        0 controller: nvmlThermalController_t,
        4 defaultMinTemp: i32,
        8 defaultMaxTemp: i32,
        12 currentTemp: i32,
        16 target: nvmlThermalTarget_t,
    }
    struct nvmlGpuThermalSettings_t size 64 {
        0 count: u32,
        4 sensor: [nvmlGpuThermalSettings_t_sensor; 3],
    }
    struct nvmlCoolerInfo_t size 16 {
        0 version: u32,
        4 index: u32,
        8 signalType: nvmlCoolerControl_t,
        12 target: nvmlCoolerTarget_t,
    }
    struct nvmlUUIDValue_t size 41 {
        0 value: Union<[u8; 41]>,
    }
    struct nvmlUUID_t size 52 {
        0 version: u32,
        4 type_: u32,
        8 value: nvmlUUIDValue_t,
    }
    struct nvmlPdi_t size 16 {
        0 version: u32,
        8 value: u64,
    }
    struct nvmlPmgrPwrTuple_t size 4 {
        0 pwrmW: u32,
    }
    struct nvmlRailMetrics_t size 16 {
        0 freqkHz: u32,
        8 utilPct: u64,
    }
    struct nvmlCoreRailMetrics_t size 32 {
        0 rails: [nvmlRailMetrics_t; 2],
    }
    struct nvmlPwrModelMetricsDlppm1x_t size 64 {
        0 bValid: u8,
        8 coreRail: nvmlCoreRailMetrics_t,
        40 fbRail: nvmlRailMetrics_t,
        56 tgpPwrTuple: nvmlPmgrPwrTuple_t,
        60 perfMetrics: nvmlPwrModelMetricsDlppm1xPerf_t,
    }
    struct nvmlPwrModelMetricsDlppm1xDramclkEstimates_t size 520 {
        0 estimatedMetrics: [nvmlPwrModelMetricsDlppm1x_t; 8],
        512 numEstimatedMetrics: u8,
    }
    struct nvmlObservedMetrics_t size 1624 {
        0 initialDramclkEst: [nvmlPwrModelMetricsDlppm1xDramclkEstimates_t; 3],
        1560 bValid: u8,
        1568 coreRail: nvmlCoreRailMetrics_t,
        1600 fbRail: nvmlRailMetrics_t,
        1616 tgpPwrTuple: nvmlPmgrPwrTuple_t,
        1620 perfMetrics: nvmlPwrModelMetricsDlppm1xPerf_t,
    }
    struct nvmlPwrModelOperatingPointPfpp1x_t size 8 {
        0 freqkHz: u32,
        4 pwrmW: u32,
    }
    struct nvmlPwrModelMetricsPfpp1x_t size 2204 {
        0 numVfPoints: u8,
        4 estimatedMetrics: [nvmlPwrModelMetricsSamplePfpp1x_t; 32],
        2180 bValid: u8,
        2184 maxPerfPerWattPoint: nvmlPwrModelOperatingPointPfpp1x_t,
        2192 fmaxAtVmaxPoint: nvmlPwrModelOperatingPointPfpp1x_t,
        2200 tgpHeadroommW: u32,
    }
    struct nvmlBBXTimeData_v1_t size 4 {
        0 timeRun: u32,
    }
    struct nvmlDramEncryptionInfo_t size 8 {
        0 version: u32,
        4 encryptionState: nvmlEnableState_t,
    }
    struct nvmlMarginTemperature_t size 8 {
        0 version: u32,
        4 marginTemperature: i32,
    }
    struct nvmlClkMonFaultInfo_t size 8 {
        0 clkApiDomain: u32,
        4 clkDomainFaultMask: u32,
    }
    struct nvmlClkMonStatus_t size 264 {
        0 bGlobalStatus: u32,
        4 clkMonListSize: u32,
        8 clkMonList: [nvmlClkMonFaultInfo_t; 32],
    }
    struct nvmlClockOffset_t size 24 {
        0 version: u32,
        4 type_: nvmlClockType_t,
        8 pstate: nvmlPstates_t,
        12 clockOffsetMHz: i32,
        16 minClockOffsetMHz: i32,
        20 maxClockOffsetMHz: i32,
    }
    struct nvmlFanSpeedInfo_t size 12 {
        0 version: u32,
        4 fan: u32,
        8 speed: u32,
    }
    struct nvmlDeviceCurrentClockFreqs_t size 2052 {
        0 version: u32,
        4 str: [u8; 2048],
    }
    struct nvmlDevicePowerMizerModes_v1_t size 12 {
        0 currentMode: u32,
        4 mode: u32,
        8 supportedPowerMizerModes: u32,
    }
    struct nvmlProcessUtilizationInfo_v1_t size 40 {
        0 timeStamp: u64,
        8 pid: u32,
        12 smUtil: u32,
        16 memUtil: u32,
        20 encUtil: u32,
        24 decUtil: u32,
        28 jpgUtil: u32,
        32 ofaUtil: u32,
    }
    struct nvmlProcessesUtilizationInfo_t size 24 {
        0 version: u32,
        4 processSamplesCount: u32,
        8 lastSeenTimeStamp: u64,
        16 procUtilArray: Ptr<nvmlProcessUtilizationInfo_v1_t>,
    }
    struct nvmlEccSramErrorStatus_t size 104 {
        0 version: u32,
        8 aggregateUncParity: u64,
        16 aggregateUncSecDed: u64,
        24 aggregateCor: u64,
        32 volatileUncParity: u64,
        40 volatileUncSecDed: u64,
        48 volatileCor: u64,
        56 aggregateUncBucketL2: u64,
        64 aggregateUncBucketSm: u64,
        72 aggregateUncBucketPcie: u64,
        80 aggregateUncBucketMcu: u64,
        88 aggregateUncBucketOther: u64,
        96 bThresholdExceeded: u32,
    }
    struct nvmlPlatformInfo_v1_t size 44 {
        0 version: u32,
        4 ibGuid: [u8; 16],
        20 rackGuid: [u8; 16],
        36 chassisPhysicalSlotNumber: u8,
        37 computeSlotIndex: u8,
        38 nodeIndex: u8,
        39 peerType: u8,
        40 moduleId: u8,
    }
    struct nvmlPlatformInfo_t size 44 {
        0 version: u32,
        4 ibGuid: [u8; 16],
        20 chassisSerialNumber: [u8; 16],
        36 slotNumber: u8,
        37 trayIndex: u8,
        38 hostId: u8,
        39 peerType: u8,
        40 moduleId: u8,
    }
    struct nvmlHostname_v1_t size 64 {
        0 value: [u8; 64],
    }
    struct nvmlEccSramUniqueUncorrectedErrorEntry_v1_t size 28 {
        0 unit: u32,
        4 location: u32,
        8 sublocation: u32,
        12 extlocation: u32,
        16 address: u32,
        20 isParity: u32,
        24 count: u32,
    }
    struct nvmlEccSramUniqueUncorrectedErrorCounts_t size 16 {
        0 version: u32,
        4 entryCount: u32,
        8 entries: Ptr<nvmlEccSramUniqueUncorrectedErrorEntry_v1_t>,
    }
    struct nvmlRemappedRowsInfo_v2_t size 24 {
        0 corrActiveRemaps: u32,
        4 corrInactiveRemaps: u32,
        8 uncActiveRemaps: u32,
        12 uncInactiveRemaps: u32,
        16 bPending: u32,
        20 bFailureOccurred: u32,
    }
    struct nvmlRusdSettings_v1_t size 16 {
        0 version: u32,
        8 pollMask: u64,
    }
    struct nvmlGpuDynamicPstatesInfo_t_utilization size 16 {
        0 bIsPresent: u32,
        4 percentage: u32,
        8 incThreshold: u32,
        12 decThreshold: u32,
    }
    struct nvmlGpuDynamicPstatesInfo_t size 132 {
        0 flags: u32,
        4 utilization: [nvmlGpuDynamicPstatesInfo_t_utilization; 8],
    }
    struct nvmlPowerValue_v2_t size 12 {
        0 version: u32,
        4 powerScope: nvmlPowerScopeType_t,
        8 powerValueMw: u32,
    }
    struct nvmlAdaptiveTgpModeInfo_v1_t size 20 {
        0 inBandEnableRequest: nvmlEnableState_t,
        4 featureAllowedByAdmin: nvmlEnableState_t,
        8 adminOverrideEnabled: nvmlEnableState_t,
        12 enablementStatus: nvmlEnableState_t,
        16 adjustedLimitMw: u32,
    }
    struct nvmlHwbcEntry_t size 36 {
        0 hwbcId: u32,
        4 firmwareVersion: [u8; 32],
    }
    struct nvmlLedState_t size 260 {
        0 cause: [u8; 256],
        256 color: nvmlLedColor_t,
    }
    struct nvmlUnitInfo_t size 384 {
        0 name: [u8; 96],
        96 id: [u8; 96],
        192 serial: [u8; 96],
        288 firmwareVersion: [u8; 96],
    }
    struct nvmlPSUInfo_t size 268 {
        0 state: [u8; 256],
        256 current: u32,
        260 voltage: u32,
        264 power: u32,
    }
    struct nvmlUnitFanInfo_t size 8 {
        0 speed: u32,
        4 state: nvmlFanState_t,
    }
    struct nvmlUnitFanSpeeds_t size 196 {
        0 fans: [nvmlUnitFanInfo_t; 24],
        192 count: u32,
    }
    struct nvmlAccountingStats_t size 56 {
        0 gpuUtilization: u32,
        4 memoryUtilization: u32,
        8 maxMemoryUsage: u64,
        16 time: u64,
        24 startTime: u64,
        32 isRunning: u32,
        36 reserved: [u32; 5],
    }
    struct nvmlAccountingStats_v2_t size 64 {
        0 pid: u32,
        4 isRunning: u32,
        8 gpuUtilization: u32,
        12 memoryUtilization: u32,
        16 maxMemoryUsage: u64,
        24 sampleCount: u32,
        32 sumGpuUtil: u64,
        40 sumFbUtil: u64,
        48 time: u64,
        56 startTime: u64,
    }
    struct nvmlEncoderSessionInfo_t size 32 {
        0 sessionId: u32,
        4 pid: u32,
        8 vgpuInstance: nvmlVgpuInstance_t,
        12 codecType: nvmlEncoderType_t,
        16 hResolution: u32,
        20 vResolution: u32,
        24 averageFps: u32,
        28 averageLatency: u32,
    }
    struct nvmlFBCStats_t size 12 {
        0 sessionsCount: u32,
        4 averageFPS: u32,
        8 averageLatency: u32,
    }
    struct nvmlFBCSessionInfo_t size 48 {
        0 sessionId: u32,
        4 pid: u32,
        8 vgpuInstance: nvmlVgpuInstance_t,
        12 displayOrdinal: u32,
        16 sessionType: nvmlFBCSessionType_t,
        20 sessionFlags: u32,
        24 hMaxResolution: u32,
        28 vMaxResolution: u32,
        32 hResolution: u32,
        36 vResolution: u32,
        40 averageFPS: u32,
        44 averageLatency: u32,
    }
    struct nvmlCPERCursor_v1_t size 96 {
        0 cperTypeMask: u32,
        4 uuid: [u8; 80],
        88 handle: nvmlCPERCursorHandle_t,
    }
    struct nvmlGetCPER_v1_t size 112 {
        0 cursor: nvmlCPERCursor_v1_t,
        96 buffer: Ptr<u8>,
        104 bufferSize: u32,
    }
    struct nvmlSystemDriverBranchInfo_t size 84 {
        0 version: u32,
        4 branch: [u8; 80],
    }
    struct nvmlTemperature_t size 12 {
        0 version: u32,
        4 sensorType: nvmlTemperatureSensors_t,
        8 temperature: i32,
    }
    struct nvmlExcludedDeviceInfo_t size 148 {
        0 pciInfo: nvmlPciInfo_t,
        68 uuid: [u8; 80],
    }
    struct nvmlDeviceCapabilities_t size 8 {
        0 version: u32,
        4 capMask: u32,
    }
    struct nvmlMask255_t size 32 {
        0 mask: [u32; 8],
    }
    struct nvmlWorkloadPowerProfileInfo_t size 44 {
        0 version: u32,
        4 profileId: u32,
        8 priority: u32,
        12 conflictingMask: nvmlMask255_t,
    }
    struct nvmlWorkloadPowerProfileProfilesInfo_t size 11256 {
        0 version: u32,
        4 perfProfilesMask: nvmlMask255_t,
        36 perfProfile: [nvmlWorkloadPowerProfileInfo_t; 255],
    }
    struct nvmlWorkloadPowerProfileCurrentProfiles_t size 100 {
        0 version: u32,
        4 perfProfilesMask: nvmlMask255_t,
        36 requestedProfilesMask: nvmlMask255_t,
        68 enforcedProfilesMask: nvmlMask255_t,
    }
    struct nvmlWorkloadPowerProfileRequestedProfiles_t size 36 {
        0 version: u32,
        4 requestedProfilesMask: nvmlMask255_t,
    }
    struct nvmlWorkloadPowerProfileUpdateProfiles_v1_t size 36 {
        0 operation: nvmlPowerProfileOperation_t,
        4 updateProfilesMask: nvmlMask255_t,
    }
    struct nvmlPowerSmoothingProfile_t size 24 {
        0 version: u32,
        4 profileId: u32,
        8 paramId: u32,
        16 value: f64,
    }
    struct nvmlPowerSmoothingState_t size 8 {
        0 version: u32,
        4 state: nvmlEnableState_t,
    }
    struct nvmlEccBankRemapperHistogram_v1_t size 8 {
        0 maxSpareGroupCount: u32,
        4 noSpareGroupCount: u32,
    }
    struct nvmlEccBankRemapperStatus_v1_t size 20 {
        0 activeRemappings: u32,
        4 inactiveRemappings: u32,
        8 bPending: u32,
        12 histogram: nvmlEccBankRemapperHistogram_v1_t,
    }
}

pub type nvmlProcessInfo_v2_t = nvmlProcessInfo_t;
pub type nvmlProcessDetailList_v1_t = nvmlProcessDetailList_t;
pub type nvmlDeviceAddressingMode_v1_t = nvmlDeviceAddressingMode_t;
pub type nvmlRepairStatus_v1_t = nvmlRepairStatus_t;
pub type nvmlCoolerInfo_v1_t = nvmlCoolerInfo_t;
pub type nvmlUUID_v1_t = nvmlUUID_t;
pub type nvmlPdi_v1_t = nvmlPdi_t;
pub type nvmlDramEncryptionInfo_v1_t = nvmlDramEncryptionInfo_t;
pub type nvmlMarginTemperature_v1_t = nvmlMarginTemperature_t;
pub type nvmlClockOffset_v1_t = nvmlClockOffset_t;
pub type nvmlFanSpeedInfo_v1_t = nvmlFanSpeedInfo_t;
pub type nvmlDeviceCurrentClockFreqs_v1_t = nvmlDeviceCurrentClockFreqs_t;
pub type nvmlProcessesUtilizationInfo_v1_t = nvmlProcessesUtilizationInfo_t;
pub type nvmlEccSramErrorStatus_v1_t = nvmlEccSramErrorStatus_t;
pub type nvmlPlatformInfo_v2_t = nvmlPlatformInfo_t;
pub type nvmlEccSramUniqueUncorrectedErrorCounts_v1_t = nvmlEccSramUniqueUncorrectedErrorCounts_t;
pub type nvmlSystemDriverBranchInfo_v1_t = nvmlSystemDriverBranchInfo_t;
pub type nvmlTemperature_v1_t = nvmlTemperature_t;
pub type nvmlDeviceCapabilities_v1_t = nvmlDeviceCapabilities_t;
pub type nvmlWorkloadPowerProfileInfo_v1_t = nvmlWorkloadPowerProfileInfo_t;
pub type nvmlWorkloadPowerProfileProfilesInfo_v1_t = nvmlWorkloadPowerProfileProfilesInfo_t;
pub type nvmlWorkloadPowerProfileCurrentProfiles_v1_t = nvmlWorkloadPowerProfileCurrentProfiles_t;
pub type nvmlWorkloadPowerProfileRequestedProfiles_v1_t = nvmlWorkloadPowerProfileRequestedProfiles_t;
pub type nvmlPowerSmoothingProfile_v1_t = nvmlPowerSmoothingProfile_t;
pub type nvmlPowerSmoothingState_v1_t = nvmlPowerSmoothingState_t;
