#[macro_export]
macro_rules! cuda_vmm_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuMemAddressReserve since 10020 [todo forward call capture]
        (ptr: out(CUdeviceptr), size: val(usize), alignment: val(usize), addr: val(CUdeviceptr), flags: val(u64));

    fn cuMemAddressFree since 10020 [todo forward call capture]
        (ptr: val(CUdeviceptr), size: val(usize));

    fn cuMemCreate since 10020 [todo charge call capture custom_wire]
        (handle: out(CUmemGenericAllocationHandle), size: val(usize), prop: input(CUmemAllocationProp),
         flags: val(u64));

    fn cuMemRelease since 10020 [todo release call capture]
        (handle: val(CUmemGenericAllocationHandle));

    fn cuMemMap since 10020 [todo charge call capture]
        (ptr: val(CUdeviceptr), size: val(usize), offset: val(usize), handle: val(CUmemGenericAllocationHandle),
         flags: val(u64));

    fn cuMemMapArrayAsync since 11010 [todo charge stream(hStream) submit]
        (mapInfoList: array(CUarrayMapInfo, count), count: val(u32), hStream: val(CUstream));

    fn cuMemMapArrayAsync_ptsz since 11010 [todo charge stream(hStream) submit]
        (mapInfoList: array(CUarrayMapInfo, count), count: val(u32), hStream: val(CUstream));

    fn cuMemUnmap since 10020 [todo release call capture]
        (ptr: val(CUdeviceptr), size: val(usize));

    fn cuMemSetAccess since 10020 [todo forward call capture]
        (ptr: val(CUdeviceptr), size: val(usize), desc: array(CUmemAccessDesc, count), count: val(usize));

    fn cuMemGetAccess since 10020 [todo forward call capture]
        (flags: out(u64), location: input(CUmemLocation), ptr: val(CUdeviceptr));

    fn cuMemExportToShareableHandle since 10020 [todo forward call capture custom_wire]
        (shareableHandle: raw(Ptr<c_void>), handle: val(CUmemGenericAllocationHandle),
         handleType: val(CUmemAllocationHandleType), flags: val(u64));

    fn cuMemImportFromShareableHandle since 10020 [todo charge call capture custom_wire]
        (handle: out(CUmemGenericAllocationHandle), osHandle: raw(Ptr<c_void>),
         shHandleType: val(CUmemAllocationHandleType));

    fn cuMemGetAllocationGranularity since 10020 [todo forward call capture custom_wire]
        (granularity: out(usize), prop: input(CUmemAllocationProp), option: val(CUmemAllocationGranularity_flags));

    fn cuMemGetAllocationPropertiesFromHandle since 10020 [todo forward call capture custom_wire]
        (prop: out(CUmemAllocationProp), handle: val(CUmemGenericAllocationHandle));

    fn cuMemRetainAllocationHandle since 11000 [todo charge call capture custom_wire]
        (handle: out(CUmemGenericAllocationHandle), addr: raw(Ptr<c_void>));

    fn cuMulticastCreate since 12010 [todo forward call]
        (mcHandle: out(CUmemGenericAllocationHandle), prop: input(CUmulticastObjectProp));

    fn cuMulticastAddDevice since 12010 [todo forward call]
        (mcHandle: val(CUmemGenericAllocationHandle), dev: val(CUdevice));

    fn cuMulticastBindMem since 12010 [todo forward call]
        (mcHandle: val(CUmemGenericAllocationHandle), mcOffset: val(usize),
         memHandle: val(CUmemGenericAllocationHandle), memOffset: val(usize), size: val(usize), flags: val(u64));

    fn cuMulticastBindMem_v2 since 13010 [todo forward call]
        (mcHandle: val(CUmemGenericAllocationHandle), dev: val(CUdevice), mcOffset: val(usize),
         memHandle: val(CUmemGenericAllocationHandle), memOffset: val(usize), size: val(usize), flags: val(u64));

    fn cuMulticastBindAddr since 12010 [todo forward call]
        (mcHandle: val(CUmemGenericAllocationHandle), mcOffset: val(usize), memptr: val(CUdeviceptr),
         size: val(usize), flags: val(u64));

    fn cuMulticastBindAddr_v2 since 13010 [todo forward call]
        (mcHandle: val(CUmemGenericAllocationHandle), dev: val(CUdevice), mcOffset: val(usize),
         memptr: val(CUdeviceptr), size: val(usize), flags: val(u64));

    fn cuMulticastUnbind since 12010 [todo forward call]
        (mcHandle: val(CUmemGenericAllocationHandle), dev: val(CUdevice), mcOffset: val(usize), size: val(usize));

    fn cuMulticastGetGranularity since 12010 [todo forward call]
        (granularity: out(usize), prop: input(CUmulticastObjectProp), option: val(CUmulticastGranularity_flags));

    fn cuLogicalEndpointIdReserve since 13030 [todo forward call]
        (baseLeId: out(CUlogicalEndpointId), count: val(u32));

    fn cuLogicalEndpointIdRelease since 13030 [todo forward call]
        (baseLeId: val(CUlogicalEndpointId), count: val(u32));

    fn cuLogicalEndpointCreate since 13030 [todo forward call]
        (leId: val(CUlogicalEndpointId), prop: input(CUlogicalEndpointProp));

    fn cuLogicalEndpointAddDevice since 13030 [todo forward call]
        (leId: val(CUlogicalEndpointId), dev: val(CUdevice));

    fn cuLogicalEndpointDestroy since 13030 [todo forward call]
        (leId: val(CUlogicalEndpointId));

    fn cuLogicalEndpointBindAddr since 13030 [todo forward call custom_wire]
        (leId: val(CUlogicalEndpointId), dev: val(CUdevice), offset: val(u64), ptr: raw(Ptr<c_void>), size: val(u64),
         flags: val(u64));

    fn cuLogicalEndpointBindMem since 13030 [todo forward call]
        (leId: val(CUlogicalEndpointId), dev: val(CUdevice), offset: val(u64),
         memHandle: val(CUmemGenericAllocationHandle), memOffset: val(u64), size: val(u64), flags: val(u64));

    fn cuLogicalEndpointUnbind since 13030 [todo forward call]
        (leId: val(CUlogicalEndpointId), dev: val(CUdevice), offset: val(u64), size: val(u64));

    fn cuLogicalEndpointExport since 13030 [todo forward call custom_wire]
        (handle: raw(Ptr<c_void>), leId: val(CUlogicalEndpointId), handleType: val(CUlogicalEndpointIpcHandleType));

    fn cuLogicalEndpointImport since 13030 [todo forward call custom_wire]
        (leId: val(CUlogicalEndpointId), handle: raw(Ptr<c_void>), handleType: val(CUlogicalEndpointIpcHandleType));

    fn cuLogicalEndpointGetLimits since 13030 [todo forward call]
        (bindAlignment: out(u64), maxSize: out(u64), prop: input(CUlogicalEndpointProp));

    fn cuLogicalEndpointQuery since 13030 [todo forward call]
        (leId: val(CUlogicalEndpointId), count: val(u32), queryStatus: array_out(i32, count));

}}}}
