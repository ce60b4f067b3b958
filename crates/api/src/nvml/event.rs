#[macro_export]
macro_rules! nvml_event_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn nvmlEventSetCreate since 11070 [todo forward call]
        (set: out(nvmlEventSet_t));

    fn nvmlDeviceRegisterEvents since 11070 [todo forward call]
        (device: val(nvmlDevice_t), eventTypes: val(u64), set: val(nvmlEventSet_t));

    fn nvmlDeviceGetSupportedEventTypes since 11070 [todo forward call]
        (device: val(nvmlDevice_t), eventTypes: out(u64));

    fn nvmlEventSetWait since 11070 [todo forward call]
        (set: val(nvmlEventSet_t), data: out(nvmlEventData_t), timeoutms: val(u32));

    fn nvmlEventSetWait_v2 since 11070 [todo forward call]
        (set: val(nvmlEventSet_t), data: out(nvmlEventData_t), timeoutms: val(u32));

    fn nvmlEventSetWait_v3 since 13040 [todo forward call]
        (set: val(nvmlEventSet_t), params: out(nvmlEventSetWait_v3_t));

    fn nvmlEventSetRegisterGpuOperationalEvents_v1 since 13040 [todo forward call]
        (eventSet: val(nvmlEventSet_t), config: input(nvmlGpuOperationalEventConfig_v1_t));

    fn nvmlEventSetGetContextCount_v1 since 13040 [todo forward call]
        (set: val(nvmlEventSet_t), params: out(nvmlEventSetGetContextCount_v1_t));

    fn nvmlEventSetGetContextInfo_v1 since 13040 [todo forward call]
        (set: val(nvmlEventSet_t), params: out(nvmlEventSetGetContextInfo_v1_t));

    fn nvmlEventSetGetContextData_v1 since 13040 [todo forward call custom_wire]
        (set: val(nvmlEventSet_t), params: out(nvmlEventSetGetContextData_v1_t));

    fn nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1 since 13040 [todo forward call]
        (set: val(nvmlEventSet_t), params: out(nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1_t));

    fn nvmlEventSetFree since 11070 [todo forward call]
        (set: val(nvmlEventSet_t));

    fn nvmlSystemEventSetCreate since 12090 [todo forward call]
        (request: inout(nvmlSystemEventSetCreateRequest_t));

    fn nvmlSystemEventSetFree since 12090 [todo forward call]
        (request: inout(nvmlSystemEventSetFreeRequest_t));

    fn nvmlSystemRegisterEvents since 12090 [todo forward call]
        (request: input(nvmlSystemRegisterEventRequest_t));

    fn nvmlSystemEventSetWait since 12090 [todo forward call custom_wire]
        (request: inout(nvmlSystemEventSetWaitRequest_t));

}}}}
