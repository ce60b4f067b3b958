#[macro_export]
#[doc(hidden)]
macro_rules! cuda_green_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Creates a context on part of a device.
    fn cuGreenCtxCreate since 12040 [todo charge call]
        (phCtx: out(CUgreenCtx), desc: val(CUdevResourceDesc), dev: val(CUdevice), flags: val(u32));

    /// Destroys a green context.
    fn cuGreenCtxDestroy since 12040 [todo release call]
        (hCtx: val(CUgreenCtx));

    /// The context that stands for a green context.
    fn cuCtxFromGreenCtx since 12040 [todo forward call capture]
        (pContext: out(CUcontext), hCtx: val(CUgreenCtx));

    /// Resources of a device.
    fn cuDeviceGetDevResource since 12040 [todo forward call capture custom_wire]
        (device: val(CUdevice), resource: out(CUdevResource), type_: val(CUdevResourceType));

    /// Resources of a context.
    fn cuCtxGetDevResource since 12040 [todo forward call capture custom_wire]
        (hCtx: val(CUcontext), resource: out(CUdevResource), type_: val(CUdevResourceType));

    /// Resources of a green context.
    fn cuGreenCtxGetDevResource since 12040 [todo forward call capture custom_wire]
        (hCtx: val(CUgreenCtx), resource: out(CUdevResource), type_: val(CUdevResourceType));

    /// Splits multiprocessors into equal groups.
    fn cuDevSmResourceSplitByCount since 12040 [todo forward call capture custom_wire]
        (result: array_out(CUdevResource, nbGroups), nbGroups: inout(u32), input: input(CUdevResource),
         remainder: out(CUdevResource), flags: val(u32), minCount: val(u32));

    /// Splits multiprocessors into groups of given sizes.
    fn cuDevSmResourceSplit since 13010 [todo forward call capture custom_wire]
        (result: array_out(CUdevResource, nbGroups), nbGroups: val(u32), input: input(CUdevResource),
         remainder: out(CUdevResource), flags: val(u32),
         groupParams: array_out(CU_DEV_SM_RESOURCE_GROUP_PARAMS, nbGroups));

    /// Combines resources into what a green context is made of.
    fn cuDevResourceGenerateDesc since 12040 [todo forward call capture custom_wire]
        (phDesc: out(CUdevResourceDesc), resources: array(CUdevResource, nbResources), nbResources: val(u32));

    /// Records the work of a green context in an event.
    fn cuGreenCtxRecordEvent since 12040 [todo forward submit capture]
        (hCtx: val(CUgreenCtx), hEvent: val(CUevent));

    /// Makes later work of a green context wait for an event.
    fn cuGreenCtxWaitEvent since 12040 [todo forward submit capture]
        (hCtx: val(CUgreenCtx), hEvent: val(CUevent));

    /// Green context of a stream.
    fn cuStreamGetGreenCtx since 12040 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), phCtx: out(CUgreenCtx));

    /// Creates a stream on a green context.
    fn cuGreenCtxStreamCreate since 12050 [todo forward call capture]
        (phStream: out(CUstream), greenCtx: val(CUgreenCtx), flags: val(u32), priority: val(i32));

    /// Number that names a green context for as long as the process lives.
    fn cuGreenCtxGetId since 12090 [todo forward call capture]
        (greenCtx: val(CUgreenCtx), greenCtxId: out(u64));

    /// Resources a stream runs on.
    fn cuStreamGetDevResource since 13010 [todo forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), resource: out(CUdevResource), type_: val(CUdevResourceType));

    /// Resources a stream runs on. Default stream: per thread.
    fn cuStreamGetDevResource_ptsz since 13010 [todo forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), resource: out(CUdevResource), type_: val(CUdevResourceType));

}}}}
