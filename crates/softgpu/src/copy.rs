//! A copy, checked and resolved: from the program's description to rows of bytes.

use std::sync::Arc;

use cleave_api::cuda::types::*;
use cleave_device::Engine;

use crate::array::Array;
use crate::bytes_unsafe::{self, Extent, Place};
use crate::gpu::SoftGpu;
use crate::graph::CopyOp;
use crate::memory::allocation::Allocation;
use crate::memory::layout;

/// Bytes a copy moves.
pub fn bytes(params: &CUDA_MEMCPY3D) -> usize {
    params.WidthInBytes.saturating_mul(params.Height).saturating_mul(params.Depth)
}

/// The engine of a copy that is a node. Memory that does not exist yet is the device's.
pub fn engine(gpu: &SoftGpu, op: &CopyOp) -> Engine {
    Copy::new(gpu, &op.params).map_or(Engine::Ce0, |copy| copy.engine())
}

/// Performs a copy that was checked when it became a node; what was freed since is an illegal address.
pub fn run(gpu: &SoftGpu, op: &CopyOp) -> Result<(), CUresult> {
    Copy::new(gpu, &op.params).map_err(|_| CUDA_ERROR_ILLEGAL_ADDRESS)?.run();
    Ok(())
}

/// A copy that may run at any time and any number of times: it keeps alive what it touches.
pub struct Copy {
    extent: Extent,
    from: Side,
    to: Side,
}

/// One side of a copy: its rows and what must live until it is done.
pub(crate) struct Side {
    pub place: Place,
    pub kind: Where,
    _memory: Vec<Arc<Allocation>>,
    _array: Option<Arc<Array>>,
}

/// What kind of memory a side is, as far as waiting goes.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Where {
    /// Only the engines reach it.
    Device,
    /// Host or managed memory: the program may look at it, but waits for the stream before it does.
    Pinned,
    /// Any other host memory: the program may look, write and free as soon as a call returns.
    Pageable,
}

/// One side as the program describes it.
pub(crate) struct Operand {
    kind: CUmemorytype,
    host: u64,
    device: u64,
    array: CUarray,
    x: usize,
    y: usize,
    z: usize,
    pitch: usize,
    height: usize,
}

impl Copy {
    /// Checks a copy. A bad pointer, an unknown array or a box outside its memory is CUDA_ERROR_INVALID_VALUE.
    pub fn new(gpu: &SoftGpu, copy: &CUDA_MEMCPY3D) -> Result<Copy, CUresult> {
        let extent = Extent { width: copy.WidthInBytes, height: copy.Height, depth: copy.Depth };
        let from = Operand {
            kind: copy.srcMemoryType,
            host: copy.srcHost.addr() as u64,
            device: copy.srcDevice.0,
            array: copy.srcArray,
            x: copy.srcXInBytes,
            y: copy.srcY,
            z: copy.srcZ,
            pitch: copy.srcPitch,
            height: copy.srcHeight,
        };
        let to = Operand {
            kind: copy.dstMemoryType,
            host: copy.dstHost.addr() as u64,
            device: copy.dstDevice.0,
            array: copy.dstArray,
            x: copy.dstXInBytes,
            y: copy.dstY,
            z: copy.dstZ,
            pitch: copy.dstPitch,
            height: copy.dstHeight,
        };
        if copy.srcLOD != 0 || copy.dstLOD != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        Ok(Copy { extent, from: from.resolve(gpu, extent)?, to: to.resolve(gpu, extent)? })
    }

    pub fn bytes(&self) -> usize {
        self.extent.bytes()
    }

    /// Whether the source is memory that the program may change as soon as the call returns.
    pub fn reads_pageable(&self) -> bool {
        self.from.kind == Where::Pageable
    }

    /// Whether the destination is memory that the program may read as soon as the call returns.
    pub fn writes_pageable(&self) -> bool {
        self.to.kind == Where::Pageable
    }

    /// Whether the host can change the source.
    pub fn reads_host(&self) -> bool {
        self.from.kind != Where::Device
    }

    /// Whether the host takes no part.
    pub fn on_device(&self) -> bool {
        self.from.kind == Where::Device && self.to.kind == Where::Device
    }

    /// The engine that performs it: the two directions have one each and overlap.
    pub fn engine(&self) -> Engine {
        let from_device = self.from.kind == Where::Device && self.to.kind != Where::Device;
        if from_device { Engine::Ce1 } else { Engine::Ce0 }
    }

    pub fn run(&self) {
        if self.bytes() > 0 {
            bytes_unsafe::copy(&self.from.place, &self.to.place, self.extent);
        }
    }

    /// The same copy from a private snapshot of its source, so that the program's memory is free at once.
    pub fn staged(self) -> Staged {
        let Extent { width, height, depth } = self.extent;
        let place = &self.from.place;
        let reach = depth.saturating_sub(1) * place.layer + height.saturating_sub(1) * place.pitch + width;
        let bytes = bytes_unsafe::snapshot(place.addr, if self.bytes() == 0 { 0 } else { reach });
        Staged { copy: self, bytes }
    }
}

/// A copy whose source is its own.
pub struct Staged {
    copy: Copy,
    bytes: Box<[u8]>,
}

impl Staged {
    pub fn run(&self) {
        let Copy { extent, from, to } = &self.copy;
        if extent.bytes() > 0 {
            let place = Place { addr: self.bytes.as_ptr() as u64, ..from.place };
            bytes_unsafe::copy(&place, &to.place, *extent);
        }
    }
}

impl Operand {
    /// Device memory from `device` on.
    pub fn linear(device: u64, pitch: usize) -> Operand {
        let (kind, host, array) = (CU_MEMORYTYPE_DEVICE, 0, CUarray(0));
        Operand { kind, host, device, array, x: 0, y: 0, z: 0, pitch, height: 0 }
    }

    pub fn resolve(&self, gpu: &SoftGpu, extent: Extent) -> Result<Side, CUresult> {
        extent
            .width
            .checked_mul(extent.height)
            .and_then(|n| n.checked_mul(extent.depth))
            .ok_or(CUDA_ERROR_INVALID_VALUE)?;
        match self.kind {
            CU_MEMORYTYPE_ARRAY => self.in_array(gpu, extent),
            CU_MEMORYTYPE_HOST => self.in_memory(gpu, extent, self.host, true),
            CU_MEMORYTYPE_DEVICE => self.in_memory(gpu, extent, self.device, false),
            CU_MEMORYTYPE_UNIFIED => self.in_memory(gpu, extent, self.device, true),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }

    /// Linear memory; `foreign` says whether memory that the driver does not know will do.
    fn in_memory(&self, gpu: &SoftGpu, extent: Extent, base: u64, foreign: bool) -> Result<Side, CUresult> {
        let (offset, reach, pitch, layer) = self.shape(extent).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        if reach == 0 {
            let place = Place { addr: 0, pitch, layer };
            return Ok(Side { place, kind: Where::Device, _memory: Vec::new(), _array: None });
        }
        let start = base.checked_add(offset).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        if let Some(memory) = gpu.memory.live.cover(start, reach) {
            let addr = start.wrapping_add(memory[0].delta());
            let place = Place { addr, pitch, layer };
            let visible = memory[0].is_on_host() || memory[0].is_managed();
            let kind = if visible { Where::Pinned } else { Where::Device };
            return Ok(Side { place, kind, _memory: memory, _array: None });
        }
        let ours = layout::is_ours(start) || gpu.memory.live.find(start).is_some_and(|a| !a.is_on_host());
        if !foreign || ours || !layout::is_address(start, reach) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let place = Place { addr: start, pitch, layer };
        Ok(Side { place, kind: Where::Pageable, _memory: Vec::new(), _array: None })
    }

    /// Offset of the first byte, bytes from the first to the last, pitch and layer. `None` when rows or layers would
    /// overlap or a number does not fit.
    fn shape(&self, extent: Extent) -> Option<(u64, u64, usize, usize)> {
        let Extent { width, height, depth } = extent;
        if width == 0 || height == 0 || depth == 0 {
            return Some((0, 0, 0, 0));
        }
        let rows = height > 1 || depth > 1 || self.y > 0 || self.z > 0;
        let pitch = if rows { self.pitch } else { width };
        if rows && pitch < self.x.checked_add(width)? {
            return None;
        }
        let layers = depth > 1 || self.z > 0;
        let layer = if layers { pitch.checked_mul(self.height)? } else { pitch.checked_mul(height)? };
        if layers && self.height < self.y.checked_add(height)? {
            return None;
        }
        let offset =
            self.x.checked_add(self.y.checked_mul(pitch)?)?.checked_add(self.z.checked_mul(layer)?)?;
        let reach = (depth - 1)
            .checked_mul(layer)?
            .checked_add((height - 1).checked_mul(pitch)?)?
            .checked_add(width)?;
        Some((offset as u64, reach as u64, pitch, layer))
    }

    fn in_array(&self, gpu: &SoftGpu, extent: Extent) -> Result<Side, CUresult> {
        let array = gpu.arrays.get(self.array.0).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        let place = array.place(self.x, self.y, self.z, extent).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        Ok(Side { place, kind: Where::Device, _memory: Vec::new(), _array: Some(array) })
    }
}
