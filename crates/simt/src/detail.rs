//! Operands of operations that have more of them than fit.

use crate::code::Place;
use crate::fragment::Elements;
use crate::mma::{Layout, Mma, Sum};
use crate::num::Round;
use crate::num::cvt::Cvt;
use crate::ops::scalar::LaneFn;

/// Side table entry, found by `r[0]` or `imm` of the operation.
#[derive(Clone, Debug)]
pub enum Detail {
    Call(Call),
    /// What one lane computes.
    Lane(LaneFn),
    Cvt(Cvt),
    Matrix(Matrix),
    /// Rows, in the order the operation wants them.
    Rows(Box<[u32]>),
    /// Jump distances of `brx.idx`, from the operation.
    Table(Box<[i32]>),
}

/// Operands of a matrix instruction: rows of registers.
#[derive(Clone, Debug)]
pub enum Matrix {
    Multiply {
        product: Product,
        a: Box<[u32]>,
        b: Box<[u32]>,
        c: Box<[u32]>,
        d: Box<[u32]>,
    },
    /// `ldmatrix` and `stmatrix`.
    Move {
        registers: Box<[u32]>,
        transposed: bool,
    },
    /// `wmma.load` and `wmma.store`.
    Fragment {
        registers: Box<[u32]>,
        wide: bool,
        elements: Elements,
    },
}

/// What is multiplied.
#[derive(Clone, Copy, Debug)]
pub enum Product {
    Common(Mma),
    Quad { a_layout: Layout, b_layout: Layout, c: Sum, d: Sum },
    Double { shape: (usize, usize, usize), round: Round },
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
