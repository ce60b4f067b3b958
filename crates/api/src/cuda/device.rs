#[macro_export]
#[doc(hidden)]
macro_rules! cuda_device_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Device with the given number.
    fn cuDeviceGet since 2000 [soft forward call capture]
        (device: out(CUdevice), ordinal: val(i32));

    /// How many devices there are.
    fn cuDeviceGetCount since 2000 [soft forward call capture]
        (count: out(i32));

    /// Name of a device.
    fn cuDeviceGetName since 2000 [soft forward call capture]
        (name: bytes_mut(len), len: val(i32), dev: val(CUdevice));

    /// Identifier of a device; of the whole GPU even inside MIG.
    fn cuDeviceGetUuid since 9020 [soft forward call capture]
        (uuid: out(CUuuid), dev: val(CUdevice));

    /// Identifier of a device; inside MIG that of the instance.
    fn cuDeviceGetUuid_v2 since 11040 [soft forward call capture]
        (uuid: out(CUuuid), dev: val(CUdevice));

    /// Windows identifier of a device.
    fn cuDeviceGetLuid since 10000 [soft forward call capture]
        (luid: bytes_mut(8), deviceNodeMask: out(u32), dev: val(CUdevice));

    /// Memory of a device. 32-bit sizes and addresses.
    fn cuDeviceTotalMem since 2000 [soft answer call capture]
        (bytes: out(u32), dev: val(CUdevice));

    /// Memory of a device.
    fn cuDeviceTotalMem_v2 since 3020 [soft answer call capture]
        (bytes: out(usize), dev: val(CUdevice));

    /// Widest linear 1D texture of a format.
    fn cuDeviceGetTexture1DLinearMaxWidth since 11010 [todo forward call capture]
        (maxWidthInElements: out(usize), format: val(CUarray_format), numChannels: val(u32), dev: val(CUdevice));

    /// One number about a device.
    fn cuDeviceGetAttribute since 2000 [soft forward call capture]
        (pi: out(i32), attrib: val(CUdevice_attribute), dev: val(CUdevice));

    /// Which atomic operations a device can do on host memory.
    fn cuDeviceGetHostAtomicCapabilities since 13000 [todo forward call capture]
        (capabilities: array_out(u32, count), operations: array(CUatomicOperation, count), count: val(u32),
         dev: val(CUdevice));

    /// Fills a synchronisation attribute list for a device.
    fn cuDeviceGetNvSciSyncAttributes since 10020 [todo forward call capture custom_wire]
        (nvSciSyncAttrList: raw(Ptr<c_void>), dev: val(CUdevice), flags: val(i32));

    /// Whether a device supports a kind of execution affinity.
    fn cuDeviceGetExecAffinitySupport since 11040 [soft forward call capture]
        (pi: out(i32), type_: val(CUexecAffinityType), dev: val(CUdevice));

    /// Makes writes of third devices visible.
    fn cuFlushGPUDirectRDMAWrites since 11030 [todo forward call]
        (target: val(CUflushGPUDirectRDMAWritesTarget), scope: val(CUflushGPUDirectRDMAWritesScope));

    /// Old summary of a device's limits.
    fn cuDeviceGetProperties since 2000 [soft forward call capture]
        (prop: out(CUdevprop), dev: val(CUdevice));

    /// Compute capability of a device.
    fn cuDeviceComputeCapability since 2000 [soft forward call capture]
        (major: out(i32), minor: out(i32), dev: val(CUdevice));

    /// Asks to be told about events of a device.
    fn cuDeviceRegisterAsyncNotification since 12040 [todo forward call capture custom_wire]
        (device: val(CUdevice), callbackFunc: val(CUasyncCallback), userData: raw(Ptr<c_void>),
         callback: out(CUasyncCallbackHandle));

    /// Ends a subscription to events of a device.
    fn cuDeviceUnregisterAsyncNotification since 12040 [todo forward call capture]
        (device: val(CUdevice), callback: val(CUasyncCallbackHandle));

    /// Device at a PCI address.
    fn cuDeviceGetByPCIBusId since 4010 [soft forward call capture]
        (dev: out(CUdevice), pciBusId: cstr());

    /// PCI address of a device, as text.
    fn cuDeviceGetPCIBusId since 4010 [soft forward call capture]
        (pciBusId: bytes_mut(len), len: val(i32), dev: val(CUdevice));

    /// Identifier of the fabric cluster the device is in.
    fn cuDeviceGetFabricClusterUuid since 13040 [todo forward call capture]
        (uuid: out(CUuuid), dev: val(CUdevice));

    /// How many cliques of a fabric the device belongs to.
    fn cuDeviceGetCliqueCount since 13040 [todo forward call capture]
        (count: out(usize), dev: val(CUdevice));

    /// Cliques of a fabric the device belongs to.
    fn cuDeviceGetCliqueInfo since 13040 [todo forward call capture]
        (cliqueInfo: array_out(CUcliqueInfo, count), count: inout(usize), dev: val(CUdevice));

}}}}
