//! Where the state spaces lie in the 64-bit generic address space.
//!
//! Global, constant and host memory have the addresses the driver gave them. The others get windows of non-canonical addresses, which
//! no host pointer can be.

/// Shared memory of the block: generic address = this + offset.
pub const SHARED: u64 = 0x0100_0000_0000_0000;
/// Local memory of the thread.
pub const LOCAL: u64 = 0x0200_0000_0000_0000;
/// Addresses of functions: this + 16 * index.
pub const FUNCTION: u64 = 0x0300_0000_0000_0000;
/// Parameters of the kernel (read only).
pub const PARAM: u64 = 0x0400_0000_0000_0000;

/// The byte that tells windows apart; 0 for everything the driver allocated.
#[inline(always)]
pub fn tag(address: u64) -> u8 {
    (address >> 56) as u8
}

/// Tag of [`SHARED`].
pub const SHARED_TAG: u8 = 1;
/// Tag of [`LOCAL`].
pub const LOCAL_TAG: u8 = 2;
/// Tag of [`PARAM`].
pub const PARAM_TAG: u8 = 4;

/// The address of a function.
pub fn of_function(index: u32) -> u64 {
    FUNCTION + u64::from(index) * 16
}

/// The function at an address.
pub fn function_at(address: u64) -> Option<u32> {
    let offset = address.checked_sub(FUNCTION)?;
    (offset % 16 == 0).then(|| u32::try_from(offset / 16).ok()).flatten()
}
