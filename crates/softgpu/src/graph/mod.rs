//! Graphs: commands kept as nodes and launched together; and capture, which turns stream calls into nodes.
//!
//! Lock order, outermost first: `Captures` (all captures of the process) → `Graph::body` → handle tables. An executable
//! graph has a lock of its own, held while a launch wires its tasks and so before the queue's locks. None is held
//! while a function of the program or a command runs.

/// Stream capture: which streams are in which capture, and what is illegal meanwhile.
pub mod capture;
/// A graph as the program builds it.
mod definition;
/// Graphs as text for people.
pub mod dot;
/// A graph ready to launch.
pub mod exec;
/// From a graph with children to one list of nodes.
mod flatten;
/// A kernel launch as a value.
mod kernel;
/// Memory of allocation nodes.
pub mod memory;
/// Device commands as values.
pub mod op;
/// Kernel, copy, fill and other nodes as the program describes them.
pub mod params;
/// Pointers handed to the program.
#[allow(unsafe_code)]
pub mod pointer_unsafe;
/// Nodes and edges.
pub mod shape;
/// From a command to the queue, or into a capture.
mod submit;
/// Objects of the program that live as long as a graph.
pub mod user_object;
/// Waits for and writes of memory values.
pub mod values;
/// Access to the words that values live in.
#[allow(unsafe_code)]
mod words_unsafe;

pub use capture::Captures;
pub use definition::{Graph, Graphs};
pub use exec::Exec;
pub use kernel::KernelOp;
pub use op::{CopyOp, EventRef, FillOp, HostOp, Op};
pub use shape::{NodeId, Ports};
pub use user_object::UserObject;
