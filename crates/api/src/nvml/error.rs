use super::types::*;
use crate::code::{codes, find};
use core::ffi::CStr;

/// What `nvmlErrorString` says about a code.
pub fn description(code: nvmlReturn_t) -> &'static CStr {
    find(CODES, code).map_or(c"unknown error", |row| row.meaning)
}

codes! { nvmlReturn_t:
    NVML_SUCCESS "success",
    NVML_ERROR_UNINITIALIZED "the library is not initialised",
    NVML_ERROR_INVALID_ARGUMENT "invalid argument",
    NVML_ERROR_NOT_SUPPORTED "not supported",
    NVML_ERROR_NO_PERMISSION "no permission",
    NVML_ERROR_ALREADY_INITIALIZED "initialised already",
    NVML_ERROR_NOT_FOUND "not found",
    NVML_ERROR_INSUFFICIENT_SIZE "the buffer is too small",
    NVML_ERROR_INSUFFICIENT_POWER "external power is missing",
    NVML_ERROR_DRIVER_NOT_LOADED "the driver is not loaded",
    NVML_ERROR_TIMEOUT "timed out",
    NVML_ERROR_IRQ_ISSUE "interrupts do not arrive",
    NVML_ERROR_LIBRARY_NOT_FOUND "a library was not found",
    NVML_ERROR_FUNCTION_NOT_FOUND "a library lacks the function",
    NVML_ERROR_CORRUPTED_INFOROM "the infoROM is corrupted",
    NVML_ERROR_GPU_IS_LOST "the GPU is lost",
    NVML_ERROR_RESET_REQUIRED "the GPU needs a reset",
    NVML_ERROR_OPERATING_SYSTEM "the operating system blocked the request",
    NVML_ERROR_LIB_RM_VERSION_MISMATCH "driver and library versions do not match",
    NVML_ERROR_IN_USE "in use by another client",
    NVML_ERROR_MEMORY "out of memory",
    NVML_ERROR_NO_DATA "no data",
    NVML_ERROR_VGPU_ECC_NOT_SUPPORTED "the virtual GPU cannot run while ECC is on",
    NVML_ERROR_INSUFFICIENT_RESOURCES "resources are used up",
    NVML_ERROR_FREQ_NOT_SUPPORTED "the frequency is not supported",
    NVML_ERROR_ARGUMENT_VERSION_MISMATCH "the version of an argument is not supported",
    NVML_ERROR_DEPRECATED "the call is no longer supported",
    NVML_ERROR_NOT_READY "not ready",
    NVML_ERROR_GPU_NOT_FOUND "no GPU was found",
    NVML_ERROR_INVALID_STATE "not in the right state",
    NVML_ERROR_RESET_TYPE_NOT_SUPPORTED "this kind of reset is not supported",
    NVML_ERROR_UNKNOWN "unknown error",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_meaning() {
        assert_eq!(description(NVML_ERROR_NOT_FOUND), c"not found");
        assert_eq!(description(nvmlReturn_t(12345)), c"unknown error");
        let source = include_str!("types/result.rs");
        let declared = source.lines().filter(|line| line.trim().starts_with("NVML_") && line.contains(" = "));
        assert_eq!(declared.count(), CODES.len());
        assert!(CODES.is_sorted_by(|a, b| a.code < b.code));
    }
}
