use core::ffi::c_void;

use cleave_api::cuda::types::*;
use cleave_api::edge::{Out, Ptr, Str};

use crate::handed_out_unsafe;
use crate::real_unsafe::cuda as real;

/// The driver decides what there is and which form of it; what it answers is swapped for our function by its address, so that
/// no rule about versions is kept here.
pub fn cuGetProcAddress(symbol: Str, pfn: Out<Ptr<c_void>>, cudaVersion: i32, flags: u64) -> CUresult {
    let mut found = Ptr::NULL;
    if pfn.is_null() {
        return real::cuGetProcAddress(symbol, pfn, cudaVersion, flags);
    }
    let result = real::cuGetProcAddress(symbol, (&mut found).into(), cudaVersion, flags);
    if result == CUDA_SUCCESS {
        pfn.set_if(handed_out_unsafe::instead_of(found, symbol));
    }
    result
}

pub fn cuGetProcAddress_v2(
    symbol: Str,
    pfn: Out<Ptr<c_void>>,
    cudaVersion: i32,
    flags: u64,
    symbolStatus: Out<CUdriverProcAddressQueryResult>,
) -> CUresult {
    if pfn.is_null() {
        return real::cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, symbolStatus);
    }
    let mut found = Ptr::NULL;
    let result = real::cuGetProcAddress_v2(symbol, (&mut found).into(), cudaVersion, flags, symbolStatus);
    if result == CUDA_SUCCESS {
        pfn.set_if(handed_out_unsafe::instead_of(found, symbol));
    }
    result
}
