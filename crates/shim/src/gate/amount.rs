//! How many bytes a copy moves, where to, and on which stream: read off its arguments by their names and types.

use cleave_api::cuda::types::*;
use cleave_api::edge::{Bytes, BytesMut, In, Out, Slice};
use cleave_gate::Engine;

use super::Stream;
use crate::number_unsafe::written;
use crate::real_unsafe::cuda as real;

/// What is known of a copy.
#[derive(Debug)]
pub struct Amount {
    name: &'static str,
    bytes: u64,
    /// The sizes were added up already: what follows counts them.
    listed: bool,
    to: To,
    stream: Option<CUstream>,
}

/// Where a copy goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum To {
    Device,
    Host,
    /// To an address that may be either's.
    Address(CUdeviceptr),
}

impl Amount {
    /// Nothing is known yet of a call of this function.
    pub fn new(name: &'static str) -> Amount {
        let to = if name.contains("toH") { To::Host } else { To::Device };
        Amount { name, bytes: 0, listed: false, to, stream: None }
    }

    /// How many bytes are moved or set.
    pub fn bytes(&self) -> u64 {
        // Elements of memory that is set.
        let unit = match self.name {
            name if name.starts_with("cuMemsetD16") || name.starts_with("cuMemsetD2D16") => 2,
            name if name.starts_with("cuMemsetD32") || name.starts_with("cuMemsetD2D32") => 4,
            _ => 1,
        };
        self.bytes.saturating_mul(unit)
    }

    /// The engine that does it.
    pub fn engine(&self) -> Engine {
        let to_host = match self.to {
            To::Device => false,
            To::Host => true,
            To::Address(address) => is_host(address),
        };
        if to_host { Engine::CopyOut } else { Engine::CopyIn }
    }

    /// The stream it is ordered on.
    pub fn stream(&self) -> Stream {
        let per_thread = self.name.ends_with("_ptsz") || self.name.ends_with("_ptds");
        let stream = self.stream.unwrap_or(CUstream(0));
        if per_thread { Stream::per_thread(stream) } else { Stream::plain(stream) }
    }

    /// Whether the call returns only when all before it on its stream is done: the host reads what it brings.
    pub fn waits(&self) -> bool {
        self.stream.is_none() && self.to == To::Host
    }

    fn size(&mut self, name: &str, value: u64) {
        match name {
            "ByteCount" | "N" | "Width" | "size" => self.bytes = value,
            "count" if !self.listed => self.bytes = value,
            "Height" => self.bytes = self.bytes.saturating_mul(value),
            _ => {}
        }
    }

    fn list(&mut self, sizes: impl Iterator<Item = u64>) {
        self.bytes = sizes.fold(0, u64::saturating_add);
        self.listed = true;
    }

    fn extent(&mut self, sides: [u64; 3], to: CUmemorytype) {
        self.bytes = volume(sides);
        if to == CU_MEMORYTYPE_HOST {
            self.to = To::Host;
        }
    }
}

fn volume(sides: [u64; 3]) -> u64 {
    sides.into_iter().fold(1, u64::saturating_mul)
}

/// Whether an address is the host's. One that the driver does not know is.
fn is_host(address: CUdeviceptr) -> bool {
    let ask = |place| real::cuPointerGetAttribute(place, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
    written(ask).is_none_or(|kind| kind as u32 == CU_MEMORYTYPE_HOST.0)
}

/// An argument of a copy: what it says about the amount.
pub trait Seen {
    /// Adds what this argument, of that name, says.
    fn seen(&self, _name: &str, _amount: &mut Amount) {}
}

macro_rules! says_nothing {
    ($($type:ty)*) => { $( impl Seen for $type {} )* };
}
says_nothing! {
    u8 u16 i32 u64 CUdeviceptr_v1 CUarray CUcontext CUdevice CUmemLocation Bytes<'_> BytesMut<'_> Out<'_, usize>
    In<'_, CUmemcpyAttributes> Slice<'_, CUdeviceptr> Slice<'_, CUmemcpyAttributes> Slice<'_, CUmemLocation>
}

impl Seen for usize {
    fn seen(&self, name: &str, amount: &mut Amount) {
        amount.size(name, *self as u64);
    }
}

impl Seen for u32 {
    fn seen(&self, name: &str, amount: &mut Amount) {
        amount.size(name, u64::from(*self));
    }
}

impl Seen for CUstream {
    fn seen(&self, _: &str, amount: &mut Amount) {
        amount.stream = Some(*self);
    }
}

impl Seen for CUdeviceptr {
    fn seen(&self, name: &str, amount: &mut Amount) {
        // Functions that name no direction call the address so.
        if name == "dst" {
            amount.to = To::Address(*self);
        }
    }
}

impl Seen for Slice<'_, usize> {
    fn seen(&self, name: &str, amount: &mut Amount) {
        if name == "sizes" {
            amount.list(self.iter().map(|size| size as u64));
        }
    }
}

impl Seen for Slice<'_, CUmemDecompressParams> {
    fn seen(&self, _: &str, amount: &mut Amount) {
        amount.list(self.iter().map(|each| each.dstNumBytes as u64));
    }
}

impl Seen for Slice<'_, CUDA_MEMCPY3D_BATCH_OP> {
    fn seen(&self, _: &str, amount: &mut Amount) {
        amount.list(self.iter().map(|each| volume(sides(each.extent))));
    }
}

impl Seen for Slice<'_, CUDA_FABRIC_COPY_BATCH_OP> {
    fn seen(&self, _: &str, amount: &mut Amount) {
        amount.list(self.iter().map(|each| each.size as u64));
    }
}

impl Seen for In<'_, CUDA_MEMCPY3D_BATCH_OP> {
    fn seen(&self, _: &str, amount: &mut Amount) {
        amount.list(self.get_if().into_iter().map(|each| volume(sides(each.extent))));
    }
}

fn sides(extent: CUextent3D) -> [u64; 3] {
    [extent.width as u64, extent.height as u64, extent.depth as u64]
}

macro_rules! boxes {
    ($($type:ident { $($side:ident)* })*) => { $(
        impl Seen for In<'_, $type> {
            fn seen(&self, _: &str, amount: &mut Amount) {
                if let Some(copy) = self.get_if() {
                    let mut sides = [1; 3];
                    for (side, length) in sides.iter_mut().zip([$( copy.$side as u64 ),*]) {
                        *side = length;
                    }
                    amount.extent(sides, copy.dstMemoryType);
                }
            }
        }
    )* };
}
boxes! {
    CUDA_MEMCPY2D_v1 { WidthInBytes Height }
    CUDA_MEMCPY2D { WidthInBytes Height }
    CUDA_MEMCPY3D_v1 { WidthInBytes Height Depth }
    CUDA_MEMCPY3D { WidthInBytes Height Depth }
    CUDA_MEMCPY3D_PEER { WidthInBytes Height Depth }
}
