use cleave_api::cuda::types::*;

use crate::books;
use crate::gate::{self, Stream};
use crate::movable;
use crate::real_unsafe::cuda as real;

/// After a wait pools may hold less than before: what was freed in stream order is free now.
fn after(waited: CUresult) -> CUresult {
    if let Some(books) = books::get()
        && !books.pools.is_empty()
    {
        books.pools.settle(None);
        if let Some(movable) = movable::get() {
            movable.reap_if_here();
        }
    }
    waited
}

pub fn cuCtxSynchronize() -> CUresult {
    after(gate::waiting(None, real::cuCtxSynchronize))
}

pub fn cuCtxSynchronize_v2(ctx: CUcontext) -> CUresult {
    let result = real::cuCtxSynchronize_v2(ctx);
    // It may be another one than the current.
    gate::looked();
    after(result)
}

pub fn cuStreamSynchronize(hStream: CUstream) -> CUresult {
    let stream = Stream::plain(hStream);
    after(gate::waiting(Some(stream), || real::cuStreamSynchronize(hStream)))
}

pub fn cuStreamSynchronize_ptsz(hStream: CUstream) -> CUresult {
    let stream = Stream::per_thread(hStream);
    after(gate::waiting(Some(stream), || real::cuStreamSynchronize_ptsz(hStream)))
}

pub fn cuEventSynchronize(hEvent: CUevent) -> CUresult {
    let result = real::cuEventSynchronize(hEvent);
    gate::looked();
    after(result)
}
