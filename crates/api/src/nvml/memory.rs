#[macro_export]
macro_rules! nvml_memory_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn nvmlDeviceGetRepairStatus since 13000 [todo forward call]
        (device: val(nvmlDevice_t), repairStatus: inout(nvmlRepairStatus_t));

    fn nvmlDeviceGetUnrepairableMemoryFlag_v1 since 13010 [todo forward call]
        (device: val(nvmlDevice_t), unrepairableMemoryStatus: out(nvmlUnrepairableMemoryStatus_v1_t));

    fn nvmlDeviceGetMemoryInfo since 11070 [todo answer call]
        (device: val(nvmlDevice_t), memory: out(nvmlMemory_t));

    fn nvmlDeviceGetMemoryInfo_v2 since 11070 [todo answer call]
        (device: val(nvmlDevice_t), memory: inout(nvmlMemory_v2_t));

    fn nvmlDeviceSetMemoryLimits_v1 since 13040 [todo forward call custom_wire]
        (device: val(nvmlDevice_t), limits: input(nvmlSetMemoryLimits_v1_t));

    fn nvmlDeviceGetMemoryLimits_v1 since 13040 [todo answer call custom_wire]
        (device: val(nvmlDevice_t), limits: out(nvmlGetMemoryLimits_v1_t));

    fn nvmlDeviceGetDramEncryptionMode since 12080 [todo forward call]
        (device: val(nvmlDevice_t), current: inout(nvmlDramEncryptionInfo_t), pending: inout(nvmlDramEncryptionInfo_t));

    fn nvmlDeviceSetDramEncryptionMode since 12080 [todo forward call]
        (device: val(nvmlDevice_t), dramEncryption: input(nvmlDramEncryptionInfo_t));

    fn nvmlDeviceGetEccMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), current: out(nvmlEnableState_t), pending: out(nvmlEnableState_t));

    fn nvmlDeviceGetDefaultEccMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), defaultMode: out(nvmlEnableState_t));

    fn nvmlDeviceGetTotalEccErrors since 11070 [todo forward call]
        (device: val(nvmlDevice_t), errorType: val(nvmlMemoryErrorType_t), counterType: val(nvmlEccCounterType_t),
         eccCounts: out(u64));

    fn nvmlDeviceGetDetailedEccErrors since 11070 [todo forward call]
        (device: val(nvmlDevice_t), errorType: val(nvmlMemoryErrorType_t), counterType: val(nvmlEccCounterType_t),
         eccCounts: out(nvmlEccErrorCounts_t));

    fn nvmlDeviceGetMemoryErrorCounter since 11070 [todo forward call]
        (device: val(nvmlDevice_t), errorType: val(nvmlMemoryErrorType_t), counterType: val(nvmlEccCounterType_t),
         locationType: val(nvmlMemoryLocation_t), count: out(u64));

    fn nvmlDeviceGetBAR1MemoryInfo since 11070 [todo forward call]
        (device: val(nvmlDevice_t), bar1Memory: out(nvmlBAR1Memory_t));

    fn nvmlDeviceGetSramEccErrorStatus since 12020 [todo forward call]
        (device: val(nvmlDevice_t), status: inout(nvmlEccSramErrorStatus_t));

    fn nvmlDeviceGetRetiredPages since 11070 [todo forward call]
        (device: val(nvmlDevice_t), cause: val(nvmlPageRetirementCause_t), pageCount: inout(u32),
         addresses: array_out(u64, pageCount));

    fn nvmlDeviceGetRetiredPages_v2 since 11070 [todo forward call]
        (device: val(nvmlDevice_t), cause: val(nvmlPageRetirementCause_t), pageCount: inout(u32),
         addresses: array_out(u64, pageCount), timestamps: array_out(u64, pageCount));

    fn nvmlDeviceGetRetiredPagesPendingStatus since 11070 [todo forward call]
        (device: val(nvmlDevice_t), isPending: out(nvmlEnableState_t));

    fn nvmlDeviceGetRemappedRows since 11070 [todo forward call]
        (device: val(nvmlDevice_t), corrRows: out(u32), uncRows: out(u32), isPending: out(u32),
         failureOccurred: out(u32));

    fn nvmlDeviceGetRemappedRows_v2 since 13020 [todo forward call]
        (device: val(nvmlDevice_t), info: out(nvmlRemappedRowsInfo_v2_t));

    fn nvmlDeviceGetRowRemapperHistogram since 11070 [todo forward call]
        (device: val(nvmlDevice_t), values: out(nvmlRowRemapperHistogramValues_t));

    fn nvmlDeviceSetEccMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), ecc: val(nvmlEnableState_t));

    fn nvmlDeviceClearEccErrorCounts since 11070 [todo forward call]
        (device: val(nvmlDevice_t), counterType: val(nvmlEccCounterType_t));

    fn nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts since 13000 [todo forward call custom_wire]
        (device: val(nvmlDevice_t), errorCounts: inout(nvmlEccSramUniqueUncorrectedErrorCounts_t));

    fn nvmlDeviceGetBankRemapperStatus_v1 since 13040 [todo forward call]
        (device: val(nvmlDevice_t), pBankRemapperStatus: out(nvmlEccBankRemapperStatus_v1_t));

}}}}
