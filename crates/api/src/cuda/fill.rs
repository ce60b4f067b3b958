#[macro_export]
#[doc(hidden)]
macro_rules! cuda_fill_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Fills memory with a byte. 32-bit sizes and addresses.
    fn cuMemsetD8 since 2000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr_v1), uc: val(u8), N: val(u32));

    /// Fills memory with a byte.
    fn cuMemsetD8_v2 since 3020 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), uc: val(u8), N: val(usize));

    /// Fills memory with a byte. Default stream: per thread.
    fn cuMemsetD8_v2_ptds since 7000 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), uc: val(u8), N: val(usize));

    /// Fills memory with a 16-bit value. 32-bit sizes and addresses.
    fn cuMemsetD16 since 2000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr_v1), us: val(u16), N: val(u32));

    /// Fills memory with a 16-bit value.
    fn cuMemsetD16_v2 since 3020 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), us: val(u16), N: val(usize));

    /// Fills memory with a 16-bit value. Default stream: per thread.
    fn cuMemsetD16_v2_ptds since 7000 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), us: val(u16), N: val(usize));

    /// Fills memory with a 32-bit value. 32-bit sizes and addresses.
    fn cuMemsetD32 since 2000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr_v1), ui: val(u32), N: val(u32));

    /// Fills memory with a 32-bit value.
    fn cuMemsetD32_v2 since 3020 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), ui: val(u32), N: val(usize));

    /// Fills memory with a 32-bit value. Default stream: per thread.
    fn cuMemsetD32_v2_ptds since 7000 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), ui: val(u32), N: val(usize));

    /// Fills a rectangle with a byte. 32-bit sizes and addresses.
    fn cuMemsetD2D8 since 2000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr_v1), dstPitch: val(u32), uc: val(u8), Width: val(u32), Height: val(u32));

    /// Fills a rectangle with a byte.
    fn cuMemsetD2D8_v2 since 3020 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), dstPitch: val(usize), uc: val(u8), Width: val(usize), Height: val(usize));

    /// Fills a rectangle with a byte. Default stream: per thread.
    fn cuMemsetD2D8_v2_ptds since 7000 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), dstPitch: val(usize), uc: val(u8), Width: val(usize), Height: val(usize));

    /// Fills a rectangle with a 16-bit value. 32-bit sizes and addresses.
    fn cuMemsetD2D16 since 2000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr_v1), dstPitch: val(u32), us: val(u16), Width: val(u32), Height: val(u32));

    /// Fills a rectangle with a 16-bit value.
    fn cuMemsetD2D16_v2 since 3020 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), dstPitch: val(usize), us: val(u16), Width: val(usize), Height: val(usize));

    /// Fills a rectangle with a 16-bit value. Default stream: per thread.
    fn cuMemsetD2D16_v2_ptds since 7000 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), dstPitch: val(usize), us: val(u16), Width: val(usize), Height: val(usize));

    /// Fills a rectangle with a 32-bit value. 32-bit sizes and addresses.
    fn cuMemsetD2D32 since 2000 [todo pace ce submit]
        (dstDevice: val(CUdeviceptr_v1), dstPitch: val(u32), ui: val(u32), Width: val(u32), Height: val(u32));

    /// Fills a rectangle with a 32-bit value.
    fn cuMemsetD2D32_v2 since 3020 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), dstPitch: val(usize), ui: val(u32), Width: val(usize), Height: val(usize));

    /// Fills a rectangle with a 32-bit value. Default stream: per thread.
    fn cuMemsetD2D32_v2_ptds since 7000 [soft pace ce submit]
        (dstDevice: val(CUdeviceptr), dstPitch: val(usize), ui: val(u32), Width: val(usize), Height: val(usize));

    /// Fills memory with a byte, in stream order.
    fn cuMemsetD8Async since 3020 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), uc: val(u8), N: val(usize), hStream: val(CUstream));

    /// Fills memory with a byte, in stream order. Default stream: per thread.
    fn cuMemsetD8Async_ptsz since 7000 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), uc: val(u8), N: val(usize), hStream: val(CUstream));

    /// Fills memory with a 16-bit value, in stream order.
    fn cuMemsetD16Async since 3020 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), us: val(u16), N: val(usize), hStream: val(CUstream));

    /// Fills memory with a 16-bit value, in stream order. Default stream: per thread.
    fn cuMemsetD16Async_ptsz since 7000 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), us: val(u16), N: val(usize), hStream: val(CUstream));

    /// Fills memory with a 32-bit value, in stream order.
    fn cuMemsetD32Async since 3020 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), ui: val(u32), N: val(usize), hStream: val(CUstream));

    /// Fills memory with a 32-bit value, in stream order. Default stream: per thread.
    fn cuMemsetD32Async_ptsz since 7000 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), ui: val(u32), N: val(usize), hStream: val(CUstream));

    /// Fills a rectangle with a byte, in stream order.
    fn cuMemsetD2D8Async since 3020 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), dstPitch: val(usize), uc: val(u8), Width: val(usize), Height: val(usize),
         hStream: val(CUstream));

    /// Fills a rectangle with a byte, in stream order. Default stream: per thread.
    fn cuMemsetD2D8Async_ptsz since 7000 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), dstPitch: val(usize), uc: val(u8), Width: val(usize), Height: val(usize),
         hStream: val(CUstream));

    /// Fills a rectangle with a 16-bit value, in stream order.
    fn cuMemsetD2D16Async since 3020 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), dstPitch: val(usize), us: val(u16), Width: val(usize), Height: val(usize),
         hStream: val(CUstream));

    /// Fills a rectangle with a 16-bit value, in stream order. Default stream: per thread.
    fn cuMemsetD2D16Async_ptsz since 7000 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), dstPitch: val(usize), us: val(u16), Width: val(usize), Height: val(usize),
         hStream: val(CUstream));

    /// Fills a rectangle with a 32-bit value, in stream order.
    fn cuMemsetD2D32Async since 3020 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), dstPitch: val(usize), ui: val(u32), Width: val(usize), Height: val(usize),
         hStream: val(CUstream));

    /// Fills a rectangle with a 32-bit value, in stream order. Default stream: per thread.
    fn cuMemsetD2D32Async_ptsz since 7000 [soft pace ce stream(hStream) submit capture]
        (dstDevice: val(CUdeviceptr), dstPitch: val(usize), ui: val(u32), Width: val(usize), Height: val(usize),
         hStream: val(CUstream));

}}}}
