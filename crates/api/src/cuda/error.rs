use super::types::*;
use crate::code::{codes, find};
use core::ffi::CStr;

/// The identifier of a code.
pub fn name(code: CUresult) -> Option<&'static CStr> {
    find(CODES, code).map(|row| row.name)
}

/// What a code means.
pub fn description(code: CUresult) -> Option<&'static CStr> {
    find(CODES, code).map(|row| row.meaning)
}

codes! { CUresult:
    CUDA_SUCCESS "no error",
    CUDA_ERROR_INVALID_VALUE "invalid argument",
    CUDA_ERROR_OUT_OF_MEMORY "out of memory",
    CUDA_ERROR_NOT_INITIALIZED "the driver is not initialised",
    CUDA_ERROR_DEINITIALIZED "the driver is shutting down",
    CUDA_ERROR_PROFILER_DISABLED "profiling is disabled while a profiler runs",
    CUDA_ERROR_PROFILER_NOT_INITIALIZED "the profiler is not initialised",
    CUDA_ERROR_PROFILER_ALREADY_STARTED "the profiler runs already",
    CUDA_ERROR_PROFILER_ALREADY_STOPPED "the profiler is stopped already",
    CUDA_ERROR_STUB_LIBRARY "this library is a stub",
    CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER "the call needs a newer driver",
    CUDA_ERROR_DEVICE_UNAVAILABLE "the device is busy or unavailable",
    CUDA_ERROR_MULTICAST_RESOURCE_FULL "multicast resources are used up",
    CUDA_ERROR_NO_DEVICE "no CUDA-capable device was found",
    CUDA_ERROR_INVALID_DEVICE "invalid device number",
    CUDA_ERROR_DEVICE_NOT_LICENSED "the device has no valid licence",
    CUDA_ERROR_INVALID_IMAGE "the kernel image is invalid",
    CUDA_ERROR_INVALID_CONTEXT "invalid device context",
    CUDA_ERROR_CONTEXT_ALREADY_CURRENT "the context is current already",
    CUDA_ERROR_MAP_FAILED "mapping a resource failed",
    CUDA_ERROR_UNMAP_FAILED "unmapping a resource failed",
    CUDA_ERROR_ARRAY_IS_MAPPED "the array is mapped",
    CUDA_ERROR_ALREADY_MAPPED "the resource is mapped already",
    CUDA_ERROR_NO_BINARY_FOR_GPU "no kernel image fits this device",
    CUDA_ERROR_ALREADY_ACQUIRED "the resource is acquired already",
    CUDA_ERROR_NOT_MAPPED "the resource is not mapped",
    CUDA_ERROR_NOT_MAPPED_AS_ARRAY "the resource is not mapped as an array",
    CUDA_ERROR_NOT_MAPPED_AS_POINTER "the resource is not mapped as a pointer",
    CUDA_ERROR_ECC_UNCORRECTABLE "an ECC error could not be corrected",
    CUDA_ERROR_UNSUPPORTED_LIMIT "the device does not support this limit",
    CUDA_ERROR_CONTEXT_ALREADY_IN_USE "the context is used by another thread",
    CUDA_ERROR_PEER_ACCESS_UNSUPPORTED "the devices cannot access each other",
    CUDA_ERROR_INVALID_PTX "PTX compilation failed",
    CUDA_ERROR_INVALID_GRAPHICS_CONTEXT "invalid OpenGL or DirectX context",
    CUDA_ERROR_NVLINK_UNCORRECTABLE "an NVLink error could not be corrected",
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND "the PTX compiler library was not found",
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION "this driver does not know the PTX version",
    CUDA_ERROR_JIT_COMPILATION_DISABLED "PTX compilation is disabled",
    CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY "the device does not support this execution affinity",
    CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC "synchronising from device code is not supported",
    CUDA_ERROR_CONTAINED "an error was contained, the context is lost",
    CUDA_ERROR_INSUFFICIENT_LOADER_VERSION "the loader is too old for this library",
    CUDA_ERROR_INVALID_SOURCE "the kernel source is invalid",
    CUDA_ERROR_FILE_NOT_FOUND "file not found",
    CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND "a shared object lacks a symbol",
    CUDA_ERROR_SHARED_OBJECT_INIT_FAILED "a shared object failed to initialise",
    CUDA_ERROR_OPERATING_SYSTEM "a call of the operating system failed",
    CUDA_ERROR_INVALID_HANDLE "invalid resource handle",
    CUDA_ERROR_ILLEGAL_STATE "the resource is in the wrong state",
    CUDA_ERROR_LOSSY_QUERY "the query would lose information",
    CUDA_ERROR_NOT_FOUND "named symbol not found",
    CUDA_ERROR_NOT_READY "the work is not finished",
    CUDA_ERROR_ILLEGAL_ADDRESS "a kernel accessed an illegal address",
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES "the launch asks for too many resources",
    CUDA_ERROR_LAUNCH_TIMEOUT "the launch ran too long and was ended",
    CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING "the launch uses an incompatible texturing mode",
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED "peer access is enabled already",
    CUDA_ERROR_PEER_ACCESS_NOT_ENABLED "peer access is not enabled",
    CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE "the primary context is active",
    CUDA_ERROR_CONTEXT_IS_DESTROYED "the context is destroyed",
    CUDA_ERROR_ASSERT "an assertion in device code failed",
    CUDA_ERROR_TOO_MANY_PEERS "no room for another peer",
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED "the host memory is registered already",
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED "the host memory is not registered",
    CUDA_ERROR_HARDWARE_STACK_ERROR "the hardware stack overflowed or is broken",
    CUDA_ERROR_ILLEGAL_INSTRUCTION "a kernel ran an illegal instruction",
    CUDA_ERROR_MISALIGNED_ADDRESS "a kernel accessed a misaligned address",
    CUDA_ERROR_INVALID_ADDRESS_SPACE "an instruction used an address of the wrong space",
    CUDA_ERROR_INVALID_PC "the program counter is invalid",
    CUDA_ERROR_LAUNCH_FAILED "the launch failed",
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE "the cooperative launch has too many blocks",
    CUDA_ERROR_TENSOR_MEMORY_LEAK "a kernel did not free its tensor memory",
    CUDA_ERROR_NOT_PERMITTED "operation not permitted",
    CUDA_ERROR_NOT_SUPPORTED "operation not supported",
    CUDA_ERROR_SYSTEM_NOT_READY "the system is not ready",
    CUDA_ERROR_SYSTEM_DRIVER_MISMATCH "kernel driver and library do not match",
    CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE "the device does not support forward compatibility",
    CUDA_ERROR_MPS_CONNECTION_FAILED "connecting to the MPS server failed",
    CUDA_ERROR_MPS_RPC_FAILURE "a call to the MPS server failed",
    CUDA_ERROR_MPS_SERVER_NOT_READY "the MPS server is not ready",
    CUDA_ERROR_MPS_MAX_CLIENTS_REACHED "the MPS server has no room for another client",
    CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED "the MPS server has no room for another connection",
    CUDA_ERROR_MPS_CLIENT_TERMINATED "the MPS server ended this client",
    CUDA_ERROR_CDP_NOT_SUPPORTED "launching from device code is not supported",
    CUDA_ERROR_CDP_VERSION_MISMATCH "modules use different versions of device-side launching",
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED "not allowed while a stream is being captured",
    CUDA_ERROR_STREAM_CAPTURE_INVALIDATED "an earlier error ended the capture",
    CUDA_ERROR_STREAM_CAPTURE_MERGE "the call would merge two captures",
    CUDA_ERROR_STREAM_CAPTURE_UNMATCHED "the capture did not begin on this stream",
    CUDA_ERROR_STREAM_CAPTURE_UNJOINED "the capture has work not joined to its first stream",
    CUDA_ERROR_STREAM_CAPTURE_ISOLATION "the call would let a dependency out of the capture",
    CUDA_ERROR_STREAM_CAPTURE_IMPLICIT "the call would depend on the legacy stream during capture",
    CUDA_ERROR_CAPTURED_EVENT "the event was last recorded in a captured stream",
    CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD "the capture began on another thread",
    CUDA_ERROR_TIMEOUT "the wait timed out",
    CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE "the change does not fit the instantiated graph",
    CUDA_ERROR_EXTERNAL_DEVICE "another device failed",
    CUDA_ERROR_INVALID_CLUSTER_SIZE "the cluster size is invalid",
    CUDA_ERROR_FUNCTION_NOT_LOADED "the function is not loaded",
    CUDA_ERROR_INVALID_RESOURCE_TYPE "a resource has the wrong type",
    CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION "the resources do not fit together",
    CUDA_ERROR_KEY_ROTATION "keys are being rotated",
    CUDA_ERROR_STREAM_DETACHED "the stream is detached from its context",
    CUDA_ERROR_GRAPH_RECAPTURE_FAILURE "the capture does not match the graph",
    CUDA_ERROR_FABRIC_NOT_READY "the fabric is not ready",
    CUDA_ERROR_UNKNOWN "unknown error",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_names_and_meanings() {
        assert_eq!(name(CUDA_ERROR_OUT_OF_MEMORY), Some(c"CUDA_ERROR_OUT_OF_MEMORY"));
        assert_eq!(description(CUDA_SUCCESS), Some(c"no error"));
        assert_eq!(name(CUresult(12345)), None);
    }

    #[test]
    fn no_code_is_listed_twice_and_none_is_missing() {
        let source = include_str!("types/result.rs");
        let declared = source.lines().filter(|line| line.trim().starts_with("CUDA_") && line.contains(" = "));
        assert_eq!(declared.count(), CODES.len());
        assert!(CODES.is_sorted_by(|a, b| a.code < b.code));
    }
}
