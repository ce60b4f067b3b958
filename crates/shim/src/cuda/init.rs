use cleave_api::cuda::types::*;

use crate::real_unsafe::cuda as real;
use crate::{tenancy, visible};

/// A tenant whose grants cannot be read gets no device: silence would be a device without limits.
pub fn cuInit(Flags: u32) -> CUresult {
    let tenancy = tenancy::current();
    if tenancy.admit().is_err() {
        return CUDA_ERROR_SYSTEM_NOT_READY;
    }
    let started = visible::during(tenancy, || real::cuInit(Flags));
    // Each process is seen from its first call on, whether it allocates or not.
    if started == CUDA_SUCCESS && tenancy.grants().iter().any(|grant| grant.seat().is_err()) {
        return CUDA_ERROR_SYSTEM_NOT_READY;
    }
    started
}
