#[macro_export]
#[doc(hidden)]
macro_rules! cuda_debugger_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Debugger: called when a debugger attaches to the running process.
    fn cudbgApiAttach since 0 [todo forward local]
        ();

    /// Debugger: called when a debugger detaches.
    fn cudbgApiDetach since 0 [todo forward local]
        ();

    /// Debugger: prepares the debug engine for a kind of client.
    fn cudbgApiInit since 0 [todo forward local]
        (apiClientType: val(u32));

    /// Debugger: the table of debug functions of a given version.
    fn cudbgGetAPI since 0 [todo forward local]
        (major: val(u32), minor: val(u32), rev: val(u32), api: out(Ptr<c_void>));

    /// Debugger: the version of the debug functions.
    fn cudbgGetAPIVersion since 0 [todo forward local]
        (major: out(u32), minor: out(u32), rev: out(u32));

    /// Debugger: entry point of the debug engine.
    fn cudbgMain since 0 [todo forward local]
        (apiClientPid: val(i32), apiClientRevision: val(u32), sessionId: val(i32), attachState: val(i32),
         attachEventInitialized: val(i32), writeFd: val(i32), detachFd: val(i32), attachStubInUse: val(i32),
         enablePreemptionDebugging: val(i32));

    /// Debugger: a place to stop at when an API call fails.
    fn cudbgReportDriverApiError since 0 [todo forward local]
        ();

    /// Debugger: a place to stop at when the driver fails inside.
    fn cudbgReportDriverInternalError since 0 [todo forward local]
        ();

}}}}
