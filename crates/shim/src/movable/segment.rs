//! What the driver is asked for: addresses, memory behind them, and copies of what is in it.

use cleave_api::cuda::types::*;
use cleave_api::edge::{Bytes, BytesMut, Slice};

use crate::real_unsafe::cuda as real;

fn wish(device: CUdevice) -> CUmemAllocationProp {
    CUmemAllocationProp {
        type_: CU_MEM_ALLOCATION_TYPE_PINNED,
        location: at(device),
        ..CUmemAllocationProp::default()
    }
}

fn at(device: CUdevice) -> CUmemLocation {
    CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: device.0 }
}

/// What sizes of physical memory are multiples of.
pub fn grain(device: CUdevice) -> Result<u64, CUresult> {
    let (mut grain, wish) = (0, wish(device));
    let option = CU_MEM_ALLOC_GRANULARITY_RECOMMENDED;
    real::cuMemGetAllocationGranularity((&mut grain).into(), (&wish).into(), option).ok()?;
    Ok((grain as u64).max(1))
}

/// New addresses with new memory behind them.
pub fn make(device: CUdevice, size: u64, grain: u64) -> Result<u64, CUresult> {
    let mut start = CUdeviceptr(0);
    real::cuMemAddressReserve((&mut start).into(), size as usize, grain as usize, CUdeviceptr(0), 0).ok()?;
    let backed = back(device, start.0, size);
    if backed.is_err() {
        let _gone = real::cuMemAddressFree(start, size as usize);
    }
    backed.map(|()| start.0)
}

/// Memory and addresses are given back. Nobody uses them any more.
pub fn unmake(start: u64, size: u64) {
    if unback(start, size).is_ok() {
        let _gone = real::cuMemAddressFree(CUdeviceptr(start), size as usize);
    }
}

/// Puts new memory behind reserved addresses. The mapping keeps it, and no handle stays.
pub fn back(device: CUdevice, start: u64, size: u64) -> Result<(), CUresult> {
    let (mut memory, wish) = (CUmemGenericAllocationHandle(0), wish(device));
    real::cuMemCreate((&mut memory).into(), size as usize, (&wish).into(), 0).ok()?;
    let mapped = real::cuMemMap(CUdeviceptr(start), size as usize, 0, memory, 0).ok();
    let _kept_by_the_mapping = real::cuMemRelease(memory);
    mapped?;
    let allowed = allow(device, start, size);
    if allowed.is_err() {
        let _gone = unback(start, size);
    }
    allowed
}

/// Takes the memory behind addresses away. They stay reserved.
pub fn unback(start: u64, size: u64) -> Result<(), CUresult> {
    real::cuMemUnmap(CUdeviceptr(start), size as usize).ok()
}

/// Its device may use it, and whichever devices reach it: linear memory is open to peers, once a context enables them.
fn allow(device: CUdevice, start: u64, size: u64) -> Result<(), CUresult> {
    let set = |devices: &[CUdevice]| {
        let flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let access: Vec<_> =
            devices.iter().map(|device| CUmemAccessDesc { location: at(*device), flags }).collect();
        real::cuMemSetAccess(CUdeviceptr(start), size as usize, Slice::from(&access[..]), access.len()).ok()
    };
    match peers(device) {
        peers if peers.is_empty() => set(&[device]),
        peers => set(&[&[device], &peers[..]].concat()).or_else(|_| set(&[device])),
    }
}

fn peers(device: CUdevice) -> Vec<CUdevice> {
    let mut count = 0;
    let _none_then = real::cuDeviceGetCount((&mut count).into());
    let reaches = |peer: &CUdevice| {
        let mut can = 0;
        real::cuDeviceCanAccessPeer((&mut can).into(), *peer, device) == CUDA_SUCCESS && can != 0
    };
    (0..count).map(CUdevice).filter(|peer| *peer != device).filter(reaches).collect()
}

/// Runs something with a context current.
pub fn within<R>(context: CUcontext, work: impl FnOnce() -> R) -> Result<R, CUresult> {
    real::cuCtxPushCurrent_v2(context).ok()?;
    let result = work();
    let mut same = CUcontext(0);
    let _as_before = real::cuCtxPopCurrent_v2((&mut same).into());
    Ok(result)
}

/// A stream of our own, which waits for no other and is waited for by none: a recording of the program is not disturbed.
pub struct Courier(CUstream);

impl Courier {
    /// In the context that is current.
    pub fn new() -> Result<Courier, CUresult> {
        let mut stream = CUstream(0);
        real::cuStreamCreate((&mut stream).into(), CU_STREAM_NON_BLOCKING.0).ok()?;
        Ok(Courier(stream))
    }

    pub fn fetch(&self, start: u64, to: &mut [u8]) -> Result<(), CUresult> {
        let size = to.len();
        real::cuMemcpyDtoHAsync_v2(BytesMut::from(to), CUdeviceptr(start), size, self.0).ok()?;
        real::cuStreamSynchronize(self.0).ok()
    }

    pub fn deliver(&self, from: &[u8], start: u64) -> Result<(), CUresult> {
        real::cuMemcpyHtoDAsync_v2(CUdeviceptr(start), Bytes::from(from), from.len(), self.0).ok()?;
        real::cuStreamSynchronize(self.0).ok()
    }
}

impl Drop for Courier {
    fn drop(&mut self) {
        let _gone = real::cuStreamDestroy_v2(self.0);
    }
}
