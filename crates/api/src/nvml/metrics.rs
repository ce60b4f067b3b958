#[macro_export]
macro_rules! nvml_metrics_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn nvmlDeviceGetSamples since 11070 [todo answer call]
        (device: val(nvmlDevice_t), type_: val(nvmlSamplingType_t), lastSeenTimeStamp: val(u64),
         sampleValType: out(nvmlValueType_t), sampleCount: inout(u32), samples: array_out(nvmlSample_t, sampleCount));

    fn nvmlDevicePerfMetricsGetSamples_v1 since 13040 [todo forward call]
        (device: val(nvmlDevice_t), samples: out(nvmlPerfMetricsSamples_v1_t));

    fn nvmlDeviceGetFieldValues since 11070 [todo forward call]
        (device: val(nvmlDevice_t), valuesCount: val(i32), values: array_out(nvmlFieldValue_t, valuesCount));

    fn nvmlDeviceClearFieldValues since 12000 [todo forward call]
        (device: val(nvmlDevice_t), valuesCount: val(i32), values: array_out(nvmlFieldValue_t, valuesCount));

    fn nvmlDeviceReadWritePRM_v1 since 13000 [todo forward call]
        (device: val(nvmlDevice_t), buffer: inout(nvmlPRMTLV_v1_t));

    fn nvmlDeviceReadPRMCounters_v1 since 13010 [todo forward call custom_wire]
        (device: val(nvmlDevice_t), counterList: inout(nvmlPRMCounterList_v1_t));

    fn nvmlGpmMetricsGet since 11080 [todo forward call custom_wire]
        (metricsGet: inout(nvmlGpmMetricsGet_t));

    fn nvmlGpmSampleFree since 11080 [todo forward call]
        (gpmSample: val(nvmlGpmSample_t));

    fn nvmlGpmSampleAlloc since 11080 [todo forward call]
        (gpmSample: out(nvmlGpmSample_t));

    fn nvmlGpmSampleGet since 11080 [todo forward call]
        (device: val(nvmlDevice_t), gpmSample: val(nvmlGpmSample_t));

    fn nvmlGpmMigSampleGet since 12000 [todo forward call]
        (device: val(nvmlDevice_t), gpuInstanceId: val(u32), gpmSample: val(nvmlGpmSample_t));

    fn nvmlGpmQueryDeviceSupport since 11080 [todo forward call]
        (device: val(nvmlDevice_t), gpmSupport: inout(nvmlGpmSupport_t));

    fn nvmlGpmQueryIfStreamingEnabled since 12020 [todo forward call]
        (device: val(nvmlDevice_t), state: out(u32));

    fn nvmlGpmSetStreamingEnabled since 12020 [todo forward call]
        (device: val(nvmlDevice_t), state: val(u32));

}}}}
