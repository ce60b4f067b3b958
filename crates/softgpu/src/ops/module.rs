use core::ffi::c_void;

use cleave_api::cuda::types::*;
use cleave_api::edge::{Bytes, Out, Ptr, Slice, SliceMut, Str};
use std::sync::Arc;

use crate::gpu::SoftGpu;
use crate::memory::host_unsafe;
use crate::module::Module;
use crate::module::image_unsafe::Image;
use crate::module::jit::Jit;
use crate::module::link::Link;
use crate::module::source::Source;

pub fn cuModuleLoad(gpu: &SoftGpu, module: Out<CUmodule>, path: Str) -> Result<(), CUresult> {
    let file = read_file(path)?;
    load(gpu, module, &Image::of(&file), Jit::none())
}

pub fn cuModuleLoadData(gpu: &SoftGpu, module: Out<CUmodule>, image: Ptr<c_void>) -> Result<(), CUresult> {
    let image = Image::at(image).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    load(gpu, module, &image, Jit::none())
}

pub use cuModuleLoadData as cuModuleLoadFatBinary;

pub fn cuModuleLoadDataEx(
    gpu: &SoftGpu,
    module: Out<CUmodule>,
    image: Ptr<c_void>,
    _count: u32,
    options: Slice<CUjit_option>,
    values: SliceMut<Ptr<c_void>>,
) -> Result<(), CUresult> {
    let jit = Jit::read(options, values)?;
    let image = Image::at(image).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    load(gpu, module, &image, jit)
}

fn load(gpu: &SoftGpu, module: Out<CUmodule>, image: &Image, mut jit: Jit) -> Result<(), CUresult> {
    if module.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let context = gpu.current()?;
    let loaded = Source::read(image, gpu.target(), &mut jit)
        .and_then(|source| Module::load(gpu, &context, &source, false, &mut jit));
    jit.finish();
    module.set(loaded?.handle)
}

/// A file's bytes, with the code for a file that is not there.
pub fn read_file(path: Str) -> Result<Vec<u8>, CUresult> {
    std::fs::read(path.get()?).map_err(|_| CUDA_ERROR_FILE_NOT_FOUND)
}

pub fn cuModuleUnload(gpu: &SoftGpu, module: CUmodule) -> Result<(), CUresult> {
    let context = gpu.current()?;
    let module = find(gpu, module)?;
    if module.of_library {
        return Err(CUDA_ERROR_NOT_PERMITTED);
    }
    context.wait()?;
    module.unload(gpu);
    Ok(())
}

/// Code is compiled when it is loaded.
pub fn cuModuleGetLoadingMode(_: &SoftGpu, mode: Out<CUmoduleLoadingMode>) -> Result<(), CUresult> {
    mode.set(CU_MODULE_EAGER_LOADING)
}

pub fn cuModuleGetFunction(
    gpu: &SoftGpu,
    function: Out<CUfunction>,
    module: CUmodule,
    name: Str,
) -> Result<(), CUresult> {
    gpu.current()?;
    function.set(find(gpu, module)?.function(gpu, name.get()?)?)
}

pub fn cuModuleGetFunctionCount(gpu: &SoftGpu, count: Out<u32>, module: CUmodule) -> Result<(), CUresult> {
    count.set(find(gpu, module)?.kernel_names().len() as u32)
}

pub fn cuModuleEnumerateFunctions(
    gpu: &SoftGpu,
    functions: SliceMut<CUfunction>,
    _count: u32,
    module: CUmodule,
) -> Result<(), CUresult> {
    let module = find(gpu, module)?;
    for (i, name) in module.kernel_names().iter().take(functions.len()).enumerate() {
        functions.set(i, module.function(gpu, name)?)?;
    }
    Ok(())
}

pub fn cuModuleGetGlobal_v2(
    gpu: &SoftGpu,
    dptr: Out<CUdeviceptr>,
    bytes: Out<usize>,
    module: CUmodule,
    name: Str,
) -> Result<(), CUresult> {
    gpu.current()?;
    let variable = find(gpu, module)?.variable(name.get()?).ok_or(CUDA_ERROR_NOT_FOUND)?;
    dptr.set_if(CUdeviceptr(variable.address));
    bytes.set_if(variable.bytes as usize);
    Ok(())
}

fn find(gpu: &SoftGpu, module: CUmodule) -> Result<Arc<Module>, CUresult> {
    gpu.modules.get(module.0).ok_or(CUDA_ERROR_INVALID_HANDLE)
}

pub fn cuLinkCreate_v2(
    gpu: &SoftGpu,
    _count: u32,
    options: Slice<CUjit_option>,
    values: SliceMut<Ptr<c_void>>,
    state: Out<CUlinkState>,
) -> Result<(), CUresult> {
    gpu.current()?;
    if state.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let link = Link::new(Jit::read(options, values)?);
    state.set(CUlinkState(gpu.links.insert(Arc::new(link)).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?))
}

pub use cuLinkCreate_v2 as cuLinkCreate;

#[allow(clippy::too_many_arguments)]
pub fn cuLinkAddData_v2(
    gpu: &SoftGpu,
    state: CUlinkState,
    kind: CUjitInputType,
    data: Bytes,
    _size: usize,
    _name: Str,
    _count: u32,
    options: Slice<CUjit_option>,
    values: SliceMut<Ptr<c_void>>,
) -> Result<(), CUresult> {
    let link = find_link(gpu, state)?;
    Jit::read(options, values)?;
    link.add(kind, &data.to_vec()?, gpu.target())
}

pub use cuLinkAddData_v2 as cuLinkAddData;

pub fn cuLinkAddFile_v2(
    gpu: &SoftGpu,
    state: CUlinkState,
    kind: CUjitInputType,
    path: Str,
    _count: u32,
    options: Slice<CUjit_option>,
    values: SliceMut<Ptr<c_void>>,
) -> Result<(), CUresult> {
    let link = find_link(gpu, state)?;
    Jit::read(options, values)?;
    link.add(kind, &read_file(path)?, gpu.target())
}

pub use cuLinkAddFile_v2 as cuLinkAddFile;

pub fn cuLinkComplete(
    gpu: &SoftGpu,
    state: CUlinkState,
    image: Out<Ptr<c_void>>,
    size: Out<usize>,
) -> Result<(), CUresult> {
    let link = find_link(gpu, state)?;
    if image.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    link.complete(|bytes| {
        size.set_if(bytes.len());
        image.set(host_unsafe::lent(bytes).cast())
    })
}

pub fn cuLinkDestroy(gpu: &SoftGpu, state: CUlinkState) -> Result<(), CUresult> {
    gpu.links.remove(state.0).map(|_| ()).ok_or(CUDA_ERROR_INVALID_HANDLE)
}

fn find_link(gpu: &SoftGpu, state: CUlinkState) -> Result<Arc<Link>, CUresult> {
    gpu.links.get(state.0).ok_or(CUDA_ERROR_INVALID_HANDLE)
}
