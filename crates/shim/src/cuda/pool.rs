use core::ffi::c_void;
use std::sync::Arc;

use cleave_api::cuda::types::*;
use cleave_api::edge::{In, Out, Ptr};

use super::memory::free;
use super::physical::on_device;
use crate::books::{self, Books, Here};
use crate::cards::Card;
use crate::entries::Entry;
use crate::movable::{self, Lane};
use crate::pools::Pool;
use crate::real_unsafe::cuda as real;
use crate::{capture, number_unsafe};

/// Takes a block from a pool: its growth is charged before it can happen, and settled when it has.
fn allocate(
    books: &'static Books,
    symbol: &'static str,
    bytes: usize,
    place: Out<CUdeviceptr>,
    lane: Lane,
    pool: impl FnOnce() -> Result<Option<Arc<Pool>>, CUresult>,
    call: impl Fn(Out<CUdeviceptr>) -> CUresult,
) -> Result<(), CUresult> {
    // A recorded allocation becomes a node, and its graph pays.
    if place.is_null() || bytes == 0 || capture::records(lane.stream, lane.per_thread) {
        return call(place).ok();
    }
    let mut address = CUdeviceptr(0);
    let Ok(pool) = pool() else {
        // There is nothing to charge it to. The driver says why; should it succeed all the same, that is taken back.
        call((&mut address).into()).ok()?;
        let _gone = free_in_order(address, lane);
        return Err(CUDA_ERROR_OUT_OF_MEMORY);
    };
    let Some(pool) = pool else { return call(place).ok() };
    if let Some(movable) = movable::get() {
        let here = Here { card: pool.card(), ..books.here()? };
        let start = movable.allocate(symbol, bytes as u64, here, Some(pool.handle()))?;
        return place.set(CUdeviceptr(start));
    }
    let mut ask = pool.ask(symbol, bytes as u64, false)?;
    let mut again = false;
    loop {
        let result = call((&mut address).into());
        let fits = pool.answered(ask, result == CUDA_SUCCESS);
        result.ok()?;
        if fits {
            break;
        }
        // Its spare was in pieces, and it grew beyond the quota. That is undone, and what is whole again may be enough.
        capture::aside(|| {
            let _gone = free_in_order(address, lane);
            let _free_now = lane.wait();
            pool.freed();
            pool.trim();
        });
        if again {
            return pool.card().refuse(symbol, bytes as u64);
        }
        ask = pool.ask(symbol, bytes as u64, true)?;
        again = true;
    }
    let (card, context) = (pool.card(), CUcontext(0));
    books.linear.insert(address.0, Entry { bytes: bytes as u64, card, context, pool: Some(pool) });
    place.set(address)
}

fn free_in_order(address: CUdeviceptr, lane: Lane) -> CUresult {
    match lane.per_thread {
        false => real::cuMemFreeAsync(address, lane.stream),
        true => real::cuMemFreeAsync_ptsz(address, lane.stream),
    }
}

/// The pool that a stream's device takes from.
fn chosen(books: &'static Books, stream: CUstream) -> Result<Option<Arc<Pool>>, CUresult> {
    let card = card_of(books, stream)?;
    let mut pool = CUmemoryPool(0);
    real::cuDeviceGetMemPool((&mut pool).into(), card.device).ok()?;
    books.pools.get(pool, || Ok(Some(card)))
}

/// The device of a stream: mostly the current one.
fn card_of(books: &'static Books, stream: CUstream) -> Result<&'static Card, CUresult> {
    let here = books.here()?;
    if [CUstream(0), CU_STREAM_LEGACY, CU_STREAM_PER_THREAD].contains(&stream) {
        return Ok(here.card);
    }
    let mut context = CUcontext(0);
    if real::cuStreamGetCtx(stream, (&mut context).into()) != CUDA_SUCCESS || context == here.context {
        return Ok(here.card);
    }
    let mut device = CUdevice(0);
    real::cuCtxPushCurrent_v2(context).ok()?;
    let asked = real::cuCtxGetDevice((&mut device).into());
    let _as_before = real::cuCtxPopCurrent_v2((&mut context).into());
    asked.ok()?;
    books.cards.get(device)
}

/// A pool the program names. One that we did not see being made tells where it is, or is on the current device.
fn named(books: &'static Books, pool: CUmemoryPool) -> Result<Option<Arc<Pool>>, CUresult> {
    let number =
        |attribute| number_unsafe::written(|value| real::cuMemPoolGetAttribute(pool, attribute, value));
    books.pools.get(pool, || {
        let kind = number(CU_MEMPOOL_ATTR_LOCATION_TYPE).map(|kind| CUmemLocationType(kind as u32));
        match (kind, number(CU_MEMPOOL_ATTR_LOCATION_ID)) {
            (Some(type_), Some(id)) => card_at(books, &CUmemLocation { type_, id: id as i32 }),
            _ => books.here().map(|here| Some(here.card)),
        }
    })
}

/// The device of a location; none where it is not a device's.
fn card_at(books: &'static Books, location: &CUmemLocation) -> Result<Option<&'static Card>, CUresult> {
    match on_device(location) {
        true => books.cards.get(CUdevice(location.id)).map(Some),
        false => Ok(None),
    }
}

macro_rules! allocations {
    ($( $plain:ident $pooled:ident $freed:ident per_thread $per_thread:literal; )*) => { $(
        pub fn $plain(dptr: Out<CUdeviceptr>, bytesize: usize, hStream: CUstream) -> CUresult {
            let call = |p: Out<CUdeviceptr>| real::$plain(p, bytesize, hStream);
            let Some(books) = books::get() else { return call(dptr) };
            let lane = Lane { stream: hStream, per_thread: $per_thread };
            allocate(books, stringify!($plain), bytesize, dptr, lane, || chosen(books, hStream), call).into()
        }

        pub fn $pooled(
            dptr: Out<CUdeviceptr>,
            bytesize: usize,
            pool: CUmemoryPool,
            hStream: CUstream,
        ) -> CUresult {
            let call = |p: Out<CUdeviceptr>| real::$pooled(p, bytesize, pool, hStream);
            let Some(books) = books::get() else { return call(dptr) };
            let lane = Lane { stream: hStream, per_thread: $per_thread };
            allocate(books, stringify!($pooled), bytesize, dptr, lane, || named(books, pool), call).into()
        }

        pub fn $freed(dptr: CUdeviceptr, hStream: CUstream) -> CUresult {
            let lane = Lane { stream: hStream, per_thread: $per_thread };
            let freed = movable::get().and_then(|movable| movable.free_in_order(dptr.0, lane));
            freed.unwrap_or_else(|| free(dptr.0, || real::$freed(dptr, hStream)))
        }
    )* };
}

allocations! {
    cuMemAllocAsync cuMemAllocFromPoolAsync cuMemFreeAsync per_thread false;
    cuMemAllocAsync_ptsz cuMemAllocFromPoolAsync_ptsz cuMemFreeAsync_ptsz per_thread true;
}

pub fn cuMemPoolCreate(pool: Out<CUmemoryPool>, poolProps: In<CUmemPoolProps>) -> CUresult {
    let Some(books) = books::get().filter(|_| !pool.is_null()) else {
        return real::cuMemPoolCreate(pool, poolProps);
    };
    let mut made = CUmemoryPool(0);
    let result = real::cuMemPoolCreate((&mut made).into(), poolProps);
    if result == CUDA_SUCCESS {
        // Known by its device from now on; a pool of host memory costs nothing here.
        if let Some(props) = poolProps.get_if() {
            let _known = books.pools.get(made, || card_at(books, &props.location));
        }
        pool.set_if(made);
    }
    result
}

pub fn cuMemPoolDestroy(pool: CUmemoryPool) -> CUresult {
    let Some(books) = books::get() else { return real::cuMemPoolDestroy(pool) };
    let known = books.pools.take(pool);
    let result = real::cuMemPoolDestroy(pool);
    match known {
        Some(Some(known)) if result == CUDA_SUCCESS => known.destroyed(),
        Some(known) if result != CUDA_SUCCESS => books.pools.put(pool, known),
        _ => {}
    }
    result
}

pub fn cuMemPoolTrimTo(pool: CUmemoryPool, minBytesToKeep: usize) -> CUresult {
    let result = real::cuMemPoolTrimTo(pool, minBytesToKeep);
    if let Some(books) = books::get() {
        books.pools.settle(None);
    }
    if let Some(movable) = movable::get() {
        movable.reap_if_here();
    }
    result
}

/// Blocks that can move are in none of the driver's pools: what a pool has given out is counted here.
pub fn cuMemPoolGetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: Ptr<c_void>) -> CUresult {
    let Some(level) = movable::get().filter(|_| !value.is_null()).map(|movable| movable.level(pool)) else {
        return real::cuMemPoolGetAttribute(pool, attr, value);
    };
    let number = match attr {
        CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT | CU_MEMPOOL_ATTR_USED_MEM_CURRENT => level.now,
        CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH | CU_MEMPOOL_ATTR_USED_MEM_HIGH => level.most,
        _ => return real::cuMemPoolGetAttribute(pool, attr, value),
    };
    value.cast::<u64>().slice_mut::<CUresult>(1).set(0, number).into()
}

pub fn cuMemPoolSetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: Ptr<c_void>) -> CUresult {
    let result = real::cuMemPoolSetAttribute(pool, attr, value);
    let highs = [CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, CU_MEMPOOL_ATTR_USED_MEM_HIGH];
    if let Some(movable) = movable::get().filter(|_| result == CUDA_SUCCESS && highs.contains(&attr)) {
        movable.forget_most(pool);
    }
    result
}
