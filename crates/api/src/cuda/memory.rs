#[macro_export]
#[doc(hidden)]
macro_rules! cuda_memory_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Free and total memory of the device. 32-bit sizes and addresses.
    fn cuMemGetInfo since 2000 [soft answer call capture]
        (free: out(u32), total: out(u32));

    /// Free and total memory of the device.
    fn cuMemGetInfo_v2 since 3020 [soft answer call capture]
        (free: out(usize), total: out(usize));

    /// Allocates device memory. 32-bit sizes and addresses.
    fn cuMemAlloc since 2000 [todo charge call]
        (dptr: out(CUdeviceptr_v1), bytesize: val(u32));

    /// Allocates device memory.
    fn cuMemAlloc_v2 since 3020 [soft charge call]
        (dptr: out(CUdeviceptr), bytesize: val(usize));

    /// Allocates rows of device memory, each well aligned. 32-bit sizes and addresses.
    fn cuMemAllocPitch since 2000 [todo charge call]
        (dptr: out(CUdeviceptr_v1), pPitch: out(u32), WidthInBytes: val(u32), Height: val(u32),
         ElementSizeBytes: val(u32));

    /// Allocates rows of device memory, each well aligned.
    fn cuMemAllocPitch_v2 since 3020 [soft charge call]
        (dptr: out(CUdeviceptr), pPitch: out(usize), WidthInBytes: val(usize), Height: val(usize),
         ElementSizeBytes: val(u32));

    /// Frees device memory. 32-bit sizes and addresses.
    fn cuMemFree since 2000 [todo release call]
        (dptr: val(CUdeviceptr_v1));

    /// Frees device memory.
    fn cuMemFree_v2 since 3020 [soft release call]
        (dptr: val(CUdeviceptr));

    /// Start and size of the allocation that holds an address. 32-bit sizes and addresses.
    fn cuMemGetAddressRange since 2000 [todo forward call capture]
        (pbase: out(CUdeviceptr_v1), psize: out(u32), dptr: val(CUdeviceptr_v1));

    /// Start and size of the allocation that holds an address.
    fn cuMemGetAddressRange_v2 since 3020 [soft answer call capture]
        (pbase: out(CUdeviceptr), psize: out(usize), dptr: val(CUdeviceptr));

    /// Allocates pinned host memory. 32-bit sizes and addresses.
    fn cuMemAllocHost since 2000 [soft forward call custom_wire]
        (pp: out(Ptr<c_void>), bytesize: val(u32));

    /// Allocates pinned host memory.
    fn cuMemAllocHost_v2 since 3020 [soft forward call custom_wire]
        (pp: out(Ptr<c_void>), bytesize: val(usize));

    /// Frees pinned host memory.
    fn cuMemFreeHost since 2000 [soft forward call custom_wire]
        (p: raw(Ptr<c_void>));

    /// Allocates pinned host memory, with flags.
    fn cuMemHostAlloc since 2020 [soft forward call custom_wire]
        (pp: out(Ptr<c_void>), bytesize: val(usize), Flags: val(u32));

    /// Device address of pinned host memory. 32-bit sizes and addresses.
    fn cuMemHostGetDevicePointer since 2020 [todo forward call capture custom_wire]
        (pdptr: out(CUdeviceptr_v1), p: raw(Ptr<c_void>), Flags: val(u32));

    /// Device address of pinned host memory.
    fn cuMemHostGetDevicePointer_v2 since 3020 [soft forward call capture custom_wire]
        (pdptr: out(CUdeviceptr), p: raw(Ptr<c_void>), Flags: val(u32));

    /// Flags pinned host memory was allocated with.
    fn cuMemHostGetFlags since 2030 [soft forward call capture custom_wire]
        (pFlags: out(u32), p: raw(Ptr<c_void>));

    /// Allocates memory that moves between host and device.
    fn cuMemAllocManaged since 6000 [soft charge call]
        (dptr: out(CUdeviceptr), bytesize: val(usize), flags: val(u32));

    /// Makes memory shareable with other processes.
    fn cuIpcGetMemHandle since 4010 [soft answer call capture]
        (pHandle: out(CUipcMemHandle), dptr: val(CUdeviceptr));

    /// Maps memory of another process.
    fn cuIpcOpenMemHandle since 4010 [soft forward call]
        (pdptr: out(CUdeviceptr), handle: val(CUipcMemHandle), Flags: val(u32));

    /// Maps memory of another process.
    fn cuIpcOpenMemHandle_v2 since 11000 [soft forward call]
        (pdptr: out(CUdeviceptr), handle: val(CUipcMemHandle), Flags: val(u32));

    /// Unmaps memory of another process.
    fn cuIpcCloseMemHandle since 4010 [soft forward call]
        (dptr: val(CUdeviceptr));

    /// Pins host memory of the program.
    fn cuMemHostRegister since 4000 [soft forward call custom_wire]
        (p: raw(Ptr<c_void>), bytesize: val(usize), Flags: val(u32));

    /// Pins host memory of the program.
    fn cuMemHostRegister_v2 since 6050 [soft forward call custom_wire]
        (p: raw(Ptr<c_void>), bytesize: val(usize), Flags: val(u32));

    /// Unpins host memory of the program.
    fn cuMemHostUnregister since 4000 [soft forward call custom_wire]
        (p: raw(Ptr<c_void>));

    /// File descriptor that stands for a range of memory.
    fn cuMemGetHandleForAddressRange since 11070 [todo answer call capture custom_wire]
        (handle: raw(Ptr<c_void>), dptr: val(CUdeviceptr), size: val(usize), handleType: val(CUmemRangeHandleType),
         flags: val(u64));

    /// One property of an address.
    fn cuPointerGetAttribute since 4000 [soft answer call capture custom_wire]
        (data: raw(Ptr<c_void>), attribute: val(CUpointer_attribute), ptr: val(CUdeviceptr));

    /// Moves managed memory to a device, in stream order.
    fn cuMemPrefetchAsync since 8000 [soft pace ce stream(hStream) submit]
        (devPtr: val(CUdeviceptr), count: val(usize), dstDevice: val(CUdevice), hStream: val(CUstream));

    /// Moves managed memory to a device, in stream order. Default stream: per thread.
    fn cuMemPrefetchAsync_ptsz since 8000 [soft pace ce stream(hStream) submit]
        (devPtr: val(CUdeviceptr), count: val(usize), dstDevice: val(CUdevice), hStream: val(CUstream));

    /// Moves managed memory to any location, in stream order.
    fn cuMemPrefetchAsync_v2 since 12020 [soft pace ce stream(hStream) submit]
        (devPtr: val(CUdeviceptr), count: val(usize), location: val(CUmemLocation), flags: val(u32),
         hStream: val(CUstream));

    /// Moves managed memory to any location, in stream order. Default stream: per thread.
    fn cuMemPrefetchAsync_v2_ptsz since 12020 [soft pace ce stream(hStream) submit]
        (devPtr: val(CUdeviceptr), count: val(usize), location: val(CUmemLocation), flags: val(u32),
         hStream: val(CUstream));

    /// Hints how managed memory will be used.
    fn cuMemAdvise since 8000 [soft forward call capture]
        (devPtr: val(CUdeviceptr), count: val(usize), advice: val(CUmem_advise), device: val(CUdevice));

    /// Hints how managed memory will be used, for any location.
    fn cuMemAdvise_v2 since 12020 [soft forward call capture]
        (devPtr: val(CUdeviceptr), count: val(usize), advice: val(CUmem_advise), location: val(CUmemLocation));

    /// Moves several ranges of managed memory, in stream order.
    fn cuMemPrefetchBatchAsync since 13000 [soft pace ce stream(hStream) submit]
        (dptrs: array(CUdeviceptr, count), sizes: array(usize, count), count: val(usize),
         prefetchLocs: array(CUmemLocation, numPrefetchLocs), prefetchLocIdxs: array(usize, numPrefetchLocs),
         numPrefetchLocs: val(usize), flags: val(u64), hStream: val(CUstream));

    /// Moves several ranges of managed memory, in stream order. Default stream: per thread.
    fn cuMemPrefetchBatchAsync_ptsz since 13000 [soft pace ce stream(hStream) submit]
        (dptrs: array(CUdeviceptr, count), sizes: array(usize, count), count: val(usize),
         prefetchLocs: array(CUmemLocation, numPrefetchLocs), prefetchLocIdxs: array(usize, numPrefetchLocs),
         numPrefetchLocs: val(usize), flags: val(u64), hStream: val(CUstream));

    /// Drops contents of managed ranges, in stream order.
    fn cuMemDiscardBatchAsync since 13000 [soft pace ce stream(hStream) submit]
        (dptrs: array(CUdeviceptr, count), sizes: array(usize, count), count: val(usize), flags: val(u64),
         hStream: val(CUstream));

    /// Drops contents of managed ranges, in stream order. Default stream: per thread.
    fn cuMemDiscardBatchAsync_ptsz since 13000 [soft pace ce stream(hStream) submit]
        (dptrs: array(CUdeviceptr, count), sizes: array(usize, count), count: val(usize), flags: val(u64),
         hStream: val(CUstream));

    /// Drops contents of managed ranges and moves them, in stream order.
    fn cuMemDiscardAndPrefetchBatchAsync since 13000 [soft pace ce stream(hStream) submit]
        (dptrs: array(CUdeviceptr, count), sizes: array(usize, count), count: val(usize),
         prefetchLocs: array(CUmemLocation, numPrefetchLocs), prefetchLocIdxs: array(usize, numPrefetchLocs),
         numPrefetchLocs: val(usize), flags: val(u64), hStream: val(CUstream));

    /// Drops contents of managed ranges and moves them, in stream order. Default stream: per thread.
    fn cuMemDiscardAndPrefetchBatchAsync_ptsz since 13000 [soft pace ce stream(hStream) submit]
        (dptrs: array(CUdeviceptr, count), sizes: array(usize, count), count: val(usize),
         prefetchLocs: array(CUmemLocation, numPrefetchLocs), prefetchLocIdxs: array(usize, numPrefetchLocs),
         numPrefetchLocs: val(usize), flags: val(u64), hStream: val(CUstream));

    /// Where a range of managed memory is.
    fn cuMemGetLocationInfo since 13040 [todo forward call capture]
        (ptr: val(CUdeviceptr), size: val(usize), summaryGranularity: val(usize), samplingGranularity: val(usize),
         location_out: out(CUmemLocation));

    /// One property of a range of managed memory.
    fn cuMemRangeGetAttribute since 8000 [soft forward call capture]
        (data: bytes_mut(dataSize), dataSize: val(usize), attribute: val(CUmem_range_attribute),
         devPtr: val(CUdeviceptr), count: val(usize));

    /// Several properties of a range of managed memory.
    fn cuMemRangeGetAttributes since 8000 [soft forward call capture custom_wire]
        (data: array(Ptr<c_void>, numAttributes), dataSizes: array(usize, numAttributes),
         attributes: array(CUmem_range_attribute, numAttributes), numAttributes: val(usize),
         devPtr: val(CUdeviceptr), count: val(usize));

    /// Changes one property of an allocation.
    fn cuPointerSetAttribute since 6000 [soft forward call capture custom_wire]
        (value: raw(Ptr<c_void>), attribute: val(CUpointer_attribute), ptr: val(CUdeviceptr));

    /// Several properties of an address.
    fn cuPointerGetAttributes since 7000 [soft answer call capture custom_wire]
        (numAttributes: val(u32), attributes: array(CUpointer_attribute, numAttributes),
         data: array(Ptr<c_void>, numAttributes), ptr: val(CUdeviceptr));

    /// Exported, but no public header ever declared it: its arguments are unknown.
    fn cuMemGetAttribute since 0 [todo forward call]
        ();

    /// Exported, but no public header ever declared it: its arguments are unknown.
    fn cuMemGetAttribute_v2 since 0 [todo forward call]
        ();

}}}}
