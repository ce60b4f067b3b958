#[macro_export]
#[doc(hidden)]
macro_rules! cuda_vmm_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Reserves addresses without memory.
    fn cuMemAddressReserve since 10020 [soft forward call capture]
        (ptr: out(CUdeviceptr), size: val(usize), alignment: val(usize), addr: val(CUdeviceptr), flags: val(u64));

    /// Gives reserved addresses back.
    fn cuMemAddressFree since 10020 [soft forward call capture]
        (ptr: val(CUdeviceptr), size: val(usize));

    /// Creates physical memory, named by a handle.
    fn cuMemCreate since 10020 [soft charge call capture]
        (handle: out(CUmemGenericAllocationHandle), size: val(usize), prop: input(CUmemAllocationProp),
         flags: val(u64));

    /// Gives a handle of physical memory back; mappings keep the memory.
    fn cuMemRelease since 10020 [soft release call capture]
        (handle: val(CUmemGenericAllocationHandle));

    /// Maps physical memory at reserved addresses.
    fn cuMemMap since 10020 [soft charge call capture]
        (ptr: val(CUdeviceptr), size: val(usize), offset: val(usize), handle: val(CUmemGenericAllocationHandle),
         flags: val(u64));

    /// Maps or unmaps tiles of sparse arrays, in stream order.
    fn cuMemMapArrayAsync since 11010 [todo charge stream(hStream) submit]
        (mapInfoList: array(CUarrayMapInfo, count), count: val(u32), hStream: val(CUstream));

    /// Maps or unmaps tiles of sparse arrays, in stream order. Default stream: per thread.
    fn cuMemMapArrayAsync_ptsz since 11010 [todo charge stream(hStream) submit]
        (mapInfoList: array(CUarrayMapInfo, count), count: val(u32), hStream: val(CUstream));

    /// Unmaps physical memory.
    fn cuMemUnmap since 10020 [soft release call capture]
        (ptr: val(CUdeviceptr), size: val(usize));

    /// Lets locations access a mapping.
    fn cuMemSetAccess since 10020 [soft forward call capture]
        (ptr: val(CUdeviceptr), size: val(usize), desc: array(CUmemAccessDesc, count), count: val(usize));

    /// How a location may access a mapping.
    fn cuMemGetAccess since 10020 [soft forward call capture]
        (flags: out(u64), location: input(CUmemLocation), ptr: val(CUdeviceptr));

    /// Makes physical memory shareable with other processes.
    fn cuMemExportToShareableHandle since 10020 [soft charge call capture custom_wire]
        (shareableHandle: raw(Ptr<c_void>), handle: val(CUmemGenericAllocationHandle),
         handleType: val(CUmemAllocationHandleType), flags: val(u64));

    /// Opens physical memory of another process.
    fn cuMemImportFromShareableHandle since 10020 [soft charge call capture custom_wire]
        (handle: out(CUmemGenericAllocationHandle), osHandle: raw(Ptr<c_void>),
         shHandleType: val(CUmemAllocationHandleType));

    /// What sizes and addresses of physical memory are multiples of.
    fn cuMemGetAllocationGranularity since 10020 [soft forward call capture]
        (granularity: out(usize), prop: input(CUmemAllocationProp), option: val(CUmemAllocationGranularity_flags));

    /// Properties of physical memory.
    fn cuMemGetAllocationPropertiesFromHandle since 10020 [soft forward call capture]
        (prop: out(CUmemAllocationProp), handle: val(CUmemGenericAllocationHandle));

    /// Handle of the physical memory mapped at an address.
    fn cuMemRetainAllocationHandle since 11000 [soft charge call capture custom_wire]
        (handle: out(CUmemGenericAllocationHandle), addr: raw(Ptr<c_void>));

    /// Creates memory that writes to several devices at once.
    fn cuMulticastCreate since 12010 [todo forward call]
        (mcHandle: out(CUmemGenericAllocationHandle), prop: input(CUmulticastObjectProp));

    /// Adds a device to a multicast object.
    fn cuMulticastAddDevice since 12010 [todo forward call]
        (mcHandle: val(CUmemGenericAllocationHandle), dev: val(CUdevice));

    /// Binds a memory handle to a multicast object.
    fn cuMulticastBindMem since 12010 [todo forward call]
        (mcHandle: val(CUmemGenericAllocationHandle), mcOffset: val(usize),
         memHandle: val(CUmemGenericAllocationHandle), memOffset: val(usize), size: val(usize), flags: val(u64));

    /// Binds a memory handle of a device to a multicast object.
    fn cuMulticastBindMem_v2 since 13010 [todo forward call]
        (mcHandle: val(CUmemGenericAllocationHandle), dev: val(CUdevice), mcOffset: val(usize),
         memHandle: val(CUmemGenericAllocationHandle), memOffset: val(usize), size: val(usize), flags: val(u64));

    /// Binds mapped memory to a multicast object.
    fn cuMulticastBindAddr since 12010 [todo forward call]
        (mcHandle: val(CUmemGenericAllocationHandle), mcOffset: val(usize), memptr: val(CUdeviceptr),
         size: val(usize), flags: val(u64));

    /// Binds mapped memory of a device to a multicast object.
    fn cuMulticastBindAddr_v2 since 13010 [todo forward call]
        (mcHandle: val(CUmemGenericAllocationHandle), dev: val(CUdevice), mcOffset: val(usize),
         memptr: val(CUdeviceptr), size: val(usize), flags: val(u64));

    /// Unbinds memory from a multicast object.
    fn cuMulticastUnbind since 12010 [todo forward call]
        (mcHandle: val(CUmemGenericAllocationHandle), dev: val(CUdevice), mcOffset: val(usize), size: val(usize));

    /// What sizes of multicast objects are multiples of.
    fn cuMulticastGetGranularity since 12010 [todo forward call capture]
        (granularity: out(usize), prop: input(CUmulticastObjectProp), option: val(CUmulticastGranularity_flags));

    /// Reserves endpoint ids in a row.
    fn cuLogicalEndpointIdReserve since 13030 [todo forward call]
        (baseLeId: out(CUlogicalEndpointId), count: val(u32));

    /// Gives reserved endpoint ids back.
    fn cuLogicalEndpointIdRelease since 13030 [todo forward call]
        (baseLeId: val(CUlogicalEndpointId), count: val(u32));

    /// Creates a logical endpoint under a reserved id.
    fn cuLogicalEndpointCreate since 13030 [todo forward call]
        (leId: val(CUlogicalEndpointId), prop: input(CUlogicalEndpointProp));

    /// Adds a device to a logical endpoint.
    fn cuLogicalEndpointAddDevice since 13030 [todo forward call]
        (leId: val(CUlogicalEndpointId), dev: val(CUdevice));

    /// Destroys a logical endpoint.
    fn cuLogicalEndpointDestroy since 13030 [todo forward call]
        (leId: val(CUlogicalEndpointId));

    /// Binds mapped memory to a logical endpoint.
    fn cuLogicalEndpointBindAddr since 13030 [todo forward call custom_wire]
        (leId: val(CUlogicalEndpointId), dev: val(CUdevice), offset: val(u64), ptr: raw(Ptr<c_void>), size: val(u64),
         flags: val(u64));

    /// Binds a memory handle to a logical endpoint.
    fn cuLogicalEndpointBindMem since 13030 [todo forward call]
        (leId: val(CUlogicalEndpointId), dev: val(CUdevice), offset: val(u64),
         memHandle: val(CUmemGenericAllocationHandle), memOffset: val(u64), size: val(u64), flags: val(u64));

    /// Unbinds memory from a logical endpoint.
    fn cuLogicalEndpointUnbind since 13030 [todo forward call]
        (leId: val(CUlogicalEndpointId), dev: val(CUdevice), offset: val(u64), size: val(u64));

    /// Makes a logical endpoint shareable with other processes.
    fn cuLogicalEndpointExport since 13030 [todo forward call custom_wire]
        (handle: raw(Ptr<c_void>), leId: val(CUlogicalEndpointId), handleType: val(CUlogicalEndpointIpcHandleType));

    /// Opens a logical endpoint of another process.
    fn cuLogicalEndpointImport since 13030 [todo forward call custom_wire]
        (leId: val(CUlogicalEndpointId), handle: raw(Ptr<c_void>), handleType: val(CUlogicalEndpointIpcHandleType));

    /// Alignment and largest size of a logical endpoint.
    fn cuLogicalEndpointGetLimits since 13030 [todo forward call capture]
        (bindAlignment: out(u64), maxSize: out(u64), prop: input(CUlogicalEndpointProp));

    /// State of logical endpoints.
    fn cuLogicalEndpointQuery since 13030 [todo forward call capture]
        (leId: val(CUlogicalEndpointId), count: val(u32), queryStatus: out(i32));

}}}}
