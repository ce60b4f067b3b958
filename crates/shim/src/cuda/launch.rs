use core::ffi::c_void;

use cleave_api::cuda::types::*;
use cleave_api::edge::{In, Ptr, Slice};

use crate::books::{self, Books};
use crate::real_unsafe::cuda as real;
use crate::tenancy;

/// One more launch, on the device it goes to. Most tenants have one device, and nobody has to be asked which it is.
#[inline]
pub fn count() {
    let Some(books) = books::get() else { return };
    match tenancy::current().grants() {
        [only] => {
            if let Ok(seat) = only.seat() {
                seat.count_launch();
            }
        }
        _ => count_here(books),
    }
}

#[cold]
fn count_here(books: &'static Books) {
    let mut device = CUdevice(0);
    if real::cuCtxGetDevice((&mut device).into()) == CUDA_SUCCESS
        && let Ok(card) = books.cards.get(device)
        && let Some(Ok(seat)) = card.grant().map(tenancy::Grant::seat)
    {
        seat.count_launch();
    }
}

macro_rules! launches {
    ($( fn $name:ident($( $arg:ident: $ty:ty ),* $(,)?); )*) => { $(
        #[inline]
        #[allow(clippy::too_many_arguments)]
        pub fn $name($( $arg: $ty ),*) -> CUresult {
            count();
            real::$name($( $arg ),*)
        }
    )* };
}

launches! {
    fn cuLaunchKernel(f: CUfunction, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32,
        blockDimZ: u32, sharedMemBytes: u32, hStream: CUstream, kernelParams: Ptr<Ptr<c_void>>,
        extra: Ptr<Ptr<c_void>>);
    fn cuLaunchKernel_ptsz(f: CUfunction, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32,
        blockDimZ: u32, sharedMemBytes: u32, hStream: CUstream, kernelParams: Ptr<Ptr<c_void>>,
        extra: Ptr<Ptr<c_void>>);
    fn cuLaunchKernelEx(config: In<CUlaunchConfig>, f: CUfunction, kernelParams: Ptr<Ptr<c_void>>,
        extra: Ptr<Ptr<c_void>>);
    fn cuLaunchKernelEx_ptsz(config: In<CUlaunchConfig>, f: CUfunction, kernelParams: Ptr<Ptr<c_void>>,
        extra: Ptr<Ptr<c_void>>);
    fn cuLaunchCooperativeKernel(f: CUfunction, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32,
        blockDimY: u32, blockDimZ: u32, sharedMemBytes: u32, hStream: CUstream, kernelParams: Ptr<Ptr<c_void>>);
    fn cuLaunchCooperativeKernel_ptsz(f: CUfunction, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32,
        blockDimY: u32, blockDimZ: u32, sharedMemBytes: u32, hStream: CUstream, kernelParams: Ptr<Ptr<c_void>>);
    fn cuLaunch(f: CUfunction);
    fn cuLaunchGrid(f: CUfunction, grid_width: i32, grid_height: i32);
    fn cuLaunchGridAsync(f: CUfunction, grid_width: i32, grid_height: i32, hStream: CUstream);
    fn cuLaunchCooperativeKernelMultiDevice(launchParamsList: Slice<CUDA_LAUNCH_PARAMS>, numDevices: u32, flags: u32);
}
