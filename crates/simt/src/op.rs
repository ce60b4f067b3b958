//! Micro-operations: what a lowered instruction looks like to the interpreter.

use crate::machine::Machine;

/// Runs one micro-operation and says where to go on. Unsafe to call because it may need processor features that
/// only [`Isa::detect`](crate::Isa::detect) has checked.
pub type Run = for<'m, 'a, 'o> unsafe fn(&'m mut Machine<'a>, &'o Op) -> Pc;

/// One micro-operation. Registers are byte offsets into the frame of their class; what each of `r` means is up to `run`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Op {
    pub run: Run,
    pub r: [u32; 6],
    pub imm: u64,
}

impl Op {
    /// The operation after this one.
    #[inline(always)]
    pub fn next(&self) -> Pc {
        self.at(1)
    }

    /// The operation `distance` places from this one.
    #[inline(always)]
    pub fn at(&self, distance: i32) -> Pc {
        let here = std::ptr::from_ref(self).addr();
        Pc(here.wrapping_add_signed(distance as isize * size_of::<Op>() as isize))
    }
}

/// A place in the code: the address of an operation. Only the interpreter loop ever looks there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Pc(pub(crate) usize);

impl Pc {
    /// Leave the interpreter loop.
    pub const STOP: Pc = Pc(0);
    /// After every place.
    pub const END: Pc = Pc(usize::MAX);

    /// The place of `code[index]`.
    pub fn of(code: &[Op], index: usize) -> Pc {
        Pc(code.as_ptr().expose_provenance() + index * size_of::<Op>())
    }

    /// The index of this place in `code`.
    pub fn index(self, code: &[Op]) -> usize {
        self.0.wrapping_sub(code.as_ptr().addr()) / size_of::<Op>()
    }

    /// The place before this one.
    pub fn back(self) -> Pc {
        Pc(self.0 - size_of::<Op>())
    }
}
