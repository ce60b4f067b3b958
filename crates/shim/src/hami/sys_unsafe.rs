//! Calls that the standard library does not have.

/// The user and group of this process.
pub fn user() -> (u32, u32) {
    // SAFETY: these calls cannot fail.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// Loads NVML, if the container has it; it then stays.
pub fn load_nvml() -> bool {
    let name = c"libnvidia-ml.so.1";
    // SAFETY: the driver's own library, which CUDA programs load as well.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
    !library.is_null()
}
