use std::sync::Arc;

use cleave_api::cuda::types::*;
use cleave_api::edge::{In, Out};

use crate::array::{self, Array, Mipmaps};
use crate::context::Context;
use crate::gpu::SoftGpu;

pub fn cuArrayCreate_v2(
    gpu: &SoftGpu,
    handle: Out<CUarray>,
    descriptor: In<CUDA_ARRAY_DESCRIPTOR>,
) -> Result<(), CUresult> {
    let CUDA_ARRAY_DESCRIPTOR { Width, Height, Format, NumChannels } = descriptor.get()?;
    create(gpu, handle, CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Depth: 0, Format, NumChannels, Flags: 0 })
}

pub fn cuArray3DCreate_v2(
    gpu: &SoftGpu,
    handle: Out<CUarray>,
    descriptor: In<CUDA_ARRAY3D_DESCRIPTOR>,
) -> Result<(), CUresult> {
    create(gpu, handle, descriptor.get()?)
}

fn create(gpu: &SoftGpu, handle: Out<CUarray>, descriptor: CUDA_ARRAY3D_DESCRIPTOR) -> Result<(), CUresult> {
    if handle.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    handle.set(insert(gpu, &*gpu.current()?, descriptor, false)?)
}

fn insert(
    gpu: &SoftGpu,
    context: &Context,
    descriptor: CUDA_ARRAY3D_DESCRIPTOR,
    level: bool,
) -> Result<CUarray, CUresult> {
    let array = Array::create(gpu, context, descriptor, level)?;
    gpu.arrays.insert(Arc::new(array)).map(CUarray).ok_or(CUDA_ERROR_OUT_OF_MEMORY)
}

pub fn cuArrayDestroy(gpu: &SoftGpu, handle: CUarray) -> Result<(), CUresult> {
    gpu.current()?;
    let array = find(gpu, handle)?;
    if array.level {
        return Err(CUDA_ERROR_INVALID_HANDLE);
    }
    gpu.wait_for_all()?;
    gpu.arrays.remove(handle.0).map(|_| ()).ok_or(CUDA_ERROR_INVALID_HANDLE)
}

pub fn cuArrayGetDescriptor_v2(
    gpu: &SoftGpu,
    out: Out<CUDA_ARRAY_DESCRIPTOR>,
    handle: CUarray,
) -> Result<(), CUresult> {
    gpu.current()?;
    let CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Format, NumChannels, .. } = find(gpu, handle)?.descriptor;
    out.set(CUDA_ARRAY_DESCRIPTOR { Width, Height, Format, NumChannels })
}

pub fn cuArray3DGetDescriptor_v2(
    gpu: &SoftGpu,
    out: Out<CUDA_ARRAY3D_DESCRIPTOR>,
    handle: CUarray,
) -> Result<(), CUresult> {
    gpu.current()?;
    out.set(find(gpu, handle)?.descriptor)
}

pub fn cuArrayGetMemoryRequirements(
    gpu: &SoftGpu,
    out: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>,
    handle: CUarray,
    device: CUdevice,
) -> Result<(), CUresult> {
    gpu.device(device)?;
    out.set(requirements(find(gpu, handle)?.bytes()))
}

pub fn cuMipmappedArrayGetMemoryRequirements(
    gpu: &SoftGpu,
    out: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>,
    handle: CUmipmappedArray,
    device: CUdevice,
) -> Result<(), CUresult> {
    gpu.device(device)?;
    let mipmaps = gpu.mipmaps.get(handle.0).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
    let levels = mipmaps.levels.iter().filter_map(|level| gpu.arrays.get(level.0));
    out.set(requirements(levels.map(|array| array.bytes()).sum()))
}

fn requirements(size: usize) -> CUDA_ARRAY_MEMORY_REQUIREMENTS {
    CUDA_ARRAY_MEMORY_REQUIREMENTS { size, alignment: 512, reserved: [0; 4] }
}

pub fn cuMipmappedArrayCreate(
    gpu: &SoftGpu,
    handle: Out<CUmipmappedArray>,
    descriptor: In<CUDA_ARRAY3D_DESCRIPTOR>,
    levels: u32,
) -> Result<(), CUresult> {
    let descriptor = descriptor.get()?;
    if handle.is_null() || levels == 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let context = gpu.current()?;
    let mut mipmaps = Mipmaps { context: context.id, levels: Vec::new() };
    for level in 0..levels.min(array::most_levels(&descriptor)) {
        match insert(gpu, &context, array::level_descriptor(&descriptor, level), true) {
            Ok(array) => mipmaps.levels.push(array),
            Err(code) => {
                drop_levels(gpu, &mipmaps);
                return Err(code);
            }
        }
    }
    let stored = gpu.mipmaps.insert(Arc::new(mipmaps)).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
    handle.set(CUmipmappedArray(stored))
}

pub fn cuMipmappedArrayGetLevel(
    gpu: &SoftGpu,
    out: Out<CUarray>,
    handle: CUmipmappedArray,
    level: u32,
) -> Result<(), CUresult> {
    gpu.current()?;
    let mipmaps = gpu.mipmaps.get(handle.0).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
    out.set(*mipmaps.levels.get(level as usize).ok_or(CUDA_ERROR_INVALID_VALUE)?)
}

pub fn cuMipmappedArrayDestroy(gpu: &SoftGpu, handle: CUmipmappedArray) -> Result<(), CUresult> {
    gpu.current()?;
    gpu.wait_for_all()?;
    let mipmaps = gpu.mipmaps.remove(handle.0).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
    drop_levels(gpu, &mipmaps);
    Ok(())
}

fn drop_levels(gpu: &SoftGpu, mipmaps: &Mipmaps) {
    for level in &mipmaps.levels {
        gpu.arrays.remove(level.0);
    }
}

fn find(gpu: &SoftGpu, handle: CUarray) -> Result<Arc<Array>, CUresult> {
    gpu.arrays.get(handle.0).ok_or(CUDA_ERROR_INVALID_HANDLE)
}
