use super::*;

c_structs! {
    struct CUmemFabricHandle size 64 {
        0 data: [u8; 64],
    }
    struct CUipcMemHandle size 64 {
        0 reserved: [u8; 64],
    }
    struct CUDA_MEMCPY2D size 128 {
        0 srcXInBytes: usize,
        8 srcY: usize,
        16 srcMemoryType: CUmemorytype,
        24 srcHost: Ptr<c_void>,
        32 srcDevice: CUdeviceptr,
        40 srcArray: CUarray,
        48 srcPitch: usize,
        56 dstXInBytes: usize,
        64 dstY: usize,
        72 dstMemoryType: CUmemorytype,
        80 dstHost: Ptr<c_void>,
        88 dstDevice: CUdeviceptr,
        96 dstArray: CUarray,
        104 dstPitch: usize,
        112 WidthInBytes: usize,
        120 Height: usize,
    }
    struct CUDA_MEMCPY3D size 200 {
        0 srcXInBytes: usize,
        8 srcY: usize,
        16 srcZ: usize,
        24 srcLOD: usize,
        32 srcMemoryType: CUmemorytype,
        40 srcHost: Ptr<c_void>,
        48 srcDevice: CUdeviceptr,
        56 srcArray: CUarray,
        64 reserved0: Ptr<c_void>,
        72 srcPitch: usize,
        80 srcHeight: usize,
        88 dstXInBytes: usize,
        96 dstY: usize,
        104 dstZ: usize,
        112 dstLOD: usize,
        120 dstMemoryType: CUmemorytype,
        128 dstHost: Ptr<c_void>,
        136 dstDevice: CUdeviceptr,
        144 dstArray: CUarray,
        152 reserved1: Ptr<c_void>,
        160 dstPitch: usize,
        168 dstHeight: usize,
        176 WidthInBytes: usize,
        184 Height: usize,
        192 Depth: usize,
    }
    struct CUDA_MEMCPY3D_PEER size 200 {
        0 srcXInBytes: usize,
        8 srcY: usize,
        16 srcZ: usize,
        24 srcLOD: usize,
        32 srcMemoryType: CUmemorytype,
        40 srcHost: Ptr<c_void>,
        48 srcDevice: CUdeviceptr,
        56 srcArray: CUarray,
        64 srcContext: CUcontext,
        72 srcPitch: usize,
        80 srcHeight: usize,
        88 dstXInBytes: usize,
        96 dstY: usize,
        104 dstZ: usize,
        112 dstLOD: usize,
        120 dstMemoryType: CUmemorytype,
        128 dstHost: Ptr<c_void>,
        136 dstDevice: CUdeviceptr,
        144 dstArray: CUarray,
        152 dstContext: CUcontext,
        160 dstPitch: usize,
        168 dstHeight: usize,
        176 WidthInBytes: usize,
        184 Height: usize,
        192 Depth: usize,
    }
    struct CUDA_ARRAY_DESCRIPTOR size 24 {
        0 Width: usize,
        8 Height: usize,
        16 Format: CUarray_format,
        20 NumChannels: u32,
    }
    struct CUDA_ARRAY3D_DESCRIPTOR size 40 {
        0 Width: usize,
        8 Height: usize,
        16 Depth: usize,
        24 Format: CUarray_format,
        28 NumChannels: u32,
        32 Flags: u32,
    }
    struct CUDA_ARRAY_SPARSE_PROPERTIES_tileExtent size 12 {
        0 width: u32,
        4 height: u32,
        8 depth: u32,
    }
    struct CUDA_ARRAY_SPARSE_PROPERTIES size 48 {
        0 tileExtent: CUDA_ARRAY_SPARSE_PROPERTIES_tileExtent,
        12 miptailFirstLevel: u32,
        16 miptailSize: u64,
        24 flags: u32,
        28 reserved: [u32; 4],
    }
    struct CUDA_ARRAY_MEMORY_REQUIREMENTS size 32 {
        0 size: usize,
        8 alignment: usize,
        16 reserved: [u32; 4],
    }
    struct CUDA_POINTER_ATTRIBUTE_P2P_TOKENS size 16 {
        0 p2pToken: u64,
        8 vaSpaceToken: u32,
    }
    struct CUarrayMapInfo_subresource_sparseLevel size 32 {
        0 level: u32,
        4 layer: u32,
        8 offsetX: u32,
        12 offsetY: u32,
        16 offsetZ: u32,
        20 extentWidth: u32,
        24 extentHeight: u32,
        28 extentDepth: u32,
    }
    struct CUarrayMapInfo_subresource_miptail size 24 {
        0 layer: u32,
        8 offset: u64,
        16 size: u64,
    }
    struct CUarrayMapInfo size 96 {
        0 resourceType: CUresourcetype,
        8 resource: Union<[u64; 1]>,
        16 subresourceType: CUarraySparseSubresourceType,
        24 subresource: Union<[u64; 4]>,
        56 memOperationType: CUmemOperationType,
        60 memHandleType: CUmemHandleType,
        64 memHandle: CUmemGenericAllocationHandle,
        72 offset: u64,
        80 deviceBitMask: u32,
        84 flags: u32,
        88 reserved: [u32; 2],
    }
    struct CUmemLocation_localized size 2 {
        0 deviceId: u8,
        1 localityDomainId: u8,
    }
    struct CUmemLocation size 8 {
        0 type_: CUmemLocationType,
        4 id: i32,
    }
    struct CUmemAllocationProp_allocFlags size 8 {
        0 compressionType: u8,
        1 gpuDirectRDMACapable: u8,
        2 usage: u16,
        4 reserved: [u8; 4],
    }
    struct CUmemAllocationProp size 32 {
        0 type_: CUmemAllocationType,
        4 requestedHandleTypes: CUmemAllocationHandleType,
        8 location: CUmemLocation,
        16 win32HandleMetaData: Ptr<c_void>,
        24 allocFlags: CUmemAllocationProp_allocFlags,
    }
    struct CUmulticastObjectProp size 32 {
        0 numDevices: u32,
        8 size: usize,
        16 handleTypes: u64,
        24 flags: u64,
    }
    struct CUmemAccessDesc size 12 {
        0 location: CUmemLocation,
        8 flags: CUmemAccess_flags,
    }
    struct CUmemPoolProps size 88 {
        0 allocType: CUmemAllocationType,
        4 handleTypes: CUmemAllocationHandleType,
        8 location: CUmemLocation,
        16 win32SecurityAttributes: Ptr<c_void>,
        24 maxSize: usize,
        32 usage: u16,
        34 gpuDirectRDMACapable: u8,
        35 reserved: [u8; 53],
    }
    struct CUmemPoolPtrExportData size 64 {
        0 reserved: [u8; 64],
    }
    struct CUmemcpyAttributes size 24 {
        0 srcAccessOrder: CUmemcpySrcAccessOrder,
        4 srcLocHint: CUmemLocation,
        12 dstLocHint: CUmemLocation,
        20 flags: u32,
    }
    struct CUoffset3D size 24 {
        0 x: usize,
        8 y: usize,
        16 z: usize,
    }
    struct CUextent3D size 24 {
        0 width: usize,
        8 height: usize,
        16 depth: usize,
    }
    struct CUmemcpy3DOperand_op_ptr size 32 {
        0 ptr: CUdeviceptr,
        8 rowLength: usize,
        16 layerHeight: usize,
        24 locHint: CUmemLocation,
    }
    struct CUmemcpy3DOperand_op_array size 32 {
        0 array: CUarray,
        8 offset: CUoffset3D,
    }
    struct CUmemcpy3DOperand size 40 {
        0 type_: CUmemcpy3DOperandType,
        8 op: Union<[u64; 4]>,
    }
    struct CUDA_MEMCPY3D_BATCH_OP size 112 {
        0 src: CUmemcpy3DOperand,
        40 dst: CUmemcpy3DOperand,
        80 extent: CUextent3D,
        104 srcAccessOrder: CUmemcpySrcAccessOrder,
        108 flags: u32,
    }
    struct CUfabricCpyOperand size 24 {
        0 type_: CUfabricCpyOperandType,
        8 op: Union<[u64; 2]>,
    }
    struct CUDA_FABRIC_COPY_BATCH_OP size 64 {
        0 src: CUfabricCpyOperand,
        24 dst: CUfabricCpyOperand,
        48 size: usize,
        56 flags: u32,
    }
    struct CUmemDecompressParams size 64 {
        0 srcNumBytes: usize,
        8 dstNumBytes: usize,
        16 dstActBytes: Ptr<u32>,
        24 src: Ptr<c_void>,
        32 dst: Ptr<c_void>,
        40 algo: CUmemDecompressAlgorithm,
        44 padding: [u8; 20],
    }
    struct CUlogicalEndpointFabricHandle size 64 {
        0 data: [u8; 64],
    }
    struct CUlogicalEndpointProp_unicast size 4 {
        0 device: CUdevice,
    }
    struct CUlogicalEndpointProp_multicast size 4 {
        0 numDevices: u32,
    }
    struct CUlogicalEndpointProp size 24 {
        0 type_: CUlogicalEndpointType,
        4 unicast: CUlogicalEndpointProp_unicast,
        8 size: u64,
        16 ipcHandleTypes: u32,
        20 flags: u32,
    }
    struct CUDA_MEMCPY2D_v1 size 96 {
        0 srcXInBytes: u32,
        4 srcY: u32,
        8 srcMemoryType: CUmemorytype,
        16 srcHost: Ptr<c_void>,
        24 srcDevice: CUdeviceptr_v1,
        32 srcArray: CUarray,
        40 srcPitch: u32,
        44 dstXInBytes: u32,
        48 dstY: u32,
        52 dstMemoryType: CUmemorytype,
        56 dstHost: Ptr<c_void>,
        64 dstDevice: CUdeviceptr_v1,
        72 dstArray: CUarray,
        80 dstPitch: u32,
        84 WidthInBytes: u32,
        88 Height: u32,
    }
    struct CUDA_MEMCPY3D_v1 size 144 {
        0 srcXInBytes: u32,
        4 srcY: u32,
        8 srcZ: u32,
        12 srcLOD: u32,
        16 srcMemoryType: CUmemorytype,
        24 srcHost: Ptr<c_void>,
        32 srcDevice: CUdeviceptr_v1,
        40 srcArray: CUarray,
        48 reserved0: Ptr<c_void>,
        56 srcPitch: u32,
        60 srcHeight: u32,
        64 dstXInBytes: u32,
        68 dstY: u32,
        72 dstZ: u32,
        76 dstLOD: u32,
        80 dstMemoryType: CUmemorytype,
        88 dstHost: Ptr<c_void>,
        96 dstDevice: CUdeviceptr_v1,
        104 dstArray: CUarray,
        112 reserved1: Ptr<c_void>,
        120 dstPitch: u32,
        124 dstHeight: u32,
        128 WidthInBytes: u32,
        132 Height: u32,
        136 Depth: u32,
    }
    struct CUDA_ARRAY_DESCRIPTOR_v1 size 16 {
        0 Width: u32,
        4 Height: u32,
        8 Format: CUarray_format,
        12 NumChannels: u32,
    }
    struct CUDA_ARRAY3D_DESCRIPTOR_v1 size 24 {
        0 Width: u32,
        4 Height: u32,
        8 Depth: u32,
        12 Format: CUarray_format,
        16 NumChannels: u32,
        20 Flags: u32,
    }
}

pub type CUmemFabricHandle_v1 = CUmemFabricHandle;
pub type CUipcMemHandle_v1 = CUipcMemHandle;
pub type CUDA_MEMCPY2D_v2 = CUDA_MEMCPY2D;
pub type CUDA_MEMCPY3D_v2 = CUDA_MEMCPY3D;
pub type CUDA_MEMCPY3D_PEER_v1 = CUDA_MEMCPY3D_PEER;
pub type CUDA_ARRAY_DESCRIPTOR_v2 = CUDA_ARRAY_DESCRIPTOR;
pub type CUDA_ARRAY3D_DESCRIPTOR_v2 = CUDA_ARRAY3D_DESCRIPTOR;
pub type CUDA_ARRAY_SPARSE_PROPERTIES_v1 = CUDA_ARRAY_SPARSE_PROPERTIES;
pub type CUDA_ARRAY_MEMORY_REQUIREMENTS_v1 = CUDA_ARRAY_MEMORY_REQUIREMENTS;
pub type CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_v1 = CUDA_POINTER_ATTRIBUTE_P2P_TOKENS;
pub type CUarrayMapInfo_v1 = CUarrayMapInfo;
pub type CUmemLocation_v1 = CUmemLocation;
pub type CUmemAllocationProp_v1 = CUmemAllocationProp;
pub type CUmulticastObjectProp_v1 = CUmulticastObjectProp;
pub type CUmemAccessDesc_v1 = CUmemAccessDesc;
pub type CUmemPoolProps_v1 = CUmemPoolProps;
pub type CUmemPoolPtrExportData_v1 = CUmemPoolPtrExportData;
pub type CUmemcpyAttributes_v1 = CUmemcpyAttributes;
pub type CUoffset3D_v1 = CUoffset3D;
pub type CUextent3D_v1 = CUextent3D;
pub type CUmemcpy3DOperand_v1 = CUmemcpy3DOperand;
pub type CUDA_MEMCPY3D_BATCH_OP_v1 = CUDA_MEMCPY3D_BATCH_OP;
