#[macro_export]
#[doc(hidden)]
macro_rules! cuda_function_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// One number about a function.
    fn cuFuncGetAttribute since 2020 [soft forward call capture]
        (pi: out(i32), attrib: val(CUfunction_attribute), hfunc: val(CUfunction));

    /// Changes one property of a function.
    fn cuFuncSetAttribute since 9000 [soft forward call capture]
        (hfunc: val(CUfunction), attrib: val(CUfunction_attribute), value: val(i32));

    /// Prefers a split between L1 and shared memory for a function.
    fn cuFuncSetCacheConfig since 3000 [soft forward call capture]
        (hfunc: val(CUfunction), config: val(CUfunc_cache));

    /// Module of a function.
    fn cuFuncGetModule since 11000 [soft forward call capture]
        (hmod: out(CUmodule), hfunc: val(CUfunction));

    /// Name of a function.
    fn cuFuncGetName since 12030 [soft forward call capture custom_wire]
        (name: out(Ptr<u8>), hfunc: val(CUfunction));

    /// Place and size of a function's parameter.
    fn cuFuncGetParamInfo since 12040 [soft forward call capture]
        (func: val(CUfunction), paramIndex: val(usize), paramOffset: out(usize), paramSize: out(usize));

    /// How many parameters a function has.
    fn cuFuncGetParamCount since 13020 [soft forward call capture]
        (func: val(CUfunction), paramCount: out(usize));

    /// Whether a function is loaded.
    fn cuFuncIsLoaded since 12040 [soft forward call capture]
        (state: out(CUfunctionLoadingState), function: val(CUfunction));

    /// Loads a function now rather than when first used.
    fn cuFuncLoad since 12040 [soft forward call capture]
        (function: val(CUfunction));

    /// Block size for the old launch calls.
    fn cuFuncSetBlockShape since 2000 [soft forward submit capture]
        (hfunc: val(CUfunction), x: val(i32), y: val(i32), z: val(i32));

    /// Dynamic shared memory for the old launch calls.
    fn cuFuncSetSharedSize since 2000 [soft forward submit capture]
        (hfunc: val(CUfunction), bytes: val(u32));

    /// Bytes of parameters for the old launch calls.
    fn cuParamSetSize since 2000 [soft forward submit capture]
        (hfunc: val(CUfunction), numbytes: val(u32));

    /// Integer parameter for the old launch calls.
    fn cuParamSeti since 2000 [soft forward submit capture]
        (hfunc: val(CUfunction), offset: val(i32), value: val(u32));

    /// Float parameter for the old launch calls.
    fn cuParamSetf since 2000 [soft forward submit capture]
        (hfunc: val(CUfunction), offset: val(i32), value: val(f32));

    /// Any parameter for the old launch calls.
    fn cuParamSetv since 2000 [soft forward submit capture]
        (hfunc: val(CUfunction), offset: val(i32), ptr: bytes(numbytes), numbytes: val(u32));

    /// Texture parameter for the old launch calls.
    fn cuParamSetTexRef since 2000 [todo forward submit capture]
        (hfunc: val(CUfunction), texunit: val(i32), hTexRef: val(CUtexref));

    /// Prefers a bank width of shared memory for a function.
    fn cuFuncSetSharedMemConfig since 4020 [soft forward call capture]
        (hfunc: val(CUfunction), config: val(CUsharedconfig));

    /// How many blocks of a function fit on a multiprocessor.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor since 6050 [soft forward call capture]
        (numBlocks: out(i32), func: val(CUfunction), blockSize: val(i32), dynamicSMemSize: val(usize));

    /// How many blocks of a function fit on a multiprocessor, with flags.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags since 7000 [soft forward call capture]
        (numBlocks: out(i32), func: val(CUfunction), blockSize: val(i32), dynamicSMemSize: val(usize), flags: val(u32));

    /// Block size that fills the device best.
    fn cuOccupancyMaxPotentialBlockSize since 6050 [soft forward local capture]
        (minGridSize: out(i32), blockSize: out(i32), func: val(CUfunction),
         blockSizeToDynamicSMemSize: val(CUoccupancyB2DSize), dynamicSMemSize: val(usize), blockSizeLimit: val(i32));

    /// Block size that fills the device best, with flags.
    fn cuOccupancyMaxPotentialBlockSizeWithFlags since 7000 [soft forward local capture]
        (minGridSize: out(i32), blockSize: out(i32), func: val(CUfunction),
         blockSizeToDynamicSMemSize: val(CUoccupancyB2DSize), dynamicSMemSize: val(usize), blockSizeLimit: val(i32),
         flags: val(u32));

    /// Dynamic shared memory left for so many blocks on a multiprocessor.
    fn cuOccupancyAvailableDynamicSMemPerBlock since 10020 [soft forward call capture]
        (dynamicSmemSize: out(usize), func: val(CUfunction), numBlocks: val(i32), blockSize: val(i32));

    /// Largest cluster a launch may have.
    fn cuOccupancyMaxPotentialClusterSize since 11070 [soft forward call capture custom_wire]
        (clusterSize: out(i32), func: val(CUfunction), config: input(CUlaunchConfig));

    /// How many clusters of a function fit on the device.
    fn cuOccupancyMaxActiveClusters since 11070 [todo forward call capture custom_wire]
        (numClusters: out(i32), func: val(CUfunction), config: input(CUlaunchConfig));

}}}}
