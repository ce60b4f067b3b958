//! From PTX functions to micro-operations: instructions become [`Proto`](proto::Proto)s, these get registers, then addresses.

/// Registers to rows.
mod allocate;
/// Arithmetic and logic.
mod arithmetic;
/// Protos to operations.
mod assemble;
/// Copies in the background, and the barriers in shared memory that tell of their end.
mod async_copy;
/// Atomics.
mod atomic;
/// What one function's lowering knows and how it emits.
mod builder;
/// Calls, and parameters in memory.
mod call;
/// Comparisons and selections.
mod compare;
/// Branches, barriers, exits.
mod control;
/// `cvt`.
mod convert;
/// Basic blocks.
mod flow;
/// One function from header to operations.
mod function;
/// Chains of multiply-adds.
mod fuse;
/// Registers that cross basic blocks.
mod liveness;
/// Matrix instructions.
mod matrix;
/// Loads and stores.
mod memory;
/// `mov`, `cvta`, special registers.
mod moves;
/// Operations without places.
mod proto;
/// Functions applied lane by lane.
mod scalar;
/// Moves and copies that registers make needless.
mod simplify;
/// Where variables lie.
mod storage;
/// Instructions in which lanes look at each other.
mod warpwide;

pub use assemble::Assembly;
pub use function::lower;
pub use storage::Linked;

use cleave_ptx::ir::Loc;
use std::fmt;

/// Why a module cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    pub loc: Loc,
    pub message: String,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.loc, self.message)
    }
}

impl std::error::Error for CompileError {}
