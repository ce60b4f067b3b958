//! Matrix instructions as functions of one warp's registers.
//!
//! A register of all lanes is a row of 32 words; operands are slices of rows, in the order the instruction names
//! its registers. Rows that an instruction does not name count as zero and are not written, so a wrong count cannot
//! panic; the compiler of kernels checks it.
//!
//! Everything follows from one observation: the fragments of `mma.sync` are tiles of 8 rows by 4 registers, one tile
//! per register, with the element of row `lane / 4` in lane `lane`. `wmma` fragments have no documented layout, so
//! they use the same tiles.

/// Where matrix elements sit in registers.
mod fragment;
/// `ldmatrix`, `stmatrix` and `movmatrix`.
pub mod matrix;
/// `mma` and `wmma.mma`: which types and shapes there are.
mod multiply;
/// `mma.m8n8k4.f16`: four small products, one per quad pair.
mod quad;
/// The matrices behind fragments, and their product.
mod tile;

pub use fragment::{Accumulators, Operand};
pub use multiply::{BitOp, Element, Mma, Row, Sum, WideRow, mma_f64};
pub use quad::{Layout, mma_quad};

#[cfg(test)]
mod tests;
