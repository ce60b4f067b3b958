#[macro_export]
macro_rules! nvml_confidential_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn nvmlSystemGetConfComputeCapabilities since 12020 [todo forward call]
        (capabilities: out(nvmlConfComputeSystemCaps_t));

    fn nvmlSystemGetConfComputeState since 12020 [todo forward call]
        (state: out(nvmlConfComputeSystemState_t));

    fn nvmlDeviceGetConfComputeMemSizeInfo since 12020 [todo forward call]
        (device: val(nvmlDevice_t), memInfo: out(nvmlConfComputeMemSizeInfo_t));

    fn nvmlSystemGetConfComputeGpusReadyState since 12020 [todo forward call]
        (isAcceptingWork: out(u32));

    fn nvmlDeviceGetConfComputeProtectedMemoryUsage since 12020 [todo forward call]
        (device: val(nvmlDevice_t), memory: out(nvmlMemory_t));

    fn nvmlDeviceGetConfComputeGpuCertificate since 12020 [todo forward call]
        (device: val(nvmlDevice_t), gpuCert: out(nvmlConfComputeGpuCertificate_t));

    fn nvmlDeviceGetConfComputeGpuAttestationReport since 12020 [todo forward call]
        (device: val(nvmlDevice_t), gpuAtstReport: out(nvmlConfComputeGpuAttestationReport_t));

    fn nvmlSystemGetConfComputeKeyRotationThresholdInfo since 12040 [todo forward call]
        (pKeyRotationThrInfo: inout(nvmlConfComputeGetKeyRotationThresholdInfo_t));

    fn nvmlDeviceSetConfComputeUnprotectedMemSize since 12020 [todo forward call]
        (device: val(nvmlDevice_t), sizeKiB: val(u64));

    fn nvmlSystemSetConfComputeGpusReadyState since 12020 [todo forward call]
        (isAcceptingWork: val(u32));

    fn nvmlSystemSetConfComputeKeyRotationThresholdInfo since 12040 [todo forward call]
        (pKeyRotationThrInfo: input(nvmlConfComputeSetKeyRotationThresholdInfo_t));

    fn nvmlSystemGetConfComputeSettings since 12040 [todo forward call]
        (settings: inout(nvmlSystemConfComputeSettings_t));

}}}}
