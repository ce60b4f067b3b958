//! Why a grid ended early: one value that names kernel, source line, address and thread.

use std::fmt;

/// What went wrong. The driver maps each kind to the error code hardware documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// An access outside every live allocation (or a store to a read-only one).
    IllegalAddress,
    /// An address that is not a multiple of the access size.
    MisalignedAddress,
    /// An address of the wrong state space for the instruction (e.g. shared outside the block's window).
    InvalidAddressSpace,
    /// An instruction whose operands make no sense at run time (e.g. a barrier id above 15).
    IllegalInstruction,
    /// An indirect call to something that is not a function.
    InvalidPc,
    /// `trap`.
    Trap,
    /// A device-side assertion.
    Assert,
    /// Calls nested deeper than the stack allows.
    StackOverflow,
    /// The launch could never run: block too large, parameters missing.
    InvalidLaunch,
    /// Ended by [`Grid::stop`](crate::Grid::stop).
    Stopped,
}

/// The first fault of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    /// The entry function that was launched.
    pub kernel: String,
    /// Line of the PTX source, 0 if no instruction is to blame.
    pub line: u32,
    /// The offending address, where there is one.
    pub address: u64,
    /// `%ctaid` of the block.
    pub block: [u32; 3],
    /// `%tid` of the first offending thread.
    pub thread: [u32; 3],
    /// What more there is to say (assertion text, for instance).
    pub detail: String,
}

impl Fault {
    /// A fault that no instruction is to blame for.
    pub fn of_launch(kind: FaultKind, kernel: &str, detail: impl Into<String>) -> Fault {
        Fault {
            kind,
            kernel: kernel.to_owned(),
            line: 0,
            address: 0,
            block: [0; 3],
            thread: [0; 3],
            detail: detail.into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([bx, by, bz], [tx, ty, tz]) = (self.block, self.thread);
        write!(
            f,
            "{:?} kernel={} line={} address={:#x} block={bx},{by},{bz} thread={tx},{ty},{tz}",
            self.kind, self.kernel, self.line, self.address
        )?;
        if !self.detail.is_empty() {
            write!(f, " detail={:?}", self.detail)?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}
