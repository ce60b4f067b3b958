#[macro_export]
#[doc(hidden)]
macro_rules! cuda_external_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Imports memory of another API.
    fn cuImportExternalMemory since 10000 [todo forward call custom_wire]
        (extMem_out: out(CUexternalMemory), memHandleDesc: input(CUDA_EXTERNAL_MEMORY_HANDLE_DESC));

    /// Maps imported memory as linear memory.
    fn cuExternalMemoryGetMappedBuffer since 10000 [todo forward call]
        (devPtr: out(CUdeviceptr), extMem: val(CUexternalMemory), bufferDesc: input(CUDA_EXTERNAL_MEMORY_BUFFER_DESC));

    /// Maps imported memory as an array with levels.
    fn cuExternalMemoryGetMappedMipmappedArray since 10000 [todo forward call]
        (mipmap: out(CUmipmappedArray), extMem: val(CUexternalMemory),
         mipmapDesc: input(CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC));

    /// Gives imported memory back.
    fn cuDestroyExternalMemory since 10000 [todo forward call]
        (extMem: val(CUexternalMemory));

    /// Imports a semaphore of another API.
    fn cuImportExternalSemaphore since 10000 [todo forward call custom_wire]
        (extSem_out: out(CUexternalSemaphore), semHandleDesc: input(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC));

    /// Signals imported semaphores, in stream order.
    fn cuSignalExternalSemaphoresAsync since 10000 [todo forward stream(stream) submit capture]
        (extSemArray: array(CUexternalSemaphore, numExtSems),
         paramsArray: array(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, numExtSems), numExtSems: val(u32),
         stream: val(CUstream));

    /// Signals imported semaphores, in stream order. Default stream: per thread.
    fn cuSignalExternalSemaphoresAsync_ptsz since 10000 [todo forward stream(stream) submit capture]
        (extSemArray: array(CUexternalSemaphore, numExtSems),
         paramsArray: array(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, numExtSems), numExtSems: val(u32),
         stream: val(CUstream));

    /// Waits for imported semaphores, in stream order.
    fn cuWaitExternalSemaphoresAsync since 10000 [todo forward stream(stream) submit capture]
        (extSemArray: array(CUexternalSemaphore, numExtSems),
         paramsArray: array(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, numExtSems), numExtSems: val(u32),
         stream: val(CUstream));

    /// Waits for imported semaphores, in stream order. Default stream: per thread.
    fn cuWaitExternalSemaphoresAsync_ptsz since 10000 [todo forward stream(stream) submit capture]
        (extSemArray: array(CUexternalSemaphore, numExtSems),
         paramsArray: array(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, numExtSems), numExtSems: val(u32),
         stream: val(CUstream));

    /// Gives an imported semaphore back.
    fn cuDestroyExternalSemaphore since 10000 [todo forward call]
        (extSem: val(CUexternalSemaphore));

}}}}
