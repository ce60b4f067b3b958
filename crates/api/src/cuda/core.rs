#[macro_export]
macro_rules! cuda_core_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuGetErrorString since 6000 [soft forward local capture]
        (error: val(CUresult), pStr: out(Ptr<u8>));

    fn cuGetErrorName since 6000 [soft forward local capture]
        (error: val(CUresult), pStr: out(Ptr<u8>));

    fn cuInit since 2000 [soft forward local capture]
        (Flags: val(u32));

    fn cuDriverGetVersion since 2020 [soft forward local capture]
        (driverVersion: out(i32));

    fn cuGetProcAddress since 11030 [soft answer local capture]
        (symbol: cstr(), pfn: out(Ptr<c_void>), cudaVersion: val(i32), flags: val(u64));

    fn cuGetProcAddress_v2 since 12000 [soft answer local capture]
        (symbol: cstr(), pfn: out(Ptr<c_void>), cudaVersion: val(i32), flags: val(u64),
         symbolStatus: out(CUdriverProcAddressQueryResult));

    fn cuGetExportTable since 3000 [soft forward local capture]
        (ppExportTable: out(Ptr<c_void>), pExportTableId: input(CUuuid));

}}}}
