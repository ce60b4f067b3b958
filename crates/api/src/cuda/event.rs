#[macro_export]
macro_rules! cuda_event_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuIpcGetEventHandle since 4010 [todo forward call]
        (pHandle: out(CUipcEventHandle), event: val(CUevent));

    fn cuIpcOpenEventHandle since 4010 [todo forward call]
        (phEvent: out(CUevent), handle: val(CUipcEventHandle));

    fn cuEventCreate since 2000 [todo forward call capture]
        (phEvent: out(CUevent), Flags: val(u32));

    fn cuEventRecord since 2000 [todo forward stream(hStream) submit capture]
        (hEvent: val(CUevent), hStream: val(CUstream));

    fn cuEventRecord_ptsz since 7000 [todo forward stream(hStream) submit capture]
        (hEvent: val(CUevent), hStream: val(CUstream));

    fn cuEventRecordWithFlags since 11010 [todo forward stream(hStream) submit capture]
        (hEvent: val(CUevent), hStream: val(CUstream), flags: val(u32));

    fn cuEventRecordWithFlags_ptsz since 11010 [todo forward stream(hStream) submit capture]
        (hEvent: val(CUevent), hStream: val(CUstream), flags: val(u32));

    fn cuEventQuery since 2000 [todo forward call]
        (hEvent: val(CUevent));

    fn cuEventSynchronize since 2000 [todo forward call]
        (hEvent: val(CUevent));

    fn cuEventDestroy since 2000 [todo forward submit capture]
        (hEvent: val(CUevent));

    fn cuEventDestroy_v2 since 4000 [todo forward submit capture]
        (hEvent: val(CUevent));

    fn cuEventElapsedTime since 2000 [todo forward call capture]
        (pMilliseconds: out(f32), hStart: val(CUevent), hEnd: val(CUevent));

    fn cuEventElapsedTime_v2 since 12080 [todo forward call capture]
        (pMilliseconds: out(f32), hStart: val(CUevent), hEnd: val(CUevent));

}}}}
