#[macro_export]
#[doc(hidden)]
macro_rules! nvml_process_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// How busy compute and memory were lately.
    fn nvmlDeviceGetUtilizationRates since 11070 [soft answer call]
        (device: val(nvmlDevice_t), utilization: out(nvmlUtilization_t));

    /// How busy the encoder was lately.
    fn nvmlDeviceGetEncoderUtilization since 11070 [soft answer call]
        (device: val(nvmlDevice_t), utilization: out(u32), samplingPeriodUs: out(u32));

    /// How much encoding is left.
    fn nvmlDeviceGetEncoderCapacity since 11070 [todo forward call]
        (device: val(nvmlDevice_t), encoderQueryType: val(nvmlEncoderType_t), encoderCapacity: out(u32));

    /// Sessions and speed of the encoder.
    fn nvmlDeviceGetEncoderStats since 11070 [soft forward call]
        (device: val(nvmlDevice_t), sessionCount: out(u32), averageFps: out(u32), averageLatency: out(u32));

    /// Sessions of the encoder.
    fn nvmlDeviceGetEncoderSessions since 11070 [soft answer call]
        (device: val(nvmlDevice_t), sessionCount: inout(u32),
         sessionInfos: array_out(nvmlEncoderSessionInfo_t, sessionCount));

    /// How busy the decoder was lately.
    fn nvmlDeviceGetDecoderUtilization since 11070 [soft answer call]
        (device: val(nvmlDevice_t), utilization: out(u32), samplingPeriodUs: out(u32));

    /// How busy the JPEG engine was lately.
    fn nvmlDeviceGetJpgUtilization since 12020 [absent forward call]
        (device: val(nvmlDevice_t), utilization: out(u32), samplingPeriodUs: out(u32));

    /// How busy the optical flow engine was lately.
    fn nvmlDeviceGetOfaUtilization since 12020 [absent forward call]
        (device: val(nvmlDevice_t), utilization: out(u32), samplingPeriodUs: out(u32));

    /// Sessions and speed of frame capture.
    fn nvmlDeviceGetFBCStats since 11070 [absent forward call]
        (device: val(nvmlDevice_t), fbcStats: out(nvmlFBCStats_t));

    /// Sessions of frame capture.
    fn nvmlDeviceGetFBCSessions since 11070 [absent answer call]
        (device: val(nvmlDevice_t), sessionCount: inout(u32),
         sessionInfo: array_out(nvmlFBCSessionInfo_t, sessionCount));

    /// Processes that compute, with their memory.
    fn nvmlDeviceGetComputeRunningProcesses since 11070 [soft answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_v1_t, infoCount));

    /// Processes that compute, with their memory.
    fn nvmlDeviceGetComputeRunningProcesses_v2 since 11070 [soft answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_t, infoCount));

    /// Processes that compute, with their memory.
    fn nvmlDeviceGetComputeRunningProcesses_v3 since 11070 [soft answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_t, infoCount));

    /// Processes that draw, with their memory.
    fn nvmlDeviceGetGraphicsRunningProcesses since 11070 [soft answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_v1_t, infoCount));

    /// Processes that draw, with their memory.
    fn nvmlDeviceGetGraphicsRunningProcesses_v2 since 11070 [soft answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_t, infoCount));

    /// Processes that draw, with their memory.
    fn nvmlDeviceGetGraphicsRunningProcesses_v3 since 11070 [soft answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_t, infoCount));

    /// Processes that compute through MPS, with their memory.
    fn nvmlDeviceGetMPSComputeRunningProcesses since 11070 [soft answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_v1_t, infoCount));

    /// Processes that compute through MPS, with their memory.
    fn nvmlDeviceGetMPSComputeRunningProcesses_v2 since 11070 [soft answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_t, infoCount));

    /// Processes that compute through MPS, with their memory.
    fn nvmlDeviceGetMPSComputeRunningProcesses_v3 since 11070 [soft answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_t, infoCount));

    /// Processes of a kind, with protected memory too.
    fn nvmlDeviceGetRunningProcessDetailList since 12020 [soft answer call custom_wire]
        (device: val(nvmlDevice_t), plist: inout(nvmlProcessDetailList_t));

    /// Whether processes are accounted for.
    fn nvmlDeviceGetAccountingMode since 11070 [soft forward call]
        (device: val(nvmlDevice_t), mode: out(nvmlEnableState_t));

    /// What a process has used.
    fn nvmlDeviceGetAccountingStats since 11070 [todo answer call]
        (device: val(nvmlDevice_t), pid: val(u32), stats: out(nvmlAccountingStats_t));

    /// What a process has used, in a versioned struct.
    fn nvmlDeviceGetAccountingStats_v2 since 13030 [todo answer call]
        (device: val(nvmlDevice_t), stats: inout(nvmlAccountingStats_v2_t));

    /// Processes that are accounted for.
    fn nvmlDeviceGetAccountingPids since 11070 [todo answer call]
        (device: val(nvmlDevice_t), count: inout(u32), pids: array_out(u32, count));

    /// How many processes accounting remembers.
    fn nvmlDeviceGetAccountingBufferSize since 11070 [todo forward call]
        (device: val(nvmlDevice_t), bufferSize: out(u32));

    /// How busy each process kept the device.
    fn nvmlDeviceGetProcessUtilization since 11070 [soft answer call]
        (device: val(nvmlDevice_t), utilization: array_out(nvmlProcessUtilizationSample_t, processSamplesCount),
         processSamplesCount: inout(u32), lastSeenTimeStamp: val(u64));

    /// How busy each process kept each engine.
    fn nvmlDeviceGetProcessesUtilizationInfo since 12040 [soft answer call custom_wire]
        (device: val(nvmlDevice_t), procesesUtilInfo: inout(nvmlProcessesUtilizationInfo_t));

    /// Whether processes shall be accounted for.
    fn nvmlDeviceSetAccountingMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), mode: val(nvmlEnableState_t));

    /// Forgets processes that have ended.
    fn nvmlDeviceClearAccountingPids since 11070 [todo forward call]
        (device: val(nvmlDevice_t));

}}}}
