//! Memory: what it is made of, where it lives, who holds it, who may touch it.

/// What each device may do with memory opened device by device.
pub mod access;
/// What a program said about managed memory.
pub mod advice;
/// What a pointer refers to.
pub mod allocation;
/// This process's part in a device's memory.
pub mod bank;
/// Free ranges of an address line.
mod extents;
/// Allocations inside spans of chunks.
pub mod heap;
/// Host memory as the program sees it.
#[allow(unsafe_code)]
pub mod host_unsafe;
/// The address map.
pub mod layout;
/// Live allocations and which contexts see them.
#[allow(unsafe_code)]
pub mod live_unsafe;
/// Windows, mappings and the backing file.
#[allow(unsafe_code)]
pub mod map_unsafe;
/// Pools of stream-ordered memory.
pub mod pool;
/// Consecutive chunks.
pub mod run;
/// Address space with memory behind it.
pub mod space;
/// All memory of the process.
pub mod store;
/// Physical memory, reserved addresses and mappings of one at the other.
pub mod vmm;
