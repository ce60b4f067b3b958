//! Host memory as the program sees it.

use core::ffi::c_void;

use cleave_api::edge::{Bytes, BytesMut, Plain, Ptr, SliceMut};

use super::allocation::{Allocation, Kind};

/// The pointer by which the host reads an allocation, if it can.
pub fn pointer(allocation: &Allocation) -> Option<Ptr<c_void>> {
    match allocation.kind {
        Kind::Host { .. } | Kind::Registered { .. } | Kind::Managed(_) => {
            // SAFETY: mapped for the program where the pointer says, until it frees it.
            Some(unsafe { Ptr::new(allocation.start as usize) })
        }
        _ => None,
    }
}

/// Brings the pages of the program's memory in, as locking them would. False if some of them are not there or cannot be
/// written (read, if `read_only`): device code must be able to rely on them.
pub fn lock_pages(p: Ptr<c_void>, bytes: usize, read_only: bool) -> bool {
    const PAGE: usize = 4096;
    let start = p.addr() & !(PAGE - 1);
    let len = (p.addr() + bytes).next_multiple_of(PAGE) - start;
    let advice = if read_only { libc::MADV_POPULATE_READ } else { libc::MADV_POPULATE_WRITE };
    // SAFETY: populating pages changes no content.
    if unsafe { libc::madvise(start as *mut c_void, len, advice) } == 0 {
        return true;
    }
    // Kernels before 5.14 do not know the advice, not even for memory that is surely there.
    let known = 0u8;
    let page = (&raw const known).addr() & !(PAGE - 1);
    // SAFETY: as above, on our own stack.
    let knows = unsafe { libc::madvise(page as *mut c_void, PAGE, advice) } == 0;
    let mut resident = vec![0u8; len / PAGE];
    // SAFETY: the vector has a byte for each page.
    !knows && unsafe { libc::mincore(start as *mut c_void, len, resident.as_mut_ptr()) } == 0
}

/// The pointer an application passed as bytes to read.
pub fn source(bytes: Bytes) -> Ptr<c_void> {
    // SAFETY: it is the very pointer the application passed, for reading.
    unsafe { Ptr::new(bytes.addr()) }
}

/// The pointer an application passed as bytes to write.
pub fn target(bytes: BytesMut) -> Ptr<c_void> {
    // SAFETY: it is the very pointer the application passed, for writing.
    unsafe { Ptr::new(bytes.addr()) }
}

/// Room for `len` bytes where an application's list of pointers says.
pub fn room<'a>(target: Ptr<c_void>, len: usize) -> BytesMut<'a> {
    // SAFETY: the application passed this pointer for writing as many bytes.
    unsafe { BytesMut::new(target.as_ptr(), len) }
}

/// A number in a place the driver API declares as a pointer.
pub fn number(value: usize) -> Ptr<c_void> {
    // SAFETY: nobody reads through it: the place is documented to hold a number.
    unsafe { Ptr::new(value) }
}

/// The pointer behind a list that the application must keep for as long as the object it is passed to lives.
pub fn lasting<T: Plain>(values: SliceMut<T>) -> Ptr<T> {
    // SAFETY: it is the very pointer the application passed, for reading and writing.
    unsafe { Ptr::new(values.addr()) }
}

/// A pointer to memory of ours that the program may read as long as the object it belongs to lives.
pub fn lent<T>(values: &[T]) -> Ptr<T> {
    // SAFETY: the values are there to be read; how long is the documented promise of the call, kept by the owner.
    unsafe { Ptr::new(values.as_ptr().expose_provenance()) }
}
