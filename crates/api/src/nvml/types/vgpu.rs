use super::*;

c_structs! {
    struct nvmlVgpuHeterogeneousMode_t size 8 {
        0 version: u32,
        4 mode: u32,
    }
    struct nvmlVgpuPlacementId_t size 8 {
        0 version: u32,
        4 placementId: u32,
    }
    struct nvmlVgpuPlacementList_v1_t size 24 {
        0 version: u32,
        4 placementSize: u32,
        8 count: u32,
        16 placementIds: Ptr<u32>,
    }
    struct nvmlVgpuPlacementList_t size 32 {
        0 version: u32,
        4 placementSize: u32,
        8 count: u32,
        16 placementIds: Ptr<u32>,
        24 mode: u32,
    }
    struct nvmlVgpuTypeBar1Info_t size 16 {
        0 version: u32,
        8 bar1Size: u64,
    }
    struct nvmlVgpuInstanceUtilizationSample_t size 48 {
        0 vgpuInstance: nvmlVgpuInstance_t,
        8 timeStamp: u64,
        16 smUtil: nvmlValue_t,
        24 memUtil: nvmlValue_t,
        32 encUtil: nvmlValue_t,
        40 decUtil: nvmlValue_t,
    }
    struct nvmlVgpuInstanceUtilizationInfo_v1_t size 64 {
        0 timeStamp: u64,
        8 vgpuInstance: nvmlVgpuInstance_t,
        16 smUtil: nvmlValue_t,
        24 memUtil: nvmlValue_t,
        32 encUtil: nvmlValue_t,
        40 decUtil: nvmlValue_t,
        48 jpgUtil: nvmlValue_t,
        56 ofaUtil: nvmlValue_t,
    }
    struct nvmlVgpuInstancesUtilizationInfo_t size 32 {
        0 version: u32,
        4 sampleValType: nvmlValueType_t,
        8 vgpuInstanceCount: u32,
        16 lastSeenTimeStamp: u64,
        24 vgpuUtilArray: Ptr<nvmlVgpuInstanceUtilizationInfo_v1_t>,
    }
    struct nvmlVgpuProcessUtilizationSample_t size 96 {
        0 vgpuInstance: nvmlVgpuInstance_t,
        4 pid: u32,
        8 processName: [u8; 64],
        72 timeStamp: u64,
        80 smUtil: u32,
        84 memUtil: u32,
        88 encUtil: u32,
        92 decUtil: u32,
    }
    struct nvmlVgpuProcessUtilizationInfo_v1_t size 104 {
        0 processName: [u8; 64],
        64 timeStamp: u64,
        72 vgpuInstance: nvmlVgpuInstance_t,
        76 pid: u32,
        80 smUtil: u32,
        84 memUtil: u32,
        88 encUtil: u32,
        92 decUtil: u32,
        96 jpgUtil: u32,
        100 ofaUtil: u32,
    }
    struct nvmlVgpuProcessesUtilizationInfo_t size 24 {
        0 version: u32,
        4 vgpuProcessCount: u32,
        8 lastSeenTimeStamp: u64,
        16 vgpuProcUtilArray: Ptr<nvmlVgpuProcessUtilizationInfo_v1_t>,
    }
    struct nvmlVgpuRuntimeState_t size 16 {
        0 version: u32,
        8 size: u64,
    }
    struct nvmlVgpuSchedulerParams_t_vgpuSchedDataWithARR size 8 {
        0 avgFactor: u32,
        4 timeslice: u32,
    }
    struct nvmlVgpuSchedulerParams_t_vgpuSchedData size 4 {
        0 timeslice: u32,
    }
    struct nvmlVgpuSchedulerParams_t size 8 {
        0 value: Union<[u32; 2]>,
    }
    struct nvmlVgpuSchedulerLogEntry_t size 48 {
        0 timestamp: u64,
        8 timeRunTotal: u64,
        16 timeRun: u64,
        24 swRunlistId: u32,
        32 targetTimeSlice: u64,
        40 cumulativePreemptionTime: u64,
    }
    struct nvmlVgpuSchedulerLog_t size 9624 {
        0 engineId: u32,
        4 schedulerPolicy: u32,
        8 arrMode: u32,
        12 schedulerParams: nvmlVgpuSchedulerParams_t,
        20 entriesCount: u32,
        24 logEntries: [nvmlVgpuSchedulerLogEntry_t; 200],
    }
    struct nvmlVgpuSchedulerGetState_t size 16 {
        0 schedulerPolicy: u32,
        4 arrMode: u32,
        8 schedulerParams: nvmlVgpuSchedulerParams_t,
    }
    struct nvmlVgpuSchedulerSetParams_t_vgpuSchedDataWithARR size 8 {
        0 avgFactor: u32,
        4 frequency: u32,
    }
    struct nvmlVgpuSchedulerSetParams_t_vgpuSchedData size 4 {
        0 timeslice: u32,
    }
    struct nvmlVgpuSchedulerSetParams_t size 8 {
        0 value: Union<[u32; 2]>,
    }
    struct nvmlVgpuSchedulerSetState_t size 16 {
        0 schedulerPolicy: u32,
        4 enableARRMode: u32,
        8 schedulerParams: nvmlVgpuSchedulerSetParams_t,
    }
    struct nvmlVgpuSchedulerCapabilities_t size 40 {
        0 supportedSchedulers: [u32; 3],
        12 maxTimeslice: u32,
        16 minTimeslice: u32,
        20 isArrModeSupported: u32,
        24 maxFrequencyForARR: u32,
        28 minFrequencyForARR: u32,
        32 maxAvgFactorForARR: u32,
        36 minAvgFactorForARR: u32,
    }
    struct nvmlVgpuLicenseExpiry_t size 16 {
        0 year: u32,
        4 month: u16,
        6 day: u16,
        8 hour: u16,
        10 min: u16,
        12 sec: u16,
        14 status: u8,
    }
    struct nvmlVgpuLicenseInfo_t size 24 {
        0 isLicensed: u8,
        4 licenseExpiry: nvmlVgpuLicenseExpiry_t,
        20 currentState: u32,
    }
    struct nvmlGridLicenseExpiry_t size 16 {
        0 year: u32,
        4 month: u16,
        6 day: u16,
        8 hour: u16,
        10 min: u16,
        12 sec: u16,
        14 status: u8,
    }
    struct nvmlGridLicensableFeature_t size 284 {
        0 featureCode: nvmlGridLicenseFeatureCode_t,
        4 featureState: u32,
        8 licenseInfo: [u8; 128],
        136 productName: [u8; 128],
        264 featureEnabled: u32,
        268 licenseExpiry: nvmlGridLicenseExpiry_t,
    }
    struct nvmlGridLicensableFeatures_t size 860 {
        0 isGridLicenseSupported: i32,
        4 licensableFeaturesCount: u32,
        8 gridLicensableFeatures: [nvmlGridLicensableFeature_t; 3],
    }
    struct nvmlVgpuTypeIdInfo_t size 16 {
        0 version: u32,
        4 vgpuCount: u32,
        8 vgpuTypeIds: Ptr<nvmlVgpuTypeId_t>,
    }
    struct nvmlVgpuTypeMaxInstance_t size 12 {
        0 version: u32,
        4 vgpuTypeId: nvmlVgpuTypeId_t,
        8 maxInstancePerGI: u32,
    }
    struct nvmlActiveVgpuInstanceInfo_t size 16 {
        0 version: u32,
        4 vgpuCount: u32,
        8 vgpuInstances: Ptr<nvmlVgpuInstance_t>,
    }
    struct nvmlVgpuSchedulerState_t size 24 {
        0 version: u32,
        4 engineId: u32,
        8 schedulerPolicy: u32,
        12 enableARRMode: u32,
        16 schedulerParams: nvmlVgpuSchedulerSetParams_t,
    }
    struct nvmlVgpuSchedulerStateInfo_t size 24 {
        0 version: u32,
        4 engineId: u32,
        8 schedulerPolicy: u32,
        12 arrMode: u32,
        16 schedulerParams: nvmlVgpuSchedulerParams_t,
    }
    struct nvmlVgpuSchedulerLogInfo_t size 9632 {
        0 version: u32,
        4 engineId: u32,
        8 schedulerPolicy: u32,
        12 arrMode: u32,
        16 schedulerParams: nvmlVgpuSchedulerParams_t,
        24 entriesCount: u32,
        32 logEntries: [nvmlVgpuSchedulerLogEntry_t; 200],
    }
    struct nvmlVgpuCreatablePlacementInfo_t size 32 {
        0 version: u32,
        4 vgpuTypeId: nvmlVgpuTypeId_t,
        8 count: u32,
        16 placementIds: Ptr<u32>,
        24 placementSize: u32,
    }
    struct nvmlVgpuSchedulerStateInfo_v2_t size 16 {
        0 engineId: u32,
        4 schedulerPolicy: u32,
        8 avgFactor: u32,
        12 timeslice: u32,
    }
    struct nvmlVgpuSchedulerLogEntry_v2_t size 56 {
        0 timestamp: u64,
        8 timeRunTotal: u64,
        16 timeRun: u64,
        24 swRunlistId: u32,
        32 targetTimeSlice: u64,
        40 cumulativePreemptionTime: u64,
        48 weight: u32,
    }
    struct nvmlVgpuSchedulerLogInfo_v2_t size 11224 {
        0 engineId: u32,
        4 schedulerPolicy: u32,
        8 avgFactor: u32,
        12 timeslice: u32,
        16 entriesCount: u32,
        24 logEntries: [nvmlVgpuSchedulerLogEntry_v2_t; 200],
    }
    struct nvmlVgpuSchedulerState_v2_t size 16 {
        0 engineId: u32,
        4 schedulerPolicy: u32,
        8 avgFactor: u32,
        12 frequency: u32,
    }
    struct nvmlVgpuVersion_t size 8 {
        0 minVersion: u32,
        4 maxVersion: u32,
    }
    struct nvmlVgpuMetadata_t size 212 {
        0 version: u32,
        4 revision: u32,
        8 guestInfoState: nvmlVgpuGuestInfoState_t,
        12 guestDriverVersion: [u8; 80],
        92 hostDriverVersion: [u8; 80],
        172 reserved: [u32; 6],
        196 vgpuVirtualizationCaps: u32,
        200 guestVgpuVersion: u32,
        204 opaqueDataSize: u32,
        208 opaqueData: [u8; 4],
    }
    struct nvmlVgpuPgpuMetadata_t size 128 {
        0 version: u32,
        4 revision: u32,
        8 hostDriverVersion: [u8; 80],
        88 pgpuVirtualizationCaps: u32,
        92 reserved: [u32; 5],
        112 hostSupportedVgpuRange: nvmlVgpuVersion_t,
        120 opaqueDataSize: u32,
        124 opaqueData: [u8; 4],
    }
    struct nvmlVgpuPgpuCompatibility_t size 8 {
        0 vgpuVmCompatibility: nvmlVgpuVmCompatibility_t,
        4 compatibilityLimitCode: nvmlVgpuPgpuCompatibilityLimitCode_t,
    }
}

pub type nvmlVgpuHeterogeneousMode_v1_t = nvmlVgpuHeterogeneousMode_t;
pub type nvmlVgpuPlacementId_v1_t = nvmlVgpuPlacementId_t;
pub type nvmlVgpuPlacementList_v2_t = nvmlVgpuPlacementList_t;
pub type nvmlVgpuTypeBar1Info_v1_t = nvmlVgpuTypeBar1Info_t;
pub type nvmlVgpuInstancesUtilizationInfo_v1_t = nvmlVgpuInstancesUtilizationInfo_t;
pub type nvmlVgpuProcessesUtilizationInfo_v1_t = nvmlVgpuProcessesUtilizationInfo_t;
pub type nvmlVgpuRuntimeState_v1_t = nvmlVgpuRuntimeState_t;
pub type nvmlVgpuTypeIdInfo_v1_t = nvmlVgpuTypeIdInfo_t;
pub type nvmlVgpuTypeMaxInstance_v1_t = nvmlVgpuTypeMaxInstance_t;
pub type nvmlActiveVgpuInstanceInfo_v1_t = nvmlActiveVgpuInstanceInfo_t;
pub type nvmlVgpuSchedulerState_v1_t = nvmlVgpuSchedulerState_t;
pub type nvmlVgpuSchedulerStateInfo_v1_t = nvmlVgpuSchedulerStateInfo_t;
pub type nvmlVgpuSchedulerLogInfo_v1_t = nvmlVgpuSchedulerLogInfo_t;
pub type nvmlVgpuCreatablePlacementInfo_v1_t = nvmlVgpuCreatablePlacementInfo_t;
