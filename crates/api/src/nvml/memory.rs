#[macro_export]
#[doc(hidden)]
macro_rules! nvml_memory_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Whether memory waits for repair.
    fn nvmlDeviceGetRepairStatus since 13000 [absent forward call]
        (device: val(nvmlDevice_t), repairStatus: inout(nvmlRepairStatus_t));

    /// Whether memory is beyond repair.
    fn nvmlDeviceGetUnrepairableMemoryFlag_v1 since 13010 [absent forward call]
        (device: val(nvmlDevice_t), unrepairableMemoryStatus: out(nvmlUnrepairableMemoryStatus_v1_t));

    /// Total, free and used memory.
    fn nvmlDeviceGetMemoryInfo since 11070 [soft answer call]
        (device: val(nvmlDevice_t), memory: out(nvmlMemory_t));

    /// Total, reserved, free and used memory.
    fn nvmlDeviceGetMemoryInfo_v2 since 11070 [soft answer call]
        (device: val(nvmlDevice_t), memory: inout(nvmlMemory_v2_t));

    /// Changes limits on device memory.
    fn nvmlDeviceSetMemoryLimits_v1 since 13040 [todo forward call custom_wire]
        (device: val(nvmlDevice_t), limits: input(nvmlSetMemoryLimits_v1_t));

    /// Limits on device memory.
    fn nvmlDeviceGetMemoryLimits_v1 since 13040 [todo forward call custom_wire]
        (device: val(nvmlDevice_t), limits: inout(nvmlGetMemoryLimits_v1_t));

    /// Whether memory is encrypted, now and after a reboot.
    fn nvmlDeviceGetDramEncryptionMode since 12080 [absent forward call]
        (device: val(nvmlDevice_t), current: inout(nvmlDramEncryptionInfo_t), pending: inout(nvmlDramEncryptionInfo_t));

    /// Whether memory shall be encrypted.
    fn nvmlDeviceSetDramEncryptionMode since 12080 [absent forward call]
        (device: val(nvmlDevice_t), dramEncryption: input(nvmlDramEncryptionInfo_t));

    /// Whether ECC is on, now and after a reboot.
    fn nvmlDeviceGetEccMode since 11070 [absent forward call]
        (device: val(nvmlDevice_t), current: out(nvmlEnableState_t), pending: out(nvmlEnableState_t));

    /// Whether ECC is on by default.
    fn nvmlDeviceGetDefaultEccMode since 11070 [absent forward call]
        (device: val(nvmlDevice_t), defaultMode: out(nvmlEnableState_t));

    /// All ECC errors of a kind.
    fn nvmlDeviceGetTotalEccErrors since 11070 [absent forward call]
        (device: val(nvmlDevice_t), errorType: val(nvmlMemoryErrorType_t), counterType: val(nvmlEccCounterType_t),
         eccCounts: out(u64));

    /// ECC errors by place.
    fn nvmlDeviceGetDetailedEccErrors since 11070 [absent forward call]
        (device: val(nvmlDevice_t), errorType: val(nvmlMemoryErrorType_t), counterType: val(nvmlEccCounterType_t),
         eccCounts: out(nvmlEccErrorCounts_t));

    /// ECC errors of a kind at a place.
    fn nvmlDeviceGetMemoryErrorCounter since 11070 [absent forward call]
        (device: val(nvmlDevice_t), errorType: val(nvmlMemoryErrorType_t), counterType: val(nvmlEccCounterType_t),
         locationType: val(nvmlMemoryLocation_t), count: out(u64));

    /// Total, free and used window to device memory.
    fn nvmlDeviceGetBAR1MemoryInfo since 11070 [absent forward call]
        (device: val(nvmlDevice_t), bar1Memory: out(nvmlBAR1Memory_t));

    /// ECC errors of on-chip memory.
    fn nvmlDeviceGetSramEccErrorStatus since 12020 [absent forward call]
        (device: val(nvmlDevice_t), status: inout(nvmlEccSramErrorStatus_t));

    /// Memory pages taken out of use.
    fn nvmlDeviceGetRetiredPages since 11070 [absent forward call]
        (device: val(nvmlDevice_t), cause: val(nvmlPageRetirementCause_t), pageCount: inout(u32),
         addresses: array_out(u64, pageCount));

    /// Memory pages taken out of use, and when.
    fn nvmlDeviceGetRetiredPages_v2 since 11070 [absent forward call]
        (device: val(nvmlDevice_t), cause: val(nvmlPageRetirementCause_t), pageCount: inout(u32),
         addresses: array_out(u64, pageCount), timestamps: array_out(u64, pageCount));

    /// Whether pages wait for a reboot to be taken out.
    fn nvmlDeviceGetRetiredPagesPendingStatus since 11070 [absent forward call]
        (device: val(nvmlDevice_t), isPending: out(nvmlEnableState_t));

    /// How many memory rows were remapped.
    fn nvmlDeviceGetRemappedRows since 11070 [absent forward call]
        (device: val(nvmlDevice_t), corrRows: out(u32), uncRows: out(u32), isPending: out(u32),
         failureOccurred: out(u32));

    /// How many memory rows were remapped, in a versioned struct.
    fn nvmlDeviceGetRemappedRows_v2 since 13020 [absent forward call]
        (device: val(nvmlDevice_t), info: out(nvmlRemappedRowsInfo_v2_t));

    /// How many banks still have spare rows.
    fn nvmlDeviceGetRowRemapperHistogram since 11070 [absent forward call]
        (device: val(nvmlDevice_t), values: out(nvmlRowRemapperHistogramValues_t));

    /// Whether ECC shall be on after a reboot.
    fn nvmlDeviceSetEccMode since 11070 [absent forward call]
        (device: val(nvmlDevice_t), ecc: val(nvmlEnableState_t));

    /// Sets ECC errors to zero.
    fn nvmlDeviceClearEccErrorCounts since 11070 [absent forward call]
        (device: val(nvmlDevice_t), counterType: val(nvmlEccCounterType_t));

    /// Distinct uncorrected errors of on-chip memory.
    fn nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts since 13000 [absent forward call custom_wire]
        (device: val(nvmlDevice_t), errorCounts: inout(nvmlEccSramUniqueUncorrectedErrorCounts_t));

    /// How many memory banks were remapped.
    fn nvmlDeviceGetBankRemapperStatus_v1 since 13040 [absent forward call]
        (device: val(nvmlDevice_t), pBankRemapperStatus: out(nvmlEccBankRemapperStatus_v1_t));

}}}}
