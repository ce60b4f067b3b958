//! From PTX functions to micro-operations: instructions become [`Proto`](proto::Proto)s, these get registers, then addresses.

/// Registers to rows.
mod allocate;
/// Arithmetic and logic.
mod arithmetic;
/// Protos to operations.
mod assemble;
/// What one function's lowering knows and how it emits.
mod builder;
/// Atomics.
mod atomic;
/// Calls, and parameters in memory.
mod call;
/// Comparisons and selections.
mod compare;
/// Branches, barriers, exits.
mod control;
/// Copies in the background, and the barriers in shared memory that tell of their end.
mod async_copy;
/// `cvt`.
mod convert;
/// Basic blocks.
mod flow;
/// One function from header to operations.
mod function;
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
/// Instructions in which lanes look at each other.
mod warpwide;
/// Where variables lie.
mod storage;

pub use function::lower;
pub use assemble::Assembly;
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
