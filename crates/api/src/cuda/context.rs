#[macro_export]
macro_rules! cuda_context_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuDevicePrimaryCtxRetain since 7000 [soft charge call capture]
        (pctx: out(CUcontext), dev: val(CUdevice));

    fn cuDevicePrimaryCtxRelease since 7000 [soft release call]
        (dev: val(CUdevice));

    fn cuDevicePrimaryCtxRelease_v2 since 11000 [soft release call]
        (dev: val(CUdevice));

    fn cuDevicePrimaryCtxSetFlags since 7000 [soft forward call]
        (dev: val(CUdevice), flags: val(u32));

    fn cuDevicePrimaryCtxSetFlags_v2 since 11000 [soft forward call]
        (dev: val(CUdevice), flags: val(u32));

    fn cuDevicePrimaryCtxGetState since 7000 [soft forward call capture]
        (dev: val(CUdevice), flags: out(u32), active: out(i32));

    fn cuDevicePrimaryCtxReset since 7000 [soft release call]
        (dev: val(CUdevice));

    fn cuDevicePrimaryCtxReset_v2 since 11000 [soft release call]
        (dev: val(CUdevice));

    fn cuCtxCreate since 2000 [soft charge call]
        (pctx: out(CUcontext), flags: val(u32), dev: val(CUdevice));

    fn cuCtxCreate_v2 since 3020 [soft charge call]
        (pctx: out(CUcontext), flags: val(u32), dev: val(CUdevice));

    fn cuCtxCreate_v3 since 11040 [soft charge call]
        (pctx: out(CUcontext), paramsArray: array(CUexecAffinityParam, numParams), numParams: val(i32),
         flags: val(u32), dev: val(CUdevice));

    fn cuCtxCreate_v4 since 12050 [soft charge call custom_wire]
        (pctx: out(CUcontext), ctxCreateParams: input(CUctxCreateParams), flags: val(u32), dev: val(CUdevice));

    fn cuCtxDestroy since 2000 [soft release call]
        (ctx: val(CUcontext));

    fn cuCtxDestroy_v2 since 4000 [soft release call]
        (ctx: val(CUcontext));

    fn cuCtxPushCurrent since 2000 [soft forward local capture]
        (ctx: val(CUcontext));

    fn cuCtxPushCurrent_v2 since 4000 [soft forward local capture]
        (ctx: val(CUcontext));

    fn cuCtxPopCurrent since 2000 [soft forward local capture]
        (pctx: out(CUcontext));

    fn cuCtxPopCurrent_v2 since 4000 [soft forward local capture]
        (pctx: out(CUcontext));

    fn cuCtxSetCurrent since 4000 [soft forward local capture]
        (ctx: val(CUcontext));

    fn cuCtxGetCurrent since 4000 [soft forward local capture]
        (pctx: out(CUcontext));

    fn cuCtxGetDevice since 2000 [soft forward call capture]
        (device: out(CUdevice));

    fn cuCtxGetDevice_v2 since 13000 [soft forward call capture]
        (device: out(CUdevice), ctx: val(CUcontext));

    fn cuCtxGetFlags since 7000 [soft forward call capture]
        (flags: out(u32));

    fn cuCtxSetFlags since 12010 [soft forward call capture]
        (flags: val(u32));

    fn cuCtxGetId since 12000 [soft forward call capture]
        (ctx: val(CUcontext), ctxId: out(u64));

    fn cuCtxSynchronize since 2000 [soft forward call]
        ();

    fn cuCtxSynchronize_v2 since 13000 [soft forward call]
        (ctx: val(CUcontext));

    fn cuCtxSetLimit since 3010 [soft forward call]
        (limit: val(CUlimit), value: val(usize));

    fn cuCtxGetLimit since 3010 [soft forward call capture]
        (pvalue: out(usize), limit: val(CUlimit));

    fn cuCtxGetCacheConfig since 3020 [soft forward call capture]
        (pconfig: out(CUfunc_cache));

    fn cuCtxSetCacheConfig since 3020 [soft forward call capture]
        (config: val(CUfunc_cache));

    fn cuCtxGetApiVersion since 3020 [soft forward call capture]
        (ctx: val(CUcontext), version: out(u32));

    fn cuCtxGetStreamPriorityRange since 5050 [soft forward call capture]
        (leastPriority: out(i32), greatestPriority: out(i32));

    fn cuCtxResetPersistingL2Cache since 11000 [soft forward call]
        ();

    fn cuCtxGetExecAffinity since 11040 [soft forward call capture]
        (pExecAffinity: out(CUexecAffinityParam), type_: val(CUexecAffinityType));

    fn cuCtxRecordEvent since 12050 [todo forward submit capture]
        (hCtx: val(CUcontext), hEvent: val(CUevent));

    fn cuCtxWaitEvent since 12050 [todo forward submit capture]
        (hCtx: val(CUcontext), hEvent: val(CUevent));

    fn cuCtxAttach since 2000 [soft forward call]
        (pctx: out(CUcontext), flags: val(u32));

    fn cuCtxDetach since 2000 [soft release call]
        (ctx: val(CUcontext));

    fn cuCtxGetSharedMemConfig since 4020 [soft forward call capture]
        (pConfig: out(CUsharedconfig));

    fn cuCtxSetSharedMemConfig since 4020 [soft forward call capture]
        (config: val(CUsharedconfig));

}}}}
