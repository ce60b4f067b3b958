#[macro_export]
#[doc(hidden)]
macro_rules! cuda_array_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Creates a 1D or 2D array. 32-bit sizes and addresses.
    fn cuArrayCreate since 2000 [todo charge call]
        (pHandle: out(CUarray), pAllocateArray: input(CUDA_ARRAY_DESCRIPTOR_v1));

    /// Creates a 1D or 2D array.
    fn cuArrayCreate_v2 since 3020 [soft charge call]
        (pHandle: out(CUarray), pAllocateArray: input(CUDA_ARRAY_DESCRIPTOR));

    /// What a 1D or 2D array was created from. 32-bit sizes and addresses.
    fn cuArrayGetDescriptor since 2000 [todo forward call capture]
        (pArrayDescriptor: out(CUDA_ARRAY_DESCRIPTOR_v1), hArray: val(CUarray));

    /// What a 1D or 2D array was created from.
    fn cuArrayGetDescriptor_v2 since 3020 [soft forward call capture]
        (pArrayDescriptor: out(CUDA_ARRAY_DESCRIPTOR), hArray: val(CUarray));

    /// Tiles of a sparse array.
    fn cuArrayGetSparseProperties since 11010 [todo forward call capture]
        (sparseProperties: out(CUDA_ARRAY_SPARSE_PROPERTIES), array: val(CUarray));

    /// Tiles of a sparse array with levels of detail.
    fn cuMipmappedArrayGetSparseProperties since 11010 [todo forward call capture]
        (sparseProperties: out(CUDA_ARRAY_SPARSE_PROPERTIES), mipmap: val(CUmipmappedArray));

    /// Memory an array with deferred mapping needs.
    fn cuArrayGetMemoryRequirements since 11060 [soft forward call capture]
        (memoryRequirements: out(CUDA_ARRAY_MEMORY_REQUIREMENTS), array: val(CUarray), device: val(CUdevice));

    /// Memory an array with levels and deferred mapping needs.
    fn cuMipmappedArrayGetMemoryRequirements since 11060 [soft forward call capture]
        (memoryRequirements: out(CUDA_ARRAY_MEMORY_REQUIREMENTS), mipmap: val(CUmipmappedArray), device: val(CUdevice));

    /// One plane of a multi-planar array.
    fn cuArrayGetPlane since 11020 [todo forward call capture]
        (pPlaneArray: out(CUarray), hArray: val(CUarray), planeIdx: val(u32));

    /// Destroys an array.
    fn cuArrayDestroy since 2000 [soft release call]
        (hArray: val(CUarray));

    /// Creates a 1D, 2D, 3D, layered or cube array. 32-bit sizes and addresses.
    fn cuArray3DCreate since 2000 [todo charge call]
        (pHandle: out(CUarray), pAllocateArray: input(CUDA_ARRAY3D_DESCRIPTOR_v1));

    /// Creates a 1D, 2D, 3D, layered or cube array.
    fn cuArray3DCreate_v2 since 3020 [soft charge call]
        (pHandle: out(CUarray), pAllocateArray: input(CUDA_ARRAY3D_DESCRIPTOR));

    /// What an array was created from. 32-bit sizes and addresses.
    fn cuArray3DGetDescriptor since 2000 [todo forward call capture]
        (pArrayDescriptor: out(CUDA_ARRAY3D_DESCRIPTOR_v1), hArray: val(CUarray));

    /// What an array was created from.
    fn cuArray3DGetDescriptor_v2 since 3020 [soft forward call capture]
        (pArrayDescriptor: out(CUDA_ARRAY3D_DESCRIPTOR), hArray: val(CUarray));

    /// Creates an array with levels of detail.
    fn cuMipmappedArrayCreate since 5000 [soft charge call]
        (pHandle: out(CUmipmappedArray), pMipmappedArrayDesc: input(CUDA_ARRAY3D_DESCRIPTOR),
         numMipmapLevels: val(u32));

    /// One level of an array with levels of detail.
    fn cuMipmappedArrayGetLevel since 5000 [soft forward call capture]
        (pLevelArray: out(CUarray), hMipmappedArray: val(CUmipmappedArray), level: val(u32));

    /// Destroys an array with levels of detail.
    fn cuMipmappedArrayDestroy since 5000 [soft release call]
        (hMipmappedArray: val(CUmipmappedArray));

}}}}
