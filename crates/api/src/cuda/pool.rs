#[macro_export]
#[doc(hidden)]
macro_rules! cuda_pool_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Pool a device shall allocate from.
    fn cuDeviceSetMemPool since 11020 [soft forward call capture]
        (dev: val(CUdevice), pool: val(CUmemoryPool));

    /// Pool a device allocates from.
    fn cuDeviceGetMemPool since 11020 [soft forward call capture]
        (pool: out(CUmemoryPool), dev: val(CUdevice));

    /// Pool a device is born with.
    fn cuDeviceGetDefaultMemPool since 11020 [soft forward call capture]
        (pool_out: out(CUmemoryPool), dev: val(CUdevice));

    /// Frees memory, in stream order.
    fn cuMemFreeAsync since 11020 [soft release stream(hStream) submit capture]
        (dptr: val(CUdeviceptr), hStream: val(CUstream));

    /// Frees memory, in stream order. Default stream: per thread.
    fn cuMemFreeAsync_ptsz since 11020 [soft release stream(hStream) submit capture]
        (dptr: val(CUdeviceptr), hStream: val(CUstream));

    /// Allocates from the device's pool, in stream order.
    fn cuMemAllocAsync since 11020 [soft charge stream(hStream) call capture]
        (dptr: out(CUdeviceptr), bytesize: val(usize), hStream: val(CUstream));

    /// Allocates from the device's pool, in stream order. Default stream: per thread.
    fn cuMemAllocAsync_ptsz since 11020 [soft charge stream(hStream) call capture]
        (dptr: out(CUdeviceptr), bytesize: val(usize), hStream: val(CUstream));

    /// Gives unused memory of a pool back.
    fn cuMemPoolTrimTo since 11020 [soft release call]
        (pool: val(CUmemoryPool), minBytesToKeep: val(usize));

    /// Changes one number of a pool.
    fn cuMemPoolSetAttribute since 11020 [soft answer call capture custom_wire]
        (pool: val(CUmemoryPool), attr: val(CUmemPool_attribute), value: raw(Ptr<c_void>));

    /// One number about a pool.
    fn cuMemPoolGetAttribute since 11020 [soft answer call capture custom_wire]
        (pool: val(CUmemoryPool), attr: val(CUmemPool_attribute), value: raw(Ptr<c_void>));

    /// Lets locations access a pool.
    fn cuMemPoolSetAccess since 11020 [soft forward call capture]
        (pool: val(CUmemoryPool), map: array(CUmemAccessDesc, count), count: val(usize));

    /// How a location may access a pool.
    fn cuMemPoolGetAccess since 11020 [soft forward call capture]
        (flags: out(CUmemAccess_flags), memPool: val(CUmemoryPool), location: input(CUmemLocation));

    /// Creates a pool.
    fn cuMemPoolCreate since 11020 [soft charge call capture]
        (pool: out(CUmemoryPool), poolProps: input(CUmemPoolProps));

    /// Destroys a pool.
    fn cuMemPoolDestroy since 11020 [soft release call]
        (pool: val(CUmemoryPool));

    /// Pool a location is born with.
    fn cuMemGetDefaultMemPool since 13000 [soft forward call capture]
        (pool_out: out(CUmemoryPool), location: input(CUmemLocation), type_: val(CUmemAllocationType));

    /// Pool a location allocates from.
    fn cuMemGetMemPool since 13000 [soft forward call capture]
        (pool: out(CUmemoryPool), location: input(CUmemLocation), type_: val(CUmemAllocationType));

    /// Pool a location shall allocate from.
    fn cuMemSetMemPool since 13000 [soft forward call capture]
        (location: input(CUmemLocation), type_: val(CUmemAllocationType), pool: val(CUmemoryPool));

    /// Allocates from a pool, in stream order.
    fn cuMemAllocFromPoolAsync since 11020 [soft charge stream(hStream) call capture]
        (dptr: out(CUdeviceptr), bytesize: val(usize), pool: val(CUmemoryPool), hStream: val(CUstream));

    /// Allocates from a pool, in stream order. Default stream: per thread.
    fn cuMemAllocFromPoolAsync_ptsz since 11020 [soft charge stream(hStream) call capture]
        (dptr: out(CUdeviceptr), bytesize: val(usize), pool: val(CUmemoryPool), hStream: val(CUstream));

    /// Makes a pool shareable with other processes.
    fn cuMemPoolExportToShareableHandle since 11020 [soft forward call capture custom_wire]
        (handle_out: raw(Ptr<c_void>), pool: val(CUmemoryPool), handleType: val(CUmemAllocationHandleType),
         flags: val(u64));

    /// Opens a pool of another process.
    fn cuMemPoolImportFromShareableHandle since 11020 [soft forward call capture custom_wire]
        (pool_out: out(CUmemoryPool), handle: raw(Ptr<c_void>), handleType: val(CUmemAllocationHandleType),
         flags: val(u64));

    /// Makes an allocation of a shared pool openable elsewhere.
    fn cuMemPoolExportPointer since 11020 [soft answer call capture]
        (shareData_out: out(CUmemPoolPtrExportData), ptr: val(CUdeviceptr));

    /// Opens an allocation of a shared pool.
    fn cuMemPoolImportPointer since 11020 [soft forward call capture]
        (ptr_out: out(CUdeviceptr), pool: val(CUmemoryPool), shareData: input(CUmemPoolPtrExportData));

}}}}
