#[macro_export]
#[doc(hidden)]
macro_rules! cuda_peer_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Whether a device can access the memory of another.
    fn cuDeviceCanAccessPeer since 4000 [soft forward call capture]
        (canAccessPeer: out(i32), dev: val(CUdevice), peerDev: val(CUdevice));

    /// Lets the current context access the memory of another.
    fn cuCtxEnablePeerAccess since 4000 [soft forward call]
        (peerContext: val(CUcontext), Flags: val(u32));

    /// Ends access to the memory of another context.
    fn cuCtxDisablePeerAccess since 4000 [soft forward call]
        (peerContext: val(CUcontext));

    /// One number about the link between two devices.
    fn cuDeviceGetP2PAttribute since 8000 [soft forward call capture]
        (value: out(i32), attrib: val(CUdevice_P2PAttribute), srcDevice: val(CUdevice), dstDevice: val(CUdevice));

    /// Which atomic operations a device can do on the memory of another.
    fn cuDeviceGetP2PAtomicCapabilities since 13000 [todo forward call capture]
        (capabilities: array_out(u32, count), operations: array(CUatomicOperation, count), count: val(u32),
         srcDevice: val(CUdevice), dstDevice: val(CUdevice));

}}}}
