#[macro_export]
macro_rules! nvml_system_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn nvmlInit since 11070 [todo forward call]
        ();

    fn nvmlInit_v2 since 11070 [todo forward call]
        ();

    fn nvmlInitWithFlags since 11070 [todo forward call]
        (flags: val(u32));

    fn nvmlShutdown since 11070 [todo forward call]
        ();

    fn nvmlErrorString since 11070 [todo forward local]
        (result: val(nvmlReturn_t)) -> Ptr<u8>;

    fn nvmlSystemGetDriverVersion since 11070 [todo forward call]
        (version: bytes_mut(length), length: val(u32));

    fn nvmlSystemGetNVMLVersion since 11070 [todo forward call]
        (version: bytes_mut(length), length: val(u32));

    fn nvmlSystemGetCudaDriverVersion since 11070 [todo forward call]
        (cudaDriverVersion: out(i32));

    fn nvmlSystemGetCudaDriverVersion_v2 since 11070 [todo forward call]
        (cudaDriverVersion: out(i32));

    fn nvmlSystemGetProcessName since 11070 [todo answer call]
        (pid: val(u32), name: bytes_mut(length), length: val(u32));

    fn nvmlSystemGetHicVersion since 11070 [todo forward call]
        (hwbcCount: inout(u32), hwbcEntries: array_out(nvmlHwbcEntry_t, hwbcCount));

    fn nvmlSystemGetTopologyGpuSet since 11070 [todo forward call]
        (cpuNumber: val(u32), count: inout(u32), deviceArray: array_out(nvmlDevice_t, count));

    fn nvmlSystemGetDriverBranch since 12060 [todo forward call]
        (branchInfo: inout(nvmlSystemDriverBranchInfo_t), length: val(u32));

    fn nvmlSystemGetCPER_v1 since 13030 [todo forward call custom_wire]
        (cper: out(nvmlGetCPER_v1_t));

    fn nvmlGetExcludedDeviceCount since 11070 [todo forward call]
        (deviceCount: out(u32));

    fn nvmlGetExcludedDeviceInfoByIndex since 11070 [todo forward call]
        (index: val(u32), info: out(nvmlExcludedDeviceInfo_t));

    fn nvmlGetBlacklistDeviceCount since 11070 [todo forward call]
        (deviceCount: out(u32));

    fn nvmlGetBlacklistDeviceInfoByIndex since 11070 [todo forward call]
        (index: val(u32), info: out(nvmlExcludedDeviceInfo_t));

    fn nvmlInternalGetExportTable since 11070 [todo answer local]
        (ppExportTable: out(Ptr<c_void>), pExportTableId: input([u8; 16]));

}}}}
