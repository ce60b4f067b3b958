//! Keeps a loaded library loaded.

use core::ffi::CStr;

/// Takes one more reference to a library that is loaded already, and never gives it back.
pub fn pin(path: &CStr) {
    // SAFETY: a path that the loader gave; nothing is loaded, so no constructor runs.
    unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
}
