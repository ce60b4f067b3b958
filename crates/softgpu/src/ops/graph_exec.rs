use std::sync::Arc;

use cleave_api::cuda::types::*;
use cleave_api::edge::{BytesMut, In, InOut, Out};

use crate::gpu::SoftGpu;
use crate::graph::exec::Mismatch;
use crate::graph::params::{self, from_v1};
use crate::graph::{Exec, Op};

impl SoftGpu {
    fn exec(&self, handle: CUgraphExec) -> Result<Arc<Exec>, CUresult> {
        self.graphs.execs.get(handle.0).ok_or(CUDA_ERROR_INVALID_VALUE)
    }
}

/// Makes a graph executable; on failure, names the node to blame.
fn instantiate(
    gpu: &SoftGpu,
    hGraph: CUgraph,
    flags: u64,
) -> Result<(CUgraphExec, Arc<Exec>), (CUresult, CUgraphNode)> {
    const KNOWN: u32 = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH.0
        | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD.0
        | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY.0;
    let nobody = CUgraphNode(0);
    if flags & u64::from(CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH.0) != 0 {
        return Err((CUDA_ERROR_NOT_SUPPORTED, nobody));
    }
    if flags & !u64::from(KNOWN) != 0 {
        return Err((CUDA_ERROR_INVALID_VALUE, nobody));
    }
    let graph = gpu.graphs.get(hGraph).map_err(|code| (code, nobody))?;
    let exec = Exec::new(&graph, flags).map_err(|node| (CUDA_ERROR_INVALID_VALUE, node))?;
    let exec = Arc::new(exec);
    let handle = gpu.graphs.execs.insert(exec.clone()).ok_or((CUDA_ERROR_OUT_OF_MEMORY, nobody))?;
    Ok((CUgraphExec(handle), exec))
}

pub fn cuGraphInstantiate_v2(
    gpu: &SoftGpu,
    phGraphExec: Out<CUgraphExec>,
    hGraph: CUgraph,
    phErrorNode: Out<CUgraphNode>,
    logBuffer: BytesMut,
    _bufferSize: usize,
) -> Result<(), CUresult> {
    if phGraphExec.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if !logBuffer.is_null() && !logBuffer.is_empty() {
        logBuffer.set_text("")?;
    }
    match instantiate(gpu, hGraph, 0) {
        Ok((handle, _)) => phGraphExec.set(handle),
        Err((code, node)) => {
            phErrorNode.set_if(node);
            if !logBuffer.is_null() && !logBuffer.is_empty() {
                logBuffer.set_text("the graph has a cycle or is nested too deeply")?;
            }
            Err(code)
        }
    }
}

pub use cuGraphInstantiate_v2 as cuGraphInstantiate;

pub fn cuGraphInstantiateWithFlags(
    gpu: &SoftGpu,
    phGraphExec: Out<CUgraphExec>,
    hGraph: CUgraph,
    flags: u64,
) -> Result<(), CUresult> {
    if phGraphExec.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let (handle, _) = instantiate(gpu, hGraph, flags).map_err(|(code, _)| code)?;
    phGraphExec.set(handle)
}

pub fn cuGraphInstantiateWithParams(
    gpu: &SoftGpu,
    phGraphExec: Out<CUgraphExec>,
    hGraph: CUgraph,
    instantiateParams: InOut<CUDA_GRAPH_INSTANTIATE_PARAMS>,
) -> Result<(), CUresult> {
    let mut given = instantiateParams.get()?;
    if phGraphExec.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let made = instantiate(gpu, hGraph, given.flags);
    (given.result_out, given.hErrNode_out) = match &made {
        Ok(_) => (CUDA_GRAPH_INSTANTIATE_SUCCESS, CUgraphNode(0)),
        Err((CUDA_ERROR_NOT_SUPPORTED, node)) => (CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED, *node),
        Err((_, node)) if node.is_null() => (CUDA_GRAPH_INSTANTIATE_ERROR, *node),
        Err((_, node)) => (CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, *node),
    };
    instantiateParams.set(given)?;
    let (handle, exec) = made.map_err(|(code, _)| code)?;
    if given.flags & u64::from(CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD.0) != 0 {
        gpu.stream_here(given.hUploadStream)?;
        exec.upload()?;
    }
    phGraphExec.set(handle)
}

pub use cuGraphInstantiateWithParams as cuGraphInstantiateWithParams_ptsz;

/// A launch under way goes on.
pub fn cuGraphExecDestroy(gpu: &SoftGpu, hGraphExec: CUgraphExec) -> Result<(), CUresult> {
    gpu.graphs.execs.remove(hGraphExec.0).map(drop).ok_or(CUDA_ERROR_INVALID_VALUE)
}

pub fn cuGraphExecGetFlags(gpu: &SoftGpu, hGraphExec: CUgraphExec, flags: Out<u64>) -> Result<(), CUresult> {
    flags.set(gpu.exec(hGraphExec)?.flags)
}

pub fn cuGraphExecGetId(gpu: &SoftGpu, hGraphExec: CUgraphExec, graphId: Out<u32>) -> Result<(), CUresult> {
    graphId.set(gpu.exec(hGraphExec)?.id)
}

pub fn cuGraphUpload(gpu: &SoftGpu, hGraphExec: CUgraphExec, hStream: CUstream) -> Result<(), CUresult> {
    let stream = gpu.stream_here(hStream)?;
    gpu.graphs.captures.refuse(&stream)?;
    gpu.exec(hGraphExec)?.upload()
}

pub use cuGraphUpload as cuGraphUpload_ptsz;

/// In a captured stream, a launch becomes a child node.
pub fn cuGraphLaunch(
    gpu: &'static SoftGpu,
    hGraphExec: CUgraphExec,
    hStream: CUstream,
) -> Result<(), CUresult> {
    let stream = gpu.stream_here(hStream)?;
    let exec = gpu.exec(hGraphExec)?;
    if gpu.graphs.captures.is_captured(&stream) {
        let child = Op::Child(exec.as_graph(&gpu.graphs)?);
        return gpu.submit(&stream, child.clone()).inspect_err(|_| gpu.graphs.discard(&child));
    }
    gpu.graphs.captures.refuse(&stream)?;
    exec.launch(gpu, &stream)
}

pub use cuGraphLaunch as cuGraphLaunch_ptsz;

fn update(gpu: &SoftGpu, hGraphExec: CUgraphExec, hGraph: CUgraph) -> Result<Result<(), Mismatch>, CUresult> {
    Ok(gpu.exec(hGraphExec)?.update(&*gpu.graphs.get(hGraph)?))
}

pub fn cuGraphExecUpdate_v2(
    gpu: &SoftGpu,
    hGraphExec: CUgraphExec,
    hGraph: CUgraph,
    resultInfo: Out<CUgraphExecUpdateResultInfo>,
) -> Result<(), CUresult> {
    if resultInfo.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let (result, errorNode, errorFromNode) = match update(gpu, hGraphExec, hGraph)? {
        Ok(()) => (CU_GRAPH_EXEC_UPDATE_SUCCESS, CUgraphNode(0), CUgraphNode(0)),
        Err(Mismatch { result, node, from }) => (result, node, from),
    };
    resultInfo.set(CUgraphExecUpdateResultInfo { result, errorNode, errorFromNode })?;
    if result == CU_GRAPH_EXEC_UPDATE_SUCCESS { Ok(()) } else { Err(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) }
}

pub fn cuGraphExecUpdate(
    gpu: &SoftGpu,
    hGraphExec: CUgraphExec,
    hGraph: CUgraph,
    hErrorNode_out: Out<CUgraphNode>,
    updateResult_out: Out<CUgraphExecUpdateResult>,
) -> Result<(), CUresult> {
    if updateResult_out.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    match update(gpu, hGraphExec, hGraph)? {
        Ok(()) => {
            hErrorNode_out.set_if(CUgraphNode(0));
            updateResult_out.set(CU_GRAPH_EXEC_UPDATE_SUCCESS)
        }
        Err(Mismatch { result, node, .. }) => {
            hErrorNode_out.set_if(node);
            updateResult_out.set(result)?;
            Err(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE)
        }
    }
}

pub fn cuGraphExecNodeSetParams(
    gpu: &'static SoftGpu,
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: In<CUgraphNodeParams>,
) -> Result<(), CUresult> {
    let (exec, given) = (gpu.exec(hGraphExec)?, nodeParams.get()?);
    match given.type_ {
        CU_GRAPH_NODE_TYPE_GRAPH => {
            let child: CUDA_CHILD_GRAPH_NODE_PARAMS = given.params.get();
            exec.set_child(hNode, &*gpu.graphs.get(child.graph)?)
        }
        CU_GRAPH_NODE_TYPE_MEM_ALLOC | CU_GRAPH_NODE_TYPE_MEM_FREE => Err(CUDA_ERROR_INVALID_VALUE),
        _ => exec.set_op(hNode, params::any(gpu, &given)?),
    }
}

pub fn cuGraphExecKernelNodeSetParams_v2(
    gpu: &SoftGpu,
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: In<CUDA_KERNEL_NODE_PARAMS>,
) -> Result<(), CUresult> {
    let exec = gpu.exec(hGraphExec)?;
    let Op::Kernel(old) = exec.op(hNode)? else { return Err(CUDA_ERROR_INVALID_VALUE) };
    exec.set_op(hNode, params::kernel_like(gpu, &old, &nodeParams.get()?)?)
}

pub fn cuGraphExecKernelNodeSetParams(
    gpu: &SoftGpu,
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: In<CUDA_KERNEL_NODE_PARAMS_v1>,
) -> Result<(), CUresult> {
    let exec = gpu.exec(hGraphExec)?;
    let Op::Kernel(old) = exec.op(hNode)? else { return Err(CUDA_ERROR_INVALID_VALUE) };
    exec.set_op(hNode, params::kernel_like(gpu, &old, &from_v1(nodeParams.get()?))?)
}

pub fn cuGraphExecMemcpyNodeSetParams(
    gpu: &SoftGpu,
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    copyParams: In<CUDA_MEMCPY3D>,
    ctx: CUcontext,
) -> Result<(), CUresult> {
    gpu.exec(hGraphExec)?.set_op(hNode, params::copy(gpu, copyParams.get()?, ctx)?)
}

pub fn cuGraphExecMemsetNodeSetParams(
    gpu: &SoftGpu,
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    memsetParams: In<CUDA_MEMSET_NODE_PARAMS>,
    ctx: CUcontext,
) -> Result<(), CUresult> {
    gpu.exec(hGraphExec)?.set_op(hNode, params::fill(gpu, memsetParams.get()?, ctx)?)
}

pub fn cuGraphExecHostNodeSetParams(
    gpu: &SoftGpu,
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: In<CUDA_HOST_NODE_PARAMS>,
) -> Result<(), CUresult> {
    gpu.exec(hGraphExec)?.set_op(hNode, params::host(nodeParams.get()?)?)
}

pub fn cuGraphExecChildGraphNodeSetParams(
    gpu: &SoftGpu,
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    childGraph: CUgraph,
) -> Result<(), CUresult> {
    gpu.exec(hGraphExec)?.set_child(hNode, &*gpu.graphs.get(childGraph)?)
}

pub fn cuGraphExecEventRecordNodeSetEvent(
    gpu: &SoftGpu,
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    event: CUevent,
) -> Result<(), CUresult> {
    gpu.exec(hGraphExec)?.set_op(hNode, params::record(gpu, event)?)
}

pub fn cuGraphExecEventWaitNodeSetEvent(
    gpu: &SoftGpu,
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    event: CUevent,
) -> Result<(), CUresult> {
    gpu.exec(hGraphExec)?.set_op(hNode, params::wait(gpu, event)?)
}

pub fn cuGraphExecBatchMemOpNodeSetParams(
    gpu: &SoftGpu,
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: In<CUDA_BATCH_MEM_OP_NODE_PARAMS>,
) -> Result<(), CUresult> {
    gpu.exec(hGraphExec)?.set_op(hNode, params::values(gpu, nodeParams.get()?)?)
}

pub fn cuGraphNodeSetEnabled(
    gpu: &SoftGpu,
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    isEnabled: u32,
) -> Result<(), CUresult> {
    gpu.exec(hGraphExec)?.set_enabled(hNode, isEnabled != 0)
}

pub fn cuGraphNodeGetEnabled(
    gpu: &SoftGpu,
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    isEnabled: Out<u32>,
) -> Result<(), CUresult> {
    isEnabled.set(gpu.exec(hGraphExec)?.is_enabled(hNode)?.into())
}
