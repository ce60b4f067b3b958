#[macro_export]
macro_rules! cuda_module_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuModuleLoad since 2000 [todo forward call]
        (module: out(CUmodule), fname: cstr());

    fn cuModuleLoadData since 2000 [todo forward call custom_wire]
        (module: out(CUmodule), image: raw(Ptr<c_void>));

    fn cuModuleLoadDataEx since 2010 [todo forward call custom_wire]
        (module: out(CUmodule), image: raw(Ptr<c_void>), numOptions: val(u32),
         options: array(CUjit_option, numOptions), optionValues: array_out(Ptr<c_void>, numOptions));

    fn cuModuleLoadFatBinary since 2000 [todo forward call custom_wire]
        (module: out(CUmodule), fatCubin: raw(Ptr<c_void>));

    fn cuModuleUnload since 2000 [todo forward call]
        (hmod: val(CUmodule));

    fn cuModuleGetLoadingMode since 11070 [todo forward local capture]
        (mode: out(CUmoduleLoadingMode));

    fn cuModuleGetFunction since 2000 [todo forward call capture]
        (hfunc: out(CUfunction), hmod: val(CUmodule), name: cstr());

    fn cuModuleGetFunctionCount since 12040 [todo forward call capture]
        (count: out(u32), module: val(CUmodule));

    fn cuModuleEnumerateFunctions since 12040 [todo forward call capture]
        (functions: array_out(CUfunction, numFunctions), numFunctions: val(u32), module: val(CUmodule));

    fn cuModuleGetGlobal since 2000 [todo forward call capture]
        (dptr: out(CUdeviceptr_v1), bytes: out(u32), hmod: val(CUmodule), name: cstr());

    fn cuModuleGetGlobal_v2 since 3020 [todo forward call capture]
        (dptr: out(CUdeviceptr), bytes: out(usize), hmod: val(CUmodule), name: cstr());

    fn cuLinkCreate since 5050 [todo forward call custom_wire]
        (numOptions: val(u32), options: array(CUjit_option, numOptions),
         optionValues: array_out(Ptr<c_void>, numOptions), stateOut: out(CUlinkState));

    fn cuLinkCreate_v2 since 6050 [todo forward call custom_wire]
        (numOptions: val(u32), options: array(CUjit_option, numOptions),
         optionValues: array_out(Ptr<c_void>, numOptions), stateOut: out(CUlinkState));

    fn cuLinkAddData since 5050 [todo forward call custom_wire]
        (state: val(CUlinkState), type_: val(CUjitInputType), data: bytes(size), size: val(usize), name: cstr(),
         numOptions: val(u32), options: array(CUjit_option, numOptions),
         optionValues: array_out(Ptr<c_void>, numOptions));

    fn cuLinkAddData_v2 since 6050 [todo forward call custom_wire]
        (state: val(CUlinkState), type_: val(CUjitInputType), data: bytes(size), size: val(usize), name: cstr(),
         numOptions: val(u32), options: array(CUjit_option, numOptions),
         optionValues: array_out(Ptr<c_void>, numOptions));

    fn cuLinkAddFile since 5050 [todo forward call custom_wire]
        (state: val(CUlinkState), type_: val(CUjitInputType), path: cstr(), numOptions: val(u32),
         options: array(CUjit_option, numOptions), optionValues: array_out(Ptr<c_void>, numOptions));

    fn cuLinkAddFile_v2 since 6050 [todo forward call custom_wire]
        (state: val(CUlinkState), type_: val(CUjitInputType), path: cstr(), numOptions: val(u32),
         options: array(CUjit_option, numOptions), optionValues: array_out(Ptr<c_void>, numOptions));

    fn cuLinkComplete since 5050 [todo forward call custom_wire]
        (state: val(CUlinkState), cubinOut: out(Ptr<c_void>), sizeOut: out(usize));

    fn cuLinkDestroy since 5050 [todo forward call]
        (state: val(CUlinkState));

    fn cuModuleGetTexRef since 2000 [todo forward call capture]
        (pTexRef: out(CUtexref), hmod: val(CUmodule), name: cstr());

    fn cuModuleGetSurfRef since 3000 [todo forward call capture]
        (pSurfRef: out(CUsurfref), hmod: val(CUmodule), name: cstr());

}}}}
