#[macro_export]
macro_rules! cuda_array_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuArrayCreate since 2000 [todo charge call]
        (pHandle: out(CUarray), pAllocateArray: input(CUDA_ARRAY_DESCRIPTOR_v1));

    fn cuArrayCreate_v2 since 3020 [todo charge call]
        (pHandle: out(CUarray), pAllocateArray: input(CUDA_ARRAY_DESCRIPTOR));

    fn cuArrayGetDescriptor since 2000 [todo forward call capture]
        (pArrayDescriptor: out(CUDA_ARRAY_DESCRIPTOR_v1), hArray: val(CUarray));

    fn cuArrayGetDescriptor_v2 since 3020 [todo forward call capture]
        (pArrayDescriptor: out(CUDA_ARRAY_DESCRIPTOR), hArray: val(CUarray));

    fn cuArrayGetSparseProperties since 11010 [todo forward call capture]
        (sparseProperties: out(CUDA_ARRAY_SPARSE_PROPERTIES), array: val(CUarray));

    fn cuMipmappedArrayGetSparseProperties since 11010 [todo forward call capture]
        (sparseProperties: out(CUDA_ARRAY_SPARSE_PROPERTIES), mipmap: val(CUmipmappedArray));

    fn cuArrayGetMemoryRequirements since 11060 [todo forward call capture]
        (memoryRequirements: out(CUDA_ARRAY_MEMORY_REQUIREMENTS), array: val(CUarray), device: val(CUdevice));

    fn cuMipmappedArrayGetMemoryRequirements since 11060 [todo forward call capture]
        (memoryRequirements: out(CUDA_ARRAY_MEMORY_REQUIREMENTS), mipmap: val(CUmipmappedArray), device: val(CUdevice));

    fn cuArrayGetPlane since 11020 [todo forward call capture]
        (pPlaneArray: out(CUarray), hArray: val(CUarray), planeIdx: val(u32));

    fn cuArrayDestroy since 2000 [todo release call]
        (hArray: val(CUarray));

    fn cuArray3DCreate since 2000 [todo charge call]
        (pHandle: out(CUarray), pAllocateArray: input(CUDA_ARRAY3D_DESCRIPTOR_v1));

    fn cuArray3DCreate_v2 since 3020 [todo charge call]
        (pHandle: out(CUarray), pAllocateArray: input(CUDA_ARRAY3D_DESCRIPTOR));

    fn cuArray3DGetDescriptor since 2000 [todo forward call capture]
        (pArrayDescriptor: out(CUDA_ARRAY3D_DESCRIPTOR_v1), hArray: val(CUarray));

    fn cuArray3DGetDescriptor_v2 since 3020 [todo forward call capture]
        (pArrayDescriptor: out(CUDA_ARRAY3D_DESCRIPTOR), hArray: val(CUarray));

    fn cuMipmappedArrayCreate since 5000 [todo charge call]
        (pHandle: out(CUmipmappedArray), pMipmappedArrayDesc: input(CUDA_ARRAY3D_DESCRIPTOR),
         numMipmapLevels: val(u32));

    fn cuMipmappedArrayGetLevel since 5000 [todo forward call capture]
        (pLevelArray: out(CUarray), hMipmappedArray: val(CUmipmappedArray), level: val(u32));

    fn cuMipmappedArrayDestroy since 5000 [todo release call]
        (hMipmappedArray: val(CUmipmappedArray));

}}}}
