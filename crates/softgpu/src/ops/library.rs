use core::ffi::c_void;
use std::sync::Arc;

use cleave_api::cuda::types::*;
use cleave_api::edge::{Out, Ptr, Slice, SliceMut, Str};

use super::module::read_file;
use crate::gpu::SoftGpu;
use crate::memory::host_unsafe;
use crate::module::image_unsafe::Image;
use crate::module::jit::Jit;
use crate::module::source::Source;
use crate::module::{Function, Kernel, Library};

#[allow(clippy::too_many_arguments)]
pub fn cuLibraryLoadData(
    gpu: &SoftGpu,
    library: Out<CUlibrary>,
    code: Ptr<c_void>,
    options: Slice<CUjit_option>,
    values: SliceMut<Ptr<c_void>>,
    _count: u32,
    settings: Slice<CUlibraryOption>,
    _setting_values: Slice<Ptr<c_void>>,
    _setting_count: u32,
) -> Result<(), CUresult> {
    let jit = Jit::read(options, values)?;
    let image = Image::at(code).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    load(gpu, library, &image, jit, settings)
}

#[allow(clippy::too_many_arguments)]
pub fn cuLibraryLoadFromFile(
    gpu: &SoftGpu,
    library: Out<CUlibrary>,
    path: Str,
    options: Slice<CUjit_option>,
    values: SliceMut<Ptr<c_void>>,
    _count: u32,
    settings: Slice<CUlibraryOption>,
    _setting_values: Slice<Ptr<c_void>>,
    _setting_count: u32,
) -> Result<(), CUresult> {
    let jit = Jit::read(options, values)?;
    let file = read_file(path)?;
    load(gpu, library, &Image::of(&file), jit, settings)
}

fn load(
    gpu: &SoftGpu,
    library: Out<CUlibrary>,
    image: &Image,
    mut jit: Jit,
    settings: Slice<CUlibraryOption>,
) -> Result<(), CUresult> {
    // Code is copied when it is read, so it does not matter whether the program's stays; host function tables do not exist.
    let known = |option: &CUlibraryOption| *option == CU_LIBRARY_BINARY_IS_PRESERVED;
    if library.is_null() || !settings.to_vec()?.iter().all(known) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let made = make(gpu, image, &mut jit);
    jit.finish();
    library.set(made?)
}

/// Reads the code, and compiles it for the current context if there is one: what is wrong with it is said here.
fn make(gpu: &SoftGpu, image: &Image, jit: &mut Jit) -> Result<CUlibrary, CUresult> {
    let source = Source::read(image, gpu.target(), jit)?;
    let made = gpu.libraries.insert_with(|handle| Arc::new(Library::new(CUlibrary(handle), source)));
    let handle = CUlibrary(made.ok_or(CUDA_ERROR_OUT_OF_MEMORY)?);
    if let Ok(context) = gpu.current()
        && let Err(code) = find(gpu, handle)?.load(gpu, &context, jit)
    {
        gpu.libraries.remove(handle.0);
        return Err(code);
    }
    Ok(handle)
}

pub fn cuLibraryUnload(gpu: &SoftGpu, library: CUlibrary) -> Result<(), CUresult> {
    let handle = library;
    let library = find(gpu, handle)?;
    gpu.wait_for_all()?;
    gpu.libraries.remove(handle.0).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
    library.unload(gpu);
    Ok(())
}

pub fn cuLibraryGetKernel(
    gpu: &SoftGpu,
    kernel: Out<CUkernel>,
    library: CUlibrary,
    name: Str,
) -> Result<(), CUresult> {
    kernel.set(find(gpu, library)?.kernel(gpu, name.get()?)?)
}

pub fn cuLibraryGetKernelCount(gpu: &SoftGpu, count: Out<u32>, library: CUlibrary) -> Result<(), CUresult> {
    count.set(find(gpu, library)?.kernel_names().count() as u32)
}

pub fn cuLibraryEnumerateKernels(
    gpu: &SoftGpu,
    kernels: SliceMut<CUkernel>,
    _count: u32,
    library: CUlibrary,
) -> Result<(), CUresult> {
    let library = find(gpu, library)?;
    for (i, name) in library.kernel_names().take(kernels.len()).enumerate() {
        kernels.set(i, library.kernel(gpu, name)?)?;
    }
    Ok(())
}

pub fn cuLibraryGetModule(gpu: &SoftGpu, module: Out<CUmodule>, library: CUlibrary) -> Result<(), CUresult> {
    let library = find(gpu, library)?;
    module.set(library.module(gpu, &*gpu.current()?)?.handle)
}

pub fn cuLibraryGetGlobal(
    gpu: &SoftGpu,
    dptr: Out<CUdeviceptr>,
    bytes: Out<usize>,
    library: CUlibrary,
    name: Str,
) -> Result<(), CUresult> {
    let library = find(gpu, library)?;
    let module = library.module(gpu, &*gpu.current()?)?;
    let variable = module.variable(name.get()?).filter(|v| !v.managed).ok_or(CUDA_ERROR_NOT_FOUND)?;
    dptr.set_if(CUdeviceptr(variable.address));
    bytes.set_if(variable.bytes as usize);
    Ok(())
}

pub fn cuLibraryGetManaged(
    gpu: &SoftGpu,
    dptr: Out<CUdeviceptr>,
    bytes: Out<usize>,
    library: CUlibrary,
    name: Str,
) -> Result<(), CUresult> {
    let library = find(gpu, library)?;
    let module = library.module(gpu, &*gpu.current()?)?;
    let variable = module.variable(name.get()?).filter(|v| v.managed).ok_or(CUDA_ERROR_NOT_FOUND)?;
    dptr.set_if(CUdeviceptr(variable.address));
    bytes.set_if(variable.bytes as usize);
    Ok(())
}

pub fn cuKernelGetFunction(
    gpu: &SoftGpu,
    function: Out<CUfunction>,
    kernel: CUkernel,
) -> Result<(), CUresult> {
    function.set(here(gpu, kernel)?.handle)
}

pub fn cuKernelGetLibrary(gpu: &SoftGpu, library: Out<CUlibrary>, kernel: CUkernel) -> Result<(), CUresult> {
    library.set(find_kernel(gpu, kernel)?.library)
}

pub fn cuKernelGetAttribute(
    gpu: &SoftGpu,
    value: Out<i32>,
    attribute: CUfunction_attribute,
    kernel: CUkernel,
    dev: CUdevice,
) -> Result<(), CUresult> {
    gpu.device(dev)?;
    value.set(here(gpu, kernel)?.attribute(attribute)?)
}

pub fn cuKernelSetAttribute(
    gpu: &SoftGpu,
    attribute: CUfunction_attribute,
    value: i32,
    kernel: CUkernel,
    dev: CUdevice,
) -> Result<(), CUresult> {
    gpu.device(dev)?;
    here(gpu, kernel)?.set_attribute(attribute, value)
}

/// There is one cache; a preference changes nothing.
pub fn cuKernelSetCacheConfig(
    gpu: &SoftGpu,
    kernel: CUkernel,
    config: CUfunc_cache,
    dev: CUdevice,
) -> Result<(), CUresult> {
    gpu.device(dev)?;
    find_kernel(gpu, kernel)?;
    if config > CU_FUNC_CACHE_PREFER_EQUAL { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(()) }
}

pub fn cuKernelGetName(gpu: &SoftGpu, name: Out<Ptr<u8>>, kernel: CUkernel) -> Result<(), CUresult> {
    name.set(host_unsafe::lent(find_kernel(gpu, kernel)?.c_name()))
}

pub fn cuKernelGetParamInfo(
    gpu: &SoftGpu,
    kernel: CUkernel,
    index: usize,
    offset: Out<usize>,
    size: Out<usize>,
) -> Result<(), CUresult> {
    param_info(&*here(gpu, kernel)?, index, offset, size)
}

pub fn cuKernelGetParamCount(gpu: &SoftGpu, kernel: CUkernel, count: Out<usize>) -> Result<(), CUresult> {
    count.set(here(gpu, kernel)?.kernel.params.len())
}

/// Offset and size of one parameter; an index past the last one is an error that ends an enumeration.
pub fn param_info(
    function: &Function,
    index: usize,
    offset: Out<usize>,
    size: Out<usize>,
) -> Result<(), CUresult> {
    let param = function.kernel.params.get(index).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    offset.set(param.offset as usize)?;
    size.set_if(param.size as usize);
    Ok(())
}

fn find(gpu: &SoftGpu, library: CUlibrary) -> Result<Arc<Library>, CUresult> {
    gpu.libraries.get(library.0).ok_or(CUDA_ERROR_INVALID_HANDLE)
}

fn find_kernel(gpu: &SoftGpu, kernel: CUkernel) -> Result<Arc<Kernel>, CUresult> {
    gpu.kernels.get(kernel.0).ok_or(CUDA_ERROR_INVALID_HANDLE)
}

/// The kernel in the calling thread's context.
fn here(gpu: &SoftGpu, kernel: CUkernel) -> Result<Arc<Function>, CUresult> {
    gpu.function_in(&*gpu.current()?, CUfunction(0), kernel)
}
