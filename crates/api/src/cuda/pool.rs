#[macro_export]
macro_rules! cuda_pool_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuDeviceSetMemPool since 11020 [todo forward call capture]
        (dev: val(CUdevice), pool: val(CUmemoryPool));

    fn cuDeviceGetMemPool since 11020 [todo forward call capture]
        (pool: out(CUmemoryPool), dev: val(CUdevice));

    fn cuDeviceGetDefaultMemPool since 11020 [todo forward call capture]
        (pool_out: out(CUmemoryPool), dev: val(CUdevice));

    fn cuMemFreeAsync since 11020 [todo release stream(hStream) submit capture]
        (dptr: val(CUdeviceptr), hStream: val(CUstream));

    fn cuMemFreeAsync_ptsz since 11020 [todo release stream(hStream) submit capture]
        (dptr: val(CUdeviceptr), hStream: val(CUstream));

    fn cuMemAllocAsync since 11020 [todo charge stream(hStream) call capture]
        (dptr: out(CUdeviceptr), bytesize: val(usize), hStream: val(CUstream));

    fn cuMemAllocAsync_ptsz since 11020 [todo charge stream(hStream) call capture]
        (dptr: out(CUdeviceptr), bytesize: val(usize), hStream: val(CUstream));

    fn cuMemPoolTrimTo since 11020 [todo release call]
        (pool: val(CUmemoryPool), minBytesToKeep: val(usize));

    fn cuMemPoolSetAttribute since 11020 [todo charge call capture custom_wire]
        (pool: val(CUmemoryPool), attr: val(CUmemPool_attribute), value: raw(Ptr<c_void>));

    fn cuMemPoolGetAttribute since 11020 [todo answer call capture custom_wire]
        (pool: val(CUmemoryPool), attr: val(CUmemPool_attribute), value: raw(Ptr<c_void>));

    fn cuMemPoolSetAccess since 11020 [todo forward call capture]
        (pool: val(CUmemoryPool), map: array(CUmemAccessDesc, count), count: val(usize));

    fn cuMemPoolGetAccess since 11020 [todo forward call capture]
        (flags: out(CUmemAccess_flags), memPool: val(CUmemoryPool), location: input(CUmemLocation));

    fn cuMemPoolCreate since 11020 [todo charge call capture custom_wire]
        (pool: out(CUmemoryPool), poolProps: input(CUmemPoolProps));

    fn cuMemPoolDestroy since 11020 [todo release call]
        (pool: val(CUmemoryPool));

    fn cuMemGetDefaultMemPool since 13000 [todo forward call capture]
        (pool_out: out(CUmemoryPool), location: input(CUmemLocation), type_: val(CUmemAllocationType));

    fn cuMemGetMemPool since 13000 [todo forward call capture]
        (pool: out(CUmemoryPool), location: input(CUmemLocation), type_: val(CUmemAllocationType));

    fn cuMemSetMemPool since 13000 [todo forward call capture]
        (location: input(CUmemLocation), type_: val(CUmemAllocationType), pool: val(CUmemoryPool));

    fn cuMemAllocFromPoolAsync since 11020 [todo charge stream(hStream) call capture]
        (dptr: out(CUdeviceptr), bytesize: val(usize), pool: val(CUmemoryPool), hStream: val(CUstream));

    fn cuMemAllocFromPoolAsync_ptsz since 11020 [todo charge stream(hStream) call capture]
        (dptr: out(CUdeviceptr), bytesize: val(usize), pool: val(CUmemoryPool), hStream: val(CUstream));

    fn cuMemPoolExportToShareableHandle since 11020 [todo forward call capture custom_wire]
        (handle_out: raw(Ptr<c_void>), pool: val(CUmemoryPool), handleType: val(CUmemAllocationHandleType),
         flags: val(u64));

    fn cuMemPoolImportFromShareableHandle since 11020 [todo forward call capture custom_wire]
        (pool_out: out(CUmemoryPool), handle: raw(Ptr<c_void>), handleType: val(CUmemAllocationHandleType),
         flags: val(u64));

    fn cuMemPoolExportPointer since 11020 [todo forward call capture]
        (shareData_out: out(CUmemPoolPtrExportData), ptr: val(CUdeviceptr));

    fn cuMemPoolImportPointer since 11020 [todo forward call capture]
        (ptr_out: out(CUdeviceptr), pool: val(CUmemoryPool), shareData: input(CUmemPoolPtrExportData));

}}}}
