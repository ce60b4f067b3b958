//! Where memory lives: the address map of a process that uses the software GPU.
//!
//! A pointer a program holds and the place where the engine touches the same byte differ by [`ALIAS`], for every kind of
//! memory we hand out. So a device pointer is not readable by the host, a freed pointer faults in the program while an
//! engine that still runs hits harmless scratch pages, and the check of an address needs no second table.

/// Engine address = pointer + `ALIAS`.
pub const ALIAS: u64 = 0x2000_0000_0000;

/// Managed memory, readable by the host where the pointer says.
pub const MANAGED: (u64, u64) = (0x1800_0000_0000, 4 << 40);
/// Page-locked host memory.
pub const HOST: (u64, u64) = (0x1c00_0000_0000, 4 << 40);
/// Device memory, one window per device.
const DEVICE: (u64, u64) = (0x2000_0000_0000, 1 << 39);
/// Addresses reserved by the program itself (cuMemAddressReserve).
pub const RESERVED: (u64, u64) = (0x2800_0000_0000, 8 << 40);

pub use cleave_device::layout::MAX_DEVICES;

/// The window of device number `ordinal`.
pub fn device(ordinal: usize) -> (u64, u64) {
    assert!(ordinal < MAX_DEVICES);
    (DEVICE.0 + ordinal as u64 * DEVICE.1, DEVICE.1)
}

/// Whether `start..start + len` can be memory of a program at all.
pub fn is_address(start: u64, len: u64) -> bool {
    const FIRST: u64 = 1 << 12;
    const END: u64 = 1 << 47;
    start >= FIRST && start.checked_add(len).is_some_and(|end| end <= END)
}

/// Whether an address lies in one of our windows, allocated or not: no host memory of the program can be there.
pub fn is_ours(addr: u64) -> bool {
    (MANAGED.0..RESERVED.0 + RESERVED.1 + ALIAS).contains(&addr)
}

const _: () = {
    assert!(MANAGED.0 + MANAGED.1 <= HOST.0 && HOST.0 + HOST.1 <= DEVICE.0);
    assert!(DEVICE.0 + DEVICE.1 * MAX_DEVICES as u64 <= RESERVED.0);
    assert!(RESERVED.0 + RESERVED.1 <= MANAGED.0 + ALIAS);
    // At most half a window is memory, so that addresses are plenty when memory is fragmented.
    assert!(cleave_device::key::MAX_MEMORY <= DEVICE.1 / 2);
};
