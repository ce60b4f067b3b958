#[macro_export]
#[doc(hidden)]
macro_rules! nvml_vgpu_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// How a device takes part in virtualisation.
    fn nvmlDeviceGetVirtualizationMode since 11070 [soft forward call]
        (device: val(nvmlDevice_t), pVirtualMode: out(nvmlGpuVirtualizationMode_t));

    /// Which kind of virtual GPUs the host makes.
    fn nvmlDeviceGetHostVgpuMode since 11070 [absent forward call]
        (device: val(nvmlDevice_t), pHostVgpuMode: out(nvmlHostVgpuMode_t));

    /// How a device shall take part in virtualisation.
    fn nvmlDeviceSetVirtualizationMode since 11070 [absent forward call]
        (device: val(nvmlDevice_t), virtualMode: val(nvmlGpuVirtualizationMode_t));

    /// Whether virtual GPUs of different sizes may mix on a device.
    fn nvmlDeviceGetVgpuHeterogeneousMode since 12040 [absent forward call]
        (device: val(nvmlDevice_t), pHeterogeneousMode: inout(nvmlVgpuHeterogeneousMode_t));

    /// Whether virtual GPUs of different sizes shall mix on a device.
    fn nvmlDeviceSetVgpuHeterogeneousMode since 12040 [absent forward call]
        (device: val(nvmlDevice_t), pHeterogeneousMode: input(nvmlVgpuHeterogeneousMode_t));

    /// Place of a virtual GPU.
    fn nvmlVgpuInstanceGetPlacementId since 12040 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), pPlacement: inout(nvmlVgpuPlacementId_t));

    /// Places a type of virtual GPU can have.
    fn nvmlDeviceGetVgpuTypeSupportedPlacements since 12040 [absent forward call custom_wire]
        (device: val(nvmlDevice_t), vgpuTypeId: val(nvmlVgpuTypeId_t), pPlacementList: raw(Ptr<nvmlVgpuPlacementList_t>));

    /// Places a type of virtual GPU can have now.
    fn nvmlDeviceGetVgpuTypeCreatablePlacements since 12040 [absent forward call custom_wire]
        (device: val(nvmlDevice_t), vgpuTypeId: val(nvmlVgpuTypeId_t), pPlacementList: raw(Ptr<nvmlVgpuPlacementList_t>));

    /// Firmware memory of a type.
    fn nvmlVgpuTypeGetGspHeapSize since 12040 [absent forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), gspHeapSize: out(u64));

    /// Reserved memory of a type.
    fn nvmlVgpuTypeGetFbReservation since 12040 [absent forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), fbReservation: out(u64));

    /// Size of a virtual GPU's state.
    fn nvmlVgpuInstanceGetRuntimeStateSize since 12080 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), pState: inout(nvmlVgpuRuntimeState_t));

    /// Changes an ability of a device for virtual GPUs.
    fn nvmlDeviceSetVgpuCapabilities since 12040 [absent forward call]
        (device: val(nvmlDevice_t), capability: val(nvmlDeviceVgpuCapability_t), state: val(nvmlEnableState_t));

    /// Unloads the firmware of a device used for virtual GPUs.
    fn nvmlDeviceVgpuForceGspUnload since 13020 [absent forward call]
        (device: val(nvmlDevice_t));

    /// Features a licence can open.
    fn nvmlDeviceGetGridLicensableFeatures since 11070 [absent forward call]
        (device: val(nvmlDevice_t), pGridLicensableFeatures: out(nvmlGridLicensableFeatures_t));

    /// Features a licence can open.
    fn nvmlDeviceGetGridLicensableFeatures_v2 since 11070 [absent forward call]
        (device: val(nvmlDevice_t), pGridLicensableFeatures: out(nvmlGridLicensableFeatures_t));

    /// Features a licence can open.
    fn nvmlDeviceGetGridLicensableFeatures_v3 since 11070 [absent forward call]
        (device: val(nvmlDevice_t), pGridLicensableFeatures: out(nvmlGridLicensableFeatures_t));

    /// Features a licence can open.
    fn nvmlDeviceGetGridLicensableFeatures_v4 since 11070 [absent forward call]
        (device: val(nvmlDevice_t), pGridLicensableFeatures: out(nvmlGridLicensableFeatures_t));

    /// An ability of the driver for virtual GPUs.
    fn nvmlGetVgpuDriverCapabilities since 12000 [absent forward call]
        (capability: val(nvmlVgpuDriverCapability_t), capResult: out(u32));

    /// An ability of a device for virtual GPUs.
    fn nvmlDeviceGetVgpuCapabilities since 12000 [absent forward call]
        (device: val(nvmlDevice_t), capability: val(nvmlDeviceVgpuCapability_t), capResult: out(u32));

    /// Types of virtual GPU a device can have.
    fn nvmlDeviceGetSupportedVgpus since 11070 [absent forward call]
        (device: val(nvmlDevice_t), vgpuCount: inout(u32), vgpuTypeIds: array_out(nvmlVgpuTypeId_t, vgpuCount));

    /// Types of virtual GPU a device can have now.
    fn nvmlDeviceGetCreatableVgpus since 11070 [absent forward call]
        (device: val(nvmlDevice_t), vgpuCount: inout(u32), vgpuTypeIds: array_out(nvmlVgpuTypeId_t, vgpuCount));

    /// Class of a type.
    fn nvmlVgpuTypeGetClass since 11070 [absent forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), vgpuTypeClass: bytes_mut(size), size: inout(u32));

    /// Name of a type.
    fn nvmlVgpuTypeGetName since 11070 [absent forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), vgpuTypeName: bytes_mut(size), size: inout(u32));

    /// MIG profile of a type.
    fn nvmlVgpuTypeGetGpuInstanceProfileId since 11070 [absent forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), gpuInstanceProfileId: out(u32));

    /// PCI ids of a type.
    fn nvmlVgpuTypeGetDeviceID since 11070 [absent forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), deviceID: out(u64), subsystemID: out(u64));

    /// Memory of a type.
    fn nvmlVgpuTypeGetFramebufferSize since 11070 [absent forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), fbSize: out(u64));

    /// Displays of a type.
    fn nvmlVgpuTypeGetNumDisplayHeads since 11070 [absent forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), numDisplayHeads: out(u32));

    /// Highest resolution of a type.
    fn nvmlVgpuTypeGetResolution since 11070 [absent forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), displayIndex: val(u32), xdim: out(u32), ydim: out(u32));

    /// Licence a type needs.
    fn nvmlVgpuTypeGetLicense since 11070 [absent forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), vgpuTypeLicenseString: bytes_mut(size), size: val(u32));

    /// Frame rate limit of a type.
    fn nvmlVgpuTypeGetFrameRateLimit since 11070 [absent forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), frameRateLimit: out(u32));

    /// How many of a type fit on a device.
    fn nvmlVgpuTypeGetMaxInstances since 11070 [absent forward call]
        (device: val(nvmlDevice_t), vgpuTypeId: val(nvmlVgpuTypeId_t), vgpuInstanceCount: out(u32));

    /// How many of a type a machine may have.
    fn nvmlVgpuTypeGetMaxInstancesPerVm since 11070 [absent forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), vgpuInstanceCountPerVm: out(u32));

    /// Memory window of a type.
    fn nvmlVgpuTypeGetBAR1Info since 12060 [absent forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), bar1Info: inout(nvmlVgpuTypeBar1Info_t));

    /// Virtual GPUs of a device.
    fn nvmlDeviceGetActiveVgpus since 11070 [absent forward call]
        (device: val(nvmlDevice_t), vgpuCount: inout(u32), vgpuInstances: array_out(nvmlVgpuInstance_t, vgpuCount));

    /// Machine of a virtual GPU.
    fn nvmlVgpuInstanceGetVmID since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), vmId: bytes_mut(size), size: val(u32),
         vmIdType: out(nvmlVgpuVmIdType_t));

    /// Identifier of a virtual GPU.
    fn nvmlVgpuInstanceGetUUID since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), uuid: bytes_mut(size), size: val(u32));

    /// Driver inside the machine.
    fn nvmlVgpuInstanceGetVmDriverVersion since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), version: bytes_mut(length), length: val(u32));

    /// Memory a virtual GPU uses.
    fn nvmlVgpuInstanceGetFbUsage since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), fbUsage: out(u64));

    /// Whether a virtual GPU is licensed.
    fn nvmlVgpuInstanceGetLicenseStatus since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), licensed: out(u32));

    /// Type of a virtual GPU.
    fn nvmlVgpuInstanceGetType since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), vgpuTypeId: out(nvmlVgpuTypeId_t));

    /// Frame rate limit of a virtual GPU.
    fn nvmlVgpuInstanceGetFrameRateLimit since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), frameRateLimit: out(u32));

    /// Whether a virtual GPU has ECC.
    fn nvmlVgpuInstanceGetEccMode since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), eccMode: out(nvmlEnableState_t));

    /// Share of the encoder a virtual GPU has.
    fn nvmlVgpuInstanceGetEncoderCapacity since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), encoderCapacity: out(u32));

    /// Changes the share of the encoder a virtual GPU has.
    fn nvmlVgpuInstanceSetEncoderCapacity since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), encoderCapacity: val(u32));

    /// Sessions and speed of a virtual GPU's encoder.
    fn nvmlVgpuInstanceGetEncoderStats since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), sessionCount: out(u32), averageFps: out(u32), averageLatency: out(u32));

    /// Sessions of a virtual GPU's encoder.
    fn nvmlVgpuInstanceGetEncoderSessions since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), sessionCount: inout(u32),
         sessionInfo: array_out(nvmlEncoderSessionInfo_t, sessionCount));

    /// Sessions and speed of a virtual GPU's frame capture.
    fn nvmlVgpuInstanceGetFBCStats since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), fbcStats: out(nvmlFBCStats_t));

    /// Sessions of a virtual GPU's frame capture.
    fn nvmlVgpuInstanceGetFBCSessions since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), sessionCount: inout(u32),
         sessionInfo: array_out(nvmlFBCSessionInfo_t, sessionCount));

    /// MIG instance of a virtual GPU.
    fn nvmlVgpuInstanceGetGpuInstanceId since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), gpuInstanceId: out(u32));

    /// PCI address of a virtual GPU.
    fn nvmlVgpuInstanceGetGpuPciId since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), vgpuPciId: bytes_mut(length), length: inout(u32));

    /// An ability of a type.
    fn nvmlVgpuTypeGetCapabilities since 11070 [absent forward call]
        (vgpuTypeId: val(nvmlVgpuTypeId_t), capability: val(nvmlVgpuCapability_t), capResult: out(u32));

    /// Mediated device of a virtual GPU.
    fn nvmlVgpuInstanceGetMdevUUID since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), mdevUuid: bytes_mut(size), size: val(u32));

    /// Types of virtual GPU an instance can have now.
    fn nvmlGpuInstanceGetCreatableVgpus since 12090 [absent forward call custom_wire]
        (gpuInstance: val(nvmlGpuInstance_t), pVgpus: inout(nvmlVgpuTypeIdInfo_t));

    /// How many of a type fit on an instance.
    fn nvmlVgpuTypeGetMaxInstancesPerGpuInstance since 12090 [absent forward call]
        (pMaxInstance: inout(nvmlVgpuTypeMaxInstance_t));

    /// Virtual GPUs of an instance.
    fn nvmlGpuInstanceGetActiveVgpus since 12090 [absent forward call custom_wire]
        (gpuInstance: val(nvmlGpuInstance_t), pVgpuInstanceInfo: inout(nvmlActiveVgpuInstanceInfo_t));

    /// Changes how an instance schedules virtual GPUs.
    fn nvmlGpuInstanceSetVgpuSchedulerState since 12090 [absent forward call]
        (gpuInstance: val(nvmlGpuInstance_t), pScheduler: input(nvmlVgpuSchedulerState_t));

    /// Changes how an instance schedules virtual GPUs.
    fn nvmlGpuInstanceSetVgpuSchedulerState_v2 since 13020 [absent forward call]
        (gpuInstance: val(nvmlGpuInstance_t), pSchedulerState: input(nvmlVgpuSchedulerState_v2_t));

    /// How an instance schedules virtual GPUs.
    fn nvmlGpuInstanceGetVgpuSchedulerState since 12090 [absent forward call]
        (gpuInstance: val(nvmlGpuInstance_t), pSchedulerStateInfo: inout(nvmlVgpuSchedulerStateInfo_t));

    /// How an instance schedules virtual GPUs.
    fn nvmlGpuInstanceGetVgpuSchedulerState_v2 since 13020 [absent forward call]
        (gpuInstance: val(nvmlGpuInstance_t), pSchedulerStateInfo: inout(nvmlVgpuSchedulerStateInfo_v2_t));

    /// What an instance's scheduler did.
    fn nvmlGpuInstanceGetVgpuSchedulerLog since 12090 [absent forward call]
        (gpuInstance: val(nvmlGpuInstance_t), pSchedulerLogInfo: inout(nvmlVgpuSchedulerLogInfo_t));

    /// What an instance's scheduler did.
    fn nvmlGpuInstanceGetVgpuSchedulerLog_v2 since 13020 [absent forward call]
        (gpuInstance: val(nvmlGpuInstance_t), pSchedulerLogInfo: inout(nvmlVgpuSchedulerLogInfo_v2_t));

    /// Places a type of virtual GPU can have now on an instance.
    fn nvmlGpuInstanceGetVgpuTypeCreatablePlacements since 12090 [absent forward call custom_wire]
        (gpuInstance: val(nvmlGpuInstance_t), pCreatablePlacementInfo: inout(nvmlVgpuCreatablePlacementInfo_t));

    /// Whether virtual GPUs of different sizes may mix on an instance.
    fn nvmlGpuInstanceGetVgpuHeterogeneousMode since 12090 [absent forward call]
        (gpuInstance: val(nvmlGpuInstance_t), pHeterogeneousMode: inout(nvmlVgpuHeterogeneousMode_t));

    /// Whether virtual GPUs of different sizes shall mix on an instance.
    fn nvmlGpuInstanceSetVgpuHeterogeneousMode since 12090 [absent forward call]
        (gpuInstance: val(nvmlGpuInstance_t), pHeterogeneousMode: input(nvmlVgpuHeterogeneousMode_t));

    /// How a device schedules virtual GPUs.
    fn nvmlDeviceGetVgpuSchedulerState since 12000 [absent forward call]
        (device: val(nvmlDevice_t), pSchedulerState: out(nvmlVgpuSchedulerGetState_t));

    /// How a device schedules virtual GPUs.
    fn nvmlDeviceGetVgpuSchedulerState_v2 since 13020 [absent forward call]
        (device: val(nvmlDevice_t), pSchedulerStateInfo: inout(nvmlVgpuSchedulerStateInfo_v2_t));

    /// What a device's scheduler did.
    fn nvmlDeviceGetVgpuSchedulerLog since 12000 [absent forward call]
        (device: val(nvmlDevice_t), pSchedulerLog: out(nvmlVgpuSchedulerLog_t));

    /// What a device's scheduler did.
    fn nvmlDeviceGetVgpuSchedulerLog_v2 since 13020 [absent forward call]
        (device: val(nvmlDevice_t), pSchedulerLogInfo: inout(nvmlVgpuSchedulerLogInfo_v2_t));

    /// Changes how a device schedules virtual GPUs.
    fn nvmlDeviceSetVgpuSchedulerState since 12020 [absent forward call]
        (device: val(nvmlDevice_t), pSchedulerState: input(nvmlVgpuSchedulerSetState_t));

    /// Changes how a device schedules virtual GPUs.
    fn nvmlDeviceSetVgpuSchedulerState_v2 since 13020 [absent forward call]
        (device: val(nvmlDevice_t), pSchedulerState: input(nvmlVgpuSchedulerState_v2_t));

    /// What migration must know about a virtual GPU.
    fn nvmlVgpuInstanceGetMetadata since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), vgpuMetadata: bytes_mut(bufferSize), bufferSize: inout(u32));

    /// What migration must know about a device.
    fn nvmlDeviceGetVgpuMetadata since 11070 [absent forward call]
        (device: val(nvmlDevice_t), pgpuMetadata: bytes_mut(bufferSize), bufferSize: inout(u32));

    /// Whether a virtual GPU can move to a device.
    fn nvmlGetVgpuCompatibility since 11070 [absent forward call]
        (vgpuMetadata: input(nvmlVgpuMetadata_t), pgpuMetadata: input(nvmlVgpuPgpuMetadata_t),
         compatibilityInfo: out(nvmlVgpuPgpuCompatibility_t));

    /// What migration must know about a device, as text.
    fn nvmlDeviceGetPgpuMetadataString since 11070 [absent forward call]
        (device: val(nvmlDevice_t), pgpuMetadata: bytes_mut(bufferSize), bufferSize: inout(u32));

    /// Ways a device can schedule virtual GPUs.
    fn nvmlDeviceGetVgpuSchedulerCapabilities since 12000 [absent forward call]
        (device: val(nvmlDevice_t), pCapabilities: out(nvmlVgpuSchedulerCapabilities_t));

    /// Versions of virtual GPU the host supports.
    fn nvmlGetVgpuVersion since 11070 [absent forward call]
        (supported: out(nvmlVgpuVersion_t), current: out(nvmlVgpuVersion_t));

    /// Narrows the versions of virtual GPU.
    fn nvmlSetVgpuVersion since 11070 [absent forward call]
        (vgpuVersion: input(nvmlVgpuVersion_t));

    /// How busy virtual GPUs kept the device.
    fn nvmlDeviceGetVgpuUtilization since 11070 [absent forward call]
        (device: val(nvmlDevice_t), lastSeenTimeStamp: val(u64), sampleValType: out(nvmlValueType_t),
         vgpuInstanceSamplesCount: inout(u32),
         utilizationSamples: array_out(nvmlVgpuInstanceUtilizationSample_t, vgpuInstanceSamplesCount));

    /// How busy virtual GPUs kept each engine.
    fn nvmlDeviceGetVgpuInstancesUtilizationInfo since 12040 [absent forward call custom_wire]
        (device: val(nvmlDevice_t), vgpuUtilInfo: inout(nvmlVgpuInstancesUtilizationInfo_t));

    /// How busy processes in machines kept the device.
    fn nvmlDeviceGetVgpuProcessUtilization since 11070 [absent forward call]
        (device: val(nvmlDevice_t), lastSeenTimeStamp: val(u64), vgpuProcessSamplesCount: inout(u32),
         utilizationSamples: array_out(nvmlVgpuProcessUtilizationSample_t, vgpuProcessSamplesCount));

    /// How busy processes in machines kept each engine.
    fn nvmlDeviceGetVgpuProcessesUtilizationInfo since 12040 [absent forward call custom_wire]
        (device: val(nvmlDevice_t), vgpuProcUtilInfo: inout(nvmlVgpuProcessesUtilizationInfo_t));

    /// Whether processes of a virtual GPU are accounted for.
    fn nvmlVgpuInstanceGetAccountingMode since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), mode: out(nvmlEnableState_t));

    /// Processes of a virtual GPU that are accounted for.
    fn nvmlVgpuInstanceGetAccountingPids since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), count: inout(u32), pids: array_out(u32, count));

    /// What a process of a virtual GPU has used.
    fn nvmlVgpuInstanceGetAccountingStats since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), pid: val(u32), stats: out(nvmlAccountingStats_t));

    /// Forgets processes of a virtual GPU that have ended.
    fn nvmlVgpuInstanceClearAccountingPids since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t));

    /// Licence of a virtual GPU.
    fn nvmlVgpuInstanceGetLicenseInfo since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), licenseInfo: out(nvmlVgpuLicenseInfo_t));

    /// Licence of a virtual GPU.
    fn nvmlVgpuInstanceGetLicenseInfo_v2 since 11070 [absent forward call]
        (vgpuInstance: val(nvmlVgpuInstance_t), licenseInfo: out(nvmlVgpuLicenseInfo_t));

}}}}
