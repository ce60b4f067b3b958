#[macro_export]
macro_rules! cuda_launch_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuLaunchKernel since 4000 [todo pace gr stream(hStream) submit capture custom_wire]
        (f: val(CUfunction), gridDimX: val(u32), gridDimY: val(u32), gridDimZ: val(u32), blockDimX: val(u32),
         blockDimY: val(u32), blockDimZ: val(u32), sharedMemBytes: val(u32), hStream: val(CUstream),
         kernelParams: raw(Ptr<Ptr<c_void>>), extra: raw(Ptr<Ptr<c_void>>));

    fn cuLaunchKernel_ptsz since 7000 [todo pace gr stream(hStream) submit capture custom_wire]
        (f: val(CUfunction), gridDimX: val(u32), gridDimY: val(u32), gridDimZ: val(u32), blockDimX: val(u32),
         blockDimY: val(u32), blockDimZ: val(u32), sharedMemBytes: val(u32), hStream: val(CUstream),
         kernelParams: raw(Ptr<Ptr<c_void>>), extra: raw(Ptr<Ptr<c_void>>));

    fn cuLaunchKernelEx since 11060 [todo pace gr submit capture custom_wire]
        (config: input(CUlaunchConfig), f: val(CUfunction), kernelParams: raw(Ptr<Ptr<c_void>>),
         extra: raw(Ptr<Ptr<c_void>>));

    fn cuLaunchKernelEx_ptsz since 11060 [todo pace gr submit capture custom_wire]
        (config: input(CUlaunchConfig), f: val(CUfunction), kernelParams: raw(Ptr<Ptr<c_void>>),
         extra: raw(Ptr<Ptr<c_void>>));

    fn cuLaunchCooperativeKernel since 9000 [todo pace gr stream(hStream) submit capture custom_wire]
        (f: val(CUfunction), gridDimX: val(u32), gridDimY: val(u32), gridDimZ: val(u32), blockDimX: val(u32),
         blockDimY: val(u32), blockDimZ: val(u32), sharedMemBytes: val(u32), hStream: val(CUstream),
         kernelParams: raw(Ptr<Ptr<c_void>>));

    fn cuLaunchCooperativeKernel_ptsz since 9000 [todo pace gr stream(hStream) submit capture custom_wire]
        (f: val(CUfunction), gridDimX: val(u32), gridDimY: val(u32), gridDimZ: val(u32), blockDimX: val(u32),
         blockDimY: val(u32), blockDimZ: val(u32), sharedMemBytes: val(u32), hStream: val(CUstream),
         kernelParams: raw(Ptr<Ptr<c_void>>));

    fn cuLaunchHostFunc since 10000 [todo forward stream(hStream) submit capture custom_wire]
        (hStream: val(CUstream), func: val(CUhostFn), userData: raw(Ptr<c_void>));

    fn cuLaunchHostFunc_ptsz since 10000 [todo forward stream(hStream) submit capture custom_wire]
        (hStream: val(CUstream), func: val(CUhostFn), userData: raw(Ptr<c_void>));

    fn cuLaunchHostFunc_v2 since 13010 [todo forward stream(hStream) submit capture custom_wire]
        (hStream: val(CUstream), func: val(CUhostFn), userData: raw(Ptr<c_void>), syncMode: val(u32));

    fn cuLaunchHostFunc_v2_ptsz since 13010 [todo forward stream(hStream) submit capture custom_wire]
        (hStream: val(CUstream), func: val(CUhostFn), userData: raw(Ptr<c_void>), syncMode: val(u32));

    fn cuLaunch since 2000 [todo pace gr submit]
        (f: val(CUfunction));

    fn cuLaunchGrid since 2000 [todo pace gr submit]
        (f: val(CUfunction), grid_width: val(i32), grid_height: val(i32));

    fn cuLaunchGridAsync since 2000 [todo pace gr stream(hStream) submit capture]
        (f: val(CUfunction), grid_width: val(i32), grid_height: val(i32), hStream: val(CUstream));

    fn cuLaunchCooperativeKernelMultiDevice since 9000 [todo pace gr call custom_wire]
        (launchParamsList: array(CUDA_LAUNCH_PARAMS, numDevices), numDevices: val(u32), flags: val(u32));

}}}}
