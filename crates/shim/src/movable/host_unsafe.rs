//! Memory of the host for what leaves the device.

use core::ptr::null_mut;

/// Bytes on the host, straight from the system: they go back to it at once, and there may be none.
pub struct Host {
    start: *mut u8,
    len: usize,
}

// SAFETY: a mapping of our own, reached through this value alone.
unsafe impl Send for Host {}

impl Host {
    pub fn new(len: usize) -> Option<Host> {
        let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new anonymous mapping disturbs nothing.
        let start = unsafe { libc::mmap(null_mut(), len, prot, flags, -1, 0) };
        (start != libc::MAP_FAILED).then_some(Host { start: start.cast(), len })
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: mapped, readable and of this length for as long as this value lives.
        unsafe { core::slice::from_raw_parts(self.start, self.len) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, writable, and borrowed alone.
        unsafe { core::slice::from_raw_parts_mut(self.start, self.len) }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: our own mapping, which nobody borrows any more.
        unsafe { libc::munmap(self.start.cast(), self.len) };
    }
}
