#[macro_export]
macro_rules! nvml_vgpu_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn nvmlDeviceGetVirtualizationMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), pVirtualMode: out(nvmlGpuVirtualizationMode_t));

    fn nvmlDeviceGetHostVgpuMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), pHostVgpuMode: out(nvmlHostVgpuMode_t));

    fn nvmlDeviceSetVirtualizationMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), virtualMode: val(nvmlGpuVirtualizationMode_t));

    fn nvmlDeviceGetVgpuHeterogeneousMode since 12040 [todo forward call]
        (device: val(nvmlDevice_t), pHeterogeneousMode: inout(nvmlVgpuHeterogeneousMode_t));

    fn nvmlDeviceSetVgpuHeterogeneousMode since 12040 [todo forward call]
        (device: val(nvmlDevice_t), pHeterogeneousMode: input(nvmlVgpuHeterogeneousMode_t));

    fn nvmlVgpuInstanceGetPlacementId since 12040 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), pPlacement: inout(nvmlVgpuPlacementId_t));

    fn nvmlDeviceGetVgpuTypeSupportedPlacements since 12040 [todo forward call custom_wire]
        (device: val(nvmlDevice_t), vgpuTypeId: val(nvmlVgpuTypeId_t), pPlacementList: inout(nvmlVgpuPlacementList_t));

    fn nvmlDeviceGetVgpuTypeCreatablePlacements since 12040 [todo forward call custom_wire]
        (device: val(nvmlDevice_t), vgpuTypeId: val(nvmlVgpuTypeId_t), pPlacementList: inout(nvmlVgpuPlacementList_t));

    fn nvmlVgpuTypeGetGspHeapSize since 12040 [todo forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), gspHeapSize: out(u64));

    fn nvmlVgpuTypeGetFbReservation since 12040 [todo forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), fbReservation: out(u64));

    fn nvmlVgpuInstanceGetRuntimeStateSize since 12080 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), pState: inout(nvmlVgpuRuntimeState_t));

    fn nvmlDeviceSetVgpuCapabilities since 12040 [todo forward call]
        (device: val(nvmlDevice_t), capability: val(nvmlDeviceVgpuCapability_t), state: val(nvmlEnableState_t));

    fn nvmlDeviceVgpuForceGspUnload since 13020 [todo forward call]
        (device: val(nvmlDevice_t));

    fn nvmlDeviceGetGridLicensableFeatures since 11070 [todo forward call]
        (device: val(nvmlDevice_t), pGridLicensableFeatures: out(nvmlGridLicensableFeatures_t));

    fn nvmlDeviceGetGridLicensableFeatures_v2 since 11070 [todo forward call]
        (device: val(nvmlDevice_t), pGridLicensableFeatures: out(nvmlGridLicensableFeatures_t));

    fn nvmlDeviceGetGridLicensableFeatures_v3 since 11070 [todo forward call]
        (device: val(nvmlDevice_t), pGridLicensableFeatures: out(nvmlGridLicensableFeatures_t));

    fn nvmlDeviceGetGridLicensableFeatures_v4 since 11070 [todo forward call]
        (device: val(nvmlDevice_t), pGridLicensableFeatures: out(nvmlGridLicensableFeatures_t));

    fn nvmlGetVgpuDriverCapabilities since 12000 [todo forward call]
        (capability: val(nvmlVgpuDriverCapability_t), capResult: out(u32));

    fn nvmlDeviceGetVgpuCapabilities since 12000 [todo forward call]
        (device: val(nvmlDevice_t), capability: val(nvmlDeviceVgpuCapability_t), capResult: out(u32));

    fn nvmlDeviceGetSupportedVgpus since 11070 [todo forward call]
        (device: val(nvmlDevice_t), vgpuCount: inout(u32), vgpuTypeIds: array_out(nvmlVgpuTypeId_t, vgpuCount));

    fn nvmlDeviceGetCreatableVgpus since 11070 [todo forward call]
        (device: val(nvmlDevice_t), vgpuCount: inout(u32), vgpuTypeIds: array_out(nvmlVgpuTypeId_t, vgpuCount));

    fn nvmlVgpuTypeGetClass since 11070 [todo forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), vgpuTypeClass: bytes_mut(size), size: inout(u32));

    fn nvmlVgpuTypeGetName since 11070 [todo forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), vgpuTypeName: bytes_mut(size), size: inout(u32));

    fn nvmlVgpuTypeGetGpuInstanceProfileId since 11070 [todo forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), gpuInstanceProfileId: out(u32));

    fn nvmlVgpuTypeGetDeviceID since 11070 [todo forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), deviceID: out(u64), subsystemID: out(u64));

    fn nvmlVgpuTypeGetFramebufferSize since 11070 [todo forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), fbSize: out(u64));

    fn nvmlVgpuTypeGetNumDisplayHeads since 11070 [todo forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), numDisplayHeads: out(u32));

    fn nvmlVgpuTypeGetResolution since 11070 [todo forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), displayIndex: val(u32), xdim: out(u32), ydim: out(u32));

    fn nvmlVgpuTypeGetLicense since 11070 [todo forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), vgpuTypeLicenseString: bytes_mut(size), size: val(u32));

    fn nvmlVgpuTypeGetFrameRateLimit since 11070 [todo forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), frameRateLimit: out(u32));

    fn nvmlVgpuTypeGetMaxInstances since 11070 [todo forward call]
        (device: val(nvmlDevice_t), vgpuTypeId: val(nvmlVgpuTypeId_t), vgpuInstanceCount: out(u32));

    fn nvmlVgpuTypeGetMaxInstancesPerVm since 11070 [todo forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), vgpuInstanceCountPerVm: out(u32));

    fn nvmlVgpuTypeGetBAR1Info since 12060 [todo forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), bar1Info: inout(nvmlVgpuTypeBar1Info_t));

    fn nvmlDeviceGetActiveVgpus since 11070 [todo forward call]
        (device: val(nvmlDevice_t), vgpuCount: inout(u32), vgpuInstances: array_out(nvmlVgpuInstance_t, vgpuCount));

    fn nvmlVgpuInstanceGetVmID since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), vmId: bytes_mut(size), size: val(u32),
         vmIdType: out(nvmlVgpuVmIdType_t));

    fn nvmlVgpuInstanceGetUUID since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), uuid: bytes_mut(size), size: val(u32));

    fn nvmlVgpuInstanceGetVmDriverVersion since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), version: bytes_mut(length), length: val(u32));

    fn nvmlVgpuInstanceGetFbUsage since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), fbUsage: out(u64));

    fn nvmlVgpuInstanceGetLicenseStatus since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), licensed: out(u32));

    fn nvmlVgpuInstanceGetType since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), vgpuTypeId: out(nvmlVgpuTypeId_t));

    fn nvmlVgpuInstanceGetFrameRateLimit since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), frameRateLimit: out(u32));

    fn nvmlVgpuInstanceGetEccMode since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), eccMode: out(nvmlEnableState_t));

    fn nvmlVgpuInstanceGetEncoderCapacity since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), encoderCapacity: out(u32));

    fn nvmlVgpuInstanceSetEncoderCapacity since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), encoderCapacity: val(u32));

    fn nvmlVgpuInstanceGetEncoderStats since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), sessionCount: out(u32), averageFps: out(u32), averageLatency: out(u32));

    fn nvmlVgpuInstanceGetEncoderSessions since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), sessionCount: inout(u32),
         sessionInfo: array_out(nvmlEncoderSessionInfo_t, sessionCount));

    fn nvmlVgpuInstanceGetFBCStats since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), fbcStats: out(nvmlFBCStats_t));

    fn nvmlVgpuInstanceGetFBCSessions since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), sessionCount: inout(u32),
         sessionInfo: array_out(nvmlFBCSessionInfo_t, sessionCount));

    fn nvmlVgpuInstanceGetGpuInstanceId since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), gpuInstanceId: out(u32));

    fn nvmlVgpuInstanceGetGpuPciId since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), vgpuPciId: bytes_mut(length), length: inout(u32));

    fn nvmlVgpuTypeGetCapabilities since 11070 [todo forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), capability: val(nvmlVgpuCapability_t), capResult: out(u32));

    fn nvmlVgpuInstanceGetMdevUUID since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), mdevUuid: bytes_mut(size), size: val(u32));

    fn nvmlGpuInstanceGetCreatableVgpus since 12090 [todo forward call custom_wire]
        (gpuInstance: val(nvmlGpuInstance_t), pVgpus: inout(nvmlVgpuTypeIdInfo_t));

    fn nvmlVgpuTypeGetMaxInstancesPerGpuInstance since 12090 [todo forward call]
        (pMaxInstance: inout(nvmlVgpuTypeMaxInstance_t));

    fn nvmlGpuInstanceGetActiveVgpus since 12090 [todo forward call custom_wire]
        (gpuInstance: val(nvmlGpuInstance_t), pVgpuInstanceInfo: inout(nvmlActiveVgpuInstanceInfo_t));

    fn nvmlGpuInstanceSetVgpuSchedulerState since 12090 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t), pScheduler: input(nvmlVgpuSchedulerState_t));

    fn nvmlGpuInstanceSetVgpuSchedulerState_v2 since 13020 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t), pSchedulerState: input(nvmlVgpuSchedulerState_v2_t));

    fn nvmlGpuInstanceGetVgpuSchedulerState since 12090 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t), pSchedulerStateInfo: inout(nvmlVgpuSchedulerStateInfo_t));

    fn nvmlGpuInstanceGetVgpuSchedulerState_v2 since 13020 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t), pSchedulerStateInfo: out(nvmlVgpuSchedulerStateInfo_v2_t));

    fn nvmlGpuInstanceGetVgpuSchedulerLog since 12090 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t), pSchedulerLogInfo: inout(nvmlVgpuSchedulerLogInfo_t));

    fn nvmlGpuInstanceGetVgpuSchedulerLog_v2 since 13020 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t), pSchedulerLogInfo: out(nvmlVgpuSchedulerLogInfo_v2_t));

    fn nvmlGpuInstanceGetVgpuTypeCreatablePlacements since 12090 [todo forward call custom_wire]
        (gpuInstance: val(nvmlGpuInstance_t), pCreatablePlacementInfo: inout(nvmlVgpuCreatablePlacementInfo_t));

    fn nvmlGpuInstanceGetVgpuHeterogeneousMode since 12090 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t), pHeterogeneousMode: inout(nvmlVgpuHeterogeneousMode_t));

    fn nvmlGpuInstanceSetVgpuHeterogeneousMode since 12090 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t), pHeterogeneousMode: input(nvmlVgpuHeterogeneousMode_t));

    fn nvmlDeviceGetVgpuSchedulerState since 12000 [todo forward call]
        (device: val(nvmlDevice_t), pSchedulerState: out(nvmlVgpuSchedulerGetState_t));

    fn nvmlDeviceGetVgpuSchedulerState_v2 since 13020 [todo forward call]
        (device: val(nvmlDevice_t), pSchedulerStateInfo: out(nvmlVgpuSchedulerStateInfo_v2_t));

    fn nvmlDeviceGetVgpuSchedulerLog since 12000 [todo forward call]
        (device: val(nvmlDevice_t), pSchedulerLog: out(nvmlVgpuSchedulerLog_t));

    fn nvmlDeviceGetVgpuSchedulerLog_v2 since 13020 [todo forward call]
        (device: val(nvmlDevice_t), pSchedulerLogInfo: out(nvmlVgpuSchedulerLogInfo_v2_t));

    fn nvmlDeviceSetVgpuSchedulerState since 12020 [todo forward call]
        (device: val(nvmlDevice_t), pSchedulerState: input(nvmlVgpuSchedulerSetState_t));

    fn nvmlDeviceSetVgpuSchedulerState_v2 since 13020 [todo forward call]
        (device: val(nvmlDevice_t), pSchedulerState: input(nvmlVgpuSchedulerState_v2_t));

    fn nvmlVgpuInstanceGetMetadata since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), vgpuMetadata: bytes_mut(bufferSize), bufferSize: inout(u32));

    fn nvmlDeviceGetVgpuMetadata since 11070 [todo forward call]
        (device: val(nvmlDevice_t), pgpuMetadata: bytes_mut(bufferSize), bufferSize: inout(u32));

    fn nvmlGetVgpuCompatibility since 11070 [todo forward call]
        (vgpuMetadata: input(nvmlVgpuMetadata_t), pgpuMetadata: input(nvmlVgpuPgpuMetadata_t),
         compatibilityInfo: out(nvmlVgpuPgpuCompatibility_t));

    fn nvmlDeviceGetPgpuMetadataString since 11070 [todo forward call]
        (device: val(nvmlDevice_t), pgpuMetadata: bytes_mut(bufferSize), bufferSize: inout(u32));

    fn nvmlDeviceGetVgpuSchedulerCapabilities since 12000 [todo forward call]
        (device: val(nvmlDevice_t), pCapabilities: out(nvmlVgpuSchedulerCapabilities_t));

    fn nvmlGetVgpuVersion since 11070 [todo forward call]
        (supported: out(nvmlVgpuVersion_t), current: out(nvmlVgpuVersion_t));

    fn nvmlSetVgpuVersion since 11070 [todo forward call]
        (vgpuVersion: input(nvmlVgpuVersion_t));

    fn nvmlDeviceGetVgpuUtilization since 11070 [todo forward call]
        (device: val(nvmlDevice_t), lastSeenTimeStamp: val(u64), sampleValType: out(nvmlValueType_t),
         vgpuInstanceSamplesCount: inout(u32),
         utilizationSamples: array_out(nvmlVgpuInstanceUtilizationSample_t, vgpuInstanceSamplesCount));

    fn nvmlDeviceGetVgpuInstancesUtilizationInfo since 12040 [todo forward call custom_wire]
        (device: val(nvmlDevice_t), vgpuUtilInfo: inout(nvmlVgpuInstancesUtilizationInfo_t));

    fn nvmlDeviceGetVgpuProcessUtilization since 11070 [todo forward call]
        (device: val(nvmlDevice_t), lastSeenTimeStamp: val(u64), vgpuProcessSamplesCount: inout(u32),
         utilizationSamples: array_out(nvmlVgpuProcessUtilizationSample_t, vgpuProcessSamplesCount));

    fn nvmlDeviceGetVgpuProcessesUtilizationInfo since 12040 [todo forward call custom_wire]
        (device: val(nvmlDevice_t), vgpuProcUtilInfo: inout(nvmlVgpuProcessesUtilizationInfo_t));

    fn nvmlVgpuInstanceGetAccountingMode since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), mode: out(nvmlEnableState_t));

    fn nvmlVgpuInstanceGetAccountingPids since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), count: inout(u32), pids: array_out(u32, count));

    fn nvmlVgpuInstanceGetAccountingStats since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), pid: val(u32), stats: out(nvmlAccountingStats_t));

    fn nvmlVgpuInstanceClearAccountingPids since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t));

    fn nvmlVgpuInstanceGetLicenseInfo since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), licenseInfo: out(nvmlVgpuLicenseInfo_t));

    fn nvmlVgpuInstanceGetLicenseInfo_v2 since 11070 [todo forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), licenseInfo: out(nvmlVgpuLicenseInfo_t));

}}}}
