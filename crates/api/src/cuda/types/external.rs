use super::*;

c_structs! {
    struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32 size 16 {
        0 handle: Ptr<c_void>,
        8 name: Ptr<c_void>,
    }
    struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC size 104 {
        0 type_: CUexternalMemoryHandleType,
        8 handle: Union<[u64; 2]>,
        24 size: u64,
        32 flags: u32,
        36 reserved: [u32; 16],
    }
    struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC size 88 {
        0 offset: u64,
        8 size: u64,
        16 flags: u32,
        20 reserved: [u32; 16],
    }
    struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC size 120 {
        0 offset: u64,
        8 arrayDesc: CUDA_ARRAY3D_DESCRIPTOR,
        48 numLevels: u32,
        52 reserved: [u32; 16],
    }
    struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32 size 16 {
        0 handle: Ptr<c_void>,
        8 name: Ptr<c_void>,
    }
    struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC size 96 {
        0 type_: CUexternalSemaphoreHandleType,
        8 handle: Union<[u64; 2]>,
        24 flags: u32,
        28 reserved: [u32; 16],
    }
    struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_fence size 8 {
        0 value: u64,
    }
    struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_keyedMutex size 8 {
        0 key: u64,
    }
    struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params size 72 {
        0 fence: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_fence,
        8 nvSciSync: Union<[u64; 1]>,
        16 keyedMutex: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_keyedMutex,
        24 reserved: [u32; 12],
    }
    struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS size 144 {
        0 params: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params,
        72 flags: u32,
        76 reserved: [u32; 16],
    }
    struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_fence size 8 {
        0 value: u64,
    }
    struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex size 16 {
        0 key: u64,
        8 timeoutMs: u32,
    }
    struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params size 72 {
        0 fence: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_fence,
        8 nvSciSync: Union<[u64; 1]>,
        16 keyedMutex: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex,
        32 reserved: [u32; 10],
    }
    struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS size 144 {
        0 params: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params,
        72 flags: u32,
        76 reserved: [u32; 16],
    }
    struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS size 24 {
        0 extSemArray: Ptr<CUexternalSemaphore>,
        8 paramsArray: Ptr<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>,
        16 numExtSems: u32,
    }
    struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 size 32 {
        0 extSemArray: Ptr<CUexternalSemaphore>,
        8 paramsArray: Ptr<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>,
        16 numExtSems: u32,
        24 ctx: CUcontext,
    }
    struct CUDA_EXT_SEM_WAIT_NODE_PARAMS size 24 {
        0 extSemArray: Ptr<CUexternalSemaphore>,
        8 paramsArray: Ptr<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>,
        16 numExtSems: u32,
    }
    struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 size 32 {
        0 extSemArray: Ptr<CUexternalSemaphore>,
        8 paramsArray: Ptr<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>,
        16 numExtSems: u32,
        24 ctx: CUcontext,
    }
}

pub type CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1 = CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
pub type CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1 = CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
pub type CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_v1 = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;
pub type CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1 = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
pub type CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1 = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
pub type CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1 = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;
pub type CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1 = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;
pub type CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1 = CUDA_EXT_SEM_WAIT_NODE_PARAMS;
