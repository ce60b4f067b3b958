use core::ffi::c_void;

use cleave_api::cuda::types::*;
use cleave_api::edge::{In, Ptr, Slice};
use cleave_gate::Command;

use crate::gate::{self, Stream};
use crate::real_unsafe::cuda as real;

/// A kernel by its function and shape.
#[inline]
fn kernel(function: CUfunction, grid: [u32; 3], block: [u32; 3]) -> Command {
    Command::kernel(function.0 as u64, grid, block)
}

/// Launches whose shape and stream are among their arguments.
macro_rules! launches {
    ($( fn $name:ident on $stream:ident ($( $arg:ident: $ty:ty ),* $(,)?); )*) => { $(
        #[inline]
        #[allow(clippy::too_many_arguments)]
        pub fn $name(f: CUfunction, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32,
            blockDimZ: u32, sharedMemBytes: u32, hStream: CUstream, $( $arg: $ty ),*) -> CUresult {
            let command = move || kernel(f, [gridDimX, gridDimY, gridDimZ], [blockDimX, blockDimY, blockDimZ]);
            let call = move || {
                real::$name(f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream,
                    $( $arg ),*)
            };
            gate::launch(command, Stream::$stream(hStream), call)
        }
    )* };
}

launches! {
    fn cuLaunchKernel on plain (kernelParams: Ptr<Ptr<c_void>>, extra: Ptr<Ptr<c_void>>);
    fn cuLaunchKernel_ptsz on per_thread (kernelParams: Ptr<Ptr<c_void>>, extra: Ptr<Ptr<c_void>>);
    fn cuLaunchCooperativeKernel on plain (kernelParams: Ptr<Ptr<c_void>>);
    fn cuLaunchCooperativeKernel_ptsz on per_thread (kernelParams: Ptr<Ptr<c_void>>);
}

/// A launch whose shape and stream stand in a struct. One without it is the driver's to refuse.
#[inline]
fn launch_ex(
    config: In<CUlaunchConfig>,
    function: CUfunction,
    stream: fn(CUstream) -> Stream,
    call: impl FnOnce() -> CUresult,
) -> CUresult {
    let Some(config) = config.get_if() else { return call() };
    let grid = [config.gridDimX, config.gridDimY, config.gridDimZ];
    let block = [config.blockDimX, config.blockDimY, config.blockDimZ];
    gate::launch(move || kernel(function, grid, block), stream(config.hStream), call)
}

#[inline]
pub fn cuLaunchKernelEx(
    config: In<CUlaunchConfig>,
    f: CUfunction,
    kernelParams: Ptr<Ptr<c_void>>,
    extra: Ptr<Ptr<c_void>>,
) -> CUresult {
    launch_ex(config, f, Stream::plain, move || real::cuLaunchKernelEx(config, f, kernelParams, extra))
}

#[inline]
pub fn cuLaunchKernelEx_ptsz(
    config: In<CUlaunchConfig>,
    f: CUfunction,
    kernelParams: Ptr<Ptr<c_void>>,
    extra: Ptr<Ptr<c_void>>,
) -> CUresult {
    launch_ex(config, f, Stream::per_thread, move || {
        real::cuLaunchKernelEx_ptsz(config, f, kernelParams, extra)
    })
}

/// The oldest form: its shape was set before, and counts with the function.
pub fn cuLaunch(f: CUfunction) -> CUresult {
    gate::launch(|| kernel(f, [1; 3], [0; 3]), Stream::Legacy, || real::cuLaunch(f))
}

pub fn cuLaunchGrid(f: CUfunction, grid_width: i32, grid_height: i32) -> CUresult {
    let command = || kernel(f, [grid_width as u32, grid_height as u32, 1], [0; 3]);
    gate::launch(command, Stream::Legacy, || real::cuLaunchGrid(f, grid_width, grid_height))
}

pub fn cuLaunchGridAsync(f: CUfunction, grid_width: i32, grid_height: i32, hStream: CUstream) -> CUresult {
    let command = || kernel(f, [grid_width as u32, grid_height as u32, 1], [0; 3]);
    let call = || real::cuLaunchGridAsync(f, grid_width, grid_height, hStream);
    gate::launch(command, Stream::plain(hStream), call)
}

/// One launch on several devices, each of which has a gate of its own: they are passed one after the other.
pub fn cuLaunchCooperativeKernelMultiDevice(
    launchParamsList: Slice<CUDA_LAUNCH_PARAMS>,
    numDevices: u32,
    flags: u32,
) -> CUresult {
    let call = || real::cuLaunchCooperativeKernelMultiDevice(launchParamsList, numDevices, flags);
    launch_each(&mut launchParamsList.iter(), &call)
}

fn launch_each(
    launches: &mut dyn Iterator<Item = CUDA_LAUNCH_PARAMS>,
    call: &dyn Fn() -> CUresult,
) -> CUresult {
    let Some(launch) = launches.next() else { return gate::hand_over(call) };
    let grid = [launch.gridDimX, launch.gridDimY, launch.gridDimZ];
    let block = [launch.blockDimX, launch.blockDimY, launch.blockDimZ];
    let (command, stream) = (kernel(launch.function, grid, block), Stream::plain(launch.hStream));
    gate::launch_on(stream, command, || launch_each(launches, call))
}
