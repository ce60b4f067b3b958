/// Hands the data symbols that a driver library exports for debuggers to `$cb!`, as `data NAME bytes N;`. Nothing in
/// them is ever set here: zero means that no debugger is attached.
#[macro_export]
macro_rules! cuda_data_symbols {
    ($cb:path) => {
        $cb! {
            data cudbgApiClientPid bytes 8;
            data cudbgApiClientRevision bytes 8;
            data cudbgAttachHandlerAvailable bytes 8;
            data cudbgDebuggerCapabilities bytes 8;
            data cudbgDebuggerInitialized bytes 8;
            data cudbgDetachSuspendedDevicesMask bytes 8;
            data cudbgEnableIntegratedMemcheck bytes 8;
            data cudbgEnableLaunchBlocking bytes 8;
            data cudbgEnablePreemptionDebugging bytes 8;
            data cudbgInjectionPath bytes 4096;
            data cudbgIpcFlag bytes 8;
            data cudbgReportDriverApiErrorFlags bytes 8;
            data cudbgReportedDriverApiErrorCode bytes 8;
            data cudbgReportedDriverApiErrorFuncNameAddr bytes 8;
            data cudbgReportedDriverApiErrorFuncNameSize bytes 8;
            data cudbgReportedDriverInternalErrorCode bytes 8;
            data cudbgResumeForAttachDetach bytes 8;
            data cudbgRpcEnabled bytes 8;
            data cudbgSessionId bytes 8;
            data cudbgUseExternalDebugger bytes 8;
        }
    };
}

macro_rules! names {
    ($(data $name:ident bytes $len:literal;)*) => {
        /// Names of the data symbols.
        pub static DEBUGGER_DATA: &[&str] = &[$(stringify!($name)),*];
    };
}
cuda_data_symbols!(names);
