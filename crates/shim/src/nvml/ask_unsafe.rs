//! Questions of our own to NVML, in programs that may not use it.

use cleave_api::nvml::types::*;

use crate::real_unsafe::nvml as real;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// The library is not there.
    Missing,
    /// What it said instead.
    Refused(nvmlReturn_t),
}

/// Loads NVML if nobody has, opens it, asks, and closes it again. The library then stays.
pub fn ask<T>(question: impl FnOnce() -> Result<T, nvmlReturn_t>) -> Result<T, Unanswered> {
    let name = c"libnvidia-ml.so.1";
    // SAFETY: the driver's own library, which CUDA programs load as well.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
    if library.is_null() {
        return Err(Unanswered::Missing);
    }
    real::nvmlInit_v2().ok().map_err(Unanswered::Refused)?;
    let answer = question();
    real::nvmlShutdown();
    answer.map_err(Unanswered::Refused)
}
