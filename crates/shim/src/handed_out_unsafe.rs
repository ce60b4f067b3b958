//! From the driver's addresses to our functions.

use core::ffi::c_void;

use cleave_api::edge::{Ptr, Str};

use crate::driver::Library;
use crate::process_unsafe::PerProcess;
use crate::{names, unwrapped};

/// The driver's address of each hooked function and ours, sorted by the driver's.
fn hooks() -> &'static [(usize, usize)] {
    static HOOKS: PerProcess<Vec<(usize, usize)>> = PerProcess::new();
    HOOKS.get_or(|| {
        let pair =
            |(name, hook): (&'static str, *const ())| Some((Library::Cuda.function(name)?, hook as usize));
        let mut hooks: Vec<_> = names::hooked(Library::Cuda).filter_map(pair).collect();
        hooks.sort_unstable();
        hooks
    })
}

/// Our function for one of the driver's, or the driver's own where we have none. One that allocates or launches and goes out
/// as it is, is counted.
pub fn instead_of(found: Ptr<c_void>, symbol: Str) -> Ptr<c_void> {
    if found.is_null() {
        return found;
    }
    let hooks = hooks();
    match hooks.binary_search_by_key(&found.addr(), |(real, _)| *real) {
        // SAFETY: the address of our own function, which stays.
        Ok(at) => unsafe { Ptr::new(hooks[at].1) },
        Err(_) => {
            if symbol.bytes().is_ok_and(names::would_matter) {
                unwrapped::count();
            }
            found
        }
    }
}
