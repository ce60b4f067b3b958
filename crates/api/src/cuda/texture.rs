#[macro_export]
#[doc(hidden)]
macro_rules! cuda_texture_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Binds an array to a texture reference.
    fn cuTexRefSetArray since 2000 [todo forward call capture]
        (hTexRef: val(CUtexref), hArray: val(CUarray), Flags: val(u32));

    /// Binds an array with levels to a texture reference.
    fn cuTexRefSetMipmappedArray since 5000 [todo forward call capture]
        (hTexRef: val(CUtexref), hMipmappedArray: val(CUmipmappedArray), Flags: val(u32));

    /// Binds memory to a texture reference. 32-bit sizes and addresses.
    fn cuTexRefSetAddress since 2000 [todo forward call capture]
        (ByteOffset: out(u32), hTexRef: val(CUtexref), dptr: val(CUdeviceptr_v1), bytes: val(u32));

    /// Binds memory to a texture reference.
    fn cuTexRefSetAddress_v2 since 3020 [todo forward call capture]
        (ByteOffset: out(usize), hTexRef: val(CUtexref), dptr: val(CUdeviceptr), bytes: val(usize));

    /// Binds rows of memory to a texture reference. 32-bit sizes and addresses.
    fn cuTexRefSetAddress2D since 2020 [todo forward call capture]
        (hTexRef: val(CUtexref), desc: input(CUDA_ARRAY_DESCRIPTOR_v1), dptr: val(CUdeviceptr_v1), Pitch: val(u32));

    /// Binds rows of memory to a texture reference.
    fn cuTexRefSetAddress2D_v2 since 3020 [todo forward call capture]
        (hTexRef: val(CUtexref), desc: input(CUDA_ARRAY_DESCRIPTOR), dptr: val(CUdeviceptr), Pitch: val(usize));

    /// Binds rows of memory to a texture reference.
    fn cuTexRefSetAddress2D_v3 since 4010 [todo forward call capture]
        (hTexRef: val(CUtexref), desc: input(CUDA_ARRAY_DESCRIPTOR), dptr: val(CUdeviceptr), Pitch: val(usize));

    /// Format of a texture reference.
    fn cuTexRefSetFormat since 2000 [todo forward call capture]
        (hTexRef: val(CUtexref), fmt: val(CUarray_format), NumPackedComponents: val(i32));

    /// Address mode of a texture reference.
    fn cuTexRefSetAddressMode since 2000 [todo forward call capture]
        (hTexRef: val(CUtexref), dim: val(i32), am: val(CUaddress_mode));

    /// Filter mode of a texture reference.
    fn cuTexRefSetFilterMode since 2000 [todo forward call capture]
        (hTexRef: val(CUtexref), fm: val(CUfilter_mode));

    /// Filter mode between levels of a texture reference.
    fn cuTexRefSetMipmapFilterMode since 5000 [todo forward call capture]
        (hTexRef: val(CUtexref), fm: val(CUfilter_mode));

    /// Level bias of a texture reference.
    fn cuTexRefSetMipmapLevelBias since 5000 [todo forward call capture]
        (hTexRef: val(CUtexref), bias: val(f32));

    /// Lowest and highest level of a texture reference.
    fn cuTexRefSetMipmapLevelClamp since 5000 [todo forward call capture]
        (hTexRef: val(CUtexref), minMipmapLevelClamp: val(f32), maxMipmapLevelClamp: val(f32));

    /// Largest anisotropy of a texture reference.
    fn cuTexRefSetMaxAnisotropy since 5000 [todo forward call capture]
        (hTexRef: val(CUtexref), maxAniso: val(u32));

    /// Border colour of a texture reference.
    fn cuTexRefSetBorderColor since 8000 [todo forward call capture]
        (hTexRef: val(CUtexref), pBorderColor: array(f32, 4));

    /// Flags of a texture reference.
    fn cuTexRefSetFlags since 2000 [todo forward call capture]
        (hTexRef: val(CUtexref), Flags: val(u32));

    /// Address bound to a texture reference. 32-bit sizes and addresses.
    fn cuTexRefGetAddress since 2000 [todo forward call capture]
        (pdptr: out(CUdeviceptr_v1), hTexRef: val(CUtexref));

    /// Address bound to a texture reference.
    fn cuTexRefGetAddress_v2 since 3020 [todo forward call capture]
        (pdptr: out(CUdeviceptr), hTexRef: val(CUtexref));

    /// Array bound to a texture reference.
    fn cuTexRefGetArray since 2000 [todo forward call capture]
        (phArray: out(CUarray), hTexRef: val(CUtexref));

    /// Array with levels bound to a texture reference.
    fn cuTexRefGetMipmappedArray since 5000 [todo forward call capture]
        (phMipmappedArray: out(CUmipmappedArray), hTexRef: val(CUtexref));

    /// Address mode of a texture reference.
    fn cuTexRefGetAddressMode since 2000 [todo forward call capture]
        (pam: out(CUaddress_mode), hTexRef: val(CUtexref), dim: val(i32));

    /// Filter mode of a texture reference.
    fn cuTexRefGetFilterMode since 2000 [todo forward call capture]
        (pfm: out(CUfilter_mode), hTexRef: val(CUtexref));

    /// Format of a texture reference.
    fn cuTexRefGetFormat since 2000 [todo forward call capture]
        (pFormat: out(CUarray_format), pNumChannels: out(i32), hTexRef: val(CUtexref));

    /// Filter mode between levels of a texture reference.
    fn cuTexRefGetMipmapFilterMode since 5000 [todo forward call capture]
        (pfm: out(CUfilter_mode), hTexRef: val(CUtexref));

    /// Level bias of a texture reference.
    fn cuTexRefGetMipmapLevelBias since 5000 [todo forward call capture]
        (pbias: out(f32), hTexRef: val(CUtexref));

    /// Lowest and highest level of a texture reference.
    fn cuTexRefGetMipmapLevelClamp since 5000 [todo forward call capture]
        (pminMipmapLevelClamp: out(f32), pmaxMipmapLevelClamp: out(f32), hTexRef: val(CUtexref));

    /// Largest anisotropy of a texture reference.
    fn cuTexRefGetMaxAnisotropy since 5000 [todo forward call capture]
        (pmaxAniso: out(i32), hTexRef: val(CUtexref));

    /// Border colour of a texture reference.
    fn cuTexRefGetBorderColor since 8000 [todo forward call capture]
        (pBorderColor: array_out(f32, 4), hTexRef: val(CUtexref));

    /// Flags of a texture reference.
    fn cuTexRefGetFlags since 2000 [todo forward call capture]
        (pFlags: out(u32), hTexRef: val(CUtexref));

    /// Creates a texture reference.
    fn cuTexRefCreate since 2000 [todo forward call capture]
        (pTexRef: out(CUtexref));

    /// Destroys a texture reference.
    fn cuTexRefDestroy since 2000 [todo forward call capture]
        (hTexRef: val(CUtexref));

    /// Binds an array to a surface reference.
    fn cuSurfRefSetArray since 3000 [todo forward call capture]
        (hSurfRef: val(CUsurfref), hArray: val(CUarray), Flags: val(u32));

    /// Array bound to a surface reference.
    fn cuSurfRefGetArray since 3000 [todo forward call capture]
        (phArray: out(CUarray), hSurfRef: val(CUsurfref));

    /// Creates a texture that kernels sample.
    fn cuTexObjectCreate since 5000 [todo forward call capture]
        (pTexObject: out(CUtexObject), pResDesc: input(CUDA_RESOURCE_DESC), pTexDesc: input(CUDA_TEXTURE_DESC),
         pResViewDesc: input(CUDA_RESOURCE_VIEW_DESC));

    /// Destroys a texture.
    fn cuTexObjectDestroy since 5000 [todo forward call capture]
        (texObject: val(CUtexObject));

    /// Memory behind a texture.
    fn cuTexObjectGetResourceDesc since 5000 [todo forward call capture]
        (pResDesc: out(CUDA_RESOURCE_DESC), texObject: val(CUtexObject));

    /// How a texture samples.
    fn cuTexObjectGetTextureDesc since 5000 [todo forward call capture]
        (pTexDesc: out(CUDA_TEXTURE_DESC), texObject: val(CUtexObject));

    /// How a texture reinterprets its memory.
    fn cuTexObjectGetResourceViewDesc since 5000 [todo forward call capture]
        (pResViewDesc: out(CUDA_RESOURCE_VIEW_DESC), texObject: val(CUtexObject));

    /// Creates a surface that kernels read and write.
    fn cuSurfObjectCreate since 5000 [todo forward call capture]
        (pSurfObject: out(CUsurfObject), pResDesc: input(CUDA_RESOURCE_DESC));

    /// Destroys a surface.
    fn cuSurfObjectDestroy since 5000 [todo forward call capture]
        (surfObject: val(CUsurfObject));

    /// Memory behind a surface.
    fn cuSurfObjectGetResourceDesc since 5000 [todo forward call capture]
        (pResDesc: out(CUDA_RESOURCE_DESC), surfObject: val(CUsurfObject));

    /// Encodes a tensor map for tiled copies.
    fn cuTensorMapEncodeTiled since 12000 [todo forward local capture]
        (tensorMap: out(CUtensorMap), tensorDataType: val(CUtensorMapDataType), tensorRank: val(u32),
         globalAddress: raw(Ptr<c_void>), globalDim: array(u64, tensorRank), globalStrides: raw(Ptr<u64>),
         boxDim: array(u32, tensorRank), elementStrides: array(u32, tensorRank),
         interleave: val(CUtensorMapInterleave), swizzle: val(CUtensorMapSwizzle),
         l2Promotion: val(CUtensorMapL2promotion), oobFill: val(CUtensorMapFloatOOBfill));

    /// Encodes a tensor map for image-to-column copies.
    fn cuTensorMapEncodeIm2col since 12000 [todo forward local capture]
        (tensorMap: out(CUtensorMap), tensorDataType: val(CUtensorMapDataType), tensorRank: val(u32),
         globalAddress: raw(Ptr<c_void>), globalDim: array(u64, tensorRank), globalStrides: raw(Ptr<u64>),
         pixelBoxLowerCorner: raw(Ptr<i32>), pixelBoxUpperCorner: raw(Ptr<i32>), channelsPerPixel: val(u32),
         pixelsPerColumn: val(u32), elementStrides: array(u32, tensorRank), interleave: val(CUtensorMapInterleave),
         swizzle: val(CUtensorMapSwizzle), l2Promotion: val(CUtensorMapL2promotion),
         oobFill: val(CUtensorMapFloatOOBfill));

    /// Encodes a tensor map for wide image-to-column copies.
    fn cuTensorMapEncodeIm2colWide since 12080 [todo forward local capture]
        (tensorMap: out(CUtensorMap), tensorDataType: val(CUtensorMapDataType), tensorRank: val(u32),
         globalAddress: raw(Ptr<c_void>), globalDim: array(u64, tensorRank), globalStrides: raw(Ptr<u64>),
         pixelBoxLowerCornerWidth: val(i32), pixelBoxUpperCornerWidth: val(i32), channelsPerPixel: val(u32),
         pixelsPerColumn: val(u32), elementStrides: array(u32, tensorRank), interleave: val(CUtensorMapInterleave),
         mode: val(CUtensorMapIm2ColWideMode), swizzle: val(CUtensorMapSwizzle),
         l2Promotion: val(CUtensorMapL2promotion), oobFill: val(CUtensorMapFloatOOBfill));

    /// Changes the address in a tensor map.
    fn cuTensorMapReplaceAddress since 12000 [todo forward local capture]
        (tensorMap: inout(CUtensorMap), globalAddress: raw(Ptr<c_void>));

    /// Says how large the allocation behind a tensor map is.
    fn cuTensorMapSetAllocationClass since 13050 [todo forward local capture]
        (tensorMap: inout(CUtensorMap), allocClass: val(CUtensorMapAllocClass), outAllocClass: out(CUtensorMapAllocClass));

}}}}
