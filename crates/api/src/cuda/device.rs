#[macro_export]
macro_rules! cuda_device_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuDeviceGet since 2000 [soft forward call capture]
        (device: out(CUdevice), ordinal: val(i32));

    fn cuDeviceGetCount since 2000 [soft forward call capture]
        (count: out(i32));

    fn cuDeviceGetName since 2000 [soft forward call capture]
        (name: bytes_mut(len), len: val(i32), dev: val(CUdevice));

    fn cuDeviceGetUuid since 9020 [soft forward call capture]
        (uuid: out(CUuuid), dev: val(CUdevice));

    fn cuDeviceGetUuid_v2 since 11040 [soft forward call capture]
        (uuid: out(CUuuid), dev: val(CUdevice));

    fn cuDeviceGetLuid since 10000 [soft forward call capture]
        (luid: bytes_mut(8), deviceNodeMask: out(u32), dev: val(CUdevice));

    fn cuDeviceTotalMem since 2000 [soft answer call capture]
        (bytes: out(u32), dev: val(CUdevice));

    fn cuDeviceTotalMem_v2 since 3020 [soft answer call capture]
        (bytes: out(usize), dev: val(CUdevice));

    fn cuDeviceGetTexture1DLinearMaxWidth since 11010 [todo forward call capture]
        (maxWidthInElements: out(usize), format: val(CUarray_format), numChannels: val(u32), dev: val(CUdevice));

    fn cuDeviceGetAttribute since 2000 [soft forward call capture]
        (pi: out(i32), attrib: val(CUdevice_attribute), dev: val(CUdevice));

    fn cuDeviceGetHostAtomicCapabilities since 13000 [todo forward call capture]
        (capabilities: array_out(u32, count), operations: array(CUatomicOperation, count), count: val(u32),
         dev: val(CUdevice));

    fn cuDeviceGetNvSciSyncAttributes since 10020 [todo forward call capture custom_wire]
        (nvSciSyncAttrList: raw(Ptr<c_void>), dev: val(CUdevice), flags: val(i32));

    fn cuDeviceGetExecAffinitySupport since 11040 [soft forward call capture]
        (pi: out(i32), type_: val(CUexecAffinityType), dev: val(CUdevice));

    fn cuFlushGPUDirectRDMAWrites since 11030 [todo forward call]
        (target: val(CUflushGPUDirectRDMAWritesTarget), scope: val(CUflushGPUDirectRDMAWritesScope));

    fn cuDeviceGetProperties since 2000 [soft forward call capture]
        (prop: out(CUdevprop), dev: val(CUdevice));

    fn cuDeviceComputeCapability since 2000 [soft forward call capture]
        (major: out(i32), minor: out(i32), dev: val(CUdevice));

    fn cuDeviceRegisterAsyncNotification since 12040 [todo forward call capture custom_wire]
        (device: val(CUdevice), callbackFunc: val(CUasyncCallback), userData: raw(Ptr<c_void>),
         callback: out(CUasyncCallbackHandle));

    fn cuDeviceUnregisterAsyncNotification since 12040 [todo forward call capture]
        (device: val(CUdevice), callback: val(CUasyncCallbackHandle));

    fn cuDeviceGetByPCIBusId since 4010 [soft forward call capture]
        (dev: out(CUdevice), pciBusId: cstr());

    fn cuDeviceGetPCIBusId since 4010 [soft forward call capture]
        (pciBusId: bytes_mut(len), len: val(i32), dev: val(CUdevice));

    fn cuDeviceGetFabricClusterUuid since 13040 [todo forward call capture]
        (uuid: out(CUuuid), dev: val(CUdevice));

    fn cuDeviceGetCliqueCount since 13040 [todo forward call capture]
        (count: out(usize), dev: val(CUdevice));

    fn cuDeviceGetCliqueInfo since 13040 [todo forward call capture]
        (cliqueInfo: array_out(CUcliqueInfo, count), count: inout(usize), dev: val(CUdevice));

}}}}
