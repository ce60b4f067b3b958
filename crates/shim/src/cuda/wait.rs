use cleave_api::cuda::types::*;

use crate::books;
use crate::real_unsafe::cuda as real;

/// After a wait pools may hold less than before: what was freed in stream order is free now.
fn after(waited: CUresult) -> CUresult {
    if let Some(books) = books::get()
        && !books.pools.is_empty()
    {
        books.pools.settle(None);
    }
    waited
}

pub fn cuCtxSynchronize() -> CUresult {
    after(real::cuCtxSynchronize())
}

pub fn cuCtxSynchronize_v2(ctx: CUcontext) -> CUresult {
    after(real::cuCtxSynchronize_v2(ctx))
}

pub fn cuStreamSynchronize(hStream: CUstream) -> CUresult {
    after(real::cuStreamSynchronize(hStream))
}

pub fn cuStreamSynchronize_ptsz(hStream: CUstream) -> CUresult {
    after(real::cuStreamSynchronize_ptsz(hStream))
}

pub fn cuEventSynchronize(hEvent: CUevent) -> CUresult {
    after(real::cuEventSynchronize(hEvent))
}
