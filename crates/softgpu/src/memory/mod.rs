//! Memory: what it is made of, where it lives, who holds it.

/// Chunks of a device's memory, with one ownership word each.
pub mod chunks;
/// Free ranges of an address line.
mod extents;
/// Allocations inside spans of chunks.
pub mod heap;
/// The address map.
pub mod layout;
/// Windows, mappings and the backing file.
#[allow(unsafe_code)]
pub mod map_unsafe;
/// Address space with memory behind it.
pub mod space;
