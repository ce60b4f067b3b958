//! Executes PTX kernels on CPU cores, 32 lanes at a time.
//!
//! [`Program::compile`] lowers a parsed module to micro-operations; [`Gpu`] runs grids of them on worker threads. Device code sees 64-bit
//! generic addresses: what the [`Ranges`] of the launch list, and the windows of [`window`]. Nothing here knows the driver API.
//!
//! The crate has no global state: all hangs off `Gpu`, whose threads start with the first launch, so that a process may fork before.

/// Barriers of a block.
mod barrier;
/// A block and its warps' turns.
mod block;
/// The device-side C library.
mod builtin;
/// The adversary's dice.
mod chance;
/// Clocks of warps: modelled ones, and those of the host.
mod clock;
/// A lowered program.
mod code;
/// Instructions by class and bytes moved, per block.
mod counters;
/// Operands that do not fit into an operation.
mod detail;
/// Why a grid ended early.
mod fault;
/// Fragments of `wmma` in memory.
mod fragment;
/// Call frames.
mod frame;
/// The device and its size.
mod gpu;
/// A grid in flight.
mod grid;
/// Instruction sets of the processor, and the interpreter loop.
#[allow(unsafe_code)]
mod isa_unsafe;
/// What a launch consists of, and who hears of it.
mod launch;
/// Local memory of a warp.
mod local;
/// PTX to micro-operations.
mod lower;
/// A fragment of a warp at work.
mod machine;
/// Raw access to checked addresses.
#[allow(unsafe_code)]
mod mem_unsafe;
/// Micro-operations.
mod op;
/// What micro-operations do.
mod ops;
/// A block in modelled time.
mod paced;
/// Worker threads.
mod pool;
/// `printf` formatting.
mod printf;
/// Compiled modules.
mod program;
/// Grids in flight, and what a worker does next.
mod queue;
/// One allocation and the promise behind it.
#[allow(unsafe_code)]
mod range_unsafe;
/// What device code may touch.
pub mod ranges;
/// Where lanes meet for warp-wide instructions.
mod rendezvous;
/// Register rows.
#[allow(unsafe_code)]
mod rows_unsafe;
/// Shared memory of a block.
#[allow(unsafe_code)]
mod shared_unsafe;
/// Threads without signals.
#[allow(unsafe_code)]
mod signals_unsafe;
/// Inline caches of memory instructions.
mod site;
/// The blocks of a paced grid in modelled time.
mod timeline;
/// Vector instructions behind operations.
#[allow(unsafe_code)]
mod vector_unsafe;
/// Fragments of a warp.
mod warp;
/// State spaces in the generic address space.
pub mod window;
/// Costs of basic blocks, added up.
mod work;
/// One worker thread.
mod worker;

/// Matrix instructions as functions of one warp's registers.
pub mod mma;
/// What one lane of one instruction computes.
pub mod num;

#[cfg(test)]
mod tests;

pub use counters::{CLASSES, Class, Counters};
pub use fault::{Fault, FaultKind};
pub use gpu::{Config, Done, Gpu};
pub use grid::Grid;
pub use isa_unsafe::Isa;
pub use launch::{Discard, Heap, Launch, Output, Pacing};
pub use lower::CompileError;
pub use program::{Kernel, KernelParam, Program, Symbols, Target};
pub use range_unsafe::Range;
pub use ranges::{RangeError, Ranges};
