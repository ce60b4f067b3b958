use cleave_api::cuda::types::*;
use cleave_api::edge::{In, InOut, Out, Ptr, Slice};

use super::capture::ports;
use crate::gpu::SoftGpu;
use crate::graph::Op;
use crate::graph::params::{self, describe, from_v1, to_v1};

/// Adds a node made of `op` and names it. The command is built before the graph is touched.
fn add(
    gpu: &SoftGpu,
    phGraphNode: Out<CUgraphNode>,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    op: impl FnOnce() -> Result<Op, CUresult>,
) -> Result<(), CUresult> {
    add_at(gpu, phGraphNode, hGraph, dependencies, Ptr::NULL.slice(0), op)
}

fn add_at(
    gpu: &SoftGpu,
    phGraphNode: Out<CUgraphNode>,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    dependencyData: Slice<CUgraphEdgeData>,
    op: impl FnOnce() -> Result<Op, CUresult>,
) -> Result<(), CUresult> {
    let graph = gpu.graphs.get(hGraph)?;
    if phGraphNode.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let after: Vec<_> = dependencies.to_vec()?.into_iter().zip(ports(dependencyData)).collect();
    phGraphNode.set(gpu.graphs.add(&graph, &after, op()?)?)
}

/// Changes a node to another command of the same kind.
fn set(gpu: &SoftGpu, hNode: CUgraphNode, op: impl FnOnce() -> Result<Op, CUresult>) -> Result<(), CUresult> {
    let kind = gpu.graphs.op(hNode)?.kind();
    let op = op()?;
    // Memory nodes stay what they are: their address has been given away.
    if op.kind() != kind || matches!(op, Op::Alloc(_) | Op::Free(_)) {
        gpu.graphs.discard(&op);
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    gpu.graphs.set_op(hNode, op)
}

/// Reads one kind of node; any other is an error.
macro_rules! node_as {
    ($gpu:ident, $node:ident, $kind:ident) => {
        match $gpu.graphs.op($node)? {
            Op::$kind(op) => op,
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
    };
}

pub fn cuGraphAddEmptyNode(
    gpu: &SoftGpu,
    phGraphNode: Out<CUgraphNode>,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    _numDependencies: usize,
) -> Result<(), CUresult> {
    add(gpu, phGraphNode, hGraph, dependencies, || Ok(Op::Empty))
}

pub fn cuGraphAddKernelNode_v2(
    gpu: &SoftGpu,
    phGraphNode: Out<CUgraphNode>,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    _numDependencies: usize,
    nodeParams: In<CUDA_KERNEL_NODE_PARAMS>,
) -> Result<(), CUresult> {
    add(gpu, phGraphNode, hGraph, dependencies, || params::kernel(gpu, &nodeParams.get()?))
}

pub fn cuGraphAddKernelNode(
    gpu: &SoftGpu,
    phGraphNode: Out<CUgraphNode>,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    _numDependencies: usize,
    nodeParams: In<CUDA_KERNEL_NODE_PARAMS_v1>,
) -> Result<(), CUresult> {
    add(gpu, phGraphNode, hGraph, dependencies, || params::kernel(gpu, &from_v1(nodeParams.get()?)))
}

pub fn cuGraphKernelNodeGetParams_v2(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    nodeParams: Out<CUDA_KERNEL_NODE_PARAMS>,
) -> Result<(), CUresult> {
    nodeParams.set(node_as!(gpu, hNode, Kernel).describe())
}

pub fn cuGraphKernelNodeGetParams(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    nodeParams: Out<CUDA_KERNEL_NODE_PARAMS_v1>,
) -> Result<(), CUresult> {
    nodeParams.set(to_v1(node_as!(gpu, hNode, Kernel).describe()))
}

pub fn cuGraphKernelNodeSetParams_v2(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    nodeParams: In<CUDA_KERNEL_NODE_PARAMS>,
) -> Result<(), CUresult> {
    let old = node_as!(gpu, hNode, Kernel);
    set(gpu, hNode, || params::kernel_like(gpu, &old, &nodeParams.get()?))
}

pub fn cuGraphKernelNodeSetParams(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    nodeParams: In<CUDA_KERNEL_NODE_PARAMS_v1>,
) -> Result<(), CUresult> {
    let old = node_as!(gpu, hNode, Kernel);
    set(gpu, hNode, || params::kernel_like(gpu, &old, &from_v1(nodeParams.get()?)))
}

pub fn cuGraphAddMemcpyNode(
    gpu: &SoftGpu,
    phGraphNode: Out<CUgraphNode>,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    _numDependencies: usize,
    copyParams: In<CUDA_MEMCPY3D>,
    ctx: CUcontext,
) -> Result<(), CUresult> {
    add(gpu, phGraphNode, hGraph, dependencies, || params::copy(gpu, copyParams.get()?, ctx))
}

pub fn cuGraphMemcpyNodeGetParams(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    nodeParams: Out<CUDA_MEMCPY3D>,
) -> Result<(), CUresult> {
    nodeParams.set(node_as!(gpu, hNode, Copy).params)
}

pub fn cuGraphMemcpyNodeSetParams(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    nodeParams: In<CUDA_MEMCPY3D>,
) -> Result<(), CUresult> {
    let ctx = node_as!(gpu, hNode, Copy).context.handle;
    set(gpu, hNode, || params::copy(gpu, nodeParams.get()?, ctx))
}

pub fn cuGraphAddMemsetNode(
    gpu: &SoftGpu,
    phGraphNode: Out<CUgraphNode>,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    _numDependencies: usize,
    memsetParams: In<CUDA_MEMSET_NODE_PARAMS>,
    ctx: CUcontext,
) -> Result<(), CUresult> {
    add(gpu, phGraphNode, hGraph, dependencies, || params::fill(gpu, memsetParams.get()?, ctx))
}

pub fn cuGraphMemsetNodeGetParams(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    nodeParams: Out<CUDA_MEMSET_NODE_PARAMS>,
) -> Result<(), CUresult> {
    nodeParams.set(node_as!(gpu, hNode, Fill).params)
}

pub fn cuGraphMemsetNodeSetParams(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    nodeParams: In<CUDA_MEMSET_NODE_PARAMS>,
) -> Result<(), CUresult> {
    let ctx = node_as!(gpu, hNode, Fill).context.handle;
    set(gpu, hNode, || params::fill(gpu, nodeParams.get()?, ctx))
}

pub fn cuGraphAddHostNode(
    gpu: &SoftGpu,
    phGraphNode: Out<CUgraphNode>,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    _numDependencies: usize,
    nodeParams: In<CUDA_HOST_NODE_PARAMS>,
) -> Result<(), CUresult> {
    add(gpu, phGraphNode, hGraph, dependencies, || params::host(nodeParams.get()?))
}

pub fn cuGraphHostNodeGetParams(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    nodeParams: Out<CUDA_HOST_NODE_PARAMS>,
) -> Result<(), CUresult> {
    nodeParams.set(params::describe_host(&node_as!(gpu, hNode, Host)))
}

pub fn cuGraphHostNodeSetParams(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    nodeParams: In<CUDA_HOST_NODE_PARAMS>,
) -> Result<(), CUresult> {
    set(gpu, hNode, || params::host(nodeParams.get()?))
}

pub fn cuGraphAddChildGraphNode(
    gpu: &SoftGpu,
    phGraphNode: Out<CUgraphNode>,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    _numDependencies: usize,
    childGraph: CUgraph,
) -> Result<(), CUresult> {
    add(gpu, phGraphNode, hGraph, dependencies, || params::child(gpu, childGraph))
}

pub fn cuGraphChildGraphNodeGetGraph(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    phGraph: Out<CUgraph>,
) -> Result<(), CUresult> {
    phGraph.set(node_as!(gpu, hNode, Child).handle)
}

pub fn cuGraphAddEventRecordNode(
    gpu: &SoftGpu,
    phGraphNode: Out<CUgraphNode>,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    _numDependencies: usize,
    event: CUevent,
) -> Result<(), CUresult> {
    add(gpu, phGraphNode, hGraph, dependencies, || params::record(gpu, event))
}

pub fn cuGraphEventRecordNodeGetEvent(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    event_out: Out<CUevent>,
) -> Result<(), CUresult> {
    event_out.set(node_as!(gpu, hNode, Record).handle)
}

pub fn cuGraphEventRecordNodeSetEvent(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    event: CUevent,
) -> Result<(), CUresult> {
    set(gpu, hNode, || params::record(gpu, event))
}

pub fn cuGraphAddEventWaitNode(
    gpu: &SoftGpu,
    phGraphNode: Out<CUgraphNode>,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    _numDependencies: usize,
    event: CUevent,
) -> Result<(), CUresult> {
    add(gpu, phGraphNode, hGraph, dependencies, || params::wait(gpu, event))
}

pub fn cuGraphEventWaitNodeGetEvent(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    event_out: Out<CUevent>,
) -> Result<(), CUresult> {
    event_out.set(node_as!(gpu, hNode, Wait).handle)
}

pub fn cuGraphEventWaitNodeSetEvent(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    event: CUevent,
) -> Result<(), CUresult> {
    set(gpu, hNode, || params::wait(gpu, event))
}

pub fn cuGraphAddBatchMemOpNode(
    gpu: &SoftGpu,
    phGraphNode: Out<CUgraphNode>,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    _numDependencies: usize,
    nodeParams: In<CUDA_BATCH_MEM_OP_NODE_PARAMS>,
) -> Result<(), CUresult> {
    add(gpu, phGraphNode, hGraph, dependencies, || params::values(gpu, nodeParams.get()?))
}

pub fn cuGraphBatchMemOpNodeGetParams(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    nodeParams_out: Out<CUDA_BATCH_MEM_OP_NODE_PARAMS>,
) -> Result<(), CUresult> {
    nodeParams_out.set(params::describe_values(&*node_as!(gpu, hNode, Values)))
}

pub fn cuGraphBatchMemOpNodeSetParams(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    nodeParams: In<CUDA_BATCH_MEM_OP_NODE_PARAMS>,
) -> Result<(), CUresult> {
    set(gpu, hNode, || params::values(gpu, nodeParams.get()?))
}

pub fn cuGraphAddMemAllocNode(
    gpu: &'static SoftGpu,
    phGraphNode: Out<CUgraphNode>,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    _numDependencies: usize,
    nodeParams: InOut<CUDA_MEM_ALLOC_NODE_PARAMS>,
) -> Result<(), CUresult> {
    let op = params::alloc(gpu, nodeParams.get()?)?;
    let address = op.alloc().map(|alloc| alloc.address()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    add(gpu, phGraphNode, hGraph, dependencies, || Ok(op))?;
    nodeParams.set(CUDA_MEM_ALLOC_NODE_PARAMS { dptr: address, ..nodeParams.get()? })
}

pub fn cuGraphMemAllocNodeGetParams(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    params_out: Out<CUDA_MEM_ALLOC_NODE_PARAMS>,
) -> Result<(), CUresult> {
    params_out.set(node_as!(gpu, hNode, Alloc).params)
}

pub fn cuGraphAddMemFreeNode(
    gpu: &SoftGpu,
    phGraphNode: Out<CUgraphNode>,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    _numDependencies: usize,
    dptr: CUdeviceptr,
) -> Result<(), CUresult> {
    add(gpu, phGraphNode, hGraph, dependencies, || params::free(gpu, dptr))
}

pub fn cuGraphMemFreeNodeGetParams(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    dptr_out: Out<CUdeviceptr>,
) -> Result<(), CUresult> {
    dptr_out.set(node_as!(gpu, hNode, Free))
}

pub fn cuGraphAddNode_v2(
    gpu: &'static SoftGpu,
    phGraphNode: Out<CUgraphNode>,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    dependencyData: Slice<CUgraphEdgeData>,
    _numDependencies: usize,
    nodeParams: InOut<CUgraphNodeParams>,
) -> Result<(), CUresult> {
    let mut given = nodeParams.get()?;
    let op = params::any(gpu, &given)?;
    let address = op.alloc().map(|alloc| alloc.params);
    add_at(gpu, phGraphNode, hGraph, dependencies, dependencyData, || Ok(op))?;
    if let Some(params) = address {
        given.params.set(params);
        nodeParams.set(given)?;
    }
    Ok(())
}

pub use cuGraphAddNode_v2 as cuGraphAddNode_v3;

pub fn cuGraphAddNode(
    gpu: &'static SoftGpu,
    phGraphNode: Out<CUgraphNode>,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    numDependencies: usize,
    nodeParams: InOut<CUgraphNodeParams>,
) -> Result<(), CUresult> {
    cuGraphAddNode_v2(gpu, phGraphNode, hGraph, dependencies, Ptr::NULL.slice(0), numDependencies, nodeParams)
}

pub fn cuGraphNodeSetParams(
    gpu: &'static SoftGpu,
    hNode: CUgraphNode,
    nodeParams: In<CUgraphNodeParams>,
) -> Result<(), CUresult> {
    set(gpu, hNode, || params::any(gpu, &nodeParams.get()?))
}

pub use cuGraphNodeSetParams as cuGraphNodeSetParams_v2;

pub fn cuGraphNodeGetParams(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    nodeParams: Out<CUgraphNodeParams>,
) -> Result<(), CUresult> {
    nodeParams.set(describe(&gpu.graphs.op(hNode)?))
}

pub fn cuGraphNodeGetType(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    type_: Out<CUgraphNodeType>,
) -> Result<(), CUresult> {
    type_.set(gpu.graphs.op(hNode)?.kind())
}

pub fn cuGraphNodeGetContainingGraph(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    phGraph: Out<CUgraph>,
) -> Result<(), CUresult> {
    phGraph.set(gpu.graphs.node(hNode)?.0.handle)
}

pub fn cuGraphNodeGetLocalId(gpu: &SoftGpu, hNode: CUgraphNode, nodeId: Out<u32>) -> Result<(), CUresult> {
    let (_, id) = gpu.graphs.node(hNode)?;
    nodeId.set(u32::try_from(id.number()).map_err(|_| CUDA_ERROR_INVALID_VALUE)?)
}

/// Graph and node in one number.
pub fn cuGraphNodeGetToolsId(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    toolsNodeId: Out<u64>,
) -> Result<(), CUresult> {
    let (graph, id) = gpu.graphs.node(hNode)?;
    toolsNodeId.set(u64::from(graph.id) << 32 | id.number() & u64::from(u32::MAX))
}

pub fn cuGraphDestroyNode(gpu: &SoftGpu, hNode: CUgraphNode) -> Result<(), CUresult> {
    gpu.graphs.destroy_node(hNode)
}

pub fn cuGraphKernelNodeCopyAttributes(
    gpu: &SoftGpu,
    dst: CUgraphNode,
    src: CUgraphNode,
) -> Result<(), CUresult> {
    let from = node_as!(gpu, src, Kernel);
    let mut to = (*node_as!(gpu, dst, Kernel)).clone();
    to.attributes = from.attributes.clone();
    gpu.graphs.set_op(dst, Op::Kernel(to.into()))
}

pub fn cuGraphKernelNodeGetAttribute(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    attr: CUlaunchAttributeID,
    value_out: Out<CUlaunchAttributeValue>,
) -> Result<(), CUresult> {
    let op = node_as!(gpu, hNode, Kernel);
    value_out.set(op.attribute(attr).ok_or(CUDA_ERROR_INVALID_VALUE)?)
}

pub fn cuGraphKernelNodeSetAttribute(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    attr: CUlaunchAttributeID,
    value: In<CUlaunchAttributeValue>,
) -> Result<(), CUresult> {
    let mut op = (*node_as!(gpu, hNode, Kernel)).clone();
    op.set_attribute(attr, value.get()?)?;
    gpu.graphs.set_op(hNode, Op::Kernel(op.into()))
}
