#[macro_export]
macro_rules! cuda_graphics_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuGraphicsUnregisterResource since 3000 [todo forward call]
        (resource: val(CUgraphicsResource));

    fn cuGraphicsSubResourceGetMappedArray since 3000 [todo forward call]
        (pArray: out(CUarray), resource: val(CUgraphicsResource), arrayIndex: val(u32), mipLevel: val(u32));

    fn cuGraphicsResourceGetMappedMipmappedArray since 5000 [todo forward call]
        (pMipmappedArray: out(CUmipmappedArray), resource: val(CUgraphicsResource));

    fn cuGraphicsResourceGetMappedPointer since 3000 [todo forward call]
        (pDevPtr: out(CUdeviceptr_v1), pSize: out(u32), resource: val(CUgraphicsResource));

    fn cuGraphicsResourceGetMappedPointer_v2 since 3020 [todo forward call]
        (pDevPtr: out(CUdeviceptr), pSize: out(usize), resource: val(CUgraphicsResource));

    fn cuGraphicsResourceSetMapFlags since 3000 [todo forward call]
        (resource: val(CUgraphicsResource), flags: val(u32));

    fn cuGraphicsResourceSetMapFlags_v2 since 6050 [todo forward call]
        (resource: val(CUgraphicsResource), flags: val(u32));

    fn cuGraphicsMapResources since 3000 [todo forward stream(hStream) submit]
        (count: val(u32), resources: array(CUgraphicsResource, count), hStream: val(CUstream));

    fn cuGraphicsMapResources_ptsz since 7000 [todo forward stream(hStream) submit]
        (count: val(u32), resources: array(CUgraphicsResource, count), hStream: val(CUstream));

    fn cuGraphicsUnmapResources since 3000 [todo forward stream(hStream) submit]
        (count: val(u32), resources: array(CUgraphicsResource, count), hStream: val(CUstream));

    fn cuGraphicsUnmapResources_ptsz since 7000 [todo forward stream(hStream) submit]
        (count: val(u32), resources: array(CUgraphicsResource, count), hStream: val(CUstream));

    fn cuGraphicsGLRegisterBuffer since 3000 [todo forward call]
        (pCudaResource: out(CUgraphicsResource), buffer: val(u32), Flags: val(u32));

    fn cuGraphicsGLRegisterImage since 3000 [todo forward call]
        (pCudaResource: out(CUgraphicsResource), image: val(u32), target: val(u32), Flags: val(u32));

    fn cuGLGetDevices since 4010 [todo forward call]
        (pCudaDeviceCount: out(u32), pCudaDevices: array_out(CUdevice, cudaDeviceCount), cudaDeviceCount: val(u32),
         deviceList: val(CUGLDeviceList));

    fn cuGLGetDevices_v2 since 6050 [todo forward call]
        (pCudaDeviceCount: out(u32), pCudaDevices: array_out(CUdevice, cudaDeviceCount), cudaDeviceCount: val(u32),
         deviceList: val(CUGLDeviceList));

    fn cuGLCtxCreate since 2000 [todo charge call]
        (pCtx: out(CUcontext), Flags: val(u32), device: val(CUdevice));

    fn cuGLCtxCreate_v2 since 3020 [todo charge call]
        (pCtx: out(CUcontext), Flags: val(u32), device: val(CUdevice));

    fn cuGLInit since 2000 [todo forward call]
        ();

    fn cuGLRegisterBufferObject since 2000 [todo forward call]
        (buffer: val(u32));

    fn cuGLMapBufferObject since 2000 [todo forward call]
        (dptr: out(CUdeviceptr_v1), size: out(u32), buffer: val(u32));

    fn cuGLMapBufferObject_v2 since 3020 [todo forward call]
        (dptr: out(CUdeviceptr), size: out(usize), buffer: val(u32));

    fn cuGLMapBufferObject_v2_ptds since 7000 [todo forward call]
        (dptr: out(CUdeviceptr), size: out(usize), buffer: val(u32));

    fn cuGLUnmapBufferObject since 2000 [todo forward call]
        (buffer: val(u32));

    fn cuGLUnregisterBufferObject since 2000 [todo forward call]
        (buffer: val(u32));

    fn cuGLSetBufferObjectMapFlags since 2030 [todo forward call]
        (buffer: val(u32), Flags: val(u32));

    fn cuGLMapBufferObjectAsync since 2030 [todo forward stream(hStream) call]
        (dptr: out(CUdeviceptr_v1), size: out(u32), buffer: val(u32), hStream: val(CUstream));

    fn cuGLMapBufferObjectAsync_v2 since 3020 [todo forward stream(hStream) call]
        (dptr: out(CUdeviceptr), size: out(usize), buffer: val(u32), hStream: val(CUstream));

    fn cuGLMapBufferObjectAsync_v2_ptsz since 7000 [todo forward stream(hStream) call]
        (dptr: out(CUdeviceptr), size: out(usize), buffer: val(u32), hStream: val(CUstream));

    fn cuGLUnmapBufferObjectAsync since 2030 [todo forward stream(hStream) call]
        (buffer: val(u32), hStream: val(CUstream));

    fn cuGraphicsEGLRegisterImage since 7000 [todo forward call custom_wire]
        (pCudaResource: out(CUgraphicsResource), image: raw(Ptr<c_void>), flags: val(u32));

    fn cuEGLStreamConsumerConnect since 7000 [todo forward call custom_wire]
        (conn: out(CUeglStreamConnection), stream: raw(Ptr<c_void>));

    fn cuEGLStreamConsumerConnectWithFlags since 8000 [todo forward call custom_wire]
        (conn: out(CUeglStreamConnection), stream: raw(Ptr<c_void>), flags: val(u32));

    fn cuEGLStreamConsumerDisconnect since 7000 [todo forward call]
        (conn: inout(CUeglStreamConnection));

    fn cuEGLStreamConsumerAcquireFrame since 7000 [todo forward call]
        (conn: inout(CUeglStreamConnection), pCudaResource: out(CUgraphicsResource), pStream: inout(CUstream),
         timeout: val(u32));

    fn cuEGLStreamConsumerReleaseFrame since 7000 [todo forward call]
        (conn: inout(CUeglStreamConnection), pCudaResource: val(CUgraphicsResource), pStream: inout(CUstream));

    fn cuEGLStreamProducerConnect since 7000 [todo forward call custom_wire]
        (conn: out(CUeglStreamConnection), stream: raw(Ptr<c_void>), width: val(i32), height: val(i32));

    fn cuEGLStreamProducerDisconnect since 7000 [todo forward call]
        (conn: inout(CUeglStreamConnection));

    fn cuEGLStreamProducerPresentFrame since 7000 [todo forward call]
        (conn: inout(CUeglStreamConnection), eglframe: val(CUeglFrame), pStream: inout(CUstream));

    fn cuEGLStreamProducerReturnFrame since 7000 [todo forward call]
        (conn: inout(CUeglStreamConnection), eglframe: inout(CUeglFrame), pStream: inout(CUstream));

    fn cuGraphicsResourceGetMappedEglFrame since 7000 [todo forward call]
        (eglFrame: out(CUeglFrame), resource: val(CUgraphicsResource), index: val(u32), mipLevel: val(u32));

    fn cuEventCreateFromEGLSync since 0 [todo forward call capture custom_wire]
        (phEvent: out(CUevent), eglSync: raw(Ptr<c_void>), flags: val(u32));

    fn cuVDPAUGetDevice since 3010 [todo forward call custom_wire]
        (pDevice: out(CUdevice), vdpDevice: val(u32), vdpGetProcAddress: raw(Ptr<c_void>));

    fn cuVDPAUCtxCreate since 3010 [todo charge call custom_wire]
        (pCtx: out(CUcontext), flags: val(u32), device: val(CUdevice), vdpDevice: val(u32),
         vdpGetProcAddress: raw(Ptr<c_void>));

    fn cuVDPAUCtxCreate_v2 since 3020 [todo charge call custom_wire]
        (pCtx: out(CUcontext), flags: val(u32), device: val(CUdevice), vdpDevice: val(u32),
         vdpGetProcAddress: raw(Ptr<c_void>));

    fn cuGraphicsVDPAURegisterVideoSurface since 3010 [todo forward call]
        (pCudaResource: out(CUgraphicsResource), vdpSurface: val(u32), flags: val(u32));

    fn cuGraphicsVDPAURegisterOutputSurface since 3010 [todo forward call]
        (pCudaResource: out(CUgraphicsResource), vdpSurface: val(u32), flags: val(u32));

    /// Exported, but no public header ever declared it: its arguments are unknown.
    fn cuEGLApiInit since 0 [todo forward call]
        ();

}}}}
