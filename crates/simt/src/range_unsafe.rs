//! One piece of memory that device code may touch, and the promise that comes with it.

/// A live allocation: `len` bytes at device address `start`, reached by the engine at `start + delta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    start: u64,
    len: u64,
    delta: u64,
    writable: bool,
}

impl Range {
    /// Vouches for the memory behind a range of device addresses.
    ///
    /// # Safety
    /// The bytes `start + delta .. start + delta + len` (wrapping) must be mapped readable, and writable if `writable`, for as long as the
    /// range is in a table and, after its removal, until every grid that was running at that moment has ended: kernels may still be
    /// inside an access they checked before. Nothing in Rust may hold a reference into them meanwhile: device threads race on this memory.
    pub unsafe fn mapped(start: u64, len: u64, delta: u64, writable: bool) -> Range {
        Range { start, len, delta, writable }
    }

    pub fn start(&self) -> u64 {
        self.start
    }

    /// Number of bytes, exact.
    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// First device address after the range.
    pub fn end(&self) -> u64 {
        self.start.wrapping_add(self.len)
    }

    /// What to add (wrapping) to a device address to get the host address.
    pub fn delta(&self) -> u64 {
        self.delta
    }

    pub fn writable(&self) -> bool {
        self.writable
    }
}
