use super::*;

c_structs! {
    struct CUDA_RESOURCE_DESC_res_array size 8 {
        0 hArray: CUarray,
    }
    struct CUDA_RESOURCE_DESC_res_mipmap size 8 {
        0 hMipmappedArray: CUmipmappedArray,
    }
    struct CUDA_RESOURCE_DESC_res_linear size 24 {
        0 devPtr: CUdeviceptr,
        8 format: CUarray_format,
        12 numChannels: u32,
        16 sizeInBytes: usize,
    }
    struct CUDA_RESOURCE_DESC_res_pitch2D size 40 {
        0 devPtr: CUdeviceptr,
        8 format: CUarray_format,
        12 numChannels: u32,
        16 width: usize,
        24 height: usize,
        32 pitchInBytes: usize,
    }
    struct CUDA_RESOURCE_DESC_res_reserved size 128 {
        0 reserved: [i32; 32],
    }
    struct CUDA_RESOURCE_DESC size 144 {
        0 resType: CUresourcetype,
        8 res: Union<[u64; 16]>,
        136 flags: u32,
    }
    struct CUDA_TEXTURE_DESC size 104 {
        0 addressMode: [CUaddress_mode; 3],
        12 filterMode: CUfilter_mode,
        16 flags: u32,
        20 maxAnisotropy: u32,
        24 mipmapFilterMode: CUfilter_mode,
        28 mipmapLevelBias: f32,
        32 minMipmapLevelClamp: f32,
        36 maxMipmapLevelClamp: f32,
        40 borderColor: [f32; 4],
        56 reserved: [i32; 12],
    }
    struct CUDA_RESOURCE_VIEW_DESC size 112 {
        0 format: CUresourceViewFormat,
        8 width: usize,
        16 height: usize,
        24 depth: usize,
        32 firstMipmapLevel: u32,
        36 lastMipmapLevel: u32,
        40 firstLayer: u32,
        44 lastLayer: u32,
        48 reserved: [u32; 16],
    }
    struct CUtensorMap size 128 {
        0 opaque: [u64; 16],
    }
}

pub type CUDA_RESOURCE_DESC_v1 = CUDA_RESOURCE_DESC;
pub type CUDA_TEXTURE_DESC_v1 = CUDA_TEXTURE_DESC;
pub type CUDA_RESOURCE_VIEW_DESC_v1 = CUDA_RESOURCE_VIEW_DESC;
