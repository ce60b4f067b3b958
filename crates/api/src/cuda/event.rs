#[macro_export]
#[doc(hidden)]
macro_rules! cuda_event_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Makes an event shareable with other processes.
    fn cuIpcGetEventHandle since 4010 [soft forward call capture]
        (pHandle: out(CUipcEventHandle), event: val(CUevent));

    /// Opens an event of another process.
    fn cuIpcOpenEventHandle since 4010 [soft forward call]
        (phEvent: out(CUevent), handle: val(CUipcEventHandle));

    /// Creates an event.
    fn cuEventCreate since 2000 [soft forward call capture]
        (phEvent: out(CUevent), Flags: val(u32));

    /// Records a stream's work so far in an event.
    fn cuEventRecord since 2000 [soft forward stream(hStream) submit capture]
        (hEvent: val(CUevent), hStream: val(CUstream));

    /// Records a stream's work so far in an event. Default stream: per thread.
    fn cuEventRecord_ptsz since 7000 [soft forward stream(hStream) submit capture]
        (hEvent: val(CUevent), hStream: val(CUstream));

    /// Records a stream's work so far in an event, with flags.
    fn cuEventRecordWithFlags since 11010 [soft forward stream(hStream) submit capture]
        (hEvent: val(CUevent), hStream: val(CUstream), flags: val(u32));

    /// Records a stream's work so far in an event, with flags. Default stream: per thread.
    fn cuEventRecordWithFlags_ptsz since 11010 [soft forward stream(hStream) submit capture]
        (hEvent: val(CUevent), hStream: val(CUstream), flags: val(u32));

    /// Whether an event has happened.
    fn cuEventQuery since 2000 [soft forward call]
        (hEvent: val(CUevent));

    /// Waits for an event.
    fn cuEventSynchronize since 2000 [soft release call]
        (hEvent: val(CUevent));

    /// Destroys an event.
    fn cuEventDestroy since 2000 [soft forward submit capture]
        (hEvent: val(CUevent));

    /// Destroys an event.
    fn cuEventDestroy_v2 since 4000 [soft forward submit capture]
        (hEvent: val(CUevent));

    /// Milliseconds between two events.
    fn cuEventElapsedTime since 2000 [soft forward call capture]
        (pMilliseconds: out(f32), hStart: val(CUevent), hEnd: val(CUevent));

    /// Milliseconds between two events.
    fn cuEventElapsedTime_v2 since 12080 [soft forward call capture]
        (pMilliseconds: out(f32), hStart: val(CUevent), hEnd: val(CUevent));

}}}}
