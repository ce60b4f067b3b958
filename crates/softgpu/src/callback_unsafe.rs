//! Calls of functions the program passed.

use cleave_api::cuda::types::CUoccupancyB2DSize;

/// Asks the program how much shared memory a block of `threads` threads needs, if it wants to be asked.
pub fn shared_of_block(function: CUoccupancyB2DSize, threads: u32) -> Option<usize> {
    // SAFETY: the program passed the function to be called with a block size.
    function.map(|function| unsafe { function(threads as i32) })
}
