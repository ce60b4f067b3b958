use cleave_api::cuda::types::*;
use cleave_api::edge::{InOut, Out, Ptr, Slice};

use crate::gpu::SoftGpu;
use crate::graph::Ports;
use crate::graph::capture::{Info, exchange_mode};
use crate::graph::pointer_unsafe::to_first;

pub fn cuStreamBeginCapture(gpu: &SoftGpu, hStream: CUstream) -> Result<(), CUresult> {
    cuStreamBeginCapture_v2(gpu, hStream, CU_STREAM_CAPTURE_MODE_GLOBAL)
}

pub use cuStreamBeginCapture as cuStreamBeginCapture_ptsz;

pub fn cuStreamBeginCapture_v2(
    gpu: &SoftGpu,
    hStream: CUstream,
    mode: CUstreamCaptureMode,
) -> Result<(), CUresult> {
    let stream = gpu.stream_here(hStream)?;
    check_mode(mode)?;
    let graph = gpu.graphs.create()?;
    let begun = gpu.graphs.captures.begin(&stream, graph.clone(), None, mode);
    if begun.is_err() {
        gpu.graphs.forget(&graph);
    }
    begun
}

pub use cuStreamBeginCapture_v2 as cuStreamBeginCapture_v2_ptsz;

pub fn cuStreamBeginCaptureToGraph(
    gpu: &SoftGpu,
    hStream: CUstream,
    hGraph: CUgraph,
    dependencies: Slice<CUgraphNode>,
    dependencyData: Slice<CUgraphEdgeData>,
    _numDependencies: usize,
    mode: CUstreamCaptureMode,
) -> Result<(), CUresult> {
    let stream = gpu.stream_here(hStream)?;
    check_mode(mode)?;
    let graph = gpu.graphs.get(hGraph)?;
    let after = gpu.graphs.ids(&graph, &dependencies.to_vec()?)?;
    let after = after.into_iter().zip(ports(dependencyData)).collect();
    gpu.graphs.captures.begin(&stream, graph, Some(after), mode)
}

pub use cuStreamBeginCaptureToGraph as cuStreamBeginCaptureToGraph_ptsz;

/// The ports of edge after edge; plain ones where the program describes none.
pub(super) fn ports(data: Slice<CUgraphEdgeData>) -> impl Iterator<Item = Ports> {
    (0..).map(move |i| data.get(i).map_or(Ports::default(), Ports::from))
}

fn check_mode(mode: CUstreamCaptureMode) -> Result<(), CUresult> {
    match mode {
        CU_STREAM_CAPTURE_MODE_GLOBAL
        | CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
        | CU_STREAM_CAPTURE_MODE_RELAXED => Ok(()),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

pub fn cuThreadExchangeStreamCaptureMode(
    _: &SoftGpu,
    mode: InOut<CUstreamCaptureMode>,
) -> Result<(), CUresult> {
    let new = mode.get()?;
    check_mode(new)?;
    mode.set(exchange_mode(new))
}

pub fn cuStreamEndCapture(gpu: &SoftGpu, hStream: CUstream, phGraph: Out<CUgraph>) -> Result<(), CUresult> {
    let stream = gpu.stream_here(hStream)?;
    if phGraph.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    phGraph.set(CUgraph(0))?;
    phGraph.set(gpu.graphs.captures.end(&gpu.graphs, &stream)?.handle)
}

pub use cuStreamEndCapture as cuStreamEndCapture_ptsz;

pub fn cuStreamIsCapturing(
    gpu: &SoftGpu,
    hStream: CUstream,
    captureStatus: Out<CUstreamCaptureStatus>,
) -> Result<(), CUresult> {
    let info = gpu.graphs.captures.info(&*gpu.stream_here(hStream)?)?;
    captureStatus.set(info.map_or(CU_STREAM_CAPTURE_STATUS_NONE, |info| info.status))
}

pub use cuStreamIsCapturing as cuStreamIsCapturing_ptsz;

pub fn cuStreamGetCaptureInfo(
    gpu: &SoftGpu,
    hStream: CUstream,
    captureStatus_out: Out<CUstreamCaptureStatus>,
    id_out: Out<u64>,
) -> Result<(), CUresult> {
    let info = gpu.graphs.captures.info(&*gpu.stream_here(hStream)?)?;
    answer(info, captureStatus_out, id_out).map(drop)
}

pub use cuStreamGetCaptureInfo as cuStreamGetCaptureInfo_ptsz;

/// Status and id. What else there is to tell, there is only for a capture that goes on.
fn answer(
    info: Option<Info>,
    status: Out<CUstreamCaptureStatus>,
    id: Out<u64>,
) -> Result<Option<Info>, CUresult> {
    status.set(info.as_ref().map_or(CU_STREAM_CAPTURE_STATUS_NONE, |info| info.status))?;
    let active = info.filter(|info| info.status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    if let Some(info) = &active {
        id.set_if(info.id);
    }
    Ok(active)
}

pub fn cuStreamGetCaptureInfo_v2(
    gpu: &SoftGpu,
    hStream: CUstream,
    captureStatus_out: Out<CUstreamCaptureStatus>,
    id_out: Out<u64>,
    graph_out: Out<CUgraph>,
    dependencies_out: Out<Ptr<CUgraphNode>>,
    numDependencies_out: Out<usize>,
) -> Result<(), CUresult> {
    let info = gpu.graphs.captures.info(&*gpu.stream_here(hStream)?)?;
    let lossy = |info: &Info| info.after.edges.iter().any(|edge| Ports::from(*edge) != Ports::default());
    if !dependencies_out.is_null() && info.as_ref().is_some_and(lossy) {
        return Err(CUDA_ERROR_LOSSY_QUERY);
    }
    if let Some(info) = answer(info, captureStatus_out, id_out)? {
        graph_out.set_if(info.graph);
        dependencies_out.set_if(to_first(&info.after.nodes));
        numDependencies_out.set_if(info.after.nodes.len());
    }
    Ok(())
}

pub use cuStreamGetCaptureInfo_v2 as cuStreamGetCaptureInfo_v2_ptsz;

#[allow(clippy::too_many_arguments)]
pub fn cuStreamGetCaptureInfo_v3(
    gpu: &SoftGpu,
    hStream: CUstream,
    captureStatus_out: Out<CUstreamCaptureStatus>,
    id_out: Out<u64>,
    graph_out: Out<CUgraph>,
    dependencies_out: Out<Ptr<CUgraphNode>>,
    edgeData_out: Out<Ptr<CUgraphEdgeData>>,
    numDependencies_out: Out<usize>,
) -> Result<(), CUresult> {
    if edgeData_out.is_null() {
        let (status, id) = (captureStatus_out, id_out);
        return cuStreamGetCaptureInfo_v2(
            gpu,
            hStream,
            status,
            id,
            graph_out,
            dependencies_out,
            numDependencies_out,
        );
    }
    let info = gpu.graphs.captures.info(&*gpu.stream_here(hStream)?)?;
    if let Some(info) = answer(info, captureStatus_out, id_out)? {
        graph_out.set_if(info.graph);
        dependencies_out.set_if(to_first(&info.after.nodes));
        edgeData_out.set(to_first(&info.after.edges))?;
        numDependencies_out.set_if(info.after.nodes.len());
    }
    Ok(())
}

pub use cuStreamGetCaptureInfo_v3 as cuStreamGetCaptureInfo_v3_ptsz;

pub fn cuStreamUpdateCaptureDependencies(
    gpu: &SoftGpu,
    hStream: CUstream,
    dependencies: Slice<CUgraphNode>,
    numDependencies: usize,
    flags: u32,
) -> Result<(), CUresult> {
    cuStreamUpdateCaptureDependencies_v2(
        gpu,
        hStream,
        dependencies,
        Ptr::NULL.slice(0),
        numDependencies,
        flags,
    )
}

pub use cuStreamUpdateCaptureDependencies as cuStreamUpdateCaptureDependencies_ptsz;

pub fn cuStreamUpdateCaptureDependencies_v2(
    gpu: &SoftGpu,
    hStream: CUstream,
    dependencies: Slice<CUgraphNode>,
    dependencyData: Slice<CUgraphEdgeData>,
    _numDependencies: usize,
    flags: u32,
) -> Result<(), CUresult> {
    let stream = gpu.stream_here(hStream)?;
    if flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES.0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let nodes: Vec<_> = dependencies.to_vec()?.into_iter().zip(ports(dependencyData)).collect();
    let replace = flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES.0;
    gpu.graphs.captures.update(&gpu.graphs, &stream, &nodes, replace)
}

pub use cuStreamUpdateCaptureDependencies_v2 as cuStreamUpdateCaptureDependencies_v2_ptsz;
