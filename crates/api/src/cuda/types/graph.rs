use super::*;

c_structs! {
    struct CUstreamMemOpWaitValueParams size 40 {
        0 operation: CUstreamBatchMemOpType,
        8 address: CUdeviceptr,
        16 value: Union<[u64; 1]>,
        24 flags: u32,
        32 alias: CUdeviceptr,
    }
    struct CUstreamMemOpWriteValueParams size 40 {
        0 operation: CUstreamBatchMemOpType,
        8 address: CUdeviceptr,
        16 value: Union<[u64; 1]>,
        24 flags: u32,
        32 alias: CUdeviceptr,
    }
    struct CUstreamMemOpFlushRemoteWritesParams size 8 {
        0 operation: CUstreamBatchMemOpType,
        4 flags: u32,
    }
    struct CUstreamMemOpMemoryBarrierParams size 8 {
        0 operation: CUstreamBatchMemOpType,
        4 flags: u32,
    }
    struct CUstreamMemOpAtomicReductionParams size 40 {
        0 operation: CUstreamBatchMemOpType,
        4 flags: u32,
        8 reductionOp: CUstreamAtomicReductionOpType,
        12 dataType: CUstreamAtomicReductionDataType,
        16 address: CUdeviceptr,
        24 value: u64,
        32 alias: CUdeviceptr,
    }
    struct CUstreamBatchMemOpParams size 48 {
        0 value: Union<[u64; 6]>,
    }
    struct CUDA_BATCH_MEM_OP_NODE_PARAMS size 32 {
        0 ctx: CUcontext,
        8 count: u32,
        16 paramArray: Ptr<CUstreamBatchMemOpParams>,
        24 flags: u32,
    }
    struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 size 32 {
        0 ctx: CUcontext,
        8 count: u32,
        16 paramArray: Ptr<CUstreamBatchMemOpParams>,
        24 flags: u32,
    }
    struct CUaccessPolicyWindow size 32 {
        0 base_ptr: Ptr<c_void>,
        8 num_bytes: usize,
        16 hitRatio: f32,
        20 hitProp: CUaccessProperty,
        24 missProp: CUaccessProperty,
    }
    struct CUDA_KERNEL_NODE_PARAMS_v1 size 56 {
        0 func: CUfunction,
        8 gridDimX: u32,
        12 gridDimY: u32,
        16 gridDimZ: u32,
        20 blockDimX: u32,
        24 blockDimY: u32,
        28 blockDimZ: u32,
        32 sharedMemBytes: u32,
        40 kernelParams: Ptr<Ptr<c_void>>,
        48 extra: Ptr<Ptr<c_void>>,
    }
    struct CUDA_KERNEL_NODE_PARAMS size 72 {
        0 func: CUfunction,
        8 gridDimX: u32,
        12 gridDimY: u32,
        16 gridDimZ: u32,
        20 blockDimX: u32,
        24 blockDimY: u32,
        28 blockDimZ: u32,
        32 sharedMemBytes: u32,
        40 kernelParams: Ptr<Ptr<c_void>>,
        48 extra: Ptr<Ptr<c_void>>,
        56 kern: CUkernel,
        64 ctx: CUcontext,
    }
    struct CUDA_KERNEL_NODE_PARAMS_v3 size 72 {
        0 func: CUfunction,
        8 gridDimX: u32,
        12 gridDimY: u32,
        16 gridDimZ: u32,
        20 blockDimX: u32,
        24 blockDimY: u32,
        28 blockDimZ: u32,
        32 sharedMemBytes: u32,
        40 kernelParams: Ptr<Ptr<c_void>>,
        48 extra: Ptr<Ptr<c_void>>,
        56 kern: CUkernel,
        64 ctx: CUcontext,
    }
    struct CUDA_MEMSET_NODE_PARAMS size 40 {
        0 dst: CUdeviceptr,
        8 pitch: usize,
        16 value: u32,
        20 elementSize: u32,
        24 width: usize,
        32 height: usize,
    }
    struct CUDA_MEMSET_NODE_PARAMS_v2 size 48 {
        0 dst: CUdeviceptr,
        8 pitch: usize,
        16 value: u32,
        20 elementSize: u32,
        24 width: usize,
        32 height: usize,
        40 ctx: CUcontext,
    }
    struct CUDA_HOST_NODE_PARAMS size 16 {
        0 func: CUhostFn,
        8 userData: Ptr<c_void>,
    }
    struct CUDA_HOST_NODE_PARAMS_v2 size 32 {
        0 func: CUhostFn,
        8 userData: Ptr<c_void>,
        16 syncMode: u32,
        24 ctx: CUcontext,
    }
    struct CUDA_CONDITIONAL_NODE_PARAMS size 32 {
        0 handle: CUgraphConditionalHandle,
        8 type_: CUgraphConditionalNodeType,
        12 size: u32,
        16 phGraph_out: Ptr<CUgraph>,
        24 ctx: CUcontext,
    }
    struct CUgraphEdgeData size 8 {
        0 from_port: u8,
        1 to_port: u8,
        2 type_: u8,
        3 reserved: [u8; 5],
    }
    struct CUDA_GRAPH_INSTANTIATE_PARAMS size 32 {
        0 flags: u64,
        8 hUploadStream: CUstream,
        16 hErrNode_out: CUgraphNode,
        24 result_out: CUgraphInstantiateResult,
    }
    struct CUlaunchMemSyncDomainMap size 2 {
        0 default_: u8,
        1 remote: u8,
    }
    struct CUlaunchAttributeValue_clusterDim size 12 {
        0 x: u32,
        4 y: u32,
        8 z: u32,
    }
    struct CUlaunchAttributeValue_programmaticEvent size 16 {
        0 event: CUevent,
        8 flags: i32,
        12 triggerAtBlockStart: i32,
    }
    struct CUlaunchAttributeValue_launchCompletionEvent size 16 {
        0 event: CUevent,
        8 flags: i32,
    }
    struct CUlaunchAttributeValue_preferredClusterDim size 12 {
        0 x: u32,
        4 y: u32,
        8 z: u32,
    }
    struct CUlaunchAttributeValue_deviceUpdatableKernelNode size 16 {
        0 deviceUpdatable: i32,
        8 devNode: CUgraphDeviceNode,
    }
    struct CUlaunchAttributeValue size 64 {
        0 value: Union<[u64; 8]>,
    }
    struct CUlaunchAttribute size 72 {
        0 id: CUlaunchAttributeID,
        4 pad: [u8; 4],
        8 value: CUlaunchAttributeValue,
    }
    struct CUlaunchConfig size 56 {
        0 gridDimX: u32,
        4 gridDimY: u32,
        8 gridDimZ: u32,
        12 blockDimX: u32,
        16 blockDimY: u32,
        20 blockDimZ: u32,
        24 sharedMemBytes: u32,
        32 hStream: CUstream,
        40 attrs: Ptr<CUlaunchAttribute>,
        48 numAttrs: u32,
    }
    struct CUstreamCigParam size 16 {
        0 streamSharedDataType: CUstreamCigDataType,
        8 streamSharedData: Ptr<c_void>,
    }
    struct CUstreamCigCaptureParams size 8 {
        0 streamCigParams: Ptr<CUstreamCigParam>,
    }
    struct CUDA_MEMCPY_NODE_PARAMS size 216 {
        0 flags: i32,
        4 reserved: i32,
        8 copyCtx: CUcontext,
        16 copyParams: CUDA_MEMCPY3D,
    }
    struct CUDA_LAUNCH_PARAMS size 56 {
        0 function: CUfunction,
        8 gridDimX: u32,
        12 gridDimY: u32,
        16 gridDimZ: u32,
        20 blockDimX: u32,
        24 blockDimY: u32,
        28 blockDimZ: u32,
        32 sharedMemBytes: u32,
        40 hStream: CUstream,
        48 kernelParams: Ptr<Ptr<c_void>>,
    }
    struct CUgraphExecUpdateResultInfo size 24 {
        0 result: CUgraphExecUpdateResult,
        8 errorNode: CUgraphNode,
        16 errorFromNode: CUgraphNode,
    }
    struct CUDA_MEM_ALLOC_NODE_PARAMS size 120 {
        0 poolProps: CUmemPoolProps,
        88 accessDescs: Ptr<CUmemAccessDesc>,
        96 accessDescCount: usize,
        104 bytesize: usize,
        112 dptr: CUdeviceptr,
    }
    struct CUDA_MEM_ALLOC_NODE_PARAMS_v2 size 120 {
        0 poolProps: CUmemPoolProps,
        88 accessDescs: Ptr<CUmemAccessDesc>,
        96 accessDescCount: usize,
        104 bytesize: usize,
        112 dptr: CUdeviceptr,
    }
    struct CUDA_MEM_FREE_NODE_PARAMS size 8 {
        0 dptr: CUdeviceptr,
    }
    struct CUDA_CHILD_GRAPH_NODE_PARAMS size 16 {
        0 graph: CUgraph,
        8 ownership: CUgraphChildGraphNodeOwnership,
    }
    struct CUDA_EVENT_RECORD_NODE_PARAMS size 16 {
        0 event: CUevent,
        8 ctx: CUcontext,
    }
    struct CUDA_EVENT_WAIT_NODE_PARAMS size 8 {
        0 event: CUevent,
    }
    struct CUgraphNodeParams size 256 {
        0 type_: CUgraphNodeType,
        4 reserved0: [i32; 3],
        16 params: Union<[u64; 29]>,
        248 reserved2: i64,
    }
}

pub type CUstreamBatchMemOpParams_v1 = CUstreamBatchMemOpParams;
pub type CUDA_BATCH_MEM_OP_NODE_PARAMS_v1 = CUDA_BATCH_MEM_OP_NODE_PARAMS;
pub type CUaccessPolicyWindow_v1 = CUaccessPolicyWindow;
pub type CUDA_KERNEL_NODE_PARAMS_v2 = CUDA_KERNEL_NODE_PARAMS;
pub type CUDA_MEMSET_NODE_PARAMS_v1 = CUDA_MEMSET_NODE_PARAMS;
pub type CUDA_HOST_NODE_PARAMS_v1 = CUDA_HOST_NODE_PARAMS;
pub type CUkernelNodeAttrValue_v1 = CUlaunchAttributeValue;
pub type CUkernelNodeAttrValue = CUlaunchAttributeValue;
pub type CUstreamAttrValue_v1 = CUlaunchAttributeValue;
pub type CUstreamAttrValue = CUlaunchAttributeValue;
pub type CUDA_LAUNCH_PARAMS_v1 = CUDA_LAUNCH_PARAMS;
pub type CUgraphExecUpdateResultInfo_v1 = CUgraphExecUpdateResultInfo;
pub type CUDA_MEM_ALLOC_NODE_PARAMS_v1 = CUDA_MEM_ALLOC_NODE_PARAMS;
