//! The two launches: cudarc cannot check a kernel's arguments, so they are unsafe by its contract.

use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg};

pub fn saxpy(
    stream: &CudaStream,
    kernel: &CudaFunction,
    out: &mut CudaSlice<f32>,
    a: f32,
    x: &CudaSlice<f32>,
    y: &CudaSlice<f32>,
) -> Result<(), DriverError> {
    let n = out.len();
    let mut launch = stream.launch_builder(kernel);
    launch.arg(out).arg(&a).arg(x).arg(y).arg(&n);
    // SAFETY: the arguments are those of `saxpy` in kernels.ptx, and it touches `n` elements of each slice.
    unsafe { launch.launch(LaunchConfig::for_num_elems(n as u32)) }.map(drop)
}

pub fn reverse(
    stream: &CudaStream,
    kernel: &CudaFunction,
    data: &mut CudaSlice<u32>,
    run: u32,
) -> Result<(), DriverError> {
    let blocks = data.len() as u32 / run;
    let shape = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (run, 1, 1), shared_mem_bytes: run * 4 };
    let mut launch = stream.launch_builder(kernel);
    launch.arg(data);
    // SAFETY: the argument is that of `reverse` in kernels.ptx; `blocks * run` elements are at most the slice.
    unsafe { launch.launch(shape) }.map(drop)
}
