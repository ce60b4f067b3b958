#[macro_export]
#[doc(hidden)]
macro_rules! nvml_system_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Initialises the library; fails if any GPU is unreachable.
    fn nvmlInit since 11070 [soft answer call]
        ();

    /// Initialises the library.
    fn nvmlInit_v2 since 11070 [soft answer call]
        ();

    /// Initialises the library, with flags.
    fn nvmlInitWithFlags since 11070 [soft answer call]
        (flags: val(u32));

    /// Gives one initialisation back.
    fn nvmlShutdown since 11070 [soft forward call]
        ();

    /// Meaning of a result code, as text.
    fn nvmlErrorString since 11070 [soft forward local]
        (result: val(nvmlReturn_t)) -> Ptr<u8>;

    /// Version of the driver, as text.
    fn nvmlSystemGetDriverVersion since 11070 [soft forward call]
        (version: bytes_mut(length), length: val(u32));

    /// Version of this library, as text.
    fn nvmlSystemGetNVMLVersion since 11070 [soft forward call]
        (version: bytes_mut(length), length: val(u32));

    /// CUDA version of the driver; guesses if libcuda is missing.
    fn nvmlSystemGetCudaDriverVersion since 11070 [soft forward call]
        (cudaDriverVersion: out(i32));

    /// CUDA version of the driver.
    fn nvmlSystemGetCudaDriverVersion_v2 since 11070 [soft forward call]
        (cudaDriverVersion: out(i32));

    /// Name of a process.
    fn nvmlSystemGetProcessName since 11070 [soft answer call]
        (pid: val(u32), name: bytes_mut(length), length: val(u32));

    /// Versions of host interface cards.
    fn nvmlSystemGetHicVersion since 11070 [soft forward call]
        (hwbcCount: inout(u32), hwbcEntries: array_out(nvmlHwbcEntry_t, hwbcCount));

    /// Devices near a CPU.
    fn nvmlSystemGetTopologyGpuSet since 11070 [soft answer call]
        (cpuNumber: val(u32), count: inout(u32), deviceArray: array_out(nvmlDevice_t, count));

    /// Branch of the driver.
    fn nvmlSystemGetDriverBranch since 12060 [soft forward call]
        (branchInfo: inout(nvmlSystemDriverBranchInfo_t), length: val(u32));

    /// Error records of the platform.
    fn nvmlSystemGetCPER_v1 since 13030 [absent forward call custom_wire]
        (cper: inout(nvmlGetCPER_v1_t));

    /// How many devices the driver leaves out.
    fn nvmlGetExcludedDeviceCount since 11070 [soft forward call]
        (deviceCount: out(u32));

    /// A device the driver leaves out.
    fn nvmlGetExcludedDeviceInfoByIndex since 11070 [soft forward call]
        (index: val(u32), info: out(nvmlExcludedDeviceInfo_t));

    /// How many devices the driver leaves out, under its old name.
    fn nvmlGetBlacklistDeviceCount since 11070 [soft forward call]
        (deviceCount: out(u32));

    /// A device the driver leaves out, under its old name.
    fn nvmlGetBlacklistDeviceInfoByIndex since 11070 [soft forward call]
        (index: val(u32), info: out(nvmlExcludedDeviceInfo_t));

    /// Private function table with the given id.
    fn nvmlInternalGetExportTable since 11070 [soft answer local]
        (ppExportTable: out(Ptr<c_void>), pExportTableId: input([u8; 16]));

}}}}
