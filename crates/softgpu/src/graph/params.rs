//! Nodes as the program describes them: from its structs to commands and back.

use super::kernel::KernelOp;
use super::memory::GraphAlloc;
use super::op::{CopyOp, EventRef, FillOp, HostOp, Op};
use super::pointer_unsafe::to_first;
use super::values::ValueOps;
use crate::context::Context;
use crate::copy::Copy;
use crate::fill::Fill;
use crate::gpu::SoftGpu;
use crate::launch;
use cleave_api::cuda::types::*;
use cleave_api::edge::{Ptr, Union};
use std::sync::Arc;

/// The context a node names, or the calling thread's if it names none.
fn context(gpu: &SoftGpu, handle: CUcontext) -> Result<Arc<Context>, CUresult> {
    if handle.is_null() {
        return gpu.current();
    }
    let context = gpu.context(handle)?;
    context.check()?;
    Ok(context)
}

pub fn kernel(gpu: &SoftGpu, params: &CUDA_KERNEL_NODE_PARAMS) -> Result<Op, CUresult> {
    let context = context(gpu, params.ctx)?;
    Ok(Op::Kernel(Arc::new(launch::kernel(gpu, &context, params)?)))
}

/// New parameters for a kernel node, which keeps its context and attributes.
pub fn kernel_like(gpu: &SoftGpu, old: &KernelOp, params: &CUDA_KERNEL_NODE_PARAMS) -> Result<Op, CUresult> {
    let context = if params.ctx.is_null() { old.context.clone() } else { context(gpu, params.ctx)? };
    let mut op = launch::kernel(gpu, &context, params)?;
    op.attributes = old.attributes.clone();
    Ok(Op::Kernel(Arc::new(op)))
}

pub fn copy(gpu: &SoftGpu, params: CUDA_MEMCPY3D, ctx: CUcontext) -> Result<Op, CUresult> {
    let context = context(gpu, ctx)?;
    let ours = |kind, at: CUdeviceptr| kind != CU_MEMORYTYPE_HOST && gpu.memory.reserved.contains(at.0);
    let later = ours(params.srcMemoryType, params.srcDevice) || ours(params.dstMemoryType, params.dstDevice);
    // Memory of an allocation node is not there yet; everything else can be checked now.
    if !later {
        Copy::new(gpu, &params)?;
    }
    Ok(Op::Copy(Arc::new(CopyOp { context, params })))
}

pub fn fill(gpu: &SoftGpu, params: CUDA_MEMSET_NODE_PARAMS, ctx: CUcontext) -> Result<Op, CUresult> {
    let context = context(gpu, ctx)?;
    if !gpu.memory.reserved.contains(params.dst.0) {
        Fill::new(gpu, &params)?;
    }
    Ok(Op::Fill(Arc::new(FillOp { context, params })))
}

pub fn host(params: CUDA_HOST_NODE_PARAMS) -> Result<Op, CUresult> {
    if params.func.is_none() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    Ok(Op::Host(HostOp { func: params.func, user_data: params.userData }))
}

/// A child node has a graph of its own, cloned from the one given.
pub fn child(gpu: &SoftGpu, graph: CUgraph) -> Result<Op, CUresult> {
    let graph = gpu.graphs.get(graph)?;
    if holds_memory_nodes(&graph) {
        return Err(CUDA_ERROR_NOT_SUPPORTED);
    }
    gpu.graphs.clone_graph(&graph, true).map(Op::Child)
}

/// Memory nodes may not be cloned: their address would be in two graphs.
pub fn holds_memory_nodes(graph: &super::Graph) -> bool {
    let memory = |op: &Op| match op {
        Op::Alloc(_) | Op::Free(_) => true,
        Op::Child(child) => holds_memory_nodes(child),
        _ => false,
    };
    let ops: Vec<Op> = graph.body().shape.nodes().map(|(_, node)| node.op.clone()).collect();
    ops.iter().any(memory)
}

fn event(gpu: &SoftGpu, handle: CUevent) -> Result<EventRef, CUresult> {
    Ok(EventRef { handle, event: gpu.event(handle)? })
}

pub fn record(gpu: &SoftGpu, handle: CUevent) -> Result<Op, CUresult> {
    event(gpu, handle).map(Op::Record)
}

pub fn wait(gpu: &SoftGpu, handle: CUevent) -> Result<Op, CUresult> {
    event(gpu, handle).map(Op::Wait)
}

pub fn alloc(gpu: &'static SoftGpu, params: CUDA_MEM_ALLOC_NODE_PARAMS) -> Result<Op, CUresult> {
    GraphAlloc::reserve(gpu, params).map(Op::Alloc)
}

pub fn free(gpu: &SoftGpu, address: CUdeviceptr) -> Result<Op, CUresult> {
    if !gpu.graphs.memory.knows(address) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    Ok(Op::Free(address))
}

pub fn values(gpu: &SoftGpu, params: CUDA_BATCH_MEM_OP_NODE_PARAMS) -> Result<Op, CUresult> {
    let context = context(gpu, params.ctx)?;
    let list = params.paramArray.slice::<CUresult>(params.count as usize).to_vec()?;
    Ok(Op::Values(Arc::new(ValueOps::new(&context, list, params.flags)?)))
}

/// Any node, described by the struct that fits all.
pub fn any(gpu: &'static SoftGpu, params: &CUgraphNodeParams) -> Result<Op, CUresult> {
    let of = &params.params;
    match params.type_ {
        CU_GRAPH_NODE_TYPE_KERNEL => kernel(gpu, &of.get()),
        CU_GRAPH_NODE_TYPE_MEMCPY => {
            let copied: CUDA_MEMCPY_NODE_PARAMS = of.get();
            copy(gpu, copied.copyParams, copied.copyCtx)
        }
        CU_GRAPH_NODE_TYPE_MEMSET => {
            let set: CUDA_MEMSET_NODE_PARAMS_v2 = of.get();
            let CUDA_MEMSET_NODE_PARAMS_v2 { dst, pitch, value, elementSize, width, height, ctx } = set;
            fill(gpu, CUDA_MEMSET_NODE_PARAMS { dst, pitch, value, elementSize, width, height }, ctx)
        }
        CU_GRAPH_NODE_TYPE_HOST => host(of.get()),
        CU_GRAPH_NODE_TYPE_GRAPH => child(gpu, of.get::<CUDA_CHILD_GRAPH_NODE_PARAMS>().graph),
        CU_GRAPH_NODE_TYPE_EMPTY => Ok(Op::Empty),
        CU_GRAPH_NODE_TYPE_WAIT_EVENT => wait(gpu, of.get::<CUDA_EVENT_WAIT_NODE_PARAMS>().event),
        CU_GRAPH_NODE_TYPE_EVENT_RECORD => record(gpu, of.get::<CUDA_EVENT_RECORD_NODE_PARAMS>().event),
        CU_GRAPH_NODE_TYPE_MEM_ALLOC => alloc(gpu, of.get()),
        CU_GRAPH_NODE_TYPE_MEM_FREE => free(gpu, of.get::<CUDA_MEM_FREE_NODE_PARAMS>().dptr),
        CU_GRAPH_NODE_TYPE_BATCH_MEM_OP => values(gpu, of.get()),
        CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL
        | CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT
        | CU_GRAPH_NODE_TYPE_CONDITIONAL => Err(CUDA_ERROR_NOT_SUPPORTED),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// What [`any`] would read to make this command.
pub fn describe(op: &Op) -> CUgraphNodeParams {
    let params = match op {
        Op::Empty => Union::default(),
        Op::Kernel(op) => Union::of(op.describe()),
        Op::Copy(op) => Union::of(CUDA_MEMCPY_NODE_PARAMS {
            flags: 0,
            reserved: 0,
            copyCtx: op.context.handle,
            copyParams: op.params,
        }),
        Op::Fill(op) => {
            let CUDA_MEMSET_NODE_PARAMS { dst, pitch, value, elementSize, width, height } = op.params;
            let ctx = op.context.handle;
            Union::of(CUDA_MEMSET_NODE_PARAMS_v2 { dst, pitch, value, elementSize, width, height, ctx })
        }
        Op::Host(op) => Union::of(describe_host(op)),
        Op::Child(graph) => Union::of(CUDA_CHILD_GRAPH_NODE_PARAMS {
            graph: graph.handle,
            ownership: CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE,
        }),
        Op::Record(event) => Union::of(CUDA_EVENT_RECORD_NODE_PARAMS {
            event: event.handle,
            ctx: event.event.queue().context(),
        }),
        Op::Wait(event) => Union::of(CUDA_EVENT_WAIT_NODE_PARAMS { event: event.handle }),
        Op::Alloc(alloc) => Union::of(alloc.params),
        Op::Free(address) => Union::of(CUDA_MEM_FREE_NODE_PARAMS { dptr: *address }),
        Op::Values(values) => Union::of(describe_values(values)),
    };
    CUgraphNodeParams { type_: op.kind(), reserved0: [0; 3], params, reserved2: 0 }
}

pub fn describe_host(op: &HostOp) -> CUDA_HOST_NODE_PARAMS {
    CUDA_HOST_NODE_PARAMS { func: op.func, userData: op.user_data }
}

pub fn describe_values(values: &ValueOps) -> CUDA_BATCH_MEM_OP_NODE_PARAMS {
    CUDA_BATCH_MEM_OP_NODE_PARAMS {
        ctx: values.context.handle,
        count: values.params.len() as u32,
        paramArray: to_first(&values.params),
        flags: values.flags,
    }
}

/// The older struct of kernel nodes has no kernel handle and no context.
pub fn from_v1(params: CUDA_KERNEL_NODE_PARAMS_v1) -> CUDA_KERNEL_NODE_PARAMS {
    CUDA_KERNEL_NODE_PARAMS {
        func: params.func,
        gridDimX: params.gridDimX,
        gridDimY: params.gridDimY,
        gridDimZ: params.gridDimZ,
        blockDimX: params.blockDimX,
        blockDimY: params.blockDimY,
        blockDimZ: params.blockDimZ,
        sharedMemBytes: params.sharedMemBytes,
        kernelParams: params.kernelParams,
        extra: params.extra,
        kern: CUkernel(0),
        ctx: CUcontext(0),
    }
}

pub fn to_v1(params: CUDA_KERNEL_NODE_PARAMS) -> CUDA_KERNEL_NODE_PARAMS_v1 {
    CUDA_KERNEL_NODE_PARAMS_v1 {
        func: params.func,
        gridDimX: params.gridDimX,
        gridDimY: params.gridDimY,
        gridDimZ: params.gridDimZ,
        blockDimX: params.blockDimX,
        blockDimY: params.blockDimY,
        blockDimZ: params.blockDimZ,
        sharedMemBytes: params.sharedMemBytes,
        kernelParams: params.kernelParams,
        extra: Ptr::NULL,
    }
}
