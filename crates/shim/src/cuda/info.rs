use cleave_api::cuda::types::*;
use cleave_api::edge::Out;

use crate::books::{self, Books};
use crate::cards::Card;
use crate::movable;
use crate::real_unsafe::cuda as real;

/// What a tenant may think the device has: no more than the grant, no more than there is. Where memory can move, others make
/// room for what is granted.
fn seen(card: &Card, free: u64, total: u64) -> (u64, u64) {
    let total = total.min(card.memory());
    let free = if movable::get().is_some() { u64::MAX } else { free };
    (free.min(card.free()).min(total), total)
}

pub fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) -> CUresult {
    let Some(books) = books::get() else { return real::cuMemGetInfo_v2(free, total) };
    let (mut real_free, mut real_total) = (0, 0);
    let asked = real::cuMemGetInfo_v2(place(free, &mut real_free), place(total, &mut real_total));
    let mut device = CUdevice(0);
    if asked != CUDA_SUCCESS || real::cuCtxGetDevice((&mut device).into()) != CUDA_SUCCESS {
        return asked;
    }
    let Ok(card) = books.cards.get(device) else { return CUDA_ERROR_UNKNOWN };
    settle(books, card);
    let (seen_free, seen_total) = seen(card, real_free as u64, whole(total, real_total));
    free.set_if(seen_free as usize);
    total.set_if(seen_total as usize);
    asked
}

pub fn cuMemGetInfo(free: Out<u32>, total: Out<u32>) -> CUresult {
    let Some(books) = books::get() else { return real::cuMemGetInfo(free, total) };
    let (mut real_free, mut real_total) = (0, 0);
    let asked = real::cuMemGetInfo(place(free, &mut real_free), place(total, &mut real_total));
    let mut device = CUdevice(0);
    if asked != CUDA_SUCCESS || real::cuCtxGetDevice((&mut device).into()) != CUDA_SUCCESS {
        return asked;
    }
    let Ok(card) = books.cards.get(device) else { return CUDA_ERROR_UNKNOWN };
    settle(books, card);
    let (seen_free, seen_total) = seen(card, u64::from(real_free), whole(total, real_total));
    free.set_if(narrow(seen_free));
    total.set_if(narrow(seen_total));
    asked
}

pub fn cuDeviceTotalMem_v2(bytes: Out<usize>, dev: CUdevice) -> CUresult {
    let Some(books) = books::get() else { return real::cuDeviceTotalMem_v2(bytes, dev) };
    let mut total = 0;
    let asked = real::cuDeviceTotalMem_v2(place(bytes, &mut total), dev);
    if asked == CUDA_SUCCESS {
        let Ok(card) = books.cards.get(dev) else { return CUDA_ERROR_UNKNOWN };
        bytes.set_if(card.memory().min(total as u64) as usize);
    }
    asked
}

pub fn cuDeviceTotalMem(bytes: Out<u32>, dev: CUdevice) -> CUresult {
    let Some(books) = books::get() else { return real::cuDeviceTotalMem(bytes, dev) };
    let mut total = 0;
    let asked = real::cuDeviceTotalMem(place(bytes, &mut total), dev);
    if asked == CUDA_SUCCESS {
        let Ok(card) = books.cards.get(dev) else { return CUDA_ERROR_UNKNOWN };
        bytes.set_if(narrow(card.memory().min(u64::from(total))));
    }
    asked
}

/// Gives back, and charges, what has changed on the device since somebody last looked.
fn settle(books: &Books, card: &Card) {
    books.settle(card);
    if let Some(movable) = movable::get() {
        movable.reap_if_here();
    }
}

/// Our own variable where the program wants an answer; null where it passed null, so that the driver decides about that.
fn place<'a, T: cleave_api::edge::Plain>(wanted: Out<'_, T>, own: &'a mut T) -> Out<'a, T> {
    if wanted.is_null() { Out::NULL } else { own.into() }
}

/// The device's size, as far as it was asked for.
fn whole<T: cleave_api::edge::Plain + TryInto<u64>>(wanted: Out<'_, T>, total: T) -> u64 {
    if wanted.is_null() { u64::MAX } else { total.try_into().unwrap_or(u64::MAX) }
}

fn narrow(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
