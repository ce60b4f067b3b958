//! The software GPU: a CUDA driver (`libcuda.so.1`) that executes PTX on the CPU.
//!
//! A call goes one way: [`exports_unsafe`] (C symbols) → [`dispatch`] (initialised? implemented?) → `ops` (one function per
//! driver function, named like it) → the parts below. Rows of `cleave-api` derive the first two.

#![allow(non_upper_case_globals)]

/// Settings from the environment.
mod config;
/// Contexts.
mod context;
/// The context stack of each thread.
mod current;
/// What stream handle 0 means in the call being made.
mod default_stream;
/// Devices and their attributes.
mod device;
/// `impl Driver`, derived from the rows.
pub mod dispatch;
/// Names and descriptions of result codes.
mod error;
/// C symbols, derived from the rows.
#[allow(unsafe_code)]
pub mod exports_unsafe;
/// The state of the driver in one process.
mod gpu;
/// Generation-checked handles.
mod handle;
/// What cuCtxSetLimit sets.
mod limits;
/// One event, one line.
mod log;
/// Device, managed and host memory.
mod memory;
/// One function per function of the driver API.
mod ops;
/// What kernels print.
mod printf;
/// Streams, events and the order of commands.
mod queue;
/// Whether the driver is initialised in this process.
#[allow(unsafe_code)]
mod state_unsafe;
/// C's own stdout.
#[allow(unsafe_code)]
mod stdout_unsafe;
