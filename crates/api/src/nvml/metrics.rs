#[macro_export]
#[doc(hidden)]
macro_rules! nvml_metrics_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Recent samples of one measurement.
    fn nvmlDeviceGetSamples since 11070 [soft answer call]
        (device: val(nvmlDevice_t), type_: val(nvmlSamplingType_t), lastSeenTimeStamp: val(u64),
         sampleValType: out(nvmlValueType_t), sampleCount: inout(u32), samples: array_out(nvmlSample_t, sampleCount));

    /// Recent samples of the power controllers.
    fn nvmlDevicePerfMetricsGetSamples_v1 since 13040 [absent forward call]
        (device: val(nvmlDevice_t), samples: out(nvmlPerfMetricsSamples_v1_t));

    /// Several measurements at once.
    fn nvmlDeviceGetFieldValues since 11070 [soft forward call]
        (device: val(nvmlDevice_t), valuesCount: val(i32), values: array_out(nvmlFieldValue_t, valuesCount));

    /// Sets several measurements to zero.
    fn nvmlDeviceClearFieldValues since 12000 [absent forward call]
        (device: val(nvmlDevice_t), valuesCount: val(i32), values: array_out(nvmlFieldValue_t, valuesCount));

    /// Reads or writes a device register by its access protocol.
    fn nvmlDeviceReadWritePRM_v1 since 13000 [absent forward call]
        (device: val(nvmlDevice_t), buffer: inout(nvmlPRMTLV_v1_t));

    /// Reads several counters by their access protocol.
    fn nvmlDeviceReadPRMCounters_v1 since 13010 [absent forward call custom_wire]
        (device: val(nvmlDevice_t), counterList: inout(nvmlPRMCounterList_v1_t));

    /// Measurements between two samples.
    fn nvmlGpmMetricsGet since 11080 [absent forward call custom_wire]
        (metricsGet: raw(Ptr<nvmlGpmMetricsGet_t>));

    /// Frees a sample.
    fn nvmlGpmSampleFree since 11080 [absent forward call]
        (gpmSample: val(nvmlGpmSample_t));

    /// Allocates a sample.
    fn nvmlGpmSampleAlloc since 11080 [absent forward call]
        (gpmSample: out(nvmlGpmSample_t));

    /// Takes a sample of a device.
    fn nvmlGpmSampleGet since 11080 [absent forward call]
        (device: val(nvmlDevice_t), gpmSample: val(nvmlGpmSample_t));

    /// Takes a sample of a MIG instance.
    fn nvmlGpmMigSampleGet since 12000 [absent forward call]
        (device: val(nvmlDevice_t), gpuInstanceId: val(u32), gpmSample: val(nvmlGpmSample_t));

    /// Whether a device has these measurements.
    fn nvmlGpmQueryDeviceSupport since 11080 [soft forward call]
        (device: val(nvmlDevice_t), gpmSupport: inout(nvmlGpmSupport_t));

    /// Whether measurements run all the time.
    fn nvmlGpmQueryIfStreamingEnabled since 12020 [absent forward call]
        (device: val(nvmlDevice_t), state: out(u32));

    /// Whether measurements shall run all the time.
    fn nvmlGpmSetStreamingEnabled since 12020 [absent forward call]
        (device: val(nvmlDevice_t), state: val(u32));

}}}}
