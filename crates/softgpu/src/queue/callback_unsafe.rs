//! Calls of the program's own functions.

use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use std::ffi::c_void;

/// Calls a host function or a destructor; none is none.
pub fn host_function(function: CUhostFn, user_data: Ptr<c_void>) {
    if let Some(function) = function {
        // SAFETY: the program gave this function to be called with this argument, which is its own matter.
        unsafe { function(user_data) }
    }
}

/// Calls a stream callback.
pub fn stream_callback(
    function: CUstreamCallback,
    stream: CUstream,
    status: CUresult,
    user_data: Ptr<c_void>,
) {
    if let Some(function) = function {
        // SAFETY: as above.
        unsafe { function(stream, status, user_data) }
    }
}
