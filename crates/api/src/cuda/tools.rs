#[macro_export]
macro_rules! cuda_tools_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuCoredumpGetAttribute since 12010 [todo forward call]
        (attrib: val(CUcoredumpSettings), value: bytes_mut(size), size: inout(usize));

    fn cuCoredumpGetAttributeGlobal since 12010 [todo forward call]
        (attrib: val(CUcoredumpSettings), value: bytes_mut(size), size: inout(usize));

    fn cuCoredumpSetAttribute since 12010 [todo forward call]
        (attrib: val(CUcoredumpSettings), value: bytes(size), size: input(usize));

    fn cuCoredumpSetAttributeGlobal since 12010 [todo forward call]
        (attrib: val(CUcoredumpSettings), value: bytes(size), size: input(usize));

    fn cuCoredumpRegisterStartCallback since 13020 [todo forward call custom_wire]
        (callback: val(CUcoredumpStatusCallback), userData: raw(Ptr<c_void>),
         callbackOut: out(CUcoredumpCallbackHandle));

    fn cuCoredumpRegisterCompleteCallback since 13020 [todo forward call custom_wire]
        (callback: val(CUcoredumpStatusCallback), userData: raw(Ptr<c_void>),
         callbackOut: out(CUcoredumpCallbackHandle));

    fn cuCoredumpDeregisterStartCallback since 13020 [todo forward call]
        (callback: val(CUcoredumpCallbackHandle));

    fn cuCoredumpDeregisterCompleteCallback since 13020 [todo forward call]
        (callback: val(CUcoredumpCallbackHandle));

    fn cuLogsRegisterCallback since 12090 [todo forward local capture]
        (callbackFunc: val(CUlogsCallback), userData: raw(Ptr<c_void>), callback_out: out(CUlogsCallbackHandle));

    fn cuLogsUnregisterCallback since 12090 [todo forward local capture]
        (callback: val(CUlogsCallbackHandle));

    fn cuLogsCurrent since 12090 [todo forward local capture]
        (iterator_out: out(CUlogIterator), flags: val(u32));

    fn cuLogsDumpToFile since 12090 [todo forward local capture]
        (iterator: inout(CUlogIterator), pathToFile: cstr(), flags: val(u32));

    fn cuLogsDumpToMemory since 12090 [todo forward local capture]
        (iterator: inout(CUlogIterator), buffer: bytes_mut(size), size: inout(usize), flags: val(u32));

    fn cuCheckpointProcessGetRestoreThreadId since 12080 [todo forward call]
        (pid: val(i32), tid: out(i32));

    fn cuCheckpointProcessGetState since 12080 [todo forward call]
        (pid: val(i32), state: out(CUprocessState));

    fn cuCheckpointProcessLock since 12080 [todo forward call]
        (pid: val(i32), args: input(CUcheckpointLockArgs));

    fn cuCheckpointProcessCheckpoint since 12080 [todo release call custom_wire]
        (pid: val(i32), args: input(CUcheckpointCheckpointArgs));

    fn cuCheckpointProcessRestore since 12080 [todo charge call custom_wire]
        (pid: val(i32), args: input(CUcheckpointRestoreArgs));

    fn cuCheckpointOperationComplete since 13040 [todo forward call]
        (handle: val(CUcheckpointOperationHandle));

    fn cuCheckpointProcessUnlock since 12080 [todo forward call]
        (pid: val(i32), args: input(CUcheckpointUnlockArgs));

    fn cuProfilerInitialize since 4000 [todo forward local]
        (configFile: cstr(), outputFile: cstr(), outputMode: val(CUoutput_mode));

    fn cuProfilerStart since 4000 [todo forward local]
        ();

    fn cuProfilerStop since 4000 [todo forward local]
        ();

}}}}
