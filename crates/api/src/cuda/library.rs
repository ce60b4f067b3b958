#[macro_export]
macro_rules! cuda_library_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuLibraryLoadData since 12000 [todo forward call custom_wire]
        (library: out(CUlibrary), code: raw(Ptr<c_void>), jitOptions: array(CUjit_option, numJitOptions),
         jitOptionsValues: array_out(Ptr<c_void>, numJitOptions), numJitOptions: val(u32),
         libraryOptions: array(CUlibraryOption, numLibraryOptions),
         libraryOptionValues: array(Ptr<c_void>, numLibraryOptions), numLibraryOptions: val(u32));

    fn cuLibraryLoadFromFile since 12000 [todo forward call custom_wire]
        (library: out(CUlibrary), fileName: cstr(), jitOptions: array(CUjit_option, numJitOptions),
         jitOptionsValues: array_out(Ptr<c_void>, numJitOptions), numJitOptions: val(u32),
         libraryOptions: array(CUlibraryOption, numLibraryOptions),
         libraryOptionValues: array(Ptr<c_void>, numLibraryOptions), numLibraryOptions: val(u32));

    fn cuLibraryUnload since 12000 [todo forward call]
        (library: val(CUlibrary));

    fn cuLibraryGetKernel since 12000 [todo forward call capture]
        (pKernel: out(CUkernel), library: val(CUlibrary), name: cstr());

    fn cuLibraryGetKernelCount since 12040 [todo forward call capture]
        (count: out(u32), lib: val(CUlibrary));

    fn cuLibraryEnumerateKernels since 12040 [todo forward call capture]
        (kernels: array_out(CUkernel, numKernels), numKernels: val(u32), lib: val(CUlibrary));

    fn cuLibraryGetModule since 12000 [todo forward call capture]
        (pMod: out(CUmodule), library: val(CUlibrary));

    fn cuKernelGetFunction since 12000 [todo forward call capture]
        (pFunc: out(CUfunction), kernel: val(CUkernel));

    fn cuKernelGetLibrary since 12050 [todo forward call capture]
        (pLib: out(CUlibrary), kernel: val(CUkernel));

    fn cuLibraryGetGlobal since 12000 [todo forward call capture]
        (dptr: out(CUdeviceptr), bytes: out(usize), library: val(CUlibrary), name: cstr());

    fn cuLibraryGetManaged since 12000 [todo forward call capture]
        (dptr: out(CUdeviceptr), bytes: out(usize), library: val(CUlibrary), name: cstr());

    fn cuLibraryGetUnifiedFunction since 12000 [todo forward call capture custom_wire]
        (fptr: out(Ptr<c_void>), library: val(CUlibrary), symbol: cstr());

    fn cuKernelGetAttribute since 12000 [todo forward call capture]
        (pi: out(i32), attrib: val(CUfunction_attribute), kernel: val(CUkernel), dev: val(CUdevice));

    fn cuKernelSetAttribute since 12000 [todo forward call capture]
        (attrib: val(CUfunction_attribute), val: val(i32), kernel: val(CUkernel), dev: val(CUdevice));

    fn cuKernelSetCacheConfig since 12000 [todo forward call capture]
        (kernel: val(CUkernel), config: val(CUfunc_cache), dev: val(CUdevice));

    fn cuKernelGetName since 12030 [todo forward call capture custom_wire]
        (name: out(Ptr<u8>), hfunc: val(CUkernel));

    fn cuKernelGetParamInfo since 12040 [todo forward call capture]
        (kernel: val(CUkernel), paramIndex: val(usize), paramOffset: out(usize), paramSize: out(usize));

    fn cuKernelGetParamCount since 13020 [todo forward call capture]
        (kernel: val(CUkernel), paramCount: out(usize));

}}}}
