#[macro_export]
macro_rules! cuda_copy_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuMemcpy since 4000 [todo pace ce submit custom_wire]
        (dst: val(CUdeviceptr), src: val(CUdeviceptr), ByteCount: val(usize));

    fn cuMemcpy_ptds since 7000 [todo pace ce submit custom_wire]
        (dst: val(CUdeviceptr), src: val(CUdeviceptr), ByteCount: val(usize));

    fn cuMemcpyPeer since 4000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr), dstContext: val(CUcontext), srcDevice: val(CUdeviceptr),
         srcContext: val(CUcontext), ByteCount: val(usize));

    fn cuMemcpyPeer_ptds since 7000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr), dstContext: val(CUcontext), srcDevice: val(CUdeviceptr),
         srcContext: val(CUcontext), ByteCount: val(usize));

    fn cuMemcpyHtoD since 2000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr_v1), srcHost: bytes(ByteCount), ByteCount: val(u32));

    fn cuMemcpyHtoD_v2 since 3020 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr), srcHost: bytes(ByteCount), ByteCount: val(usize));

    fn cuMemcpyHtoD_v2_ptds since 7000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr), srcHost: bytes(ByteCount), ByteCount: val(usize));

    fn cuMemcpyDtoH since 2000 [todo pace ce call]
        (dstHost: bytes_mut(ByteCount), srcDevice: val(CUdeviceptr_v1), ByteCount: val(u32));

    fn cuMemcpyDtoH_v2 since 3020 [todo pace ce call]
        (dstHost: bytes_mut(ByteCount), srcDevice: val(CUdeviceptr), ByteCount: val(usize));

    fn cuMemcpyDtoH_v2_ptds since 7000 [todo pace ce call]
        (dstHost: bytes_mut(ByteCount), srcDevice: val(CUdeviceptr), ByteCount: val(usize));

    fn cuMemcpyDtoD since 2000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr_v1), srcDevice: val(CUdeviceptr_v1), ByteCount: val(u32));

    fn cuMemcpyDtoD_v2 since 3020 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr), srcDevice: val(CUdeviceptr), ByteCount: val(usize));

    fn cuMemcpyDtoD_v2_ptds since 7000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr), srcDevice: val(CUdeviceptr), ByteCount: val(usize));

    fn cuMemcpyDtoA since 2000 [todo pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(u32), srcDevice: val(CUdeviceptr_v1), ByteCount: val(u32));

    fn cuMemcpyDtoA_v2 since 3020 [todo pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(usize), srcDevice: val(CUdeviceptr), ByteCount: val(usize));

    fn cuMemcpyDtoA_v2_ptds since 7000 [todo pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(usize), srcDevice: val(CUdeviceptr), ByteCount: val(usize));

    fn cuMemcpyAtoD since 2000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr_v1), srcArray: val(CUarray), srcOffset: val(u32), ByteCount: val(u32));

    fn cuMemcpyAtoD_v2 since 3020 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr), srcArray: val(CUarray), srcOffset: val(usize), ByteCount: val(usize));

    fn cuMemcpyAtoD_v2_ptds since 7000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr), srcArray: val(CUarray), srcOffset: val(usize), ByteCount: val(usize));

    fn cuMemcpyHtoA since 2000 [todo pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(u32), srcHost: bytes(ByteCount), ByteCount: val(u32));

    fn cuMemcpyHtoA_v2 since 3020 [todo pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(usize), srcHost: bytes(ByteCount), ByteCount: val(usize));

    fn cuMemcpyHtoA_v2_ptds since 7000 [todo pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(usize), srcHost: bytes(ByteCount), ByteCount: val(usize));

    fn cuMemcpyAtoH since 2000 [todo pace ce call]
        (dstHost: bytes_mut(ByteCount), srcArray: val(CUarray), srcOffset: val(u32), ByteCount: val(u32));

    fn cuMemcpyAtoH_v2 since 3020 [todo pace ce call]
        (dstHost: bytes_mut(ByteCount), srcArray: val(CUarray), srcOffset: val(usize), ByteCount: val(usize));

    fn cuMemcpyAtoH_v2_ptds since 7000 [todo pace ce call]
        (dstHost: bytes_mut(ByteCount), srcArray: val(CUarray), srcOffset: val(usize), ByteCount: val(usize));

    fn cuMemcpyAtoA since 2000 [todo pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(u32), srcArray: val(CUarray), srcOffset: val(u32), ByteCount: val(u32));

    fn cuMemcpyAtoA_v2 since 3020 [todo pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(usize), srcArray: val(CUarray), srcOffset: val(usize),
         ByteCount: val(usize));

    fn cuMemcpyAtoA_v2_ptds since 7000 [todo pace ce submit]
        (dstArray: val(CUarray), dstOffset: val(usize), srcArray: val(CUarray), srcOffset: val(usize),
         ByteCount: val(usize));

    fn cuMemcpy2D since 2000 [todo pace ce submit]
        (pCopy: input(CUDA_MEMCPY2D_v1));

    fn cuMemcpy2D_v2 since 3020 [todo pace ce submit]
        (pCopy: input(CUDA_MEMCPY2D));

    fn cuMemcpy2D_v2_ptds since 7000 [todo pace ce submit]
        (pCopy: input(CUDA_MEMCPY2D));

    fn cuMemcpy2DUnaligned since 2000 [todo pace ce submit]
        (pCopy: input(CUDA_MEMCPY2D_v1));

    fn cuMemcpy2DUnaligned_v2 since 3020 [todo pace ce submit]
        (pCopy: input(CUDA_MEMCPY2D));

    fn cuMemcpy2DUnaligned_v2_ptds since 7000 [todo pace ce submit]
        (pCopy: input(CUDA_MEMCPY2D));

    fn cuMemcpy3D since 2000 [todo pace ce submit]
        (pCopy: input(CUDA_MEMCPY3D_v1));

    fn cuMemcpy3D_v2 since 3020 [todo pace ce submit]
        (pCopy: input(CUDA_MEMCPY3D));

    fn cuMemcpy3D_v2_ptds since 7000 [todo pace ce submit]
        (pCopy: input(CUDA_MEMCPY3D));

    fn cuMemcpy3DPeer since 4000 [todo pace ce submit]
        (pCopy: input(CUDA_MEMCPY3D_PEER));

    fn cuMemcpy3DPeer_ptds since 7000 [todo pace ce submit]
        (pCopy: input(CUDA_MEMCPY3D_PEER));

    fn cuMemcpyAsync since 4000 [todo pace ce stream(hStream) submit capture custom_wire]
        (dst: val(CUdeviceptr), src: val(CUdeviceptr), ByteCount: val(usize), hStream: val(CUstream));

    fn cuMemcpyAsync_ptsz since 7000 [todo pace ce stream(hStream) submit capture custom_wire]
        (dst: val(CUdeviceptr), src: val(CUdeviceptr), ByteCount: val(usize), hStream: val(CUstream));

    fn cuMemcpyPeerAsync since 4000 [todo pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), dstContext: val(CUcontext), srcDevice: val(CUdeviceptr),
         srcContext: val(CUcontext), ByteCount: val(usize), hStream: val(CUstream));

    fn cuMemcpyPeerAsync_ptsz since 7000 [todo pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), dstContext: val(CUcontext), srcDevice: val(CUdeviceptr),
         srcContext: val(CUcontext), ByteCount: val(usize), hStream: val(CUstream));

    fn cuMemcpyHtoDAsync since 2000 [todo pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr_v1), srcHost: bytes(ByteCount), ByteCount: val(u32), hStream: val(CUstream));

    fn cuMemcpyHtoDAsync_v2 since 3020 [todo pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), srcHost: bytes(ByteCount), ByteCount: val(usize), hStream: val(CUstream));

    fn cuMemcpyHtoDAsync_v2_ptsz since 7000 [todo pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), srcHost: bytes(ByteCount), ByteCount: val(usize), hStream: val(CUstream));

    fn cuMemcpyDtoHAsync since 2000 [todo pace ce stream(hStream) call capture]
        (dstHost: bytes_mut(ByteCount), srcDevice: val(CUdeviceptr_v1), ByteCount: val(u32), hStream: val(CUstream));

    fn cuMemcpyDtoHAsync_v2 since 3020 [todo pace ce stream(hStream) call capture]
        (dstHost: bytes_mut(ByteCount), srcDevice: val(CUdeviceptr), ByteCount: val(usize), hStream: val(CUstream));

    fn cuMemcpyDtoHAsync_v2_ptsz since 7000 [todo pace ce stream(hStream) call capture]
        (dstHost: bytes_mut(ByteCount), srcDevice: val(CUdeviceptr), ByteCount: val(usize), hStream: val(CUstream));

    fn cuMemcpyDtoDAsync since 3000 [todo pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr_v1), srcDevice: val(CUdeviceptr_v1), ByteCount: val(u32), hStream: val(CUstream));

    fn cuMemcpyDtoDAsync_v2 since 3020 [todo pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), srcDevice: val(CUdeviceptr), ByteCount: val(usize), hStream: val(CUstream));

    fn cuMemcpyDtoDAsync_v2_ptsz since 7000 [todo pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), srcDevice: val(CUdeviceptr), ByteCount: val(usize), hStream: val(CUstream));

    fn cuMemcpyHtoAAsync since 2000 [todo pace ce stream(hStream) submit capture]
        (dstArray: val(CUarray), dstOffset: val(u32), srcHost: bytes(ByteCount), ByteCount: val(u32),
         hStream: val(CUstream));

    fn cuMemcpyHtoAAsync_v2 since 3020 [todo pace ce stream(hStream) submit capture]
        (dstArray: val(CUarray), dstOffset: val(usize), srcHost: bytes(ByteCount), ByteCount: val(usize),
         hStream: val(CUstream));

    fn cuMemcpyHtoAAsync_v2_ptsz since 7000 [todo pace ce stream(hStream) submit capture]
        (dstArray: val(CUarray), dstOffset: val(usize), srcHost: bytes(ByteCount), ByteCount: val(usize),
         hStream: val(CUstream));

    fn cuMemcpyAtoHAsync since 2000 [todo pace ce stream(hStream) call capture]
        (dstHost: bytes_mut(ByteCount), srcArray: val(CUarray), srcOffset: val(u32), ByteCount: val(u32),
         hStream: val(CUstream));

    fn cuMemcpyAtoHAsync_v2 since 3020 [todo pace ce stream(hStream) call capture]
        (dstHost: bytes_mut(ByteCount), srcArray: val(CUarray), srcOffset: val(usize), ByteCount: val(usize),
         hStream: val(CUstream));

    fn cuMemcpyAtoHAsync_v2_ptsz since 7000 [todo pace ce stream(hStream) call capture]
        (dstHost: bytes_mut(ByteCount), srcArray: val(CUarray), srcOffset: val(usize), ByteCount: val(usize),
         hStream: val(CUstream));

    fn cuMemcpy2DAsync since 2000 [todo pace ce stream(hStream) submit capture]
        (pCopy: input(CUDA_MEMCPY2D_v1), hStream: val(CUstream));

    fn cuMemcpy2DAsync_v2 since 3020 [todo pace ce stream(hStream) submit capture]
        (pCopy: input(CUDA_MEMCPY2D), hStream: val(CUstream));

    fn cuMemcpy2DAsync_v2_ptsz since 7000 [todo pace ce stream(hStream) submit capture]
        (pCopy: input(CUDA_MEMCPY2D), hStream: val(CUstream));

    fn cuMemcpy3DAsync since 2000 [todo pace ce stream(hStream) submit capture]
        (pCopy: input(CUDA_MEMCPY3D_v1), hStream: val(CUstream));

    fn cuMemcpy3DAsync_v2 since 3020 [todo pace ce stream(hStream) submit capture]
        (pCopy: input(CUDA_MEMCPY3D), hStream: val(CUstream));

    fn cuMemcpy3DAsync_v2_ptsz since 7000 [todo pace ce stream(hStream) submit capture]
        (pCopy: input(CUDA_MEMCPY3D), hStream: val(CUstream));

    fn cuMemcpy3DPeerAsync since 4000 [todo pace ce stream(hStream) submit capture]
        (pCopy: input(CUDA_MEMCPY3D_PEER), hStream: val(CUstream));

    fn cuMemcpy3DPeerAsync_ptsz since 7000 [todo pace ce stream(hStream) submit capture]
        (pCopy: input(CUDA_MEMCPY3D_PEER), hStream: val(CUstream));

    fn cuMemcpyBatchAsync since 12080 [todo pace ce stream(hStream) call custom_wire]
        (dsts: array(CUdeviceptr, count), srcs: array(CUdeviceptr, count), sizes: array(usize, count),
         count: val(usize), attrs: array(CUmemcpyAttributes, numAttrs), attrsIdxs: array(usize, numAttrs),
         numAttrs: val(usize), failIdx: out(usize), hStream: val(CUstream));

    fn cuMemcpyBatchAsync_ptsz since 12080 [todo pace ce stream(hStream) call custom_wire]
        (dsts: array(CUdeviceptr, count), srcs: array(CUdeviceptr, count), sizes: array(usize, count),
         count: val(usize), attrs: array(CUmemcpyAttributes, numAttrs), attrsIdxs: array(usize, numAttrs),
         numAttrs: val(usize), failIdx: out(usize), hStream: val(CUstream));

    fn cuMemcpyBatchAsync_v2 since 13000 [todo pace ce stream(hStream) submit custom_wire]
        (dsts: array(CUdeviceptr, count), srcs: array(CUdeviceptr, count), sizes: array(usize, count),
         count: val(usize), attrs: array(CUmemcpyAttributes, numAttrs), attrsIdxs: array(usize, numAttrs),
         numAttrs: val(usize), hStream: val(CUstream));

    fn cuMemcpyBatchAsync_v2_ptsz since 13000 [todo pace ce stream(hStream) submit custom_wire]
        (dsts: array(CUdeviceptr, count), srcs: array(CUdeviceptr, count), sizes: array(usize, count),
         count: val(usize), attrs: array(CUmemcpyAttributes, numAttrs), attrsIdxs: array(usize, numAttrs),
         numAttrs: val(usize), hStream: val(CUstream));

    fn cuMemcpy3DBatchAsync since 12080 [todo pace ce stream(hStream) call]
        (numOps: val(usize), opList: array(CUDA_MEMCPY3D_BATCH_OP, numOps), failIdx: out(usize), flags: val(u64),
         hStream: val(CUstream));

    fn cuMemcpy3DBatchAsync_ptsz since 12080 [todo pace ce stream(hStream) call]
        (numOps: val(usize), opList: array(CUDA_MEMCPY3D_BATCH_OP, numOps), failIdx: out(usize), flags: val(u64),
         hStream: val(CUstream));

    fn cuMemcpy3DBatchAsync_v2 since 13000 [todo pace ce stream(hStream) submit]
        (numOps: val(usize), opList: array(CUDA_MEMCPY3D_BATCH_OP, numOps), flags: val(u64), hStream: val(CUstream));

    fn cuMemcpy3DBatchAsync_v2_ptsz since 13000 [todo pace ce stream(hStream) submit]
        (numOps: val(usize), opList: array(CUDA_MEMCPY3D_BATCH_OP, numOps), flags: val(u64), hStream: val(CUstream));

    fn cuMemcpyWithAttributesAsync since 13020 [todo pace ce stream(hStream) submit capture custom_wire]
        (dst: val(CUdeviceptr), src: val(CUdeviceptr), size: val(usize), attr: input(CUmemcpyAttributes),
         hStream: val(CUstream));

    fn cuMemcpyWithAttributesAsync_ptsz since 13020 [todo pace ce stream(hStream) submit capture custom_wire]
        (dst: val(CUdeviceptr), src: val(CUdeviceptr), size: val(usize), attr: input(CUmemcpyAttributes),
         hStream: val(CUstream));

    fn cuMemcpy3DWithAttributesAsync since 13020 [todo pace ce stream(hStream) submit capture]
        (op: input(CUDA_MEMCPY3D_BATCH_OP), flags: val(u64), hStream: val(CUstream));

    fn cuMemcpy3DWithAttributesAsync_ptsz since 13020 [todo pace ce stream(hStream) submit capture]
        (op: input(CUDA_MEMCPY3D_BATCH_OP), flags: val(u64), hStream: val(CUstream));

    fn cuMemBatchDecompressAsync since 12060 [todo pace ce stream(stream) call custom_wire]
        (paramsArray: array(CUmemDecompressParams, count), count: val(usize), flags: val(u32),
         errorIndex: out(usize), stream: val(CUstream));

    fn cuMemBatchDecompressAsync_ptsz since 12060 [todo pace ce stream(stream) call custom_wire]
        (paramsArray: array(CUmemDecompressParams, count), count: val(usize), flags: val(u32),
         errorIndex: out(usize), stream: val(CUstream));

}}}}
