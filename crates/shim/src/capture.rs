//! Calls of our own while the program records a stream.

use cleave_api::cuda::types::*;

use crate::real_unsafe::cuda as real;

/// Runs calls of ours that a recording would take for the program's and fail over.
pub fn aside<R>(calls: impl FnOnce() -> R) -> R {
    let mut mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    let exchanged = real::cuThreadExchangeStreamCaptureMode((&mut mode).into()) == CUDA_SUCCESS;
    let result = calls();
    if exchanged {
        let _restored = real::cuThreadExchangeStreamCaptureMode((&mut mode).into());
    }
    result
}

/// Whether a stream is being recorded: what would allocate then becomes a node of a graph.
pub fn records(stream: CUstream, per_thread: bool) -> bool {
    let mut status = CU_STREAM_CAPTURE_STATUS_NONE;
    let asked = match per_thread {
        false => real::cuStreamIsCapturing(stream, (&mut status).into()),
        true => real::cuStreamIsCapturing_ptsz(stream, (&mut status).into()),
    };
    asked == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE
}
