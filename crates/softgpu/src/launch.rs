//! Launches: from the program's description to a grid on the engine.

use std::sync::Arc;

use cleave_api::cuda::types::*;
use cleave_pace::Shape;
use cleave_simt::{Fault, FaultKind, Launch};

use crate::context::Context;
use crate::device::limits;
use crate::device_heap::DeviceHeap;
use crate::gpu::SoftGpu;
use crate::graph::KernelOp;
use crate::log;
use crate::params;
use crate::queue::Completion;
use crate::workspace::Workspace;

/// Checks a launch and packs its arguments.
pub fn kernel(
    gpu: &SoftGpu,
    context: &Arc<Context>,
    described: &CUDA_KERNEL_NODE_PARAMS,
) -> Result<KernelOp, CUresult> {
    let p = described;
    let function = gpu.function_in(context, p.func, p.kern)?;
    let packed = params::pack(&function.kernel, p.kernelParams, p.extra)?;
    let op = KernelOp {
        context: context.clone(),
        func: p.func,
        kern: p.kern,
        grid: [p.gridDimX, p.gridDimY, p.gridDimZ],
        block: [p.blockDimX, p.blockDimY, p.blockDimZ],
        shared: p.sharedMemBytes,
        params: packed,
        attributes: Vec::new(),
        arguments: Default::default(),
        function,
    };
    check(&op)?;
    Ok(op)
}

/// Checks a launch against what the device and the kernel allow.
pub fn check(op: &KernelOp) -> Result<(), CUresult> {
    let within =
        |size: &[u32; 3], most: &[u32; 3]| size.iter().zip(most).all(|(n, most)| (1..=*most).contains(n));
    if !within(&op.grid, &limits::GRID) || !within(&op.block, &limits::BLOCK) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let threads: u32 = op.block.iter().product();
    let kernel = &op.function.kernel;
    if threads > limits::THREADS_PER_BLOCK || op.shared > op.function.max_dynamic() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if kernel.required_block.is_some_and(|required| required != op.block) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if threads > kernel.max_threads {
        return Err(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    }
    Ok(())
}

/// Checks that all blocks of a launch can be there at once.
pub fn check_cooperative(gpu: &SoftGpu, op: &KernelOp) -> Result<(), CUresult> {
    let threads = op.block.iter().product();
    let shared = op.function.kernel.static_shared + op.shared;
    let card = gpu.machine.setup().card();
    let fit = card.blocks_per_sm(threads, op.function.kernel.registers, shared) * card.sms;
    let blocks: u64 = op.grid.iter().map(|&n| u64::from(n)).product();
    if blocks > u64::from(fit) { Err(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE) } else { Ok(()) }
}

/// The priority a launch carries; a lower number goes first, as in the driver API.
fn priority(op: &KernelOp) -> i32 {
    let carried = op.attributes.iter().find(|a| a.id == CU_LAUNCH_ATTRIBUTE_PRIORITY);
    carried.map_or(0, |a| a.value.value.get())
}

/// Whether a launch wants all its blocks at once.
pub fn is_cooperative(op: &KernelOp) -> bool {
    let wants =
        |a: &CUlaunchAttribute| a.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && a.value.value.get::<i32>() != 0;
    op.attributes.iter().any(wants)
}

/// What a launch asks of the device.
fn shape(op: &KernelOp) -> Shape {
    Shape {
        blocks: op.grid.iter().map(|&n| u64::from(n)).product(),
        threads: op.block.iter().product(),
        registers: op.function.kernel.registers,
        shared: op.function.kernel.static_shared + op.shared,
        priority: priority(op).saturating_neg(),
        cooperative: is_cooperative(op),
    }
}

/// Starts the grid when its turn has come; `done` hears how it ended.
pub fn start(gpu: &'static SoftGpu, op: &KernelOp, done: Completion) {
    let context = op.context.clone();
    let cooperative = is_cooperative(op);
    let workspace = cooperative.then(|| Workspace::new(gpu, &context)).flatten();
    if cooperative && workspace.is_none() {
        return done.finish(Err(CUDA_ERROR_OUT_OF_MEMORY));
    }
    context.printf.set_room(context.limits.printf());
    let id = context.running.begin();
    let gate = gpu.devices[context.device].gate.clone();
    let ticket = gate.begin(shape(op), done.ready());
    let launch = Launch {
        kernel: op.function.kernel.clone(),
        grid: op.grid,
        block: op.block,
        dynamic_shared: op.shared,
        params: op.params.clone(),
        cooperative,
        ranges: context.ranges.clone(),
        workspace: workspace.as_ref().map_or(0, Workspace::address),
        stack: context.limits.stack(),
        priority: priority(op).saturating_neg(),
        id,
        output: context.printf.clone(),
        heap: Some(DeviceHeap::of(gpu, &context)),
        pacing: ticket.pacing(),
    };
    let ended = context.clone();
    let simt = gate.simt.clone();
    let grid = simt.submit(
        launch,
        Box::new(move |result| {
            drop(workspace);
            ended.running.end(id);
            gate.end(&ticket, result.map(|_counters| ()).map_err(|fault| report(&fault)), done);
        }),
    );
    context.running.keep(id, grid);
}

/// Logs a fault, unless we caused it ourselves, and names the code for it.
fn report(fault: &Fault) -> CUresult {
    if fault.kind != FaultKind::Stopped {
        log::warn(format_args!("fault {fault}"));
    }
    match fault.kind {
        FaultKind::IllegalAddress => CUDA_ERROR_ILLEGAL_ADDRESS,
        FaultKind::MisalignedAddress => CUDA_ERROR_MISALIGNED_ADDRESS,
        FaultKind::InvalidAddressSpace => CUDA_ERROR_INVALID_ADDRESS_SPACE,
        FaultKind::IllegalInstruction => CUDA_ERROR_ILLEGAL_INSTRUCTION,
        FaultKind::InvalidPc => CUDA_ERROR_INVALID_PC,
        FaultKind::Assert => CUDA_ERROR_ASSERT,
        FaultKind::StackOverflow => CUDA_ERROR_HARDWARE_STACK_ERROR,
        FaultKind::InvalidLaunch => CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
        FaultKind::Trap | FaultKind::Stopped => CUDA_ERROR_LAUNCH_FAILED,
    }
}
