#[macro_export]
macro_rules! cuda_peer_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuDeviceCanAccessPeer since 4000 [soft forward call capture]
        (canAccessPeer: out(i32), dev: val(CUdevice), peerDev: val(CUdevice));

    fn cuCtxEnablePeerAccess since 4000 [soft forward call]
        (peerContext: val(CUcontext), Flags: val(u32));

    fn cuCtxDisablePeerAccess since 4000 [soft forward call]
        (peerContext: val(CUcontext));

    fn cuDeviceGetP2PAttribute since 8000 [soft forward call capture]
        (value: out(i32), attrib: val(CUdevice_P2PAttribute), srcDevice: val(CUdevice), dstDevice: val(CUdevice));

    fn cuDeviceGetP2PAtomicCapabilities since 13000 [todo forward call capture]
        (capabilities: array_out(u32, count), operations: array(CUatomicOperation, count), count: val(u32),
         srcDevice: val(CUdevice), dstDevice: val(CUdevice));

}}}}
