//! What a block did: instructions by class and bytes moved, the input of a modelled clock.

use std::ops::AddAssign;

/// Classes of instructions that take different pipelines on hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum Class {
    /// Integer and logic, moves, selects, predicates.
    Integer,
    /// f16, bf16 and f32 arithmetic.
    Float,
    /// f64 arithmetic.
    Double,
    /// Square roots, sines and other special functions; divisions.
    Special,
    /// Matrix multiply-accumulate.
    Matrix,
    /// Loads and stores of global, generic or constant memory.
    Global,
    /// Loads and stores of shared memory.
    Shared,
    /// Local memory and parameters.
    Local,
    /// Atomics, in any space.
    Atomic,
    /// Branches, calls, barriers, shuffles, votes.
    Control,
}

/// How many classes there are.
pub const CLASSES: usize = Class::Control as usize + 1;

/// The model has a latency for each.
const _: () = assert!(CLASSES == cleave_pace::CLASSES);

/// Work of a block or of a whole grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Instructions issued per class, one per warp and instruction.
    pub warp_instructions: [u64; CLASSES],
    /// Instructions executed per class, one per active thread and instruction.
    pub thread_instructions: [u64; CLASSES],
    /// Bytes that threads moved to or from global memory.
    pub global_bytes: u64,
    /// Bytes that threads moved to or from shared memory.
    pub shared_bytes: u64,
    /// Blocks that ran to their end.
    pub blocks: u64,
}

impl Counters {
    /// Instructions of one class over all threads.
    pub fn threads(&self, class: Class) -> u64 {
        self.thread_instructions[class as usize]
    }

    /// Instructions of one class over all warps.
    pub fn warps(&self, class: Class) -> u64 {
        self.warp_instructions[class as usize]
    }
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        for i in 0..CLASSES {
            self.warp_instructions[i] += other.warp_instructions[i];
            self.thread_instructions[i] += other.thread_instructions[i];
        }
        self.global_bytes += other.global_bytes;
        self.shared_bytes += other.shared_bytes;
        self.blocks += other.blocks;
    }
}
