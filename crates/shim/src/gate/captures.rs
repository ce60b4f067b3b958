//! Which recordings are under way. As long as there is none, nobody is asked about any.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use cleave_api::cuda::types::*;

use super::{Stream, marks};
use crate::capture;

/// Recordings that have begun and not ended. A forked child may inherit some: it then asks a little more than needed.
static UNDER_WAY: AtomicU32 = AtomicU32::new(0);

/// Whether any stream is being recorded.
#[inline]
pub fn any() -> bool {
    UNDER_WAY.load(Relaxed) > 0
}

/// Whether this one is.
pub fn records(stream: Stream) -> bool {
    capture::records(stream.handle(), false)
}

/// Runs calls of ours so that no recording takes notice.
pub fn aside<R>(calls: impl FnOnce() -> R) -> R {
    if any() { capture::aside(calls) } else { calls() }
}

/// Begins a recording. Nobody marks a stream meanwhile.
pub fn begin_capture(call: impl FnOnce() -> CUresult) -> CUresult {
    let _nobody_marks = marks::still();
    UNDER_WAY.fetch_add(1, Relaxed);
    let result = call();
    if result != CUDA_SUCCESS {
        end();
    }
    result
}

/// Ends a recording, or fails to: one that went wrong has ended too.
pub fn end_capture(call: impl FnOnce() -> CUresult) -> CUresult {
    let result = call();
    if matches!(
        result,
        CUDA_SUCCESS | CUDA_ERROR_STREAM_CAPTURE_INVALIDATED | CUDA_ERROR_STREAM_CAPTURE_UNJOINED
    ) {
        end();
    }
    result
}

fn end() {
    let _at_least_none = UNDER_WAY.fetch_update(Relaxed, Relaxed, |count| Some(count.saturating_sub(1)));
}
