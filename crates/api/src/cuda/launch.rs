#[macro_export]
#[doc(hidden)]
macro_rules! cuda_launch_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Launches a grid.
    fn cuLaunchKernel since 4000 [soft pace gr stream(hStream) submit capture custom_wire]
        (f: val(CUfunction), gridDimX: val(u32), gridDimY: val(u32), gridDimZ: val(u32), blockDimX: val(u32),
         blockDimY: val(u32), blockDimZ: val(u32), sharedMemBytes: val(u32), hStream: val(CUstream),
         kernelParams: raw(Ptr<Ptr<c_void>>), extra: raw(Ptr<Ptr<c_void>>));

    /// Launches a grid. Default stream: per thread.
    fn cuLaunchKernel_ptsz since 7000 [soft pace gr stream(hStream) submit capture custom_wire]
        (f: val(CUfunction), gridDimX: val(u32), gridDimY: val(u32), gridDimZ: val(u32), blockDimX: val(u32),
         blockDimY: val(u32), blockDimZ: val(u32), sharedMemBytes: val(u32), hStream: val(CUstream),
         kernelParams: raw(Ptr<Ptr<c_void>>), extra: raw(Ptr<Ptr<c_void>>));

    /// Launches a grid with attributes.
    fn cuLaunchKernelEx since 11060 [soft pace gr stream(config) submit capture custom_wire]
        (config: input(CUlaunchConfig), f: val(CUfunction), kernelParams: raw(Ptr<Ptr<c_void>>),
         extra: raw(Ptr<Ptr<c_void>>));

    /// Launches a grid with attributes. Default stream: per thread.
    fn cuLaunchKernelEx_ptsz since 11060 [soft pace gr stream(config) submit capture custom_wire]
        (config: input(CUlaunchConfig), f: val(CUfunction), kernelParams: raw(Ptr<Ptr<c_void>>),
         extra: raw(Ptr<Ptr<c_void>>));

    /// Launches a grid whose blocks may wait for each other.
    fn cuLaunchCooperativeKernel since 9000 [soft pace gr stream(hStream) submit capture custom_wire]
        (f: val(CUfunction), gridDimX: val(u32), gridDimY: val(u32), gridDimZ: val(u32), blockDimX: val(u32),
         blockDimY: val(u32), blockDimZ: val(u32), sharedMemBytes: val(u32), hStream: val(CUstream),
         kernelParams: raw(Ptr<Ptr<c_void>>));

    /// Launches a grid whose blocks may wait for each other. Default stream: per thread.
    fn cuLaunchCooperativeKernel_ptsz since 9000 [soft pace gr stream(hStream) submit capture custom_wire]
        (f: val(CUfunction), gridDimX: val(u32), gridDimY: val(u32), gridDimZ: val(u32), blockDimX: val(u32),
         blockDimY: val(u32), blockDimZ: val(u32), sharedMemBytes: val(u32), hStream: val(CUstream),
         kernelParams: raw(Ptr<Ptr<c_void>>));

    /// Calls a host function in stream order.
    fn cuLaunchHostFunc since 10000 [soft forward stream(hStream) submit capture custom_wire]
        (hStream: val(CUstream), func: val(CUhostFn), userData: raw(Ptr<c_void>));

    /// Calls a host function in stream order. Default stream: per thread.
    fn cuLaunchHostFunc_ptsz since 10000 [soft forward stream(hStream) submit capture custom_wire]
        (hStream: val(CUstream), func: val(CUhostFn), userData: raw(Ptr<c_void>));

    /// Calls a host function in stream order, with a choice of how it synchronises.
    fn cuLaunchHostFunc_v2 since 13010 [soft forward stream(hStream) submit capture custom_wire]
        (hStream: val(CUstream), func: val(CUhostFn), userData: raw(Ptr<c_void>), syncMode: val(u32));

    /// Calls a host function in stream order, with a choice of how it synchronises. Default stream: per thread.
    fn cuLaunchHostFunc_v2_ptsz since 13010 [soft forward stream(hStream) submit capture custom_wire]
        (hStream: val(CUstream), func: val(CUhostFn), userData: raw(Ptr<c_void>), syncMode: val(u32));

    /// Launches one block, the old way.
    fn cuLaunch since 2000 [soft pace gr submit]
        (f: val(CUfunction));

    /// Launches a grid, the old way.
    fn cuLaunchGrid since 2000 [soft pace gr submit]
        (f: val(CUfunction), grid_width: val(i32), grid_height: val(i32));

    /// Launches a grid on a stream, the old way.
    fn cuLaunchGridAsync since 2000 [soft pace gr stream(hStream) submit capture]
        (f: val(CUfunction), grid_width: val(i32), grid_height: val(i32), hStream: val(CUstream));

    /// Launches one cooperative grid over several devices.
    fn cuLaunchCooperativeKernelMultiDevice since 9000 [todo pace gr stream(launchParamsList) call custom_wire]
        (launchParamsList: array(CUDA_LAUNCH_PARAMS, numDevices), numDevices: val(u32), flags: val(u32));

}}}}
