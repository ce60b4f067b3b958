//! Calls of the driver as a C program makes them, in safe clothes.

use cleave_api::cuda::types::*;
use cleave_api::edge::{In, InOut, Out, Plain, Ptr, Slice, SliceMut};
use std::ffi::c_void;

pub use cleave_api::Driver;
pub use cleave_softgpu::dispatch::Libcuda;

/// Each test program has a device of its own, on which a context costs nothing, unless it is told otherwise: so what it
/// measures does not depend on what else runs on the machine. Before `main`, while there is no second thread.
#[used]
#[unsafe(link_section = ".init_array")]
static PRIVATE: extern "C" fn() = {
    extern "C" fn private() {
        for (name, value) in [(c"CLEAVE_SOFTGPU", c"private"), (c"CLEAVE_SOFTGPU_CONTEXT", c"0")] {
            // SAFETY: C strings, and no other thread reads the environment yet.
            unsafe { libc::setenv(name.as_ptr(), value.as_ptr(), 0) };
        }
    }
    private
};

/// A call with one out-parameter.
pub fn out<T: Plain>(call: impl FnOnce(Out<'_, T>) -> CUresult) -> Result<T, CUresult> {
    let mut value = T::zeroed();
    // SAFETY: `value` outlives the call.
    call(unsafe { Out::new(&mut value) }).ok().map(|()| value)
}

/// An out-parameter that is null.
pub fn null<T: Plain>() -> Out<'static, T> {
    // SAFETY: null is allowed.
    unsafe { Out::new(std::ptr::null_mut()) }
}

/// A call with one parameter that is read and replaced.
pub fn inout<T: Plain>(mut value: T, call: impl FnOnce(InOut<'_, T>) -> CUresult) -> Result<T, CUresult> {
    // SAFETY: `value` outlives the call.
    call(unsafe { InOut::new(&mut value) }).ok().map(|()| value)
}

pub fn input<T: Plain>(value: &T) -> In<'_, T> {
    // SAFETY: the reference lives as long as the wrapper.
    unsafe { In::new(value) }
}

pub fn slice<T: Plain>(values: &[T]) -> Slice<'_, T> {
    // SAFETY: the slice lives as long as the wrapper.
    unsafe { Slice::new(values.as_ptr(), values.len()) }
}

pub fn slice_mut<T: Plain>(values: &mut [T]) -> SliceMut<'_, T> {
    // SAFETY: the slice lives as long as the wrapper.
    unsafe { SliceMut::new(values.as_mut_ptr(), values.len()) }
}

pub fn no_slice_mut<T: Plain>() -> SliceMut<'static, T> {
    // SAFETY: null is allowed.
    unsafe { SliceMut::new(std::ptr::null_mut(), 0) }
}

/// A pointer for the driver to keep; the caller sees to it that the value lives.
pub fn pointer<T>(value: &T) -> Ptr<c_void> {
    // SAFETY: tests keep their values alive while the driver may look.
    unsafe { Ptr::new(std::ptr::from_ref(value).expose_provenance()) }
}

/// What a test passed as user data.
pub fn user_data<T>(pointer: Ptr<c_void>) -> &'static T {
    // SAFETY: made by `pointer` from a value that the test keeps alive, of the same type.
    unsafe { &*pointer.as_ptr().cast::<T>() }
}

/// Copies device memory to the host, in stream order of the legacy stream.
pub fn read_back<T: Plain>(from: CUdeviceptr, count: usize) -> Vec<T> {
    let mut values = vec![T::zeroed(); count];
    // SAFETY: the bytes are those of `values`.
    let bytes =
        unsafe { cleave_api::edge::BytesMut::new(values.as_mut_ptr().cast(), size_of::<T>() * count) };
    assert_eq!(Libcuda.cuMemcpyDtoH_v2(bytes, from, size_of::<T>() * count), CUDA_SUCCESS);
    values
}

/// A context on device 0, current to the calling thread.
pub fn context() -> CUcontext {
    assert_eq!(Libcuda.cuInit(0), CUDA_SUCCESS);
    out(|pctx| Libcuda.cuCtxCreate_v2(pctx, 0, CUdevice(0))).expect("a context")
}

pub fn stream(flags: u32) -> CUstream {
    out(|stream| Libcuda.cuStreamCreate(stream, flags)).expect("a stream")
}

pub fn event(flags: u32) -> CUevent {
    out(|event| Libcuda.cuEventCreate(event, flags)).expect("an event")
}

pub fn memory(bytes: usize) -> CUdeviceptr {
    out(|dptr| Libcuda.cuMemAlloc_v2(dptr, bytes)).expect("memory")
}

/// Managed memory: the host reads it where the pointer says.
pub fn word() -> (CUdeviceptr, &'static std::sync::atomic::AtomicU32) {
    let dptr =
        out(|dptr| Libcuda.cuMemAllocManaged(dptr, 4096, CU_MEM_ATTACH_GLOBAL.0)).expect("managed memory");
    // SAFETY: managed memory is mapped where the pointer says, zeroed, aligned, and never freed by the tests.
    (dptr, unsafe { &*(dptr.0 as *const std::sync::atomic::AtomicU32) })
}

pub fn c_str(text: &std::ffi::CStr) -> cleave_api::edge::Str<'_> {
    // SAFETY: a C string that lives as long as the wrapper.
    unsafe { cleave_api::edge::Str::new(text.as_ptr()) }
}

/// The kernel `name` of a PTX text.
pub fn kernel(ptx: &str, name: &str) -> CUfunction {
    let text = std::ffi::CString::new(ptx).expect("no zero");
    let module =
        out(|module| Libcuda.cuModuleLoadData(module, pointer(&text.as_bytes()[0]))).expect("a module");
    let name = std::ffi::CString::new(name).expect("no zero");
    out(|function| Libcuda.cuModuleGetFunction(function, module, c_str(&name))).expect("a function")
}

/// Launches one block with 64-bit arguments.
pub fn launch(function: CUfunction, threads: u32, stream: CUstream, arguments: &[u64]) -> CUresult {
    launch_grid(function, 1, threads, stream, arguments)
}

pub fn launch_grid(
    function: CUfunction,
    blocks: u32,
    threads: u32,
    stream: CUstream,
    arguments: &[u64],
) -> CUresult {
    let pointers: Vec<Ptr<c_void>> = arguments.iter().map(pointer).collect();
    let params = pointers.first().map_or(Ptr::NULL, |first| pointer(first).cast());
    Libcuda.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, params, Ptr::NULL)
}

/// Room for the driver to write to.
pub fn bytes_of<T: Plain>(values: &mut [T]) -> cleave_api::edge::BytesMut<'_> {
    // SAFETY: the bytes are those of `values`, which live as long as the wrapper.
    unsafe { cleave_api::edge::BytesMut::new(values.as_mut_ptr().cast(), size_of_val(values)) }
}
