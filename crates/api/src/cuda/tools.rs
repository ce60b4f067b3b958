#[macro_export]
#[doc(hidden)]
macro_rules! cuda_tools_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// A core dump setting of the current context.
    fn cuCoredumpGetAttribute since 12010 [todo forward call capture]
        (attrib: val(CUcoredumpSettings), value: bytes_mut(size), size: inout(usize));

    /// A core dump setting of the process.
    fn cuCoredumpGetAttributeGlobal since 12010 [todo forward call capture]
        (attrib: val(CUcoredumpSettings), value: bytes_mut(size), size: inout(usize));

    /// Changes a core dump setting of the current context.
    fn cuCoredumpSetAttribute since 12010 [todo forward call capture]
        (attrib: val(CUcoredumpSettings), value: bytes(size), size: input(usize));

    /// Changes a core dump setting of the process.
    fn cuCoredumpSetAttributeGlobal since 12010 [todo forward call capture]
        (attrib: val(CUcoredumpSettings), value: bytes(size), size: input(usize));

    /// Asks to be told when a core dump begins.
    fn cuCoredumpRegisterStartCallback since 13020 [todo forward call capture custom_wire]
        (callback: val(CUcoredumpStatusCallback), userData: raw(Ptr<c_void>),
         callbackOut: out(CUcoredumpCallbackHandle));

    /// Asks to be told when a core dump is finished.
    fn cuCoredumpRegisterCompleteCallback since 13020 [todo forward call capture custom_wire]
        (callback: val(CUcoredumpStatusCallback), userData: raw(Ptr<c_void>),
         callbackOut: out(CUcoredumpCallbackHandle));

    /// Ends a subscription to beginning core dumps.
    fn cuCoredumpDeregisterStartCallback since 13020 [todo forward call capture]
        (callback: val(CUcoredumpCallbackHandle));

    /// Ends a subscription to finished core dumps.
    fn cuCoredumpDeregisterCompleteCallback since 13020 [todo forward call capture]
        (callback: val(CUcoredumpCallbackHandle));

    /// Asks to be told about each log line.
    fn cuLogsRegisterCallback since 12090 [todo forward local capture]
        (callbackFunc: val(CUlogsCallback), userData: raw(Ptr<c_void>), callback_out: out(CUlogsCallbackHandle));

    /// Ends a subscription to log lines.
    fn cuLogsUnregisterCallback since 12090 [todo forward local capture]
        (callback: val(CUlogsCallbackHandle));

    /// Place in the driver's log where it ends now.
    fn cuLogsCurrent since 12090 [todo forward local capture]
        (iterator_out: out(CUlogIterator), flags: val(u32));

    /// Writes the driver's log since a place to a file.
    fn cuLogsDumpToFile since 12090 [todo forward local capture]
        (iterator: inout(CUlogIterator), pathToFile: cstr(), flags: val(u32));

    /// Writes the driver's log since a place to memory.
    fn cuLogsDumpToMemory since 12090 [todo forward local capture]
        (iterator: inout(CUlogIterator), buffer: bytes_mut(size), size: inout(usize), flags: val(u32));

    /// Thread of a process that must run for its restore.
    fn cuCheckpointProcessGetRestoreThreadId since 12080 [todo forward call capture]
        (pid: val(i32), tid: out(i32));

    /// Checkpoint state of a process.
    fn cuCheckpointProcessGetState since 12080 [todo forward call capture]
        (pid: val(i32), state: out(CUprocessState));

    /// Stops a process's CUDA calls before a checkpoint.
    fn cuCheckpointProcessLock since 12080 [todo forward call]
        (pid: val(i32), args: input(CUcheckpointLockArgs));

    /// Moves a process's device state to host memory and frees the device.
    fn cuCheckpointProcessCheckpoint since 12080 [todo forward call custom_wire]
        (pid: val(i32), args: input(CUcheckpointCheckpointArgs));

    /// Moves a checkpointed process back to devices.
    fn cuCheckpointProcessRestore since 12080 [todo forward call custom_wire]
        (pid: val(i32), args: input(CUcheckpointRestoreArgs));

    /// Says that a custom part of a checkpoint is done.
    fn cuCheckpointOperationComplete since 13040 [todo forward call]
        (handle: val(CUcheckpointOperationHandle));

    /// Lets a process's CUDA calls go on.
    fn cuCheckpointProcessUnlock since 12080 [todo forward call]
        (pid: val(i32), args: input(CUcheckpointUnlockArgs));

    /// Old profiler set-up; does nothing useful today.
    fn cuProfilerInitialize since 4000 [todo forward local capture]
        (configFile: cstr(), outputFile: cstr(), outputMode: val(CUoutput_mode));

    /// Begins what a profiler shall record.
    fn cuProfilerStart since 4000 [soft forward local capture]
        ();

    /// Ends what a profiler shall record.
    fn cuProfilerStop since 4000 [soft forward local capture]
        ();

}}}}
