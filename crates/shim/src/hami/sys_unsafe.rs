//! Calls that the standard library does not have.

/// The user and group of this process.
pub fn user() -> (u32, u32) {
    // SAFETY: these calls cannot fail.
    unsafe { (libc::geteuid(), libc::getegid()) }
}
