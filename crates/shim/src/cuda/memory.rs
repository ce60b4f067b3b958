use cleave_api::cuda::types::*;
use cleave_api::edge::{Out, Plain};

use crate::books::{self, Books};
use crate::entries::Entry;
use crate::movable::{self, Movable};
use crate::real_unsafe::cuda as real;

/// A device address as a number: the forms of old have fewer bits.
pub trait Address: Plain {
    fn number(self) -> u64;
}

impl Address for CUdeviceptr {
    fn number(self) -> u64 {
        self.0
    }
}

impl Address for CUdeviceptr_v1 {
    fn number(self) -> u64 {
        u64::from(self.0)
    }
}

/// Charges, asks the driver, remembers.
fn allocate<A: Address + Default>(
    books: &'static Books,
    symbol: &'static str,
    bytes: u64,
    place: Out<A>,
    call: impl FnOnce(Out<A>) -> CUresult,
) -> Result<(), CUresult> {
    if place.is_null() || bytes == 0 {
        return call(place).ok();
    }
    let mut address = A::default();
    let Ok(here) = books.here() else {
        // There is nothing to charge it to. The driver says why; should it succeed all the same, that is taken back.
        call((&mut address).into()).ok()?;
        let _gone = real::cuMemFree_v2(CUdeviceptr(address.number()));
        return Err(CUDA_ERROR_OUT_OF_MEMORY);
    };
    let charge = here.card.charge(symbol, bytes)?;
    call((&mut address).into()).ok()?;
    charge.keep();
    books
        .linear
        .insert(address.number(), Entry { bytes, card: here.card, context: here.context, pool: None });
    place.set(address)
}

pub fn cuMemAlloc_v2(dptr: Out<CUdeviceptr>, bytesize: usize) -> CUresult {
    let Some(books) = books::get() else { return real::cuMemAlloc_v2(dptr, bytesize) };
    if let Some(movable) = movable::get()
        && let Some(result) = allocate_movable(books, movable, "cuMemAlloc_v2", bytesize as u64, dptr)
    {
        return result;
    }
    allocate(books, "cuMemAlloc_v2", bytesize as u64, dptr, |p| real::cuMemAlloc_v2(p, bytesize)).into()
}

/// Memory that can move. Nothing where the call is wrong: the driver says how.
fn allocate_movable(
    books: &'static Books,
    movable: &'static Movable,
    symbol: &'static str,
    bytes: u64,
    place: Out<CUdeviceptr>,
) -> Option<CUresult> {
    if place.is_null() || bytes == 0 {
        return None;
    }
    let here = books.here().ok()?;
    let made = movable.allocate(symbol, bytes, here, None);
    Some(made.and_then(|start| place.set(CUdeviceptr(start))).into())
}

/// Addresses of 32 bits are the driver's to find: this memory stays.
pub fn cuMemAlloc(dptr: Out<CUdeviceptr_v1>, bytesize: u32) -> CUresult {
    let Some(books) = books::get() else { return real::cuMemAlloc(dptr, bytesize) };
    allocate(books, "cuMemAlloc", u64::from(bytesize), dptr, |p| real::cuMemAlloc(p, bytesize)).into()
}

/// All of it counts on the device that is current: that is where it lives once a kernel touches it.
pub fn cuMemAllocManaged(dptr: Out<CUdeviceptr>, bytesize: usize, flags: u32) -> CUresult {
    let Some(books) = books::get() else { return real::cuMemAllocManaged(dptr, bytesize, flags) };
    let call = |p: Out<CUdeviceptr>| real::cuMemAllocManaged(p, bytesize, flags);
    allocate(books, "cuMemAllocManaged", bytesize as u64, dptr, call).into()
}

pub fn cuMemFree_v2(dptr: CUdeviceptr) -> CUresult {
    free(dptr.0, || real::cuMemFree_v2(dptr))
}

pub fn cuMemFree(dptr: CUdeviceptr_v1) -> CUresult {
    free(u64::from(dptr.0), || real::cuMemFree(dptr))
}

/// Whatever the books do not know is the driver's to judge.
pub fn free(address: u64, call: impl FnOnce() -> CUresult) -> CUresult {
    let Some(books) = books::get() else { return call() };
    if let Some(result) = movable::get().and_then(|movable| movable.free(address)) {
        return result;
    }
    let entry = books.linear.take(address);
    let result = call();
    match entry {
        Some(entry) if result == CUDA_SUCCESS => books.release(entry),
        Some(entry) => books.linear.insert(address, entry),
        None => {}
    }
    result
}

/// Rows begin at multiples of this, unless the driver says otherwise.
const ROW: u64 = 512;
/// No device has rows farther apart.
const LONGEST_ROW: u64 = i32::MAX as u64;

/// The distance of rows and the size of all of them, where the call is right.
fn rows_of((width, height): (u64, u64), element: u32) -> Option<(u64, u64)> {
    let row = width.checked_next_multiple_of(ROW).filter(|row| (1..=LONGEST_ROW).contains(row))?;
    let bytes = row.checked_mul(height).filter(|bytes| *bytes > 0)?;
    matches!(element, 4 | 8 | 16).then_some((row, bytes))
}

/// Charges the most it may take, then settles to the rows that the driver made.
fn allocate_rows<A: Address + Default, N: Plain + Default + TryInto<u64>>(
    books: &'static Books,
    symbol: &'static str,
    (width, height): (u64, u64),
    (place, pitch): (Out<A>, Out<N>),
    call: impl FnOnce(Out<A>, Out<N>) -> CUresult,
) -> Result<(), CUresult> {
    let most =
        width.checked_next_multiple_of(ROW).and_then(|row| row.checked_mul(height)).unwrap_or(u64::MAX);
    if place.is_null() || pitch.is_null() || most == 0 {
        return call(place, pitch).ok();
    }
    let mut made_pitch = N::default();
    let mut made = CUdeviceptr(0);
    allocate(books, symbol, most, (&mut made).into(), |p: Out<CUdeviceptr>| {
        let mut address = A::default();
        let result = call((&mut address).into(), (&mut made_pitch).into());
        p.set_if(CUdeviceptr(address.number()));
        if result == CUDA_SUCCESS {
            place.set_if(address);
        }
        result
    })?;
    let row = made_pitch.try_into().unwrap_or(u64::MAX);
    let bytes = row.saturating_mul(height).checked_next_multiple_of(ROW).unwrap_or(u64::MAX);
    settle(books, symbol, made, bytes)?;
    pitch.set(made_pitch)
}

/// Corrects the charge of fresh memory; what does not fit is freed again.
fn settle(
    books: &'static Books,
    symbol: &'static str,
    made: CUdeviceptr,
    bytes: u64,
) -> Result<(), CUresult> {
    let Some(mut entry) = books.linear.take(made.0) else { return Ok(()) };
    let refused = match bytes > entry.bytes {
        true => entry.card.charge(symbol, bytes - entry.bytes).map(crate::cards::Charge::keep).err(),
        false => {
            entry.card.release(entry.bytes - bytes);
            None
        }
    };
    if let Some(error) = refused {
        let _gone = real::cuMemFree_v2(made);
        books.release(entry);
        return Err(error);
    }
    entry.bytes = bytes;
    books.linear.insert(made.0, entry);
    Ok(())
}

pub fn cuMemAllocPitch_v2(
    dptr: Out<CUdeviceptr>,
    pPitch: Out<usize>,
    WidthInBytes: usize,
    Height: usize,
    ElementSizeBytes: u32,
) -> CUresult {
    let call = |p: Out<CUdeviceptr>, pitch: Out<usize>| {
        real::cuMemAllocPitch_v2(p, pitch, WidthInBytes, Height, ElementSizeBytes)
    };
    let Some(books) = books::get() else { return call(dptr, pPitch) };
    let size = (WidthInBytes as u64, Height as u64);
    if let Some(movable) = movable::get()
        && let Some((row, bytes)) = rows_of(size, ElementSizeBytes).filter(|_| !pPitch.is_null())
        && let Some(result) = allocate_movable(books, movable, "cuMemAllocPitch_v2", bytes, dptr)
    {
        if result == CUDA_SUCCESS {
            pPitch.set_if(row as usize);
        }
        return result;
    }
    allocate_rows(books, "cuMemAllocPitch_v2", size, (dptr, pPitch), call).into()
}

pub fn cuMemAllocPitch(
    dptr: Out<CUdeviceptr_v1>,
    pPitch: Out<u32>,
    WidthInBytes: u32,
    Height: u32,
    ElementSizeBytes: u32,
) -> CUresult {
    let call = |p: Out<CUdeviceptr_v1>, pitch: Out<u32>| {
        real::cuMemAllocPitch(p, pitch, WidthInBytes, Height, ElementSizeBytes)
    };
    let Some(books) = books::get() else { return call(dptr, pPitch) };
    let size = (u64::from(WidthInBytes), u64::from(Height));
    allocate_rows(books, "cuMemAllocPitch", size, (dptr, pPitch), call).into()
}
