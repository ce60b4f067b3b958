//! Whole kernels, from text to results.

/// Atomics, shuffles, votes: threads that work together.
mod cooperation;
/// Calls, recursion, the device-side library.
mod calls;
/// Pause, resume, stop, overlap, the adversary.
mod control;
/// Branches, loops, fragments, barriers.
mod divergence;
#[allow(unsafe_code)]
mod harness_unsafe;
/// Matrix instructions and background copies.
mod matrix;
/// Loads, stores, spaces, faults.
mod memory;
