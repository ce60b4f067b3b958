#[macro_export]
#[doc(hidden)]
macro_rules! nvml_event_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Creates an empty set of events.
    fn nvmlEventSetCreate since 11070 [soft forward call]
        (set: out(nvmlEventSet_t));

    /// Adds events of a device to a set.
    fn nvmlDeviceRegisterEvents since 11070 [soft forward call]
        (device: val(nvmlDevice_t), eventTypes: val(u64), set: val(nvmlEventSet_t));

    /// Events a device can report.
    fn nvmlDeviceGetSupportedEventTypes since 11070 [soft forward call]
        (device: val(nvmlDevice_t), eventTypes: out(u64));

    /// Waits for an event of a set.
    fn nvmlEventSetWait since 11070 [soft forward call]
        (set: val(nvmlEventSet_t), data: out(nvmlEventData_t), timeoutms: val(u32));

    /// Waits for an event of a set.
    fn nvmlEventSetWait_v2 since 11070 [soft forward call]
        (set: val(nvmlEventSet_t), data: out(nvmlEventData_t), timeoutms: val(u32));

    /// Waits for an event of a set, with its context.
    fn nvmlEventSetWait_v3 since 13040 [todo forward call]
        (set: val(nvmlEventSet_t), params: inout(nvmlEventSetWait_v3_t));

    /// Adds operational events to a set.
    fn nvmlEventSetRegisterGpuOperationalEvents_v1 since 13040 [todo forward call]
        (eventSet: val(nvmlEventSet_t), config: input(nvmlGpuOperationalEventConfig_v1_t));

    /// How many pieces of context an event has.
    fn nvmlEventSetGetContextCount_v1 since 13040 [todo forward call]
        (set: val(nvmlEventSet_t), params: out(nvmlEventSetGetContextCount_v1_t));

    /// Kind and size of a piece of an event's context.
    fn nvmlEventSetGetContextInfo_v1 since 13040 [todo forward call]
        (set: val(nvmlEventSet_t), params: inout(nvmlEventSetGetContextInfo_v1_t));

    /// A piece of an event's context.
    fn nvmlEventSetGetContextData_v1 since 13040 [todo forward call custom_wire]
        (set: val(nvmlEventSet_t), params: inout(nvmlEventSetGetContextData_v1_t));

    /// Old error number of an operational event.
    fn nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1 since 13040 [todo forward call]
        (set: val(nvmlEventSet_t), params: inout(nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1_t));

    /// Frees a set of events.
    fn nvmlEventSetFree since 11070 [soft forward call]
        (set: val(nvmlEventSet_t));

    /// Creates an empty set of system events.
    fn nvmlSystemEventSetCreate since 12090 [todo forward call]
        (request: inout(nvmlSystemEventSetCreateRequest_t));

    /// Frees a set of system events.
    fn nvmlSystemEventSetFree since 12090 [todo forward call]
        (request: inout(nvmlSystemEventSetFreeRequest_t));

    /// Adds system events to a set.
    fn nvmlSystemRegisterEvents since 12090 [todo forward call]
        (request: input(nvmlSystemRegisterEventRequest_t));

    /// Waits for system events of a set.
    fn nvmlSystemEventSetWait since 12090 [todo forward call custom_wire]
        (request: inout(nvmlSystemEventSetWaitRequest_t));

}}}}
