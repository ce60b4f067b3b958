#[macro_export]
macro_rules! nvml_device_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn nvmlDeviceGetCount since 11070 [todo forward call]
        (deviceCount: out(u32));

    fn nvmlDeviceGetCount_v2 since 11070 [todo forward call]
        (deviceCount: out(u32));

    fn nvmlDeviceGetAttributes since 11070 [todo forward call]
        (device: val(nvmlDevice_t), attributes: out(nvmlDeviceAttributes_t));

    fn nvmlDeviceGetAttributes_v2 since 11070 [todo forward call]
        (device: val(nvmlDevice_t), attributes: out(nvmlDeviceAttributes_t));

    fn nvmlDeviceGetHandleByIndex since 11070 [todo forward call]
        (index: val(u32), device: out(nvmlDevice_t));

    fn nvmlDeviceGetHandleByIndex_v2 since 11070 [todo forward call]
        (index: val(u32), device: out(nvmlDevice_t));

    fn nvmlDeviceGetHandleBySerial since 11070 [todo forward call]
        (serial: cstr(), device: out(nvmlDevice_t));

    fn nvmlDeviceGetHandleByUUID since 11070 [todo forward call]
        (uuid: cstr(), device: out(nvmlDevice_t));

    fn nvmlDeviceGetHandleByUUIDV since 12090 [todo forward call]
        (uuid: input(nvmlUUID_t), device: out(nvmlDevice_t));

    fn nvmlDeviceGetName since 11070 [todo forward call]
        (device: val(nvmlDevice_t), name: bytes_mut(length), length: val(u32));

    fn nvmlDeviceGetBrand since 11070 [todo forward call]
        (device: val(nvmlDevice_t), type_: out(nvmlBrandType_t));

    fn nvmlDeviceGetIndex since 11070 [todo forward call]
        (device: val(nvmlDevice_t), index: out(u32));

    fn nvmlDeviceGetSerial since 11070 [todo forward call]
        (device: val(nvmlDevice_t), serial: bytes_mut(length), length: val(u32));

    fn nvmlDeviceGetModuleId since 12020 [todo forward call]
        (device: val(nvmlDevice_t), moduleId: out(u32));

    fn nvmlDeviceGetMemoryAffinity since 11070 [todo forward call]
        (device: val(nvmlDevice_t), nodeSetSize: val(u32), nodeSet: array_out(u64, nodeSetSize),
         scope: val(nvmlAffinityScope_t));

    fn nvmlDeviceGetCpuAffinityWithinScope since 11070 [todo forward call]
        (device: val(nvmlDevice_t), cpuSetSize: val(u32), cpuSet: array_out(u64, cpuSetSize),
         scope: val(nvmlAffinityScope_t));

    fn nvmlDeviceGetCpuAffinity since 11070 [todo forward call]
        (device: val(nvmlDevice_t), cpuSetSize: val(u32), cpuSet: array_out(u64, cpuSetSize));

    fn nvmlDeviceSetCpuAffinity since 11070 [todo forward call]
        (device: val(nvmlDevice_t));

    fn nvmlDeviceClearCpuAffinity since 11070 [todo forward call]
        (device: val(nvmlDevice_t));

    fn nvmlDeviceGetNumaNodeId since 12040 [todo forward call]
        (device: val(nvmlDevice_t), node: out(u32));

    fn nvmlDeviceGetAddressingMode since 13000 [todo forward call]
        (device: val(nvmlDevice_t), mode: inout(nvmlDeviceAddressingMode_t));

    fn nvmlDeviceGetTopologyCommonAncestor since 11070 [todo forward call]
        (device1: val(nvmlDevice_t), device2: val(nvmlDevice_t), pathInfo: out(nvmlGpuTopologyLevel_t));

    fn nvmlDeviceGetTopologyNearestGpus since 11070 [todo forward call]
        (device: val(nvmlDevice_t), level: val(nvmlGpuTopologyLevel_t), count: inout(u32),
         deviceArray: array_out(nvmlDevice_t, count));

    fn nvmlDeviceGetUUID since 11070 [todo forward call]
        (device: val(nvmlDevice_t), uuid: bytes_mut(length), length: val(u32));

    fn nvmlDeviceGetMinorNumber since 11070 [todo forward call]
        (device: val(nvmlDevice_t), minorNumber: out(u32));

    fn nvmlDeviceGetBoardPartNumber since 11070 [todo forward call]
        (device: val(nvmlDevice_t), partNumber: bytes_mut(length), length: val(u32));

    fn nvmlDeviceGetInforomVersion since 11070 [todo forward call]
        (device: val(nvmlDevice_t), object: val(nvmlInforomObject_t), version: bytes_mut(length), length: val(u32));

    fn nvmlDeviceGetInforomImageVersion since 11070 [todo forward call]
        (device: val(nvmlDevice_t), version: bytes_mut(length), length: val(u32));

    fn nvmlDeviceGetInforomConfigurationChecksum since 11070 [todo forward call]
        (device: val(nvmlDevice_t), checksum: out(u32));

    fn nvmlDeviceValidateInforom since 11070 [todo forward call]
        (device: val(nvmlDevice_t));

    fn nvmlDeviceGetLastBBXFlushTime since 12020 [todo forward call]
        (device: val(nvmlDevice_t), timestamp: out(u64), durationUs: out(u64));

    fn nvmlDeviceGetBBXTimeData_v1 since 13030 [todo forward call]
        (device: val(nvmlDevice_t), timeData: out(nvmlBBXTimeData_v1_t));

    fn nvmlDeviceGetDisplayMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), display: out(nvmlEnableState_t));

    fn nvmlDeviceGetDisplayActive since 11070 [todo forward call]
        (device: val(nvmlDevice_t), isActive: out(nvmlEnableState_t));

    fn nvmlDeviceGetPersistenceMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), mode: out(nvmlEnableState_t));

    fn nvmlDeviceGetGpuOperationMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), current: out(nvmlGpuOperationMode_t), pending: out(nvmlGpuOperationMode_t));

    fn nvmlDeviceGetComputeMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), mode: out(nvmlComputeMode_t));

    fn nvmlDeviceGetCudaComputeCapability since 11070 [todo forward call]
        (device: val(nvmlDevice_t), major: out(i32), minor: out(i32));

    fn nvmlDeviceGetBoardId since 11070 [todo forward call]
        (device: val(nvmlDevice_t), boardId: out(u32));

    fn nvmlDeviceGetMultiGpuBoard since 11070 [todo forward call]
        (device: val(nvmlDevice_t), multiGpuBool: out(u32));

    fn nvmlDeviceGetDriverModel since 11070 [todo forward call]
        (device: val(nvmlDevice_t), current: out(nvmlDriverModel_t), pending: out(nvmlDriverModel_t));

    fn nvmlDeviceGetDriverModel_v2 since 12050 [todo forward call]
        (device: val(nvmlDevice_t), current: out(nvmlDriverModel_t), pending: out(nvmlDriverModel_t));

    fn nvmlDeviceGetVbiosVersion since 11070 [todo forward call]
        (device: val(nvmlDevice_t), version: bytes_mut(length), length: val(u32));

    fn nvmlDeviceOnSameBoard since 11070 [todo forward call]
        (device1: val(nvmlDevice_t), device2: val(nvmlDevice_t), onSameBoard: out(i32));

    fn nvmlDeviceGetAPIRestriction since 11070 [todo forward call]
        (device: val(nvmlDevice_t), apiType: val(nvmlRestrictedAPI_t), isRestricted: out(nvmlEnableState_t));

    fn nvmlDeviceGetIrqNum since 11070 [todo forward call]
        (device: val(nvmlDevice_t), irqNum: out(u32));

    fn nvmlDeviceGetNumGpuCores since 11070 [todo forward call]
        (device: val(nvmlDevice_t), numCores: out(u32));

    fn nvmlDeviceGetMemoryBusWidth since 11070 [todo forward call]
        (device: val(nvmlDevice_t), busWidth: out(u32));

    fn nvmlDeviceGetBusType since 11070 [todo forward call]
        (device: val(nvmlDevice_t), type_: out(nvmlBusType_t));

    fn nvmlDeviceGetGspFirmwareVersion since 11070 [todo forward call]
        (device: val(nvmlDevice_t), version: bytes_mut(64));

    fn nvmlDeviceGetGspFirmwareMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), isEnabled: out(u32), defaultMode: out(u32));

    fn nvmlDeviceGetArchitecture since 11070 [todo forward call]
        (device: val(nvmlDevice_t), arch: out(nvmlDeviceArchitecture_t));

    fn nvmlDeviceGetPlatformInfo since 12080 [todo forward call]
        (device: val(nvmlDevice_t), platformInfo: inout(nvmlPlatformInfo_t));

    fn nvmlDeviceGetPdi since 13000 [todo forward call]
        (device: val(nvmlDevice_t), pdi: inout(nvmlPdi_t));

    fn nvmlDeviceSetHostname_v1 since 13000 [todo forward call]
        (device: val(nvmlDevice_t), hostname: input(nvmlHostname_v1_t));

    fn nvmlDeviceGetHostname_v1 since 13000 [todo forward call]
        (device: val(nvmlDevice_t), hostname: out(nvmlHostname_v1_t));

    fn nvmlDeviceSetPersistenceMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), mode: val(nvmlEnableState_t));

    fn nvmlDeviceSetComputeMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), mode: val(nvmlComputeMode_t));

    fn nvmlDeviceSetDriverModel since 11070 [todo forward call]
        (device: val(nvmlDevice_t), driverModel: val(nvmlDriverModel_t), flags: val(u32));

    fn nvmlDeviceSetGpuOperationMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), mode: val(nvmlGpuOperationMode_t));

    fn nvmlDeviceSetAPIRestriction since 11070 [todo forward call]
        (device: val(nvmlDevice_t), apiType: val(nvmlRestrictedAPI_t), isRestricted: val(nvmlEnableState_t));

    fn nvmlDeviceGetCapabilities since 12050 [todo forward call]
        (device: val(nvmlDevice_t), caps: inout(nvmlDeviceCapabilities_t));

    fn nvmlDeviceSetRusdSettings_v1 since 13010 [todo forward call]
        (device: val(nvmlDevice_t), settings: input(nvmlRusdSettings_v1_t));

}}}}
