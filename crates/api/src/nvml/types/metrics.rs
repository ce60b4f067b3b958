use super::*;

c_structs! {
    struct nvmlSample_t size 16 {
        0 timeStamp: u64,
        8 sampleValue: nvmlValue_t,
    }
    struct nvmlPwrModelMetricsDlppm1xPerf_t size 4 {
        0 perfms: u32,
    }
    struct nvmlPerfMetricsDlppc2xSample_t size 1624 {
        0 observedMetrics: nvmlObservedMetrics_t,
    }
    struct nvmlPwrModelMetricsSamplePfpp1x_t size 68 {
        0 freqkHz: [u32; 16],
        64 estTgpPwrmW: u32,
    }
    struct nvmlPerfMetricsPfpp1xSample_t size 2204 {
        0 estimatedMetrics: nvmlPwrModelMetricsPfpp1x_t,
    }
    struct nvmlPerfMetricControllerSample_t size 2216 {
        0 controllerType: u32,
        8 data: Union<[u64; 276]>,
    }
    struct nvmlPerfMetricsSample_t size 8872 {
        0 numControllerData: u8,
        8 controllerData: [nvmlPerfMetricControllerSample_t; 4],
    }
    struct nvmlPerfMetricsSamples_v1_t size 115344 {
        0 numSamples: u32,
        8 samples: [nvmlPerfMetricsSample_t; 13],
    }
    struct nvmlDevicePerfModes_t size 2052 {
        0 version: u32,
        4 str: [u8; 2048],
    }
    struct nvmlProcessUtilizationSample_t size 32 {
        0 pid: u32,
        8 timeStamp: u64,
        16 smUtil: u32,
        20 memUtil: u32,
        24 encUtil: u32,
        28 decUtil: u32,
    }
    struct nvmlFieldValue_t size 40 {
        0 fieldId: u32,
        4 scopeId: u32,
        8 timestamp: i64,
        16 latencyUsec: i64,
        24 valueType: nvmlValueType_t,
        28 nvmlReturn: nvmlReturn_t,
        32 value: nvmlValue_t,
    }
    struct nvmlPRMTLV_v1_t size 504 {
        0 dataSize: u32,
        4 status: u32,
        8 inData: Union<[u8; 496]>,
    }
    struct nvmlPRMCounterInput_v1_t size 4 {
        0 localPort: u32,
    }
    struct nvmlPRMCounterValue_v1_t size 16 {
        0 status: nvmlReturn_t,
        4 outputType: nvmlValueType_t,
        8 outputValue: nvmlValue_t,
    }
    struct nvmlPRMCounter_v1_t size 24 {
        0 counterId: u32,
        4 inData: nvmlPRMCounterInput_v1_t,
        8 counterValue: nvmlPRMCounterValue_v1_t,
    }
    struct nvmlPRMCounterList_v1_t size 16 {
        0 numCounters: u32,
        8 counters: Ptr<nvmlPRMCounter_v1_t>,
    }
    struct nvmlGpmMetric_t_metricInfo size 24 {
        0 shortName: Ptr<u8>,
        8 longName: Ptr<u8>,
        16 unit: Ptr<u8>,
    }
    struct nvmlGpmMetric_t size 40 {
        0 metricId: u32,
        4 nvmlReturn: nvmlReturn_t,
        8 value: f64,
        16 metricInfo: nvmlGpmMetric_t_metricInfo,
    }
    struct nvmlGpmMetricsGet_t size 19104 {
        0 version: u32,
        4 numMetrics: u32,
        8 sample1: nvmlGpmSample_t,
        16 sample2: nvmlGpmSample_t,
        24 metrics: [nvmlGpmMetric_t; 477],
    }
    struct nvmlGpmSupport_t size 8 {
        0 version: u32,
        4 isSupportedDevice: u32,
    }
}

pub type nvmlDevicePerfModes_v1_t = nvmlDevicePerfModes_t;
