#[macro_export]
#[doc(hidden)]
macro_rules! cuda_context_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Takes a reference to the primary context; creates it first if need be.
    fn cuDevicePrimaryCtxRetain since 7000 [soft charge call capture]
        (pctx: out(CUcontext), dev: val(CUdevice));

    /// Gives a reference to the primary context back.
    fn cuDevicePrimaryCtxRelease since 7000 [soft release call]
        (dev: val(CUdevice));

    /// Gives a reference to the primary context back.
    fn cuDevicePrimaryCtxRelease_v2 since 11000 [soft release call]
        (dev: val(CUdevice));

    /// Flags for the primary context of a device.
    fn cuDevicePrimaryCtxSetFlags since 7000 [soft forward call]
        (dev: val(CUdevice), flags: val(u32));

    /// Flags for the primary context of a device.
    fn cuDevicePrimaryCtxSetFlags_v2 since 11000 [soft forward call]
        (dev: val(CUdevice), flags: val(u32));

    /// Whether the primary context of a device is active, and its flags.
    fn cuDevicePrimaryCtxGetState since 7000 [soft forward call capture]
        (dev: val(CUdevice), flags: out(u32), active: out(i32));

    /// Destroys what the primary context of a device holds.
    fn cuDevicePrimaryCtxReset since 7000 [soft release call]
        (dev: val(CUdevice));

    /// Destroys what the primary context of a device holds.
    fn cuDevicePrimaryCtxReset_v2 since 11000 [soft release call]
        (dev: val(CUdevice));

    /// Creates a context and makes it current. 32-bit sizes and addresses.
    fn cuCtxCreate since 2000 [soft charge call]
        (pctx: out(CUcontext), flags: val(u32), dev: val(CUdevice));

    /// Creates a context and makes it current.
    fn cuCtxCreate_v2 since 3020 [soft charge call]
        (pctx: out(CUcontext), flags: val(u32), dev: val(CUdevice));

    /// Creates a context with execution affinity and makes it current.
    fn cuCtxCreate_v3 since 11040 [soft charge call]
        (pctx: out(CUcontext), paramsArray: array(CUexecAffinityParam, numParams), numParams: val(i32),
         flags: val(u32), dev: val(CUdevice));

    /// Creates a context from a parameter block and makes it current.
    fn cuCtxCreate_v4 since 12050 [soft charge call custom_wire]
        (pctx: out(CUcontext), ctxCreateParams: input(CUctxCreateParams), flags: val(u32), dev: val(CUdevice));

    /// Destroys a context and all it holds.
    fn cuCtxDestroy since 2000 [soft release call]
        (ctx: val(CUcontext));

    /// Destroys a context and all it holds.
    fn cuCtxDestroy_v2 since 4000 [soft release call]
        (ctx: val(CUcontext));

    /// Puts a context on top of this thread's stack.
    fn cuCtxPushCurrent since 2000 [soft forward local capture]
        (ctx: val(CUcontext));

    /// Puts a context on top of this thread's stack.
    fn cuCtxPushCurrent_v2 since 4000 [soft forward local capture]
        (ctx: val(CUcontext));

    /// Takes the top context off this thread's stack.
    fn cuCtxPopCurrent since 2000 [soft forward local capture]
        (pctx: out(CUcontext));

    /// Takes the top context off this thread's stack.
    fn cuCtxPopCurrent_v2 since 4000 [soft forward local capture]
        (pctx: out(CUcontext));

    /// Makes a context current on this thread.
    fn cuCtxSetCurrent since 4000 [soft forward local capture]
        (ctx: val(CUcontext));

    /// Context current on this thread.
    fn cuCtxGetCurrent since 4000 [soft forward local capture]
        (pctx: out(CUcontext));

    /// Device of the current context.
    fn cuCtxGetDevice since 2000 [soft forward call capture]
        (device: out(CUdevice));

    /// Device of a context.
    fn cuCtxGetDevice_v2 since 13000 [soft forward call capture]
        (device: out(CUdevice), ctx: val(CUcontext));

    /// Flags of the current context.
    fn cuCtxGetFlags since 7000 [soft forward call capture]
        (flags: out(u32));

    /// Changes flags of the current context.
    fn cuCtxSetFlags since 12010 [soft forward call capture]
        (flags: val(u32));

    /// Number that names a context for as long as the process lives.
    fn cuCtxGetId since 12000 [soft forward call capture]
        (ctx: val(CUcontext), ctxId: out(u64));

    /// Waits for all work of the current context.
    fn cuCtxSynchronize since 2000 [soft release call]
        ();

    /// Waits for all work of a context.
    fn cuCtxSynchronize_v2 since 13000 [soft release call]
        (ctx: val(CUcontext));

    /// Changes a limit of the current context.
    fn cuCtxSetLimit since 3010 [soft forward call]
        (limit: val(CUlimit), value: val(usize));

    /// A limit of the current context.
    fn cuCtxGetLimit since 3010 [soft forward call capture]
        (pvalue: out(usize), limit: val(CUlimit));

    /// Preferred split between L1 and shared memory.
    fn cuCtxGetCacheConfig since 3020 [soft forward call capture]
        (pconfig: out(CUfunc_cache));

    /// Prefers a split between L1 and shared memory.
    fn cuCtxSetCacheConfig since 3020 [soft forward call capture]
        (config: val(CUfunc_cache));

    /// API version a context was created with.
    fn cuCtxGetApiVersion since 3020 [soft forward call capture]
        (ctx: val(CUcontext), version: out(u32));

    /// Lowest and highest priority a stream may have.
    fn cuCtxGetStreamPriorityRange since 5050 [soft forward call capture]
        (leastPriority: out(i32), greatestPriority: out(i32));

    /// Gives all persisting L2 lines back to normal use.
    fn cuCtxResetPersistingL2Cache since 11000 [soft forward call]
        ();

    /// Execution affinity of the current context.
    fn cuCtxGetExecAffinity since 11040 [soft forward call capture]
        (pExecAffinity: out(CUexecAffinityParam), type_: val(CUexecAffinityType));

    /// Records the work of all streams of a context in an event.
    fn cuCtxRecordEvent since 12050 [todo forward submit capture]
        (hCtx: val(CUcontext), hEvent: val(CUevent));

    /// Makes later work of all streams of a context wait for an event.
    fn cuCtxWaitEvent since 12050 [todo forward submit capture]
        (hCtx: val(CUcontext), hEvent: val(CUevent));

    /// Counts one more user of the current context.
    fn cuCtxAttach since 2000 [soft forward call]
        (pctx: out(CUcontext), flags: val(u32));

    /// Counts one user of a context less.
    fn cuCtxDetach since 2000 [soft release call]
        (ctx: val(CUcontext));

    /// Bank width of shared memory.
    fn cuCtxGetSharedMemConfig since 4020 [soft forward call capture]
        (pConfig: out(CUsharedconfig));

    /// Prefers a bank width of shared memory.
    fn cuCtxSetSharedMemConfig since 4020 [soft forward call capture]
        (config: val(CUsharedconfig));

}}}}
