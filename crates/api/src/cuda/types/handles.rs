use super::*;

c_handles! {
    CUcontext(usize);
    CUmodule(usize);
    CUfunction(usize);
    CUlibrary(usize);
    CUkernel(usize);
    CUarray(usize);
    CUmipmappedArray(usize);
    CUtexref(usize);
    CUsurfref(usize);
    CUevent(usize);
    CUstream(usize);
    CUgraphicsResource(usize);
    CUexternalMemory(usize);
    CUexternalSemaphore(usize);
    CUgraph(usize);
    CUgraphNode(usize);
    CUgraphExec(usize);
    CUmemoryPool(usize);
    CUuserObject(usize);
    CUgraphDeviceNode(usize);
    CUasyncCallbackHandle(usize);
    CUgreenCtx(usize);
    CUlinkState(usize);
    CUcheckpointOperationHandle(usize);
    CUcoredumpCallbackHandle(usize);
    CUdevResourceDesc(usize);
    CUlogsCallbackHandle(usize);
    CUeglStreamConnection(usize);
    CUdeviceptr(u64);
    CUdeviceptr_v1(u32);
    CUtexObject(u64);
    CUsurfObject(u64);
    CUmemGenericAllocationHandle(u64);
    CUgraphConditionalHandle(u64);
    CUlogicalEndpointId(u32);
    CUlogIterator(u32);
}

c_enums! {
    enum CUdevice: i32 {
        CU_DEVICE_CPU = -1,
        CU_DEVICE_INVALID = -2,
    }
}

pub type CUdevice_v1 = CUdevice;
pub type CUdeviceptr_v2 = CUdeviceptr;
pub type CUtexObject_v1 = CUtexObject;
pub type CUsurfObject_v1 = CUsurfObject;
pub type CUmemGenericAllocationHandle_v1 = CUmemGenericAllocationHandle;

pub const CU_STREAM_LEGACY: CUstream = CUstream(1);
pub const CU_STREAM_PER_THREAD: CUstream = CUstream(2);

pub type CUhostFn = Option<unsafe extern "C" fn(userData: Ptr<c_void>)>;
pub type CUstreamCallback =
    Option<unsafe extern "C" fn(hStream: CUstream, status: CUresult, userData: Ptr<c_void>)>;
pub type CUoccupancyB2DSize = Option<unsafe extern "C" fn(blockSize: i32) -> usize>;
pub type CUasyncCallback = Option<
    unsafe extern "C" fn(
        info: Ptr<CUasyncNotificationInfo>,
        userData: Ptr<c_void>,
        callback: CUasyncCallbackHandle,
    ),
>;
pub type CUgraphRecaptureCallback = Option<
    unsafe extern "C" fn(
        userData: Ptr<c_void>,
        node: CUgraphNode,
        original: Ptr<CUgraphNodeParams>,
        recaptured: Ptr<CUgraphNodeParams>,
        status: CUgraphRecaptureStatus,
    ) -> CUresult,
>;
pub type CUcoredumpStatusCallback =
    Option<unsafe extern "C" fn(userData: Ptr<c_void>, pid: i32, device: CUdevice)>;
pub type CUlogsCallback =
    Option<unsafe extern "C" fn(userData: Ptr<c_void>, level: CUlogLevel, message: Ptr<u8>, length: usize)>;
