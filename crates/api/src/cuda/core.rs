#[macro_export]
#[doc(hidden)]
macro_rules! cuda_core_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Meaning of a result code, as text.
    fn cuGetErrorString since 6000 [soft forward local capture]
        (error: val(CUresult), pStr: out(Ptr<u8>));

    /// Identifier of a result code, as text.
    fn cuGetErrorName since 6000 [soft forward local capture]
        (error: val(CUresult), pStr: out(Ptr<u8>));

    /// Initialises the driver; first call of every program.
    fn cuInit since 2000 [soft answer call capture]
        (Flags: val(u32));

    /// Newest CUDA version the driver supports.
    fn cuDriverGetVersion since 2020 [soft forward local capture]
        (driverVersion: out(i32));

    /// Address of a driver function by name and version.
    fn cuGetProcAddress since 11030 [soft answer local capture]
        (symbol: cstr(), pfn: out(Ptr<c_void>), cudaVersion: val(i32), flags: val(u64));

    /// Address of a driver function by name and version, and why there is none.
    fn cuGetProcAddress_v2 since 12000 [soft answer local capture]
        (symbol: cstr(), pfn: out(Ptr<c_void>), cudaVersion: val(i32), flags: val(u64),
         symbolStatus: out(CUdriverProcAddressQueryResult));

    /// Private function table with the given id.
    fn cuGetExportTable since 3000 [soft forward local capture]
        (ppExportTable: out(Ptr<c_void>), pExportTableId: input(CUuuid));

}}}}
