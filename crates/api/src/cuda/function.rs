#[macro_export]
macro_rules! cuda_function_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuFuncGetAttribute since 2020 [todo forward call capture]
        (pi: out(i32), attrib: val(CUfunction_attribute), hfunc: val(CUfunction));

    fn cuFuncSetAttribute since 9000 [todo forward call capture]
        (hfunc: val(CUfunction), attrib: val(CUfunction_attribute), value: val(i32));

    fn cuFuncSetCacheConfig since 3000 [todo forward call capture]
        (hfunc: val(CUfunction), config: val(CUfunc_cache));

    fn cuFuncGetModule since 11000 [todo forward call capture]
        (hmod: out(CUmodule), hfunc: val(CUfunction));

    fn cuFuncGetName since 12030 [todo forward call capture custom_wire]
        (name: out(Ptr<u8>), hfunc: val(CUfunction));

    fn cuFuncGetParamInfo since 12040 [todo forward call capture]
        (func: val(CUfunction), paramIndex: val(usize), paramOffset: out(usize), paramSize: out(usize));

    fn cuFuncGetParamCount since 13020 [todo forward call capture]
        (func: val(CUfunction), paramCount: out(usize));

    fn cuFuncIsLoaded since 12040 [todo forward call capture]
        (state: out(CUfunctionLoadingState), function: val(CUfunction));

    fn cuFuncLoad since 12040 [todo forward call capture]
        (function: val(CUfunction));

    fn cuFuncSetBlockShape since 2000 [todo forward submit capture]
        (hfunc: val(CUfunction), x: val(i32), y: val(i32), z: val(i32));

    fn cuFuncSetSharedSize since 2000 [todo forward call capture]
        (hfunc: val(CUfunction), bytes: val(u32));

    fn cuParamSetSize since 2000 [todo forward submit capture]
        (hfunc: val(CUfunction), numbytes: val(u32));

    fn cuParamSeti since 2000 [todo forward submit capture]
        (hfunc: val(CUfunction), offset: val(i32), value: val(u32));

    fn cuParamSetf since 2000 [todo forward submit capture]
        (hfunc: val(CUfunction), offset: val(i32), value: val(f32));

    fn cuParamSetv since 2000 [todo forward submit capture]
        (hfunc: val(CUfunction), offset: val(i32), ptr: bytes(numbytes), numbytes: val(u32));

    fn cuParamSetTexRef since 2000 [todo forward submit capture]
        (hfunc: val(CUfunction), texunit: val(i32), hTexRef: val(CUtexref));

    fn cuFuncSetSharedMemConfig since 4020 [todo forward call capture]
        (hfunc: val(CUfunction), config: val(CUsharedconfig));

    fn cuOccupancyMaxActiveBlocksPerMultiprocessor since 6050 [todo forward call capture]
        (numBlocks: out(i32), func: val(CUfunction), blockSize: val(i32), dynamicSMemSize: val(usize));

    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags since 7000 [todo forward call capture]
        (numBlocks: out(i32), func: val(CUfunction), blockSize: val(i32), dynamicSMemSize: val(usize), flags: val(u32));

    fn cuOccupancyMaxPotentialBlockSize since 6050 [todo forward local capture]
        (minGridSize: out(i32), blockSize: out(i32), func: val(CUfunction),
         blockSizeToDynamicSMemSize: val(CUoccupancyB2DSize), dynamicSMemSize: val(usize), blockSizeLimit: val(i32));

    fn cuOccupancyMaxPotentialBlockSizeWithFlags since 7000 [todo forward local capture]
        (minGridSize: out(i32), blockSize: out(i32), func: val(CUfunction),
         blockSizeToDynamicSMemSize: val(CUoccupancyB2DSize), dynamicSMemSize: val(usize), blockSizeLimit: val(i32),
         flags: val(u32));

    fn cuOccupancyAvailableDynamicSMemPerBlock since 10020 [todo forward call capture]
        (dynamicSmemSize: out(usize), func: val(CUfunction), numBlocks: val(i32), blockSize: val(i32));

    fn cuOccupancyMaxPotentialClusterSize since 11070 [todo forward call capture custom_wire]
        (clusterSize: out(i32), func: val(CUfunction), config: input(CUlaunchConfig));

    fn cuOccupancyMaxActiveClusters since 11070 [todo forward call capture custom_wire]
        (numClusters: out(i32), func: val(CUfunction), config: input(CUlaunchConfig));

}}}}
