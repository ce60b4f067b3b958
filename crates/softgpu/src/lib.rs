//! The software GPU: a CUDA driver (`libcuda.so.1`) that executes PTX on the CPU.
//!
//! A call goes one way: [`exports_unsafe`] (C symbols) → [`dispatch`] (initialised? implemented?) → `ops` (one function per
//! driver function, named like it) → the parts below. Rows of `cleave-api` derive the first two.

#![allow(non_snake_case, non_upper_case_globals)]

/// Arrays and mipmapped arrays.
mod array;
/// Raw copies and fills.
#[allow(unsafe_code)]
mod bytes_unsafe;
/// Calls of functions the program passed.
#[allow(unsafe_code)]
mod callback_unsafe;
/// Settings from the environment.
mod config;
/// Contexts.
mod context;
/// Copies, checked and resolved.
mod copy;
/// The context stack of each thread.
mod current;
/// What stream handle 0 means in the call being made.
mod default_stream;
/// Devices and their attributes.
mod device;
/// Memory that kernels allocate themselves.
mod device_heap;
/// `impl Driver`, derived from the rows.
pub mod dispatch;
/// How a copy or fill becomes work.
mod enqueue;
/// C symbols, derived from the rows.
#[allow(unsafe_code)]
pub mod exports_unsafe;
/// Fills, checked and resolved.
mod fill;
/// The way to the shared engines of a device.
mod gate;
/// The state of the driver in one process.
mod gpu;
/// Graphs and capture.
mod graph;
/// Generation-checked handles.
mod handle;
/// Memory of other processes.
mod ipc;
/// Events of other processes.
mod ipc_event;
/// Launches.
mod launch;
/// What cuCtxSetLimit sets.
mod limits;
/// One event, one line.
mod log;
/// Device, managed and host memory.
mod memory;
/// Modules, libraries, the linker.
mod module;
/// How much of a multiprocessor a kernel can fill.
mod occupancy;
/// One function per function of the driver API.
mod ops;
/// Arguments of a launch.
mod params;
/// Memory pools.
mod pools;
/// What kernels print.
mod printf;
/// Streams, events and the order of commands.
mod queue;
/// Grids that run right now.
mod running;
/// Whether the driver is initialised in this process.
#[allow(unsafe_code)]
mod state_unsafe;
/// C's own stdout.
#[allow(unsafe_code)]
mod stdout_unsafe;
/// What the blocks of a cooperative grid share.
mod workspace;
