#[macro_export]
#[doc(hidden)]
macro_rules! cuda_copy_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Copies between any two addresses.
    fn cuMemcpy since 4000 [soft pace ce call custom_wire]
        (dst: val(CUdeviceptr), src: val(CUdeviceptr), ByteCount: val(usize));

    /// Copies between any two addresses. Default stream: per thread.
    fn cuMemcpy_ptds since 7000 [soft pace ce call custom_wire]
        (dst: val(CUdeviceptr), src: val(CUdeviceptr), ByteCount: val(usize));

    /// Copies between contexts.
    fn cuMemcpyPeer since 4000 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), dstContext: val(CUcontext), srcDevice: val(CUdeviceptr),
         srcContext: val(CUcontext), ByteCount: val(usize));

    /// Copies between contexts. Default stream: per thread.
    fn cuMemcpyPeer_ptds since 7000 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), dstContext: val(CUcontext), srcDevice: val(CUdeviceptr),
         srcContext: val(CUcontext), ByteCount: val(usize));

    /// Copies from host to device memory. 32-bit sizes and addresses.
    fn cuMemcpyHtoD since 2000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr_v1), srcHost: bytes(ByteCount), ByteCount: val(u32));

    /// Copies from host to device memory.
    fn cuMemcpyHtoD_v2 since 3020 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), srcHost: bytes(ByteCount), ByteCount: val(usize));

    /// Copies from host to device memory. Default stream: per thread.
    fn cuMemcpyHtoD_v2_ptds since 7000 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), srcHost: bytes(ByteCount), ByteCount: val(usize));

    /// Copies from device to host memory. 32-bit sizes and addresses.
    fn cuMemcpyDtoH since 2000 [todo pace ce call]
        (dstHost: bytes_mut(ByteCount), srcDevice: val(CUdeviceptr_v1), ByteCount: val(u32));

    /// Copies from device to host memory.
    fn cuMemcpyDtoH_v2 since 3020 [soft pace ce call]
        (dstHost: bytes_mut(ByteCount), srcDevice: val(CUdeviceptr), ByteCount: val(usize));

    /// Copies from device to host memory. Default stream: per thread.
    fn cuMemcpyDtoH_v2_ptds since 7000 [soft pace ce call]
        (dstHost: bytes_mut(ByteCount), srcDevice: val(CUdeviceptr), ByteCount: val(usize));

    /// Copies within device memory. 32-bit sizes and addresses.
    fn cuMemcpyDtoD since 2000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr_v1), srcDevice: val(CUdeviceptr_v1), ByteCount: val(u32));

    /// Copies within device memory.
    fn cuMemcpyDtoD_v2 since 3020 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), srcDevice: val(CUdeviceptr), ByteCount: val(usize));

    /// Copies within device memory. Default stream: per thread.
    fn cuMemcpyDtoD_v2_ptds since 7000 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), srcDevice: val(CUdeviceptr), ByteCount: val(usize));

    /// Copies from device memory to array. 32-bit sizes and addresses.
    fn cuMemcpyDtoA since 2000 [todo pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(u32), srcDevice: val(CUdeviceptr_v1), ByteCount: val(u32));

    /// Copies from device memory to array.
    fn cuMemcpyDtoA_v2 since 3020 [soft pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(usize), srcDevice: val(CUdeviceptr), ByteCount: val(usize));

    /// Copies from device memory to array. Default stream: per thread.
    fn cuMemcpyDtoA_v2_ptds since 7000 [soft pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(usize), srcDevice: val(CUdeviceptr), ByteCount: val(usize));

    /// Copies from array to device memory. 32-bit sizes and addresses.
    fn cuMemcpyAtoD since 2000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr_v1), srcArray: val(CUarray), srcOffset: val(u32), ByteCount: val(u32));

    /// Copies from array to device memory.
    fn cuMemcpyAtoD_v2 since 3020 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), srcArray: val(CUarray), srcOffset: val(usize), ByteCount: val(usize));

    /// Copies from array to device memory. Default stream: per thread.
    fn cuMemcpyAtoD_v2_ptds since 7000 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), srcArray: val(CUarray), srcOffset: val(usize), ByteCount: val(usize));

    /// Copies from host memory to array. 32-bit sizes and addresses.
    fn cuMemcpyHtoA since 2000 [todo pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(u32), srcHost: bytes(ByteCount), ByteCount: val(u32));

    /// Copies from host memory to array.
    fn cuMemcpyHtoA_v2 since 3020 [soft pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(usize), srcHost: bytes(ByteCount), ByteCount: val(usize));

    /// Copies from host memory to array. Default stream: per thread.
    fn cuMemcpyHtoA_v2_ptds since 7000 [soft pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(usize), srcHost: bytes(ByteCount), ByteCount: val(usize));

    /// Copies from array to host memory. 32-bit sizes and addresses.
    fn cuMemcpyAtoH since 2000 [todo pace ce call]
        (dstHost: bytes_mut(ByteCount), srcArray: val(CUarray), srcOffset: val(u32), ByteCount: val(u32));

    /// Copies from array to host memory.
    fn cuMemcpyAtoH_v2 since 3020 [soft pace ce call]
        (dstHost: bytes_mut(ByteCount), srcArray: val(CUarray), srcOffset: val(usize), ByteCount: val(usize));

    /// Copies from array to host memory. Default stream: per thread.
    fn cuMemcpyAtoH_v2_ptds since 7000 [soft pace ce call]
        (dstHost: bytes_mut(ByteCount), srcArray: val(CUarray), srcOffset: val(usize), ByteCount: val(usize));

    /// Copies from array to array. 32-bit sizes and addresses.
    fn cuMemcpyAtoA since 2000 [todo pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(u32), srcArray: val(CUarray), srcOffset: val(u32), ByteCount: val(u32));

    /// Copies from array to array.
    fn cuMemcpyAtoA_v2 since 3020 [soft pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(usize), srcArray: val(CUarray), srcOffset: val(usize),
         ByteCount: val(usize));

    /// Copies from array to array. Default stream: per thread.
    fn cuMemcpyAtoA_v2_ptds since 7000 [soft pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(usize), srcArray: val(CUarray), srcOffset: val(usize),
         ByteCount: val(usize));

    /// Copies a rectangle. 32-bit sizes and addresses.
    fn cuMemcpy2D since 2000 [todo pace ce call custom_wire]
        (pCopy: input(CUDA_MEMCPY2D_v1));

    /// Copies a rectangle.
    fn cuMemcpy2D_v2 since 3020 [soft pace ce call custom_wire]
        (pCopy: input(CUDA_MEMCPY2D));

    /// Copies a rectangle. Default stream: per thread.
    fn cuMemcpy2D_v2_ptds since 7000 [soft pace ce call custom_wire]
        (pCopy: input(CUDA_MEMCPY2D));

    /// Copies a rectangle with any pitch. 32-bit sizes and addresses.
    fn cuMemcpy2DUnaligned since 2000 [todo pace ce call custom_wire]
        (pCopy: input(CUDA_MEMCPY2D_v1));

    /// Copies a rectangle with any pitch.
    fn cuMemcpy2DUnaligned_v2 since 3020 [soft pace ce call custom_wire]
        (pCopy: input(CUDA_MEMCPY2D));

    /// Copies a rectangle with any pitch. Default stream: per thread.
    fn cuMemcpy2DUnaligned_v2_ptds since 7000 [soft pace ce call custom_wire]
        (pCopy: input(CUDA_MEMCPY2D));

    /// Copies a box. 32-bit sizes and addresses.
    fn cuMemcpy3D since 2000 [todo pace ce call custom_wire]
        (pCopy: input(CUDA_MEMCPY3D_v1));

    /// Copies a box.
    fn cuMemcpy3D_v2 since 3020 [soft pace ce call custom_wire]
        (pCopy: input(CUDA_MEMCPY3D));

    /// Copies a box. Default stream: per thread.
    fn cuMemcpy3D_v2_ptds since 7000 [soft pace ce call custom_wire]
        (pCopy: input(CUDA_MEMCPY3D));

    /// Copies a box between contexts.
    fn cuMemcpy3DPeer since 4000 [soft pace ce call custom_wire]
        (pCopy: input(CUDA_MEMCPY3D_PEER));

    /// Copies a box between contexts. Default stream: per thread.
    fn cuMemcpy3DPeer_ptds since 7000 [soft pace ce call custom_wire]
        (pCopy: input(CUDA_MEMCPY3D_PEER));

    /// Copies between any two addresses, in stream order.
    fn cuMemcpyAsync since 4000 [soft pace ce stream(hStream) call capture custom_wire]
        (dst: val(CUdeviceptr), src: val(CUdeviceptr), ByteCount: val(usize), hStream: val(CUstream));

    /// Copies between any two addresses, in stream order. Default stream: per thread.
    fn cuMemcpyAsync_ptsz since 7000 [soft pace ce stream(hStream) call capture custom_wire]
        (dst: val(CUdeviceptr), src: val(CUdeviceptr), ByteCount: val(usize), hStream: val(CUstream));

    /// Copies between contexts, in stream order.
    fn cuMemcpyPeerAsync since 4000 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), dstContext: val(CUcontext), srcDevice: val(CUdeviceptr),
         srcContext: val(CUcontext), ByteCount: val(usize), hStream: val(CUstream));

    /// Copies between contexts, in stream order. Default stream: per thread.
    fn cuMemcpyPeerAsync_ptsz since 7000 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), dstContext: val(CUcontext), srcDevice: val(CUdeviceptr),
         srcContext: val(CUcontext), ByteCount: val(usize), hStream: val(CUstream));

    /// Copies from host to device memory, in stream order. 32-bit sizes and addresses.
    fn cuMemcpyHtoDAsync since 2000 [todo pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr_v1), srcHost: bytes(ByteCount), ByteCount: val(u32), hStream: val(CUstream));

    /// Copies from host to device memory, in stream order.
    fn cuMemcpyHtoDAsync_v2 since 3020 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), srcHost: bytes(ByteCount), ByteCount: val(usize), hStream: val(CUstream));

    /// Copies from host to device memory, in stream order. Default stream: per thread.
    fn cuMemcpyHtoDAsync_v2_ptsz since 7000 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), srcHost: bytes(ByteCount), ByteCount: val(usize), hStream: val(CUstream));

    /// Copies from device to host memory, in stream order. 32-bit sizes and addresses.
    fn cuMemcpyDtoHAsync since 2000 [todo pace ce stream(hStream) call capture]
        (dstHost: bytes_mut(ByteCount), srcDevice: val(CUdeviceptr_v1), ByteCount: val(u32), hStream: val(CUstream));

    /// Copies from device to host memory, in stream order.
    fn cuMemcpyDtoHAsync_v2 since 3020 [soft pace ce stream(hStream) call capture]
        (dstHost: bytes_mut(ByteCount), srcDevice: val(CUdeviceptr), ByteCount: val(usize), hStream: val(CUstream));

    /// Copies from device to host memory, in stream order. Default stream: per thread.
    fn cuMemcpyDtoHAsync_v2_ptsz since 7000 [soft pace ce stream(hStream) call capture]
        (dstHost: bytes_mut(ByteCount), srcDevice: val(CUdeviceptr), ByteCount: val(usize), hStream: val(CUstream));

    /// Copies within device memory, in stream order. 32-bit sizes and addresses.
    fn cuMemcpyDtoDAsync since 3000 [todo pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr_v1), srcDevice: val(CUdeviceptr_v1), ByteCount: val(u32), hStream: val(CUstream));

    /// Copies within device memory, in stream order.
    fn cuMemcpyDtoDAsync_v2 since 3020 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), srcDevice: val(CUdeviceptr), ByteCount: val(usize), hStream: val(CUstream));

    /// Copies within device memory, in stream order. Default stream: per thread.
    fn cuMemcpyDtoDAsync_v2_ptsz since 7000 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), srcDevice: val(CUdeviceptr), ByteCount: val(usize), hStream: val(CUstream));

    /// Copies from host memory to array, in stream order. 32-bit sizes and addresses.
    fn cuMemcpyHtoAAsync since 2000 [todo pace ce stream(hStream) submit capture]
        (dstArray: val(CUarray), dstOffset: val(u32), srcHost: bytes(ByteCount), ByteCount: val(u32),
         hStream: val(CUstream));

    /// Copies from host memory to array, in stream order.
    fn cuMemcpyHtoAAsync_v2 since 3020 [soft pace ce stream(hStream) submit capture]
        (dstArray: val(CUarray), dstOffset: val(usize), srcHost: bytes(ByteCount), ByteCount: val(usize),
         hStream: val(CUstream));

    /// Copies from host memory to array, in stream order. Default stream: per thread.
    fn cuMemcpyHtoAAsync_v2_ptsz since 7000 [soft pace ce stream(hStream) submit capture]
        (dstArray: val(CUarray), dstOffset: val(usize), srcHost: bytes(ByteCount), ByteCount: val(usize),
         hStream: val(CUstream));

    /// Copies from array to host memory, in stream order. 32-bit sizes and addresses.
    fn cuMemcpyAtoHAsync since 2000 [todo pace ce stream(hStream) call capture]
        (dstHost: bytes_mut(ByteCount), srcArray: val(CUarray), srcOffset: val(u32), ByteCount: val(u32),
         hStream: val(CUstream));

    /// Copies from array to host memory, in stream order.
    fn cuMemcpyAtoHAsync_v2 since 3020 [soft pace ce stream(hStream) call capture]
        (dstHost: bytes_mut(ByteCount), srcArray: val(CUarray), srcOffset: val(usize), ByteCount: val(usize),
         hStream: val(CUstream));

    /// Copies from array to host memory, in stream order. Default stream: per thread.
    fn cuMemcpyAtoHAsync_v2_ptsz since 7000 [soft pace ce stream(hStream) call capture]
        (dstHost: bytes_mut(ByteCount), srcArray: val(CUarray), srcOffset: val(usize), ByteCount: val(usize),
         hStream: val(CUstream));

    /// Copies a rectangle, in stream order. 32-bit sizes and addresses.
    fn cuMemcpy2DAsync since 2000 [todo pace ce stream(hStream) call capture custom_wire]
        (pCopy: input(CUDA_MEMCPY2D_v1), hStream: val(CUstream));

    /// Copies a rectangle, in stream order.
    fn cuMemcpy2DAsync_v2 since 3020 [soft pace ce stream(hStream) call capture custom_wire]
        (pCopy: input(CUDA_MEMCPY2D), hStream: val(CUstream));

    /// Copies a rectangle, in stream order. Default stream: per thread.
    fn cuMemcpy2DAsync_v2_ptsz since 7000 [soft pace ce stream(hStream) call capture custom_wire]
        (pCopy: input(CUDA_MEMCPY2D), hStream: val(CUstream));

    /// Copies a box, in stream order. 32-bit sizes and addresses.
    fn cuMemcpy3DAsync since 2000 [todo pace ce stream(hStream) call capture custom_wire]
        (pCopy: input(CUDA_MEMCPY3D_v1), hStream: val(CUstream));

    /// Copies a box, in stream order.
    fn cuMemcpy3DAsync_v2 since 3020 [soft pace ce stream(hStream) call capture custom_wire]
        (pCopy: input(CUDA_MEMCPY3D), hStream: val(CUstream));

    /// Copies a box, in stream order. Default stream: per thread.
    fn cuMemcpy3DAsync_v2_ptsz since 7000 [soft pace ce stream(hStream) call capture custom_wire]
        (pCopy: input(CUDA_MEMCPY3D), hStream: val(CUstream));

    /// Copies a box between contexts, in stream order.
    fn cuMemcpy3DPeerAsync since 4000 [soft pace ce stream(hStream) call capture custom_wire]
        (pCopy: input(CUDA_MEMCPY3D_PEER), hStream: val(CUstream));

    /// Copies a box between contexts, in stream order. Default stream: per thread.
    fn cuMemcpy3DPeerAsync_ptsz since 7000 [soft pace ce stream(hStream) call capture custom_wire]
        (pCopy: input(CUDA_MEMCPY3D_PEER), hStream: val(CUstream));

    /// Does several copies, in stream order; says which one failed.
    fn cuMemcpyBatchAsync since 12080 [soft pace ce stream(hStream) call custom_wire]
        (dsts: array(CUdeviceptr, count), srcs: array(CUdeviceptr, count), sizes: array(usize, count),
         count: val(usize), attrs: array(CUmemcpyAttributes, numAttrs), attrsIdxs: array(usize, numAttrs),
         numAttrs: val(usize), failIdx: out(usize), hStream: val(CUstream));

    /// Does several copies, in stream order; says which one failed. Default stream: per thread.
    fn cuMemcpyBatchAsync_ptsz since 12080 [soft pace ce stream(hStream) call custom_wire]
        (dsts: array(CUdeviceptr, count), srcs: array(CUdeviceptr, count), sizes: array(usize, count),
         count: val(usize), attrs: array(CUmemcpyAttributes, numAttrs), attrsIdxs: array(usize, numAttrs),
         numAttrs: val(usize), failIdx: out(usize), hStream: val(CUstream));

    /// Does several copies, in stream order.
    fn cuMemcpyBatchAsync_v2 since 13000 [soft pace ce stream(hStream) call custom_wire]
        (dsts: array(CUdeviceptr, count), srcs: array(CUdeviceptr, count), sizes: array(usize, count),
         count: val(usize), attrs: array(CUmemcpyAttributes, numAttrs), attrsIdxs: array(usize, numAttrs),
         numAttrs: val(usize), hStream: val(CUstream));

    /// Does several copies, in stream order. Default stream: per thread.
    fn cuMemcpyBatchAsync_v2_ptsz since 13000 [soft pace ce stream(hStream) call custom_wire]
        (dsts: array(CUdeviceptr, count), srcs: array(CUdeviceptr, count), sizes: array(usize, count),
         count: val(usize), attrs: array(CUmemcpyAttributes, numAttrs), attrsIdxs: array(usize, numAttrs),
         numAttrs: val(usize), hStream: val(CUstream));

    /// Copies several boxes, in stream order; says which one failed.
    fn cuMemcpy3DBatchAsync since 12080 [todo pace ce stream(hStream) call custom_wire]
        (numOps: val(usize), opList: array(CUDA_MEMCPY3D_BATCH_OP, numOps), failIdx: out(usize), flags: val(u64),
         hStream: val(CUstream));

    /// Copies several boxes, in stream order; says which one failed. Default stream: per thread.
    fn cuMemcpy3DBatchAsync_ptsz since 12080 [todo pace ce stream(hStream) call custom_wire]
        (numOps: val(usize), opList: array(CUDA_MEMCPY3D_BATCH_OP, numOps), failIdx: out(usize), flags: val(u64),
         hStream: val(CUstream));

    /// Copies several boxes, in stream order.
    fn cuMemcpy3DBatchAsync_v2 since 13000 [todo pace ce stream(hStream) call custom_wire]
        (numOps: val(usize), opList: array(CUDA_MEMCPY3D_BATCH_OP, numOps), flags: val(u64), hStream: val(CUstream));

    /// Copies several boxes, in stream order. Default stream: per thread.
    fn cuMemcpy3DBatchAsync_v2_ptsz since 13000 [todo pace ce stream(hStream) call custom_wire]
        (numOps: val(usize), opList: array(CUDA_MEMCPY3D_BATCH_OP, numOps), flags: val(u64), hStream: val(CUstream));

    /// Does one copy with attributes, in stream order.
    fn cuMemcpyWithAttributesAsync since 13020 [soft pace ce stream(hStream) call capture custom_wire]
        (dst: val(CUdeviceptr), src: val(CUdeviceptr), size: val(usize), attr: input(CUmemcpyAttributes),
         hStream: val(CUstream));

    /// Does one copy with attributes, in stream order. Default stream: per thread.
    fn cuMemcpyWithAttributesAsync_ptsz since 13020 [soft pace ce stream(hStream) call capture custom_wire]
        (dst: val(CUdeviceptr), src: val(CUdeviceptr), size: val(usize), attr: input(CUmemcpyAttributes),
         hStream: val(CUstream));

    /// Copies a box with attributes, in stream order.
    fn cuMemcpy3DWithAttributesAsync since 13020 [todo pace ce stream(hStream) call capture custom_wire]
        (op: input(CUDA_MEMCPY3D_BATCH_OP), flags: val(u64), hStream: val(CUstream));

    /// Copies a box with attributes, in stream order. Default stream: per thread.
    fn cuMemcpy3DWithAttributesAsync_ptsz since 13020 [todo pace ce stream(hStream) call capture custom_wire]
        (op: input(CUDA_MEMCPY3D_BATCH_OP), flags: val(u64), hStream: val(CUstream));

    /// Does several copies over a fabric, in stream order.
    fn cuFabricCpyBatchAsync since 13050 [todo pace ce stream(hStream) call custom_wire]
        (numOps: val(usize), opList: array(CUDA_FABRIC_COPY_BATCH_OP, numOps), flags: val(u64), hStream: val(CUstream));

    /// Does several copies over a fabric, in stream order. Default stream: per thread.
    fn cuFabricCpyBatchAsync_ptsz since 13050 [todo pace ce stream(hStream) call custom_wire]
        (numOps: val(usize), opList: array(CUDA_FABRIC_COPY_BATCH_OP, numOps), flags: val(u64), hStream: val(CUstream));

    /// Decompresses several buffers, in stream order.
    fn cuMemBatchDecompressAsync since 12060 [todo pace ce stream(stream) call custom_wire]
        (paramsArray: array(CUmemDecompressParams, count), count: val(usize), flags: val(u32),
         errorIndex: out(usize), stream: val(CUstream));

    /// Decompresses several buffers, in stream order. Default stream: per thread.
    fn cuMemBatchDecompressAsync_ptsz since 12060 [todo pace ce stream(stream) call custom_wire]
        (paramsArray: array(CUmemDecompressParams, count), count: val(usize), flags: val(u32),
         errorIndex: out(usize), stream: val(CUstream));

}}}}
