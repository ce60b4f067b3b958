#[macro_export]
macro_rules! nvml_process_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn nvmlDeviceGetUtilizationRates since 11070 [todo answer call]
        (device: val(nvmlDevice_t), utilization: out(nvmlUtilization_t));

    fn nvmlDeviceGetEncoderUtilization since 11070 [todo forward call]
        (device: val(nvmlDevice_t), utilization: out(u32), samplingPeriodUs: out(u32));

    fn nvmlDeviceGetEncoderCapacity since 11070 [todo forward call]
        (device: val(nvmlDevice_t), encoderQueryType: val(nvmlEncoderType_t), encoderCapacity: out(u32));

    fn nvmlDeviceGetEncoderStats since 11070 [todo forward call]
        (device: val(nvmlDevice_t), sessionCount: out(u32), averageFps: out(u32), averageLatency: out(u32));

    fn nvmlDeviceGetEncoderSessions since 11070 [todo forward call]
        (device: val(nvmlDevice_t), sessionCount: inout(u32),
         sessionInfos: array_out(nvmlEncoderSessionInfo_t, sessionCount));

    fn nvmlDeviceGetDecoderUtilization since 11070 [todo forward call]
        (device: val(nvmlDevice_t), utilization: out(u32), samplingPeriodUs: out(u32));

    fn nvmlDeviceGetJpgUtilization since 12020 [todo forward call]
        (device: val(nvmlDevice_t), utilization: out(u32), samplingPeriodUs: out(u32));

    fn nvmlDeviceGetOfaUtilization since 12020 [todo forward call]
        (device: val(nvmlDevice_t), utilization: out(u32), samplingPeriodUs: out(u32));

    fn nvmlDeviceGetFBCStats since 11070 [todo forward call]
        (device: val(nvmlDevice_t), fbcStats: out(nvmlFBCStats_t));

    fn nvmlDeviceGetFBCSessions since 11070 [todo forward call]
        (device: val(nvmlDevice_t), sessionCount: inout(u32),
         sessionInfo: array_out(nvmlFBCSessionInfo_t, sessionCount));

    fn nvmlDeviceGetComputeRunningProcesses since 11070 [todo answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_v1_t, infoCount));

    fn nvmlDeviceGetComputeRunningProcesses_v2 since 11070 [todo answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_t, infoCount));

    fn nvmlDeviceGetComputeRunningProcesses_v3 since 11070 [todo answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_t, infoCount));

    fn nvmlDeviceGetGraphicsRunningProcesses since 11070 [todo answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_v1_t, infoCount));

    fn nvmlDeviceGetGraphicsRunningProcesses_v2 since 11070 [todo answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_t, infoCount));

    fn nvmlDeviceGetGraphicsRunningProcesses_v3 since 11070 [todo answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_t, infoCount));

    fn nvmlDeviceGetMPSComputeRunningProcesses since 11070 [todo answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_v1_t, infoCount));

    fn nvmlDeviceGetMPSComputeRunningProcesses_v2 since 11070 [todo answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_t, infoCount));

    fn nvmlDeviceGetMPSComputeRunningProcesses_v3 since 11070 [todo answer call]
        (device: val(nvmlDevice_t), infoCount: inout(u32), infos: array_out(nvmlProcessInfo_t, infoCount));

    fn nvmlDeviceGetRunningProcessDetailList since 12020 [todo answer call custom_wire]
        (device: val(nvmlDevice_t), plist: inout(nvmlProcessDetailList_t));

    fn nvmlDeviceGetAccountingMode since 11070 [todo answer call]
        (device: val(nvmlDevice_t), mode: out(nvmlEnableState_t));

    fn nvmlDeviceGetAccountingStats since 11070 [todo answer call]
        (device: val(nvmlDevice_t), pid: val(u32), stats: out(nvmlAccountingStats_t));

    fn nvmlDeviceGetAccountingStats_v2 since 13030 [todo answer call]
        (device: val(nvmlDevice_t), stats: out(nvmlAccountingStats_v2_t));

    fn nvmlDeviceGetAccountingPids since 11070 [todo answer call]
        (device: val(nvmlDevice_t), count: inout(u32), pids: array_out(u32, count));

    fn nvmlDeviceGetAccountingBufferSize since 11070 [todo answer call]
        (device: val(nvmlDevice_t), bufferSize: out(u32));

    fn nvmlDeviceGetProcessUtilization since 11070 [todo answer call]
        (device: val(nvmlDevice_t), utilization: array_out(nvmlProcessUtilizationSample_t, processSamplesCount),
         processSamplesCount: inout(u32), lastSeenTimeStamp: val(u64));

    fn nvmlDeviceGetProcessesUtilizationInfo since 12040 [todo answer call custom_wire]
        (device: val(nvmlDevice_t), procesesUtilInfo: inout(nvmlProcessesUtilizationInfo_t));

    fn nvmlDeviceSetAccountingMode since 11070 [todo answer call]
        (device: val(nvmlDevice_t), mode: val(nvmlEnableState_t));

    fn nvmlDeviceClearAccountingPids since 11070 [todo answer call]
        (device: val(nvmlDevice_t));

}}}}
