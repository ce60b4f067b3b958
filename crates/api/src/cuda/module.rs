#[macro_export]
#[doc(hidden)]
macro_rules! cuda_module_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Loads a module from a file.
    fn cuModuleLoad since 2000 [soft forward call custom_wire]
        (module: out(CUmodule), fname: cstr());

    /// Loads a module from memory.
    fn cuModuleLoadData since 2000 [soft forward call custom_wire]
        (module: out(CUmodule), image: raw(Ptr<c_void>));

    /// Loads a module from memory, with compiler options.
    fn cuModuleLoadDataEx since 2010 [soft forward call custom_wire]
        (module: out(CUmodule), image: raw(Ptr<c_void>), numOptions: val(u32),
         options: array(CUjit_option, numOptions), optionValues: array_out(Ptr<c_void>, numOptions));

    /// Loads the fitting image of a fat binary.
    fn cuModuleLoadFatBinary since 2000 [soft forward call custom_wire]
        (module: out(CUmodule), fatCubin: raw(Ptr<c_void>));

    /// Unloads a module.
    fn cuModuleUnload since 2000 [soft forward call]
        (hmod: val(CUmodule));

    /// Whether functions load when first used.
    fn cuModuleGetLoadingMode since 11070 [soft forward local capture]
        (mode: out(CUmoduleLoadingMode));

    /// Function of a module by name.
    fn cuModuleGetFunction since 2000 [soft forward call capture]
        (hfunc: out(CUfunction), hmod: val(CUmodule), name: cstr());

    /// How many functions a module has.
    fn cuModuleGetFunctionCount since 12040 [soft forward call capture]
        (count: out(u32), module: val(CUmodule));

    /// Functions of a module.
    fn cuModuleEnumerateFunctions since 12040 [soft forward call capture]
        (functions: array_out(CUfunction, numFunctions), numFunctions: val(u32), module: val(CUmodule));

    /// Address and size of a variable of a module. 32-bit sizes and addresses.
    fn cuModuleGetGlobal since 2000 [todo forward call capture]
        (dptr: out(CUdeviceptr_v1), bytes: out(u32), hmod: val(CUmodule), name: cstr());

    /// Address and size of a variable of a module.
    fn cuModuleGetGlobal_v2 since 3020 [soft forward call capture]
        (dptr: out(CUdeviceptr), bytes: out(usize), hmod: val(CUmodule), name: cstr());

    /// Begins a link.
    fn cuLinkCreate since 5050 [soft forward call custom_wire]
        (numOptions: val(u32), options: array(CUjit_option, numOptions),
         optionValues: array_out(Ptr<c_void>, numOptions), stateOut: out(CUlinkState));

    /// Begins a link.
    fn cuLinkCreate_v2 since 6050 [soft forward call custom_wire]
        (numOptions: val(u32), options: array(CUjit_option, numOptions),
         optionValues: array_out(Ptr<c_void>, numOptions), stateOut: out(CUlinkState));

    /// Adds an image in memory to a link.
    fn cuLinkAddData since 5050 [soft forward call custom_wire]
        (state: val(CUlinkState), type_: val(CUjitInputType), data: bytes(size), size: val(usize), name: cstr(),
         numOptions: val(u32), options: array(CUjit_option, numOptions),
         optionValues: array_out(Ptr<c_void>, numOptions));

    /// Adds an image in memory to a link.
    fn cuLinkAddData_v2 since 6050 [soft forward call custom_wire]
        (state: val(CUlinkState), type_: val(CUjitInputType), data: bytes(size), size: val(usize), name: cstr(),
         numOptions: val(u32), options: array(CUjit_option, numOptions),
         optionValues: array_out(Ptr<c_void>, numOptions));

    /// Adds a file to a link.
    fn cuLinkAddFile since 5050 [soft forward call custom_wire]
        (state: val(CUlinkState), type_: val(CUjitInputType), path: cstr(), numOptions: val(u32),
         options: array(CUjit_option, numOptions), optionValues: array_out(Ptr<c_void>, numOptions));

    /// Adds a file to a link.
    fn cuLinkAddFile_v2 since 6050 [soft forward call custom_wire]
        (state: val(CUlinkState), type_: val(CUjitInputType), path: cstr(), numOptions: val(u32),
         options: array(CUjit_option, numOptions), optionValues: array_out(Ptr<c_void>, numOptions));

    /// Finishes a link and gives the cubin.
    fn cuLinkComplete since 5050 [soft forward call custom_wire]
        (state: val(CUlinkState), cubinOut: out(Ptr<c_void>), sizeOut: out(usize));

    /// Frees a link and its cubin.
    fn cuLinkDestroy since 5050 [soft forward call]
        (state: val(CUlinkState));

    /// Texture reference of a module by name.
    fn cuModuleGetTexRef since 2000 [todo forward call capture]
        (pTexRef: out(CUtexref), hmod: val(CUmodule), name: cstr());

    /// Surface reference of a module by name.
    fn cuModuleGetSurfRef since 3000 [todo forward call capture]
        (pSurfRef: out(CUsurfref), hmod: val(CUmodule), name: cstr());

}}}}
