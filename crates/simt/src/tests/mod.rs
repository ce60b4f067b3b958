//! Whole kernels, from text to results.

/// Calls, recursion, the device-side library.
mod calls;
/// Fused chains of multiply-adds.
mod chains;
/// Pause, resume, stop, overlap, the adversary.
mod control;
/// Atomics, shuffles, votes: threads that work together.
mod cooperation;
/// Branches, loops, fragments, barriers.
mod divergence;
#[allow(unsafe_code)]
mod harness_unsafe;
/// Matrix instructions and background copies.
mod matrix;
/// Loads, stores, spaces, faults.
mod memory;
/// Grids in modelled time.
mod paced;
/// The table of allocations.
mod ranges;
