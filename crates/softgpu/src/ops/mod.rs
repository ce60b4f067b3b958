//! One function per function of the driver API, under its C name.
//!
//! Each takes the driver's state, its arguments as safe edge types, and returns the code hardware documents. Forms that
//! differ only in name are names here too; what handle 0 means in a per-thread form is [`crate::default_stream`]'s matter.

/// Arrays and mipmapped arrays.
mod array;
/// Functions of the program, called in stream order.
mod callback;
/// Capture of streams into graphs.
mod capture;
/// Contexts and primary contexts.
mod context;
/// Copies.
mod copy;
/// Several copies in one call.
mod copy_batch;
/// Initialisation, versions, errors, look-up.
mod core;
/// Devices.
mod device;
/// Events.
mod event;
/// Fills.
mod fill;
/// Functions: attributes, occupancy, old parameter setters.
mod function;
/// Graphs as a whole.
mod graph;
/// Executable graphs.
mod graph_exec;
/// Graph nodes.
mod graph_node;
/// Objects that live as long as a graph.
mod graph_object;
/// Page-locked and registered host memory.
mod host;
/// Memory and events of other processes.
mod ipc;
/// Launches.
mod launch;
/// Libraries and kernels.
mod library;
/// Managed memory.
mod managed;
/// Linear device memory.
mod memory;
/// Modules and the linker.
mod module;
/// What a pointer is.
mod pointer;
/// Stream-ordered memory and pools.
mod pool;
/// Streams.
mod stream;
/// Waits for and writes of memory values.
mod stream_values;
/// Profiler control.
mod tools;
/// Virtual memory: reserve, create, map.
mod vmm;

pub use self::core::*;
pub use array::*;
pub use callback::*;
pub use capture::*;
pub use context::*;
pub use copy::*;
pub use copy_batch::*;
pub use device::*;
pub use event::*;
pub use fill::*;
pub use function::*;
pub use graph::*;
pub use graph_exec::*;
pub use graph_node::*;
pub use graph_object::*;
pub use host::*;
pub use ipc::*;
pub use launch::*;
pub use library::*;
pub use managed::*;
pub use memory::*;
pub use module::*;
pub use pointer::*;
pub use pool::*;
pub use stream::*;
pub use stream_values::*;
pub use tools::*;
pub use vmm::*;
