//! The software GPU: a CUDA driver (`libcuda.so.1`) that executes PTX on the CPU.

/// Generation-checked handles.
pub mod handle;
/// Device, managed and host memory.
pub mod memory;
