//! A lowered program: operations of all its functions in one array, and what the interpreter must know about each function.

use crate::detail::Detail;
use crate::op::{Op, Pc};
use crate::rows_unsafe::Extent;
use crate::work::Cost;

/// Everything the interpreter reads while it runs.
pub struct Code {
    pub ops: Box<[Op]>,
    /// Source line of each operation.
    pub lines: Box<[u32]>,
    pub functions: Box<[Function]>,
    /// Cost of each basic block.
    pub costs: Box<[Cost]>,
    /// Operands of operations that have more than fit.
    pub details: Box<[Detail]>,
    /// How many memory instructions have an inline cache.
    pub sites: u32,
}

/// A function as a call sees it.
#[derive(Clone, Debug, Default)]
pub struct Function {
    pub name: String,
    /// Index of the first operation.
    pub entry: u32,
    pub extent: Extent,
    /// Constant rows at the start of the frame: filled in on entry.
    pub constants32: Box<[u32]>,
    pub constants64: Box<[u64]>,
    /// Bytes of local memory per thread: variables, parameters and return values.
    pub local: u32,
    /// Where parameters and return values live.
    pub params: Box<[Place]>,
    pub returns: Box<[Place]>,
}

/// Where a function keeps a parameter or a return value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Bytes of the frame's local memory.
    Local { offset: u32, size: u32 },
    /// A register.
    Row { offset: u32, wide: bool },
    /// A predicate register.
    Pred { offset: u32 },
}

impl Place {
    /// Bytes per thread.
    pub fn size(&self) -> usize {
        match *self {
            Place::Local { size, .. } => size as usize,
            Place::Row { wide, .. } => {
                if wide {
                    8
                } else {
                    4
                }
            }
            Place::Pred { .. } => 1,
        }
    }
}

impl Code {
    /// The place where `function` starts.
    pub fn entry(&self, function: u32) -> Pc {
        Pc::of(&self.ops, self.functions[function as usize].entry as usize)
    }
}
