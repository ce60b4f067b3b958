//! A number that the driver writes behind an untyped pointer.

use core::ffi::c_void;

use cleave_api::cuda::types::{CUDA_SUCCESS, CUresult};
use cleave_api::edge::Ptr;

/// The number that `ask` has the driver write; `None` if it does not.
pub fn written(ask: impl FnOnce(Ptr<c_void>) -> CUresult) -> Option<u64> {
    let mut number = 0_u64;
    // SAFETY: room for the widest number that the driver writes there; it lives for the call.
    let place = unsafe { Ptr::new((&raw mut number).expose_provenance()) };
    let answer = ask(place);
    // SAFETY: our own variable, which the driver may have changed behind the compiler's back.
    let number = unsafe { (&raw const number).read_volatile() };
    (answer == CUDA_SUCCESS).then_some(number)
}
