//! What micro-operations do, one file per family.

/// From lane addresses to checked host addresses.
pub mod address;
/// Copies in the background, and barriers in shared memory.
pub mod async_copy;
/// `atom` and `red`.
pub mod atomic;
/// `bar` and its kin.
pub mod barrier;
/// Calls and returns.
pub mod call;
/// Chains through the carry flag.
pub mod carry;
/// Chains of multiply-adds.
pub mod chain;
/// Comparisons, and logic of predicates.
pub mod compare;
/// Branches, exits, guards, slices.
pub mod control;
/// Conversions.
pub mod convert;
/// Floating-point arithmetic.
pub mod float;
/// Integer arithmetic and logic.
pub mod int;
/// How a function of one lane becomes an operation on a row.
pub mod map;
/// Matrix instructions.
pub mod matrix;
/// Loads and stores.
pub mod memory;
/// Moves, selections and special registers.
pub mod moves;
/// Functions called lane by lane: whatever is rare.
pub mod scalar;
/// Accesses whose lanes go to different spaces, and local memory.
pub mod scattered;
/// The thread's stack.
pub mod stack;
/// Instructions in which lanes look at each other.
pub mod warpwide;
