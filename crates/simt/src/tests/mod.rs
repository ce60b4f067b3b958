//! Whole kernels, from text to results.

/// Branches, loops, fragments, calls.
mod divergence;
#[allow(unsafe_code)]
mod harness_unsafe;
/// Loads, stores, spaces, faults.
mod memory;
