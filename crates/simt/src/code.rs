//! A lowered program: operations of all its functions in one array, and what the interpreter must know about each function.

use crate::detail::Detail;
use crate::op::{Op, Pc};
use crate::rows_unsafe::Extent;
use crate::work::Cost;
use cleave_pace::CLASSES;
use std::sync::{Arc, Mutex, PoisonError};

/// Everything the interpreter reads while it runs.
pub struct Code {
    pub ops: Box<[Op]>,
    /// Source line of each operation.
    pub lines: Box<[u32]>,
    pub functions: Box<[Function]>,
    /// Cost of each basic block.
    pub costs: Box<[Cost]>,
    /// The same with cycles, for the latencies that were asked for last.
    pub timed: Mutex<Option<Timed>>,
    /// Operands of operations that have more than fit.
    pub details: Box<[Detail]>,
    /// How many memory instructions have an inline cache.
    pub sites: u32,
}

/// Costs with cycles, and the latencies behind them.
pub type Timed = ([u32; CLASSES], Arc<[Cost]>);

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
    /// Costs with the cycles they take on a device with these latencies.
    pub fn timed(&self, latency: &[u32; CLASSES]) -> Arc<[Cost]> {
        let mut known = self.timed.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((same, costs)) if same == latency => costs.clone(),
            _ => {
                let costs: Arc<[Cost]> = self.costs.iter().map(|cost| cost.timed(latency)).collect();
                *known = Some((*latency, costs.clone()));
                costs
            }
        }
    }

    /// The place where `function` starts.
    pub fn entry(&self, function: u32) -> Pc {
        Pc::of(&self.ops, self.functions[function as usize].entry as usize)
    }
}
