//! Operands of operations that have more of them than fit.

use crate::code::Place;
use crate::num::cvt::Cvt;
use crate::ops::scalar::LaneFn;

/// Side table entry, found by `r[0]` or `imm` of the operation.
#[derive(Clone, Debug)]
pub enum Detail {
    Call(Call),
    /// What one lane computes.
    Lane(LaneFn),
    Cvt(Cvt),
    /// Rows, in the order the operation wants them.
    Rows(Box<[u32]>),
    /// Jump distances of `brx.idx`, from the operation.
    Table(Box<[i32]>),
}

/// A call site.
#[derive(Clone, Debug)]
pub struct Call {
    pub target: Target,
    /// Where the caller keeps arguments and wants results.
    pub args: Box<[Place]>,
    pub returns: Box<[Place]>,
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Function(u32),
    /// The function whose address the 64-bit row at this offset holds.
    Indirect(u32),
}
