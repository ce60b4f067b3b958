use core::ffi::c_void;

use cleave_api::cuda::types::*;
use cleave_api::edge::{In, Out, Ptr, Slice};

use crate::books::{self, Books, lock};
use crate::contexts;
use crate::gate;
use crate::movable;
use crate::real_unsafe::cuda as real;

/// Makes a context under a charge for what contexts cost, and remembers it.
fn create<T: cleave_api::edge::Plain + Default>(
    symbol: &'static str,
    place: Out<T>,
    device: CUdevice,
    number: impl FnOnce(T) -> u64,
    call: impl FnOnce(Out<T>) -> CUresult,
) -> CUresult {
    let Some(books) = books::get() else { return call(place) };
    let (false, Ok(card)) = (place.is_null(), books.cards.get(device)) else { return call(place) };
    let run = || {
        let charge = card.charge(symbol, card.context_bytes())?;
        let mut made = T::default();
        call((&mut made).into()).ok()?;
        books.contexts.insert(number(made), card, charge);
        card.wait_for_node();
        place.set(made)
    };
    run().into()
}

/// The context is gone if the driver says so, and all that was made in it.
fn destroy(context: CUcontext, call: impl FnOnce() -> CUresult) -> CUresult {
    gate::destroying_context(context);
    // Not while its memory is on the way.
    let _stay = movable::stay();
    let result = call();
    if let Some(books) = books::get().filter(|_| result == CUDA_SUCCESS) {
        gone(books, context);
    }
    result
}

fn gone(books: &Books, context: CUcontext) {
    books.contexts.remove(context.0 as u64);
    books.forget(context);
}

fn handle(context: CUcontext) -> u64 {
    context.0 as u64
}

pub fn cuCtxCreate(pctx: Out<CUcontext>, flags: u32, dev: CUdevice) -> CUresult {
    create("cuCtxCreate", pctx, dev, handle, |p| real::cuCtxCreate(p, flags, dev))
}

pub fn cuCtxCreate_v2(pctx: Out<CUcontext>, flags: u32, dev: CUdevice) -> CUresult {
    create("cuCtxCreate_v2", pctx, dev, handle, |p| real::cuCtxCreate_v2(p, flags, dev))
}

pub fn cuCtxCreate_v3(
    pctx: Out<CUcontext>,
    paramsArray: Slice<CUexecAffinityParam>,
    numParams: i32,
    flags: u32,
    dev: CUdevice,
) -> CUresult {
    let call = |p: Out<CUcontext>| real::cuCtxCreate_v3(p, paramsArray, numParams, flags, dev);
    create("cuCtxCreate_v3", pctx, dev, handle, call)
}

pub fn cuCtxCreate_v4(
    pctx: Out<CUcontext>,
    ctxCreateParams: In<CUctxCreateParams>,
    flags: u32,
    dev: CUdevice,
) -> CUresult {
    let call = |p: Out<CUcontext>| real::cuCtxCreate_v4(p, ctxCreateParams, flags, dev);
    create("cuCtxCreate_v4", pctx, dev, handle, call)
}

pub fn cuGLCtxCreate(pCtx: Out<CUcontext>, Flags: u32, device: CUdevice) -> CUresult {
    create("cuGLCtxCreate", pCtx, device, handle, |p| real::cuGLCtxCreate(p, Flags, device))
}

pub fn cuGLCtxCreate_v2(pCtx: Out<CUcontext>, Flags: u32, device: CUdevice) -> CUresult {
    create("cuGLCtxCreate_v2", pCtx, device, handle, |p| real::cuGLCtxCreate_v2(p, Flags, device))
}

pub fn cuVDPAUCtxCreate(
    pCtx: Out<CUcontext>,
    flags: u32,
    device: CUdevice,
    vdpDevice: u32,
    vdpGetProcAddress: Ptr<c_void>,
) -> CUresult {
    let call = |p: Out<CUcontext>| real::cuVDPAUCtxCreate(p, flags, device, vdpDevice, vdpGetProcAddress);
    create("cuVDPAUCtxCreate", pCtx, device, handle, call)
}

pub fn cuVDPAUCtxCreate_v2(
    pCtx: Out<CUcontext>,
    flags: u32,
    device: CUdevice,
    vdpDevice: u32,
    vdpGetProcAddress: Ptr<c_void>,
) -> CUresult {
    let call = |p: Out<CUcontext>| real::cuVDPAUCtxCreate_v2(p, flags, device, vdpDevice, vdpGetProcAddress);
    create("cuVDPAUCtxCreate_v2", pCtx, device, handle, call)
}

pub fn cuGreenCtxCreate(
    phCtx: Out<CUgreenCtx>,
    desc: CUdevResourceDesc,
    dev: CUdevice,
    flags: u32,
) -> CUresult {
    let call = |p: Out<CUgreenCtx>| real::cuGreenCtxCreate(p, desc, dev, flags);
    create("cuGreenCtxCreate", phCtx, dev, |green| green.0 as u64, call)
}

pub fn cuGreenCtxDestroy(hCtx: CUgreenCtx) -> CUresult {
    destroy(CUcontext(hCtx.0), || real::cuGreenCtxDestroy(hCtx))
}

pub fn cuCtxDestroy(ctx: CUcontext) -> CUresult {
    destroy(ctx, || real::cuCtxDestroy(ctx))
}

pub fn cuCtxDestroy_v2(ctx: CUcontext) -> CUresult {
    destroy(ctx, || real::cuCtxDestroy_v2(ctx))
}

/// Gone only if nobody else is attached: then the driver no longer knows it.
pub fn cuCtxDetach(ctx: CUcontext) -> CUresult {
    let _stay = movable::stay();
    gate::destroying_context(ctx);
    let result = real::cuCtxDetach(ctx);
    let mut version = 0;
    if let Some(books) = books::get().filter(|_| result == CUDA_SUCCESS)
        && real::cuCtxGetApiVersion(ctx, (&mut version).into()) != CUDA_SUCCESS
    {
        gone(books, ctx);
    }
    result
}

/// Charged when it comes to be, not when one more user takes it.
pub fn cuDevicePrimaryCtxRetain(pctx: Out<CUcontext>, dev: CUdevice) -> CUresult {
    let Some(books) = books::get() else { return real::cuDevicePrimaryCtxRetain(pctx, dev) };
    let _one = lock(&books.contexts.primary);
    if contexts::is_active(dev) {
        return real::cuDevicePrimaryCtxRetain(pctx, dev);
    }
    create("cuDevicePrimaryCtxRetain", pctx, dev, handle, |p| real::cuDevicePrimaryCtxRetain(p, dev))
}

pub fn cuDevicePrimaryCtxRelease(dev: CUdevice) -> CUresult {
    let_go(dev, || real::cuDevicePrimaryCtxRelease(dev))
}

pub fn cuDevicePrimaryCtxRelease_v2(dev: CUdevice) -> CUresult {
    let_go(dev, || real::cuDevicePrimaryCtxRelease_v2(dev))
}

pub fn cuDevicePrimaryCtxReset(dev: CUdevice) -> CUresult {
    reset(dev, || real::cuDevicePrimaryCtxReset(dev))
}

pub fn cuDevicePrimaryCtxReset_v2(dev: CUdevice) -> CUresult {
    reset(dev, || real::cuDevicePrimaryCtxReset_v2(dev))
}

/// Gone with its last user: the driver says whether that was the last.
fn let_go(device: CUdevice, call: impl FnOnce() -> CUresult) -> CUresult {
    part(device, call, |_, _| {})
}

/// All that was made in it is gone, even if somebody keeps the context itself.
fn reset(device: CUdevice, call: impl FnOnce() -> CUresult) -> CUresult {
    part(device, call, Books::forget)
}

fn part(device: CUdevice, call: impl FnOnce() -> CUresult, also: fn(&Books, CUcontext)) -> CUresult {
    let Some(books) = books::get() else { return call() };
    let _stay = movable::stay();
    let _one = lock(&books.contexts.primary);
    let context = contexts::primary(device);
    context.into_iter().for_each(gate::destroying_context);
    let result = call();
    if let Some(context) = context.filter(|_| result == CUDA_SUCCESS) {
        also(books, context);
        if !contexts::is_active(device) {
            gone(books, context);
        }
    }
    result
}
