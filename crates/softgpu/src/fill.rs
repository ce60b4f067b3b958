//! A fill, checked and resolved.

use cleave_api::cuda::types::*;

use crate::bytes_unsafe::{self, Extent};
use crate::copy::{Operand, Side, Where};
use crate::gpu::SoftGpu;
use crate::graph::FillOp;

/// Bytes a fill writes.
pub fn bytes(params: &CUDA_MEMSET_NODE_PARAMS) -> usize {
    params.width.saturating_mul(params.height).saturating_mul(params.elementSize as usize)
}

/// Performs a fill that was checked when it became a node; what was freed since is an illegal address.
pub fn run(gpu: &SoftGpu, op: &FillOp) -> Result<(), CUresult> {
    Fill::new(gpu, &op.params).map_err(|_| CUDA_ERROR_ILLEGAL_ADDRESS)?.run();
    Ok(())
}

/// A fill that may run at any time.
pub struct Fill {
    extent: Extent,
    to: Side,
    value: u32,
    size: usize,
}

impl Fill {
    /// Checks a fill. Sizes other than 1, 2 and 4, misaligned addresses and bad pointers are CUDA_ERROR_INVALID_VALUE.
    pub fn new(gpu: &SoftGpu, fill: &CUDA_MEMSET_NODE_PARAMS) -> Result<Fill, CUresult> {
        let size = match fill.elementSize {
            1 | 2 | 4 => fill.elementSize as usize,
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        };
        let width = fill.width.checked_mul(size).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let pitch = if fill.height > 1 { fill.pitch } else { width };
        if !fill.dst.0.is_multiple_of(size as u64) || !pitch.is_multiple_of(size) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let to = Operand::linear(fill.dst.0, pitch);
        let extent = Extent { width, height: fill.height, depth: 1 };
        Ok(Fill { extent, to: to.resolve(gpu, extent)?, value: fill.value, size })
    }

    pub fn bytes(&self) -> usize {
        self.extent.bytes()
    }

    /// Whether the host takes no part.
    pub fn on_device(&self) -> bool {
        self.to.kind == Where::Device
    }

    pub fn run(&self) {
        if self.bytes() > 0 {
            bytes_unsafe::fill(&self.to.place, self.extent, self.value, self.size);
        }
    }
}
