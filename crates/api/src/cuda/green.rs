#[macro_export]
macro_rules! cuda_green_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuGreenCtxCreate since 12040 [todo charge call]
        (phCtx: out(CUgreenCtx), desc: val(CUdevResourceDesc), dev: val(CUdevice), flags: val(u32));

    fn cuGreenCtxDestroy since 12040 [todo release call]
        (hCtx: val(CUgreenCtx));

    fn cuCtxFromGreenCtx since 12040 [todo forward call capture]
        (pContext: out(CUcontext), hCtx: val(CUgreenCtx));

    fn cuDeviceGetDevResource since 12040 [todo forward call capture custom_wire]
        (device: val(CUdevice), resource: out(CUdevResource), type_: val(CUdevResourceType));

    fn cuCtxGetDevResource since 12040 [todo forward call capture custom_wire]
        (hCtx: val(CUcontext), resource: out(CUdevResource), type_: val(CUdevResourceType));

    fn cuGreenCtxGetDevResource since 12040 [todo forward call capture custom_wire]
        (hCtx: val(CUgreenCtx), resource: out(CUdevResource), type_: val(CUdevResourceType));

    fn cuDevSmResourceSplitByCount since 12040 [todo forward call capture custom_wire]
        (result: array_out(CUdevResource, nbGroups), nbGroups: inout(u32), input: input(CUdevResource),
         remainder: out(CUdevResource), flags: val(u32), minCount: val(u32));

    fn cuDevSmResourceSplit since 13010 [todo forward call capture custom_wire]
        (result: array_out(CUdevResource, nbGroups), nbGroups: val(u32), input: input(CUdevResource),
         remainder: out(CUdevResource), flags: val(u32),
         groupParams: array_out(CU_DEV_SM_RESOURCE_GROUP_PARAMS, nbGroups));

    fn cuDevResourceGenerateDesc since 12040 [todo forward call capture custom_wire]
        (phDesc: out(CUdevResourceDesc), resources: array(CUdevResource, nbResources), nbResources: val(u32));

    fn cuGreenCtxRecordEvent since 12040 [todo forward submit capture]
        (hCtx: val(CUgreenCtx), hEvent: val(CUevent));

    fn cuGreenCtxWaitEvent since 12040 [todo forward submit capture]
        (hCtx: val(CUgreenCtx), hEvent: val(CUevent));

    fn cuStreamGetGreenCtx since 12040 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), phCtx: out(CUgreenCtx));

    fn cuGreenCtxStreamCreate since 12050 [todo forward call capture]
        (phStream: out(CUstream), greenCtx: val(CUgreenCtx), flags: val(u32), priority: val(i32));

    fn cuGreenCtxGetId since 12090 [todo forward call capture]
        (greenCtx: val(CUgreenCtx), greenCtxId: out(u64));

    fn cuStreamGetDevResource since 13010 [todo forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), resource: out(CUdevResource), type_: val(CUdevResourceType));

    fn cuStreamGetDevResource_ptsz since 13010 [todo forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), resource: out(CUdevResource), type_: val(CUdevResourceType));

}}}}
