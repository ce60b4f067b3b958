//! Pointers into our memory that the program may look through, as the driver API promises.

use cleave_api::edge::Ptr;
use std::ffi::c_void;

/// A pointer to the first of `values`; null if there are none. The owner keeps them where they are as long as the call
/// that hands out the pointer promises.
pub fn to_first<T>(values: &[T]) -> Ptr<T> {
    if values.is_empty() {
        return Ptr::NULL;
    }
    // SAFETY: the values are there to be read; how long is the documented promise of the call, kept by the owner.
    unsafe { Ptr::new(values.as_ptr().expose_provenance()) }
}

/// Pointers to places inside `bytes`; an offset outside gives null.
pub fn pieces(bytes: &[u8], offsets: impl IntoIterator<Item = usize>) -> Box<[Ptr<c_void>]> {
    let piece = |offset| bytes.get(offset..).map_or(Ptr::NULL, |rest: &[u8]| to_first(rest).cast());
    offsets.into_iter().map(piece).collect()
}
