#[macro_export]
#[doc(hidden)]
macro_rules! nvml_confidential_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// What CPU and GPUs can do for confidential computing.
    fn nvmlSystemGetConfComputeCapabilities since 12020 [absent forward call]
        (capabilities: out(nvmlConfComputeSystemCaps_t));

    /// Whether confidential computing is on.
    fn nvmlSystemGetConfComputeState since 12020 [absent forward call]
        (state: out(nvmlConfComputeSystemState_t));

    /// Protected and unprotected memory of a device.
    fn nvmlDeviceGetConfComputeMemSizeInfo since 12020 [absent forward call]
        (device: val(nvmlDevice_t), memInfo: out(nvmlConfComputeMemSizeInfo_t));

    /// Whether devices accept confidential work.
    fn nvmlSystemGetConfComputeGpusReadyState since 12020 [absent forward call]
        (isAcceptingWork: out(u32));

    /// Use of protected memory.
    fn nvmlDeviceGetConfComputeProtectedMemoryUsage since 12020 [absent forward call]
        (device: val(nvmlDevice_t), memory: out(nvmlMemory_t));

    /// Certificate of a device.
    fn nvmlDeviceGetConfComputeGpuCertificate since 12020 [absent forward call]
        (device: val(nvmlDevice_t), gpuCert: out(nvmlConfComputeGpuCertificate_t));

    /// Attestation of a device.
    fn nvmlDeviceGetConfComputeGpuAttestationReport since 12020 [absent forward call]
        (device: val(nvmlDevice_t), gpuAtstReport: inout(nvmlConfComputeGpuAttestationReport_t));

    /// When keys are rotated.
    fn nvmlSystemGetConfComputeKeyRotationThresholdInfo since 12040 [absent forward call]
        (pKeyRotationThrInfo: inout(nvmlConfComputeGetKeyRotationThresholdInfo_t));

    /// Changes the size of unprotected memory.
    fn nvmlDeviceSetConfComputeUnprotectedMemSize since 12020 [absent forward call]
        (device: val(nvmlDevice_t), sizeKiB: val(u64));

    /// Whether devices shall accept confidential work.
    fn nvmlSystemSetConfComputeGpusReadyState since 12020 [absent forward call]
        (isAcceptingWork: val(u32));

    /// When keys shall be rotated.
    fn nvmlSystemSetConfComputeKeyRotationThresholdInfo since 12040 [absent forward call]
        (pKeyRotationThrInfo: input(nvmlConfComputeSetKeyRotationThresholdInfo_t));

    /// Settings of confidential computing.
    fn nvmlSystemGetConfComputeSettings since 12040 [absent forward call]
        (settings: inout(nvmlSystemConfComputeSettings_t));

}}}}
