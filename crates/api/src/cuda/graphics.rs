#[macro_export]
#[doc(hidden)]
macro_rules! cuda_graphics_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Gives a graphics resource back.
    fn cuGraphicsUnregisterResource since 3000 [todo forward call]
        (resource: val(CUgraphicsResource));

    /// Array of a mapped graphics resource.
    fn cuGraphicsSubResourceGetMappedArray since 3000 [todo forward call capture]
        (pArray: out(CUarray), resource: val(CUgraphicsResource), arrayIndex: val(u32), mipLevel: val(u32));

    /// Array with levels of a mapped graphics resource.
    fn cuGraphicsResourceGetMappedMipmappedArray since 5000 [todo forward call capture]
        (pMipmappedArray: out(CUmipmappedArray), resource: val(CUgraphicsResource));

    /// Address and size of a mapped graphics resource. 32-bit sizes and addresses.
    fn cuGraphicsResourceGetMappedPointer since 3000 [todo forward call capture]
        (pDevPtr: out(CUdeviceptr_v1), pSize: out(u32), resource: val(CUgraphicsResource));

    /// Address and size of a mapped graphics resource.
    fn cuGraphicsResourceGetMappedPointer_v2 since 3020 [todo forward call capture]
        (pDevPtr: out(CUdeviceptr), pSize: out(usize), resource: val(CUgraphicsResource));

    /// How a graphics resource will be used. 32-bit sizes and addresses.
    fn cuGraphicsResourceSetMapFlags since 3000 [todo forward call]
        (resource: val(CUgraphicsResource), flags: val(u32));

    /// How a graphics resource will be used.
    fn cuGraphicsResourceSetMapFlags_v2 since 6050 [todo forward call]
        (resource: val(CUgraphicsResource), flags: val(u32));

    /// Maps graphics resources, in stream order.
    fn cuGraphicsMapResources since 3000 [todo forward stream(hStream) submit]
        (count: val(u32), resources: array(CUgraphicsResource, count), hStream: val(CUstream));

    /// Maps graphics resources, in stream order. Default stream: per thread.
    fn cuGraphicsMapResources_ptsz since 7000 [todo forward stream(hStream) submit]
        (count: val(u32), resources: array(CUgraphicsResource, count), hStream: val(CUstream));

    /// Unmaps graphics resources, in stream order.
    fn cuGraphicsUnmapResources since 3000 [todo forward stream(hStream) submit]
        (count: val(u32), resources: array(CUgraphicsResource, count), hStream: val(CUstream));

    /// Unmaps graphics resources, in stream order. Default stream: per thread.
    fn cuGraphicsUnmapResources_ptsz since 7000 [todo forward stream(hStream) submit]
        (count: val(u32), resources: array(CUgraphicsResource, count), hStream: val(CUstream));

    /// Makes an OpenGL buffer usable as a graphics resource.
    fn cuGraphicsGLRegisterBuffer since 3000 [todo forward call]
        (pCudaResource: out(CUgraphicsResource), buffer: val(u32), Flags: val(u32));

    /// Makes an OpenGL texture usable as a graphics resource.
    fn cuGraphicsGLRegisterImage since 3000 [todo forward call]
        (pCudaResource: out(CUgraphicsResource), image: val(u32), target: val(u32), Flags: val(u32));

    /// Devices that run the current OpenGL context.
    fn cuGLGetDevices since 4010 [todo forward call capture]
        (pCudaDeviceCount: out(u32), pCudaDevices: array_out(CUdevice, cudaDeviceCount), cudaDeviceCount: val(u32),
         deviceList: val(CUGLDeviceList));

    /// Devices that run the current OpenGL context.
    fn cuGLGetDevices_v2 since 6050 [todo forward call capture]
        (pCudaDeviceCount: out(u32), pCudaDevices: array_out(CUdevice, cudaDeviceCount), cudaDeviceCount: val(u32),
         deviceList: val(CUGLDeviceList));

    /// Creates a context tied to OpenGL. 32-bit sizes and addresses.
    fn cuGLCtxCreate since 2000 [todo charge call]
        (pCtx: out(CUcontext), Flags: val(u32), device: val(CUdevice));

    /// Creates a context tied to OpenGL.
    fn cuGLCtxCreate_v2 since 3020 [todo charge call]
        (pCtx: out(CUcontext), Flags: val(u32), device: val(CUdevice));

    /// Initialises OpenGL sharing; does nothing today.
    fn cuGLInit since 2000 [todo forward call]
        ();

    /// Makes an OpenGL buffer usable.
    fn cuGLRegisterBufferObject since 2000 [todo forward call]
        (buffer: val(u32));

    /// Maps an OpenGL buffer. 32-bit sizes and addresses.
    fn cuGLMapBufferObject since 2000 [todo forward call]
        (dptr: out(CUdeviceptr_v1), size: out(u32), buffer: val(u32));

    /// Maps an OpenGL buffer.
    fn cuGLMapBufferObject_v2 since 3020 [todo forward call]
        (dptr: out(CUdeviceptr), size: out(usize), buffer: val(u32));

    /// Maps an OpenGL buffer. Default stream: per thread.
    fn cuGLMapBufferObject_v2_ptds since 7000 [todo forward call]
        (dptr: out(CUdeviceptr), size: out(usize), buffer: val(u32));

    /// Unmaps an OpenGL buffer.
    fn cuGLUnmapBufferObject since 2000 [todo forward call]
        (buffer: val(u32));

    /// Gives an OpenGL buffer back.
    fn cuGLUnregisterBufferObject since 2000 [todo forward call]
        (buffer: val(u32));

    /// How an OpenGL buffer will be used.
    fn cuGLSetBufferObjectMapFlags since 2030 [todo forward call]
        (buffer: val(u32), Flags: val(u32));

    /// Maps an OpenGL buffer, in stream order. 32-bit sizes and addresses.
    fn cuGLMapBufferObjectAsync since 2030 [todo forward stream(hStream) call]
        (dptr: out(CUdeviceptr_v1), size: out(u32), buffer: val(u32), hStream: val(CUstream));

    /// Maps an OpenGL buffer, in stream order.
    fn cuGLMapBufferObjectAsync_v2 since 3020 [todo forward stream(hStream) call]
        (dptr: out(CUdeviceptr), size: out(usize), buffer: val(u32), hStream: val(CUstream));

    /// Maps an OpenGL buffer, in stream order. Default stream: per thread.
    fn cuGLMapBufferObjectAsync_v2_ptsz since 7000 [todo forward stream(hStream) call]
        (dptr: out(CUdeviceptr), size: out(usize), buffer: val(u32), hStream: val(CUstream));

    /// Unmaps an OpenGL buffer, in stream order.
    fn cuGLUnmapBufferObjectAsync since 2030 [todo forward stream(hStream) call]
        (buffer: val(u32), hStream: val(CUstream));

    /// Makes an EGL image usable.
    fn cuGraphicsEGLRegisterImage since 7000 [todo forward call custom_wire]
        (pCudaResource: out(CUgraphicsResource), image: raw(Ptr<c_void>), flags: val(u32));

    /// Connects to an EGL stream as its consumer.
    fn cuEGLStreamConsumerConnect since 7000 [todo forward call custom_wire]
        (conn: out(CUeglStreamConnection), stream: raw(Ptr<c_void>));

    /// Connects to an EGL stream as its consumer, with flags.
    fn cuEGLStreamConsumerConnectWithFlags since 8000 [todo forward call custom_wire]
        (conn: out(CUeglStreamConnection), stream: raw(Ptr<c_void>), flags: val(u32));

    /// Disconnects the consumer of an EGL stream.
    fn cuEGLStreamConsumerDisconnect since 7000 [todo forward call]
        (conn: inout(CUeglStreamConnection));

    /// Takes a frame from an EGL stream.
    fn cuEGLStreamConsumerAcquireFrame since 7000 [todo forward call]
        (conn: inout(CUeglStreamConnection), pCudaResource: out(CUgraphicsResource), pStream: inout(CUstream),
         timeout: val(u32));

    /// Gives a frame back to an EGL stream.
    fn cuEGLStreamConsumerReleaseFrame since 7000 [todo forward call]
        (conn: inout(CUeglStreamConnection), pCudaResource: val(CUgraphicsResource), pStream: inout(CUstream));

    /// Connects to an EGL stream as its producer.
    fn cuEGLStreamProducerConnect since 7000 [todo forward call custom_wire]
        (conn: out(CUeglStreamConnection), stream: raw(Ptr<c_void>), width: val(i32), height: val(i32));

    /// Disconnects the producer of an EGL stream.
    fn cuEGLStreamProducerDisconnect since 7000 [todo forward call]
        (conn: inout(CUeglStreamConnection));

    /// Puts a frame into an EGL stream.
    fn cuEGLStreamProducerPresentFrame since 7000 [todo forward call]
        (conn: inout(CUeglStreamConnection), eglframe: val(CUeglFrame), pStream: inout(CUstream));

    /// Takes a used frame back from an EGL stream.
    fn cuEGLStreamProducerReturnFrame since 7000 [todo forward call]
        (conn: inout(CUeglStreamConnection), eglframe: inout(CUeglFrame), pStream: inout(CUstream));

    /// EGL frame of a mapped graphics resource.
    fn cuGraphicsResourceGetMappedEglFrame since 7000 [todo forward call capture]
        (eglFrame: out(CUeglFrame), resource: val(CUgraphicsResource), index: val(u32), mipLevel: val(u32));

    /// Creates an event from an EGL sync object; not on PCs.
    fn cuEventCreateFromEGLSync since 0 [todo forward call capture custom_wire]
        (phEvent: out(CUevent), eglSync: raw(Ptr<c_void>), flags: val(u32));

    /// Device behind a VDPAU device.
    fn cuVDPAUGetDevice since 3010 [todo forward call capture custom_wire]
        (pDevice: out(CUdevice), vdpDevice: val(u32), vdpGetProcAddress: raw(Ptr<c_void>));

    /// Creates a context tied to VDPAU. 32-bit sizes and addresses.
    fn cuVDPAUCtxCreate since 3010 [todo charge call custom_wire]
        (pCtx: out(CUcontext), flags: val(u32), device: val(CUdevice), vdpDevice: val(u32),
         vdpGetProcAddress: raw(Ptr<c_void>));

    /// Creates a context tied to VDPAU.
    fn cuVDPAUCtxCreate_v2 since 3020 [todo charge call custom_wire]
        (pCtx: out(CUcontext), flags: val(u32), device: val(CUdevice), vdpDevice: val(u32),
         vdpGetProcAddress: raw(Ptr<c_void>));

    /// Makes a VDPAU video surface usable.
    fn cuGraphicsVDPAURegisterVideoSurface since 3010 [todo forward call]
        (pCudaResource: out(CUgraphicsResource), vdpSurface: val(u32), flags: val(u32));

    /// Makes a VDPAU output surface usable.
    fn cuGraphicsVDPAURegisterOutputSurface since 3010 [todo forward call]
        (pCudaResource: out(CUgraphicsResource), vdpSurface: val(u32), flags: val(u32));

    /// Exported, but no public header ever declared it: its arguments are unknown.
    fn cuEGLApiInit since 0 [todo forward call]
        ();

}}}}
