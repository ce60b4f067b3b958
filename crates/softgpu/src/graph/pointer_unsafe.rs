//! Pointers into our memory that the program may look through, as the driver API promises.

use cleave_api::edge::Ptr;

/// A pointer to the first of `values`; null if there are none. The owner keeps them where they are as long as the call
/// that hands out the pointer promises.
pub fn to_first<T>(values: &[T]) -> Ptr<T> {
    if values.is_empty() {
        return Ptr::NULL;
    }
    // SAFETY: the values are there to be read; how long is the documented promise of the call, kept by the owner.
    unsafe { Ptr::new(values.as_ptr().expose_provenance()) }
}
