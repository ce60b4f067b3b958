use super::*;

c_structs! {
    struct nvmlEventData_t size 32 {
        0 device: nvmlDevice_t,
        8 eventType: u64,
        16 eventData: u64,
        24 gpuInstanceId: u32,
        28 computeInstanceId: u32,
    }
    struct nvmlEventSetGetContextCount_v1_t size 4 {
        0 count: u32,
    }
    struct nvmlEventSetGetContextInfo_v1_t size 20 {
        0 index: u32,
        4 nvmlGpuOperationalEventContextType: u32,
        8 sourceEventContextType: u32,
        12 dataSize: u32,
        16 dataFormatVersion: u16,
    }
    struct nvmlEventSetGetContextData_v1_t size 16 {
        0 data: Ptr<c_void>,
        8 index: u32,
        12 dataSize: u32,
    }
    struct nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1_t size 8 {
        0 index: u32,
        4 xidCode: u32,
    }
    struct nvmlSystemEventSetCreateRequest_t size 16 {
        0 version: u32,
        8 set: nvmlSystemEventSet_t,
    }
    struct nvmlSystemEventSetFreeRequest_t size 16 {
        0 version: u32,
        8 set: nvmlSystemEventSet_t,
    }
    struct nvmlSystemRegisterEventRequest_t size 24 {
        0 version: u32,
        8 eventTypes: u64,
        16 set: nvmlSystemEventSet_t,
    }
    struct nvmlSystemEventData_v1_t size 16 {
        0 eventType: u64,
        8 gpuId: u32,
    }
    struct nvmlSystemEventSetWaitRequest_t size 32 {
        0 version: u32,
        4 timeoutms: u32,
        8 set: nvmlSystemEventSet_t,
        16 data: Ptr<nvmlSystemEventData_v1_t>,
        24 dataSize: u32,
        28 numEvent: u32,
    }
    struct nvmlGpuOperationalEventConfig_v1_t size 104 {
        0 uuid: [u8; 96],
        96 minLogLevel: u32,
        100 minSeverity: u32,
    }
    struct nvmlEventSetWait_v3_t size 224 {
        0 timeoutMs: u32,
        4 dataType: u32,
        8 uuid: [u8; 96],
        104 sourceModule: [u8; 16],
        120 eventType: u64,
        128 eventData: u64,
        136 groupCursor: u64,
        144 instanceId: u64,
        152 timestampUsec: u64,
        160 traceId: u64,
        168 gpuInstanceId: u32,
        172 computeInstanceId: u32,
        176 severity: u32,
        180 categoryId: u32,
        184 moduleEventCode: u32,
        188 scope: u32,
        192 originator: u32,
        196 moduleInstance: u32,
        200 chipletId: u32,
        204 logLevel: u32,
        208 attributes: u32,
        212 groupCperSize: u32,
        216 groupAttributes: u32,
        220 groupSize: u8,
        221 groupIndex: u8,
    }
}

pub type nvmlSystemEventSetCreateRequest_v1_t = nvmlSystemEventSetCreateRequest_t;
pub type nvmlSystemEventSetFreeRequest_v1_t = nvmlSystemEventSetFreeRequest_t;
pub type nvmlSystemRegisterEventRequest_v1_t = nvmlSystemRegisterEventRequest_t;
pub type nvmlSystemEventSetWaitRequest_v1_t = nvmlSystemEventSetWaitRequest_t;
