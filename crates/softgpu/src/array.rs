//! Arrays: memory with a shape, reached by coordinates only.

use std::sync::Arc;

use cleave_api::cuda::types::*;

use crate::bytes_unsafe::{Extent, Place};
use crate::context::Context;
use crate::gpu::SoftGpu;
use crate::memory::allocation::{Allocation, Kind};
use crate::memory::layout;

/// Rows begin at multiples of this.
const ROW: usize = 512;

pub struct Array {
    pub descriptor: CUDA_ARRAY3D_DESCRIPTOR,
    pub context: u64,
    /// A level of a mipmapped array dies with it, not on its own.
    pub level: bool,
    width: usize,
    height: usize,
    depth: usize,
    pitch: usize,
    memory: Arc<Allocation>,
}

/// An array and its smaller versions.
pub struct Mipmaps {
    pub context: u64,
    /// Handles of the levels, greatest first.
    pub levels: Vec<CUarray>,
}

impl Array {
    pub fn create(
        gpu: &SoftGpu,
        context: &Context,
        descriptor: CUDA_ARRAY3D_DESCRIPTOR,
        level: bool,
    ) -> Result<Array, CUresult> {
        let element = element_bytes(&descriptor)?;
        check_shape(&descriptor)?;
        let (height, depth) = (descriptor.Height.max(1), descriptor.Depth.max(1));
        let width = descriptor.Width.checked_mul(element).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let pitch = width.checked_next_multiple_of(ROW).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let bytes =
            pitch.checked_mul(height).and_then(|n| n.checked_mul(depth)).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let take = || Allocation::from_heap(&context.heap, bytes as u64, Kind::Linear, context.owner());
        let memory = gpu.or_trim(take)?;
        Ok(Array { descriptor, context: context.id, level, width, height, depth, pitch, memory })
    }

    /// Where the engine finds a box of it; `None` if the box is not inside.
    pub fn place(&self, x: usize, y: usize, z: usize, extent: Extent) -> Option<Place> {
        let inside = |at: usize, len: usize, room: usize| at.checked_add(len).is_some_and(|end| end <= room);
        let fits = inside(x, extent.width, self.width)
            && inside(y, extent.height, self.height)
            && inside(z, extent.depth, self.depth);
        if !fits {
            return None;
        }
        let layer = self.pitch * self.height;
        let offset = z * layer + y * self.pitch + x;
        Some(Place { addr: self.memory.start + layout::ALIAS + offset as u64, pitch: self.pitch, layer })
    }

    pub fn bytes(&self) -> usize {
        self.memory.len as usize
    }
}

/// The descriptor of mipmap level `level` of an array like `base`.
pub fn level_descriptor(base: &CUDA_ARRAY3D_DESCRIPTOR, level: u32) -> CUDA_ARRAY3D_DESCRIPTOR {
    let shrink = |n: usize| if n == 0 { 0 } else { (n >> level).max(1) };
    let layered = base.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) != 0;
    CUDA_ARRAY3D_DESCRIPTOR {
        Width: shrink(base.Width),
        Height: shrink(base.Height),
        Depth: if layered { base.Depth } else { shrink(base.Depth) },
        ..*base
    }
}

/// How many levels an array like this can have: down to one element.
pub fn most_levels(base: &CUDA_ARRAY3D_DESCRIPTOR) -> u32 {
    let layered = base.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) != 0;
    let greatest = base.Width.max(base.Height).max(if layered { 1 } else { base.Depth });
    usize::BITS - greatest.max(1).leading_zeros()
}

fn element_bytes(descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> Result<usize, CUresult> {
    let channel = match descriptor.Format {
        CU_AD_FORMAT_UNSIGNED_INT8 | CU_AD_FORMAT_SIGNED_INT8 => 1,
        CU_AD_FORMAT_UNSIGNED_INT16 | CU_AD_FORMAT_SIGNED_INT16 | CU_AD_FORMAT_HALF => 2,
        CU_AD_FORMAT_UNSIGNED_INT32 | CU_AD_FORMAT_SIGNED_INT32 | CU_AD_FORMAT_FLOAT => 4,
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    };
    match descriptor.NumChannels {
        1 | 2 | 4 => Ok(channel * descriptor.NumChannels as usize),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// What a descriptor must look like before its size is taken seriously.
fn check_shape(descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> Result<(), CUresult> {
    const KNOWN: u32 =
        CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER;
    const UNBACKED: u32 = CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING;
    let CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Depth, Flags, .. } = *descriptor;
    if Flags & UNBACKED != 0 {
        return Err(CUDA_ERROR_NOT_SUPPORTED);
    }
    let cube = Flags & CUDA_ARRAY3D_CUBEMAP != 0;
    let layered = Flags & CUDA_ARRAY3D_LAYERED != 0;
    let odd_cube = cube && (Width != Height || Depth % 6 != 0 || (!layered && Depth != 6));
    let no_layers = layered && Depth == 0;
    let flat_box = Depth != 0 && Height == 0 && !layered;
    if Width == 0 || Flags & !KNOWN != 0 || odd_cube || no_layers || flat_box {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    Ok(())
}
