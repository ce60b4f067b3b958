use super::*;

c_structs! {
    struct nvmlGpuInstancePlacement_t size 8 {
        0 start: u32,
        4 size: u32,
    }
    struct nvmlGpuInstanceProfileInfo_t size 48 {
        0 id: u32,
        4 isP2pSupported: u32,
        8 sliceCount: u32,
        12 instanceCount: u32,
        16 multiprocessorCount: u32,
        20 copyEngineCount: u32,
        24 decoderCount: u32,
        28 encoderCount: u32,
        32 jpegCount: u32,
        36 ofaCount: u32,
        40 memorySizeMB: u64,
    }
    struct nvmlGpuInstanceProfileInfo_v2_t size 152 {
        0 version: u32,
        4 id: u32,
        8 isP2pSupported: u32,
        12 sliceCount: u32,
        16 instanceCount: u32,
        20 multiprocessorCount: u32,
        24 copyEngineCount: u32,
        28 decoderCount: u32,
        32 encoderCount: u32,
        36 jpegCount: u32,
        40 ofaCount: u32,
        48 memorySizeMB: u64,
        56 name: [u8; 96],
    }
    struct nvmlGpuInstanceProfileInfo_v3_t size 152 {
        0 version: u32,
        4 id: u32,
        8 sliceCount: u32,
        12 instanceCount: u32,
        16 multiprocessorCount: u32,
        20 copyEngineCount: u32,
        24 decoderCount: u32,
        28 encoderCount: u32,
        32 jpegCount: u32,
        36 ofaCount: u32,
        40 memorySizeMB: u64,
        48 name: [u8; 96],
        144 capabilities: u32,
    }
    struct nvmlGpuInstanceInfo_t size 24 {
        0 device: nvmlDevice_t,
        8 id: u32,
        12 profileId: u32,
        16 placement: nvmlGpuInstancePlacement_t,
    }
    struct nvmlComputeInstancePlacement_t size 8 {
        0 start: u32,
        4 size: u32,
    }
    struct nvmlComputeInstanceProfileInfo_t size 36 {
        0 id: u32,
        4 sliceCount: u32,
        8 instanceCount: u32,
        12 multiprocessorCount: u32,
        16 sharedCopyEngineCount: u32,
        20 sharedDecoderCount: u32,
        24 sharedEncoderCount: u32,
        28 sharedJpegCount: u32,
        32 sharedOfaCount: u32,
    }
    struct nvmlComputeInstanceProfileInfo_v2_t size 136 {
        0 version: u32,
        4 id: u32,
        8 sliceCount: u32,
        12 instanceCount: u32,
        16 multiprocessorCount: u32,
        20 sharedCopyEngineCount: u32,
        24 sharedDecoderCount: u32,
        28 sharedEncoderCount: u32,
        32 sharedJpegCount: u32,
        36 sharedOfaCount: u32,
        40 name: [u8; 96],
    }
    struct nvmlComputeInstanceProfileInfo_v3_t size 140 {
        0 version: u32,
        4 id: u32,
        8 sliceCount: u32,
        12 instanceCount: u32,
        16 multiprocessorCount: u32,
        20 sharedCopyEngineCount: u32,
        24 sharedDecoderCount: u32,
        28 sharedEncoderCount: u32,
        32 sharedJpegCount: u32,
        36 sharedOfaCount: u32,
        40 name: [u8; 96],
        136 capabilities: u32,
    }
    struct nvmlComputeInstanceInfo_t size 32 {
        0 device: nvmlDevice_t,
        8 gpuInstance: nvmlGpuInstance_t,
        16 id: u32,
        20 profileId: u32,
        24 placement: nvmlComputeInstancePlacement_t,
    }
}
