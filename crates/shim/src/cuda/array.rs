use cleave_api::cuda::types::*;
use cleave_api::edge::{In, Out};

use super::extent;
use super::physical::forget_tiles;
use crate::books::{self, Books};
use crate::entries::{Entries, Entry};
use crate::real_unsafe::cuda as real;

/// Where one kind of array is noted, and under which number.
struct Shelf<T> {
    entries: fn(&Books) -> &Entries,
    number: fn(T) -> u64,
}

const ARRAYS: Shelf<CUarray> = Shelf { entries: |books| &books.arrays, number: |array| array.0 as u64 };
const MIPMAPS: Shelf<CUmipmappedArray> =
    Shelf { entries: |books| &books.mipmaps, number: |array| array.0 as u64 };

/// Makes an array under a charge for its size, and remembers it.
fn create<T: cleave_api::edge::Plain + Default>(
    symbol: &'static str,
    place: Out<T>,
    bytes: Option<u64>,
    shelf: Shelf<T>,
    call: impl FnOnce(Out<T>) -> CUresult,
) -> CUresult {
    let Some(books) = books::get() else { return call(place) };
    let (false, Some(bytes), Ok(here)) = (place.is_null(), bytes, books.here()) else { return call(place) };
    let run = || {
        let charge = here.card.charge(symbol, bytes)?;
        let mut made = T::default();
        call((&mut made).into()).ok()?;
        charge.keep();
        let entry = Entry { bytes, card: here.card, context: here.context, pool: None };
        (shelf.entries)(books).insert((shelf.number)(made), entry);
        place.set(made)
    };
    run().into()
}

fn destroy<T>(shelf: Shelf<T>, array: T, call: impl FnOnce() -> CUresult) -> CUresult {
    let Some(books) = books::get() else { return call() };
    let (entries, handle) = ((shelf.entries)(books), (shelf.number)(array));
    let entry = entries.take(handle);
    let result = call();
    match entry {
        Some(entry) if result == CUDA_SUCCESS => books.release(entry),
        Some(entry) => entries.insert(handle, entry),
        None => {}
    }
    if result == CUDA_SUCCESS {
        forget_tiles(books, handle);
    }
    result
}

fn flat(width: usize, height: usize, format: CUarray_format, channels: u32) -> CUDA_ARRAY3D_DESCRIPTOR {
    CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Depth: 0,
        Format: format,
        NumChannels: channels,
        Flags: 0,
    }
}

pub fn cuArrayCreate_v2(pHandle: Out<CUarray>, pAllocateArray: In<CUDA_ARRAY_DESCRIPTOR>) -> CUresult {
    let shape = pAllocateArray.get_if().map(|d| flat(d.Width, d.Height, d.Format, d.NumChannels));
    let bytes = shape.as_ref().map(extent::array);
    create("cuArrayCreate_v2", pHandle, bytes, ARRAYS, |p| real::cuArrayCreate_v2(p, pAllocateArray))
}

pub fn cuArrayCreate(pHandle: Out<CUarray>, pAllocateArray: In<CUDA_ARRAY_DESCRIPTOR_v1>) -> CUresult {
    let shape =
        pAllocateArray.get_if().map(|d| flat(d.Width as usize, d.Height as usize, d.Format, d.NumChannels));
    let bytes = shape.as_ref().map(extent::array);
    create("cuArrayCreate", pHandle, bytes, ARRAYS, |p| real::cuArrayCreate(p, pAllocateArray))
}

pub fn cuArray3DCreate_v2(pHandle: Out<CUarray>, pAllocateArray: In<CUDA_ARRAY3D_DESCRIPTOR>) -> CUresult {
    let bytes = pAllocateArray.get_if().as_ref().map(extent::array);
    create("cuArray3DCreate_v2", pHandle, bytes, ARRAYS, |p| real::cuArray3DCreate_v2(p, pAllocateArray))
}

pub fn cuArray3DCreate(pHandle: Out<CUarray>, pAllocateArray: In<CUDA_ARRAY3D_DESCRIPTOR_v1>) -> CUresult {
    let shape = pAllocateArray.get_if().map(|d| CUDA_ARRAY3D_DESCRIPTOR {
        Depth: d.Depth as usize,
        Flags: d.Flags,
        ..flat(d.Width as usize, d.Height as usize, d.Format, d.NumChannels)
    });
    let bytes = shape.as_ref().map(extent::array);
    create("cuArray3DCreate", pHandle, bytes, ARRAYS, |p| real::cuArray3DCreate(p, pAllocateArray))
}

pub fn cuMipmappedArrayCreate(
    pHandle: Out<CUmipmappedArray>,
    pMipmappedArrayDesc: In<CUDA_ARRAY3D_DESCRIPTOR>,
    numMipmapLevels: u32,
) -> CUresult {
    let bytes = pMipmappedArrayDesc.get_if().map(|shape| extent::mipmaps(&shape, numMipmapLevels));
    let call =
        |p: Out<CUmipmappedArray>| real::cuMipmappedArrayCreate(p, pMipmappedArrayDesc, numMipmapLevels);
    create("cuMipmappedArrayCreate", pHandle, bytes, MIPMAPS, call)
}

pub fn cuArrayDestroy(hArray: CUarray) -> CUresult {
    destroy(ARRAYS, hArray, || real::cuArrayDestroy(hArray))
}

pub fn cuMipmappedArrayDestroy(hMipmappedArray: CUmipmappedArray) -> CUresult {
    destroy(MIPMAPS, hMipmappedArray, || real::cuMipmappedArrayDestroy(hMipmappedArray))
}
