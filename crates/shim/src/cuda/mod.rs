//! Hooks of the driver API: one function per row with logic, named like it.

/// Arrays and mipmapped arrays.
mod array;
/// Recordings of streams.
mod capture;
/// Contexts.
mod context;
/// Copies, and memory that is set.
mod copy;
/// Sizes of arrays.
mod extent;
/// Graphs that allocate.
mod graph;
/// How much memory there is.
mod info;
/// The first call.
mod init;
/// Kernels.
mod launch;
/// Look-ups by name and version.
mod lookup;
/// Linear, pitched and managed memory.
mod memory;
/// Physical memory.
mod physical;
/// What is known of an address.
mod pointer;
/// Memory in stream order.
mod pool;
/// Streams that end.
mod stream;
/// Waiting for the device: pools give memory back, and what was submitted is done.
mod wait;

pub use array::*;
pub use capture::*;
pub use context::*;
pub use copy::*;
pub use graph::*;
pub use info::*;
pub use init::*;
pub use launch::*;
pub use lookup::*;
pub use memory::*;
pub use physical::*;
pub use pointer::*;
pub use pool::*;
pub use stream::*;
pub use wait::*;
