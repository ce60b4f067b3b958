use super::*;

c_structs! {
    struct CUuuid size 16 {
        0 bytes: [u8; 16],
    }
    struct CUipcEventHandle size 64 {
        0 reserved: [u8; 64],
    }
    struct CUasyncNotificationInfo_info_overBudget size 8 {
        0 bytesOverBudget: u64,
    }
    struct CUasyncNotificationInfo size 16 {
        0 type_: CUasyncNotificationType,
        8 info: Union<[u64; 1]>,
    }
    struct CUdevprop size 56 {
        0 maxThreadsPerBlock: i32,
        4 maxThreadsDim: [i32; 3],
        16 maxGridSize: [i32; 3],
        28 sharedMemPerBlock: i32,
        32 totalConstantMemory: i32,
        36 SIMDWidth: i32,
        40 memPitch: i32,
        44 regsPerBlock: i32,
        48 clockRate: i32,
        52 textureAlign: i32,
    }
    struct CUexecAffinitySmCount size 4 {
        0 val: u32,
    }
    struct CUexecAffinityParam size 8 {
        0 type_: CUexecAffinityType,
        4 param: CUexecAffinitySmCount,
    }
    struct CUctxCigParam size 16 {
        0 sharedDataType: CUcigDataType,
        8 sharedData: Ptr<c_void>,
    }
    struct CUctxCreateParams size 24 {
        0 execAffinityParams: Ptr<CUexecAffinityParam>,
        8 numExecAffinityParams: i32,
        16 cigParams: Ptr<CUctxCigParam>,
    }
    struct CUlibraryHostUniversalFunctionAndDataTable size 32 {
        0 functionTable: Ptr<c_void>,
        8 functionWindowSize: usize,
        16 dataTable: Ptr<c_void>,
        24 dataWindowSize: usize,
    }
    struct CUcheckpointCustomStoragePerDeviceData size 24 {
        0 devPtr: CUdeviceptr,
        8 size: usize,
        16 stream: CUstream,
    }
    struct CUcheckpointCustomStorageInfo size 24 {
        0 handle: CUcheckpointOperationHandle,
        8 perDeviceData: Ptr<CUcheckpointCustomStoragePerDeviceData>,
        16 deviceCount: u32,
    }
    struct CUcheckpointLockArgs size 64 {
        0 timeoutMs: u32,
        4 reserved0: u32,
        8 reserved1: [u64; 7],
    }
    struct CUcheckpointCheckpointArgs size 64 {
        0 customStorageInfo_out: Ptr<Ptr<CUcheckpointCustomStorageInfo>>,
        8 reserved: [u8; 56],
    }
    struct CUcheckpointGpuPair size 32 {
        0 oldUuid: CUuuid,
        16 newUuid: CUuuid,
    }
    struct CUcheckpointRestoreArgs size 64 {
        0 gpuPairs: Ptr<CUcheckpointGpuPair>,
        8 gpuPairsCount: u32,
        12 padding0: u32,
        16 customStorageInfo_out: Ptr<Ptr<CUcheckpointCustomStorageInfo>>,
        24 reserved: [u8; 40],
    }
    struct CUcheckpointUnlockArgs size 64 {
        0 reserved: [u64; 8],
    }
    struct CUcliqueInfo size 8 {
        0 type_: CUcliqueType,
        4 id: u32,
    }
    struct CUdevSmResource size 20 {
        0 smCount: u32,
        4 minSmPartitionSize: u32,
        8 smCoscheduledAlignment: u32,
        12 flags: u32,
        16 localityDomainId: u32,
    }
    struct CUdevWorkqueueConfigResource size 12 {
        0 device: CUdevice,
        4 wqConcurrencyLimit: u32,
        8 sharingScope: CUdevWorkqueueConfigScope,
    }
    struct CUdevWorkqueueResource size 40 {
        0 reserved: [u8; 40],
    }
    struct CU_DEV_SM_RESOURCE_GROUP_PARAMS size 64 {
        0 smCount: u32,
        4 coscheduledSmCount: u32,
        8 preferredCoscheduledSmCount: u32,
        12 flags: u32,
        16 localityDomainId: u32,
        20 reserved: [u32; 11],
    }
    struct CUdevResource size 144 {
        0 type_: CUdevResourceType,
        4 _internal_padding: [u8; 92],
        96 resource: Union<[u32; 10]>,
        136 nextResource: Ptr<CUdevResource>,
    }
}

pub type CUipcEventHandle_v1 = CUipcEventHandle;
pub type CUdevprop_v1 = CUdevprop;
pub type CUexecAffinitySmCount_v1 = CUexecAffinitySmCount;
pub type CUexecAffinityParam_v1 = CUexecAffinityParam;
pub type CUdevResource_v1 = CUdevResource;
