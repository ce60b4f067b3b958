use cleave_api::cuda::types::*;
use cleave_api::edge::{InOut, Out, Plain, Ptr, Slice, SliceMut, Str};

use super::capture::ports;
use crate::gpu::SoftGpu;
use crate::graph::params::holds_memory_nodes;
use crate::graph::shape::Edge;
use crate::graph::{Graph, Ports, dot};

pub fn cuGraphCreate(gpu: &SoftGpu, phGraph: Out<CUgraph>, flags: u32) -> Result<(), CUresult> {
    if phGraph.is_null() || flags != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    phGraph.set(gpu.graphs.create()?.handle)
}

pub fn cuGraphDestroy(gpu: &SoftGpu, hGraph: CUgraph) -> Result<(), CUresult> {
    gpu.graphs.destroy(hGraph)
}

pub fn cuGraphClone(
    gpu: &SoftGpu,
    phGraphClone: Out<CUgraph>,
    originalGraph: CUgraph,
) -> Result<(), CUresult> {
    let original = gpu.graphs.get(originalGraph)?;
    if phGraphClone.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if holds_memory_nodes(&original) {
        return Err(CUDA_ERROR_NOT_SUPPORTED);
    }
    phGraphClone.set(gpu.graphs.clone_graph(&original, false)?.handle)
}

pub fn cuGraphNodeFindInClone(
    gpu: &SoftGpu,
    phNode: Out<CUgraphNode>,
    hOriginalNode: CUgraphNode,
    hClonedGraph: CUgraph,
) -> Result<(), CUresult> {
    let (original, id) = gpu.graphs.node(hOriginalNode)?;
    let clone = gpu.graphs.get(hClonedGraph)?;
    let body = clone.body();
    let found = body.shape.get(id).filter(|_| body.origin == Some(original.id));
    phNode.set(found.ok_or(CUDA_ERROR_INVALID_VALUE)?.handle)
}

pub fn cuGraphGetId(gpu: &SoftGpu, hGraph: CUgraph, graphId: Out<u32>) -> Result<(), CUresult> {
    graphId.set(gpu.graphs.get(hGraph)?.id)
}

/// The way all lists are asked for: without an array their length is told, with one as much as fits is written, the
/// rest of the array is cleared, and the length is what there is.
fn list<T: Plain>(values: &[T], rest: T, array: SliceMut<T>, count: InOut<usize>) -> Result<(), CUresult> {
    if !array.is_null() {
        array.fill(values);
        (values.len()..array.len()).try_for_each(|i| array.set(i, rest))?;
    }
    count.set(values.len())
}

/// How many values the caller has room for, or all of them if it only asks.
fn room<T: Plain>(array: SliceMut<T>, all: usize) -> usize {
    if array.is_null() { all } else { array.len().min(all) }
}

pub fn cuGraphGetNodes(
    gpu: &SoftGpu,
    hGraph: CUgraph,
    nodes: SliceMut<CUgraphNode>,
    numNodes: InOut<usize>,
) -> Result<(), CUresult> {
    let graph = gpu.graphs.get(hGraph)?;
    let handles: Vec<_> = graph.body().shape.nodes().map(|(_, node)| node.handle).collect();
    list(&handles, CUgraphNode(0), nodes, numNodes)
}

pub fn cuGraphGetRootNodes(
    gpu: &SoftGpu,
    hGraph: CUgraph,
    rootNodes: SliceMut<CUgraphNode>,
    numRootNodes: InOut<usize>,
) -> Result<(), CUresult> {
    let graph = gpu.graphs.get(hGraph)?;
    let handles: Vec<_> = graph.body().shape.roots().map(|(_, node)| node.handle).collect();
    list(&handles, CUgraphNode(0), rootNodes, numRootNodes)
}

/// Edges with ports cannot be told to somebody who does not ask for the ports.
fn check_lossless<'a>(told: impl Iterator<Item = &'a Ports>, asks: bool) -> Result<(), CUresult> {
    let mut told = told;
    if !asks && told.any(|ports| *ports != Ports::default()) { Err(CUDA_ERROR_LOSSY_QUERY) } else { Ok(()) }
}

pub fn cuGraphGetEdges_v2(
    gpu: &SoftGpu,
    hGraph: CUgraph,
    from: SliceMut<CUgraphNode>,
    to: SliceMut<CUgraphNode>,
    edgeData: SliceMut<CUgraphEdgeData>,
    numEdges: InOut<usize>,
) -> Result<(), CUresult> {
    let graph = gpu.graphs.get(hGraph)?;
    if from.is_null() != to.is_null() || (from.is_null() && !edgeData.is_null()) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let (mut starts, mut ends, mut told) = (vec![], vec![], vec![]);
    {
        let body = graph.body();
        for (start, end, ports) in body.shape.edges() {
            let (Some(start), Some(end)) = (body.shape.get(start), body.shape.get(end)) else { continue };
            starts.push(start.handle);
            ends.push(end.handle);
            told.push(ports);
        }
    }
    if !from.is_null() {
        check_lossless(told.iter().take(room(from, told.len())), !edgeData.is_null())?;
    }
    let data: Vec<CUgraphEdgeData> = told.into_iter().map(CUgraphEdgeData::from).collect();
    list(&starts, CUgraphNode(0), from, numEdges)?;
    list(&ends, CUgraphNode(0), to, numEdges)?;
    list(&data, CUgraphEdgeData::default(), edgeData, numEdges)
}

pub fn cuGraphGetEdges(
    gpu: &SoftGpu,
    hGraph: CUgraph,
    from: SliceMut<CUgraphNode>,
    to: SliceMut<CUgraphNode>,
    numEdges: InOut<usize>,
) -> Result<(), CUresult> {
    cuGraphGetEdges_v2(gpu, hGraph, from, to, absent(), numEdges)
}

/// An array the caller did not pass.
fn absent<T: Plain>() -> SliceMut<'static, T> {
    Ptr::NULL.slice_mut(0)
}

/// Which way to look from a node.
#[derive(Clone, Copy)]
enum Way {
    Back,
    Forth,
}

fn neighbours(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    way: Way,
    nodes: SliceMut<CUgraphNode>,
    edgeData: SliceMut<CUgraphEdgeData>,
    count: InOut<usize>,
) -> Result<(), CUresult> {
    let (graph, id) = gpu.graphs.node(hNode)?;
    if nodes.is_null() && !edgeData.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let (handles, told): (Vec<_>, Vec<_>) = {
        let body = graph.body();
        let ends = match way {
            Way::Back => body.shape.from(id),
            Way::Forth => body.shape.to(id),
        };
        ends.iter().filter_map(|(end, ports)| Some((body.shape.get(*end)?.handle, *ports))).unzip()
    };
    if !nodes.is_null() {
        check_lossless(told.iter().take(room(nodes, told.len())), !edgeData.is_null())?;
    }
    let data: Vec<CUgraphEdgeData> = told.into_iter().map(CUgraphEdgeData::from).collect();
    list(&handles, CUgraphNode(0), nodes, count)?;
    list(&data, CUgraphEdgeData::default(), edgeData, count)
}

pub fn cuGraphNodeGetDependencies_v2(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    dependencies: SliceMut<CUgraphNode>,
    edgeData: SliceMut<CUgraphEdgeData>,
    numDependencies: InOut<usize>,
) -> Result<(), CUresult> {
    neighbours(gpu, hNode, Way::Back, dependencies, edgeData, numDependencies)
}

pub fn cuGraphNodeGetDependencies(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    dependencies: SliceMut<CUgraphNode>,
    numDependencies: InOut<usize>,
) -> Result<(), CUresult> {
    neighbours(gpu, hNode, Way::Back, dependencies, absent(), numDependencies)
}

pub fn cuGraphNodeGetDependentNodes_v2(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    dependentNodes: SliceMut<CUgraphNode>,
    edgeData: SliceMut<CUgraphEdgeData>,
    numDependentNodes: InOut<usize>,
) -> Result<(), CUresult> {
    neighbours(gpu, hNode, Way::Forth, dependentNodes, edgeData, numDependentNodes)
}

pub fn cuGraphNodeGetDependentNodes(
    gpu: &SoftGpu,
    hNode: CUgraphNode,
    dependentNodes: SliceMut<CUgraphNode>,
    numDependentNodes: InOut<usize>,
) -> Result<(), CUresult> {
    neighbours(gpu, hNode, Way::Forth, dependentNodes, absent(), numDependentNodes)
}

/// The edges of a graph that the program means.
fn edges(
    gpu: &SoftGpu,
    graph: &Graph,
    from: Slice<CUgraphNode>,
    to: Slice<CUgraphNode>,
    edgeData: Slice<CUgraphEdgeData>,
) -> Result<Vec<Edge>, CUresult> {
    let from = gpu.graphs.ids(graph, &from.to_vec()?)?;
    let to = gpu.graphs.ids(graph, &to.to_vec()?)?;
    Ok(from.into_iter().zip(to).zip(ports(edgeData)).map(|((from, to), ports)| (from, to, ports)).collect())
}

fn all_or_none(done: bool) -> Result<(), CUresult> {
    if done { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) }
}

pub fn cuGraphAddDependencies_v2(
    gpu: &SoftGpu,
    hGraph: CUgraph,
    from: Slice<CUgraphNode>,
    to: Slice<CUgraphNode>,
    edgeData: Slice<CUgraphEdgeData>,
    _numDependencies: usize,
) -> Result<(), CUresult> {
    let graph = gpu.graphs.get(hGraph)?;
    let edges = edges(gpu, &graph, from, to, edgeData)?;
    all_or_none(graph.body().shape.connect_all(&edges))
}

pub fn cuGraphAddDependencies(
    gpu: &SoftGpu,
    hGraph: CUgraph,
    from: Slice<CUgraphNode>,
    to: Slice<CUgraphNode>,
    numDependencies: usize,
) -> Result<(), CUresult> {
    cuGraphAddDependencies_v2(gpu, hGraph, from, to, Ptr::NULL.slice(0), numDependencies)
}

pub fn cuGraphRemoveDependencies_v2(
    gpu: &SoftGpu,
    hGraph: CUgraph,
    from: Slice<CUgraphNode>,
    to: Slice<CUgraphNode>,
    edgeData: Slice<CUgraphEdgeData>,
    _numDependencies: usize,
) -> Result<(), CUresult> {
    let graph = gpu.graphs.get(hGraph)?;
    let edges = edges(gpu, &graph, from, to, edgeData)?;
    all_or_none(graph.body().shape.disconnect_all(&edges))
}

pub fn cuGraphRemoveDependencies(
    gpu: &SoftGpu,
    hGraph: CUgraph,
    from: Slice<CUgraphNode>,
    to: Slice<CUgraphNode>,
    numDependencies: usize,
) -> Result<(), CUresult> {
    cuGraphRemoveDependencies_v2(gpu, hGraph, from, to, Ptr::NULL.slice(0), numDependencies)
}

pub fn cuGraphDebugDotPrint(gpu: &SoftGpu, hGraph: CUgraph, path: Str, flags: u32) -> Result<(), CUresult> {
    let graph = gpu.graphs.get(hGraph)?;
    let path = path.get()?;
    std::fs::write(path, dot::print(&graph, flags)).map_err(|_| CUDA_ERROR_OPERATING_SYSTEM)
}
