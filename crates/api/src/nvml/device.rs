#[macro_export]
#[doc(hidden)]
macro_rules! nvml_device_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// How many devices there are.
    fn nvmlDeviceGetCount since 11070 [soft answer call]
        (deviceCount: out(u32));

    /// How many devices there are.
    fn nvmlDeviceGetCount_v2 since 11070 [soft answer call]
        (deviceCount: out(u32));

    /// Engine counts and memory of a MIG device.
    fn nvmlDeviceGetAttributes since 11070 [absent forward call]
        (device: val(nvmlDevice_t), attributes: out(nvmlDeviceAttributes_t));

    /// Engine counts and memory of a MIG device.
    fn nvmlDeviceGetAttributes_v2 since 11070 [absent forward call]
        (device: val(nvmlDevice_t), attributes: out(nvmlDeviceAttributes_t));

    /// Device with the given number.
    fn nvmlDeviceGetHandleByIndex since 11070 [soft answer call]
        (index: val(u32), device: out(nvmlDevice_t));

    /// Device with the given number.
    fn nvmlDeviceGetHandleByIndex_v2 since 11070 [soft answer call]
        (index: val(u32), device: out(nvmlDevice_t));

    /// Device with the given serial number.
    fn nvmlDeviceGetHandleBySerial since 11070 [soft answer call]
        (serial: cstr(), device: out(nvmlDevice_t));

    /// Device with the given identifier.
    fn nvmlDeviceGetHandleByUUID since 11070 [soft answer call]
        (uuid: cstr(), device: out(nvmlDevice_t));

    /// Device with the given identifier, as text or bytes.
    fn nvmlDeviceGetHandleByUUIDV since 12090 [soft answer call]
        (uuid: input(nvmlUUID_t), device: out(nvmlDevice_t));

    /// Name of a device.
    fn nvmlDeviceGetName since 11070 [soft forward call]
        (device: val(nvmlDevice_t), name: bytes_mut(length), length: val(u32));

    /// Brand of a device.
    fn nvmlDeviceGetBrand since 11070 [soft forward call]
        (device: val(nvmlDevice_t), type_: out(nvmlBrandType_t));

    /// Number of a device.
    fn nvmlDeviceGetIndex since 11070 [soft answer call]
        (device: val(nvmlDevice_t), index: out(u32));

    /// Serial number of a device.
    fn nvmlDeviceGetSerial since 11070 [soft forward call]
        (device: val(nvmlDevice_t), serial: bytes_mut(length), length: val(u32));

    /// Number of the module a device sits on.
    fn nvmlDeviceGetModuleId since 12020 [absent forward call]
        (device: val(nvmlDevice_t), moduleId: out(u32));

    /// Memory nodes near a device.
    fn nvmlDeviceGetMemoryAffinity since 11070 [soft forward call]
        (device: val(nvmlDevice_t), nodeSetSize: val(u32), nodeSet: array_out(u64, nodeSetSize),
         scope: val(nvmlAffinityScope_t));

    /// CPUs near a device, by node or socket.
    fn nvmlDeviceGetCpuAffinityWithinScope since 11070 [soft forward call]
        (device: val(nvmlDevice_t), cpuSetSize: val(u32), cpuSet: array_out(u64, cpuSetSize),
         scope: val(nvmlAffinityScope_t));

    /// CPUs near a device.
    fn nvmlDeviceGetCpuAffinity since 11070 [soft forward call]
        (device: val(nvmlDevice_t), cpuSetSize: val(u32), cpuSet: array_out(u64, cpuSetSize));

    /// Moves this thread to CPUs near a device.
    fn nvmlDeviceSetCpuAffinity since 11070 [todo forward call]
        (device: val(nvmlDevice_t));

    /// Lets this thread run on any CPU.
    fn nvmlDeviceClearCpuAffinity since 11070 [todo forward call]
        (device: val(nvmlDevice_t));

    /// Memory node that the device's own memory forms.
    fn nvmlDeviceGetNumaNodeId since 12040 [absent forward call]
        (device: val(nvmlDevice_t), node: out(u32));

    /// How host and device address each other's memory.
    fn nvmlDeviceGetAddressingMode since 13000 [soft forward call]
        (device: val(nvmlDevice_t), mode: inout(nvmlDeviceAddressingMode_t));

    /// What lies between two devices.
    fn nvmlDeviceGetTopologyCommonAncestor since 11070 [soft forward call]
        (device1: val(nvmlDevice_t), device2: val(nvmlDevice_t), pathInfo: out(nvmlGpuTopologyLevel_t));

    /// Devices at a given distance.
    fn nvmlDeviceGetTopologyNearestGpus since 11070 [soft answer call]
        (device: val(nvmlDevice_t), level: val(nvmlGpuTopologyLevel_t), count: inout(u32),
         deviceArray: array_out(nvmlDevice_t, count));

    /// Identifier of a device.
    fn nvmlDeviceGetUUID since 11070 [soft forward call]
        (device: val(nvmlDevice_t), uuid: bytes_mut(length), length: val(u32));

    /// Number of the device node under /dev.
    fn nvmlDeviceGetMinorNumber since 11070 [soft forward call]
        (device: val(nvmlDevice_t), minorNumber: out(u32));

    /// Part number of a board.
    fn nvmlDeviceGetBoardPartNumber since 11070 [absent forward call]
        (device: val(nvmlDevice_t), partNumber: bytes_mut(length), length: val(u32));

    /// Version of one part of the infoROM.
    fn nvmlDeviceGetInforomVersion since 11070 [absent forward call]
        (device: val(nvmlDevice_t), object: val(nvmlInforomObject_t), version: bytes_mut(length), length: val(u32));

    /// Version of the infoROM.
    fn nvmlDeviceGetInforomImageVersion since 11070 [absent forward call]
        (device: val(nvmlDevice_t), version: bytes_mut(length), length: val(u32));

    /// Checksum of the infoROM's configuration.
    fn nvmlDeviceGetInforomConfigurationChecksum since 11070 [absent forward call]
        (device: val(nvmlDevice_t), checksum: out(u32));

    /// Reads the infoROM and checks it.
    fn nvmlDeviceValidateInforom since 11070 [absent forward call]
        (device: val(nvmlDevice_t));

    /// When the black box was last written.
    fn nvmlDeviceGetLastBBXFlushTime since 12020 [absent forward call]
        (device: val(nvmlDevice_t), timestamp: out(u64), durationUs: out(u64));

    /// Times kept in the black box.
    fn nvmlDeviceGetBBXTimeData_v1 since 13030 [absent forward call]
        (device: val(nvmlDevice_t), timeData: out(nvmlBBXTimeData_v1_t));

    /// Whether a display is connected.
    fn nvmlDeviceGetDisplayMode since 11070 [soft forward call]
        (device: val(nvmlDevice_t), display: out(nvmlEnableState_t));

    /// Whether a display is driven.
    fn nvmlDeviceGetDisplayActive since 11070 [soft forward call]
        (device: val(nvmlDevice_t), isActive: out(nvmlEnableState_t));

    /// Whether the driver stays loaded without clients.
    fn nvmlDeviceGetPersistenceMode since 11070 [soft forward call]
        (device: val(nvmlDevice_t), mode: out(nvmlEnableState_t));

    /// Operation mode now and after a reboot.
    fn nvmlDeviceGetGpuOperationMode since 11070 [absent forward call]
        (device: val(nvmlDevice_t), current: out(nvmlGpuOperationMode_t), pending: out(nvmlGpuOperationMode_t));

    /// How many processes may compute.
    fn nvmlDeviceGetComputeMode since 11070 [soft forward call]
        (device: val(nvmlDevice_t), mode: out(nvmlComputeMode_t));

    /// Compute capability of a device.
    fn nvmlDeviceGetCudaComputeCapability since 11070 [soft forward call]
        (device: val(nvmlDevice_t), major: out(i32), minor: out(i32));

    /// Number shared by devices on one board.
    fn nvmlDeviceGetBoardId since 11070 [soft forward call]
        (device: val(nvmlDevice_t), boardId: out(u32));

    /// Whether the board carries several devices.
    fn nvmlDeviceGetMultiGpuBoard since 11070 [soft forward call]
        (device: val(nvmlDevice_t), multiGpuBool: out(u32));

    /// Windows driver model now and after a reboot.
    fn nvmlDeviceGetDriverModel since 11070 [absent forward call]
        (device: val(nvmlDevice_t), current: out(nvmlDriverModel_t), pending: out(nvmlDriverModel_t));

    /// Windows driver model now and after a reboot.
    fn nvmlDeviceGetDriverModel_v2 since 12050 [absent forward call]
        (device: val(nvmlDevice_t), current: out(nvmlDriverModel_t), pending: out(nvmlDriverModel_t));

    /// Version of the VBIOS.
    fn nvmlDeviceGetVbiosVersion since 11070 [absent forward call]
        (device: val(nvmlDevice_t), version: bytes_mut(length), length: val(u32));

    /// Whether two devices share a board.
    fn nvmlDeviceOnSameBoard since 11070 [soft forward call]
        (device1: val(nvmlDevice_t), device2: val(nvmlDevice_t), onSameBoard: out(i32));

    /// Whether a call needs privileges.
    fn nvmlDeviceGetAPIRestriction since 11070 [todo forward call]
        (device: val(nvmlDevice_t), apiType: val(nvmlRestrictedAPI_t), isRestricted: out(nvmlEnableState_t));

    /// Interrupt of a device.
    fn nvmlDeviceGetIrqNum since 11070 [absent forward call]
        (device: val(nvmlDevice_t), irqNum: out(u32));

    /// How many cores a device has.
    fn nvmlDeviceGetNumGpuCores since 11070 [soft forward call]
        (device: val(nvmlDevice_t), numCores: out(u32));

    /// Width of the memory bus.
    fn nvmlDeviceGetMemoryBusWidth since 11070 [absent forward call]
        (device: val(nvmlDevice_t), busWidth: out(u32));

    /// Kind of bus a device is on.
    fn nvmlDeviceGetBusType since 11070 [absent forward call]
        (device: val(nvmlDevice_t), type_: out(nvmlBusType_t));

    /// Version of the GSP firmware.
    fn nvmlDeviceGetGspFirmwareVersion since 11070 [absent forward call]
        (device: val(nvmlDevice_t), version: bytes_mut(64));

    /// Whether the GSP firmware runs, and by default.
    fn nvmlDeviceGetGspFirmwareMode since 11070 [absent forward call]
        (device: val(nvmlDevice_t), isEnabled: out(u32), defaultMode: out(u32));

    /// Architecture of a device.
    fn nvmlDeviceGetArchitecture since 11070 [soft forward call]
        (device: val(nvmlDevice_t), arch: out(nvmlDeviceArchitecture_t));

    /// Chassis, tray and slot of a device.
    fn nvmlDeviceGetPlatformInfo since 12080 [absent forward call]
        (device: val(nvmlDevice_t), platformInfo: inout(nvmlPlatformInfo_t));

    /// Identifier of the chip itself.
    fn nvmlDeviceGetPdi since 13000 [absent forward call]
        (device: val(nvmlDevice_t), pdi: inout(nvmlPdi_t));

    /// Stores a host name on a device.
    fn nvmlDeviceSetHostname_v1 since 13000 [todo forward call]
        (device: val(nvmlDevice_t), hostname: input(nvmlHostname_v1_t));

    /// Host name stored on a device.
    fn nvmlDeviceGetHostname_v1 since 13000 [todo forward call]
        (device: val(nvmlDevice_t), hostname: out(nvmlHostname_v1_t));

    /// Whether the driver shall stay loaded without clients.
    fn nvmlDeviceSetPersistenceMode since 11070 [soft forward call]
        (device: val(nvmlDevice_t), mode: val(nvmlEnableState_t));

    /// How many processes shall be allowed to compute.
    fn nvmlDeviceSetComputeMode since 11070 [soft forward call]
        (device: val(nvmlDevice_t), mode: val(nvmlComputeMode_t));

    /// Windows driver model after a reboot.
    fn nvmlDeviceSetDriverModel since 11070 [absent forward call]
        (device: val(nvmlDevice_t), driverModel: val(nvmlDriverModel_t), flags: val(u32));

    /// Operation mode after a reboot.
    fn nvmlDeviceSetGpuOperationMode since 11070 [absent forward call]
        (device: val(nvmlDevice_t), mode: val(nvmlGpuOperationMode_t));

    /// Whether a call shall need privileges.
    fn nvmlDeviceSetAPIRestriction since 11070 [todo forward call]
        (device: val(nvmlDevice_t), apiType: val(nvmlRestrictedAPI_t), isRestricted: val(nvmlEnableState_t));

    /// What a device is able to do, as bits.
    fn nvmlDeviceGetCapabilities since 12050 [soft forward call]
        (device: val(nvmlDevice_t), caps: inout(nvmlDeviceCapabilities_t));

    /// What the driver shall keep ready for polling.
    fn nvmlDeviceSetRusdSettings_v1 since 13010 [absent forward call]
        (device: val(nvmlDevice_t), settings: input(nvmlRusdSettings_v1_t));

}}}}
