#[macro_export]
#[doc(hidden)]
macro_rules! cuda_library_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Loads a library from memory, for all contexts.
    fn cuLibraryLoadData since 12000 [soft forward call custom_wire]
        (library: out(CUlibrary), code: raw(Ptr<c_void>), jitOptions: array(CUjit_option, numJitOptions),
         jitOptionsValues: array_out(Ptr<c_void>, numJitOptions), numJitOptions: val(u32),
         libraryOptions: array(CUlibraryOption, numLibraryOptions),
         libraryOptionValues: array(Ptr<c_void>, numLibraryOptions), numLibraryOptions: val(u32));

    /// Loads a library from a file, for all contexts.
    fn cuLibraryLoadFromFile since 12000 [soft forward call custom_wire]
        (library: out(CUlibrary), fileName: cstr(), jitOptions: array(CUjit_option, numJitOptions),
         jitOptionsValues: array_out(Ptr<c_void>, numJitOptions), numJitOptions: val(u32),
         libraryOptions: array(CUlibraryOption, numLibraryOptions),
         libraryOptionValues: array(Ptr<c_void>, numLibraryOptions), numLibraryOptions: val(u32));

    /// Unloads a library.
    fn cuLibraryUnload since 12000 [soft forward call]
        (library: val(CUlibrary));

    /// Kernel of a library by name.
    fn cuLibraryGetKernel since 12000 [soft forward call capture]
        (pKernel: out(CUkernel), library: val(CUlibrary), name: cstr());

    /// How many kernels a library has.
    fn cuLibraryGetKernelCount since 12040 [soft forward call capture]
        (count: out(u32), lib: val(CUlibrary));

    /// Kernels of a library.
    fn cuLibraryEnumerateKernels since 12040 [soft forward call capture]
        (kernels: array_out(CUkernel, numKernels), numKernels: val(u32), lib: val(CUlibrary));

    /// Module of a library in the current context.
    fn cuLibraryGetModule since 12000 [soft forward call capture]
        (pMod: out(CUmodule), library: val(CUlibrary));

    /// Function of a kernel in the current context.
    fn cuKernelGetFunction since 12000 [soft forward call capture]
        (pFunc: out(CUfunction), kernel: val(CUkernel));

    /// Library of a kernel.
    fn cuKernelGetLibrary since 12050 [soft forward call capture]
        (pLib: out(CUlibrary), kernel: val(CUkernel));

    /// Address and size of a variable of a library.
    fn cuLibraryGetGlobal since 12000 [soft forward call capture]
        (dptr: out(CUdeviceptr), bytes: out(usize), library: val(CUlibrary), name: cstr());

    /// Address and size of a managed variable of a library.
    fn cuLibraryGetManaged since 12000 [soft forward call capture]
        (dptr: out(CUdeviceptr), bytes: out(usize), library: val(CUlibrary), name: cstr());

    /// Function pointer valid on host and device.
    fn cuLibraryGetUnifiedFunction since 12000 [todo forward call capture custom_wire]
        (fptr: out(Ptr<c_void>), library: val(CUlibrary), symbol: cstr());

    /// One number about a kernel on a device.
    fn cuKernelGetAttribute since 12000 [soft forward call capture]
        (pi: out(i32), attrib: val(CUfunction_attribute), kernel: val(CUkernel), dev: val(CUdevice));

    /// Changes one property of a kernel on a device.
    fn cuKernelSetAttribute since 12000 [soft forward call capture]
        (attrib: val(CUfunction_attribute), val: val(i32), kernel: val(CUkernel), dev: val(CUdevice));

    /// Prefers a split between L1 and shared memory for a kernel.
    fn cuKernelSetCacheConfig since 12000 [soft forward call capture]
        (kernel: val(CUkernel), config: val(CUfunc_cache), dev: val(CUdevice));

    /// Name of a kernel.
    fn cuKernelGetName since 12030 [soft forward call capture custom_wire]
        (name: out(Ptr<u8>), hfunc: val(CUkernel));

    /// Place and size of a kernel's parameter.
    fn cuKernelGetParamInfo since 12040 [soft forward call capture]
        (kernel: val(CUkernel), paramIndex: val(usize), paramOffset: out(usize), paramSize: out(usize));

    /// How many parameters a kernel has.
    fn cuKernelGetParamCount since 13020 [soft forward call capture]
        (kernel: val(CUkernel), paramCount: out(usize));

}}}}
