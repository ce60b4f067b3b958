#[macro_export]
#[doc(hidden)]
macro_rules! cuda_graph_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Creates an empty graph.
    fn cuGraphCreate since 10000 [soft forward call capture]
        (phGraph: out(CUgraph), flags: val(u32));

    /// Gives unused memory of graphs back.
    fn cuDeviceGraphMemTrim since 11040 [soft release call]
        (device: val(CUdevice));

    /// One number about the memory that graphs hold on a device.
    fn cuDeviceGetGraphMemAttribute since 11040 [soft forward call capture]
        (device: val(CUdevice), attr: val(CUgraphMem_attribute), value: out(u64));

    /// Resets a high-water mark of graph memory.
    fn cuDeviceSetGraphMemAttribute since 11040 [soft forward call capture]
        (device: val(CUdevice), attr: val(CUgraphMem_attribute), value: input(u64));

    /// Copies a graph.
    fn cuGraphClone since 10000 [soft forward call capture]
        (phGraphClone: out(CUgraph), originalGraph: val(CUgraph));

    /// Number that names a graph.
    fn cuGraphGetId since 13010 [soft forward call capture]
        (hGraph: val(CUgraph), graphId: out(u32));

    /// Number that names an executable graph.
    fn cuGraphExecGetId since 13010 [soft forward call capture]
        (hGraphExec: val(CUgraphExec), graphId: out(u32));

    /// Edges of a graph.
    fn cuGraphGetEdges since 10000 [soft forward call capture]
        (hGraph: val(CUgraph), from: array_out(CUgraphNode, numEdges), to: array_out(CUgraphNode, numEdges),
         numEdges: inout(usize));

    /// Edges of a graph with their data.
    fn cuGraphGetEdges_v2 since 12030 [soft forward call capture]
        (hGraph: val(CUgraph), from: array_out(CUgraphNode, numEdges), to: array_out(CUgraphNode, numEdges),
         edgeData: array_out(CUgraphEdgeData, numEdges), numEdges: inout(usize));

    /// Adds edges.
    fn cuGraphAddDependencies since 10000 [soft forward call capture]
        (hGraph: val(CUgraph), from: array(CUgraphNode, numDependencies), to: array(CUgraphNode, numDependencies),
         numDependencies: val(usize));

    /// Adds edges with data.
    fn cuGraphAddDependencies_v2 since 12030 [soft forward call capture]
        (hGraph: val(CUgraph), from: array(CUgraphNode, numDependencies), to: array(CUgraphNode, numDependencies),
         edgeData: array(CUgraphEdgeData, numDependencies), numDependencies: val(usize));

    /// Removes edges.
    fn cuGraphRemoveDependencies since 10000 [soft forward call capture]
        (hGraph: val(CUgraph), from: array(CUgraphNode, numDependencies), to: array(CUgraphNode, numDependencies),
         numDependencies: val(usize));

    /// Removes edges with data.
    fn cuGraphRemoveDependencies_v2 since 12030 [soft forward call capture]
        (hGraph: val(CUgraph), from: array(CUgraphNode, numDependencies), to: array(CUgraphNode, numDependencies),
         edgeData: array(CUgraphEdgeData, numDependencies), numDependencies: val(usize));

    /// Makes a graph executable.
    fn cuGraphInstantiateWithFlags since 11040 [soft charge call capture]
        (phGraphExec: out(CUgraphExec), hGraph: val(CUgraph), flags: val(u64));

    /// Makes a graph executable, from a parameter block.
    fn cuGraphInstantiateWithParams since 12000 [soft charge call capture]
        (phGraphExec: out(CUgraphExec), hGraph: val(CUgraph), instantiateParams: inout(CUDA_GRAPH_INSTANTIATE_PARAMS));

    /// Makes a graph executable, from a parameter block. Default stream: per thread.
    fn cuGraphInstantiateWithParams_ptsz since 12000 [soft charge call capture]
        (phGraphExec: out(CUgraphExec), hGraph: val(CUgraph), instantiateParams: inout(CUDA_GRAPH_INSTANTIATE_PARAMS));

    /// Flags of an executable graph.
    fn cuGraphExecGetFlags since 12000 [soft forward call capture]
        (hGraphExec: val(CUgraphExec), flags: out(u64));

    /// Prepares an executable graph on the device, in stream order.
    fn cuGraphUpload since 11010 [soft charge stream(hStream) submit]
        (hGraph: val(CUgraphExec), hStream: val(CUstream));

    /// Prepares an executable graph on the device, in stream order. Default stream: per thread.
    fn cuGraphUpload_ptsz since 11010 [soft charge stream(hStream) submit]
        (hGraphExec: val(CUgraphExec), hStream: val(CUstream));

    /// Runs an executable graph, in stream order.
    fn cuGraphLaunch since 10000 [soft pace charge gr stream(hStream) submit capture]
        (hGraph: val(CUgraphExec), hStream: val(CUstream));

    /// Runs an executable graph, in stream order. Default stream: per thread.
    fn cuGraphLaunch_ptsz since 10000 [soft pace charge gr stream(hStream) submit capture]
        (hGraphExec: val(CUgraphExec), hStream: val(CUstream));

    /// Destroys an executable graph.
    fn cuGraphExecDestroy since 10000 [soft release submit capture]
        (hGraphExec: val(CUgraphExec));

    /// Destroys a graph.
    fn cuGraphDestroy since 10000 [soft forward submit capture]
        (hGraph: val(CUgraph));

    /// Changes an executable graph to match another graph.
    fn cuGraphExecUpdate since 10020 [soft forward call capture]
        (hGraphExec: val(CUgraphExec), hGraph: val(CUgraph), hErrorNode_out: out(CUgraphNode),
         updateResult_out: out(CUgraphExecUpdateResult));

    /// Changes an executable graph to match another graph.
    fn cuGraphExecUpdate_v2 since 12000 [soft forward call capture]
        (hGraphExec: val(CUgraphExec), hGraph: val(CUgraph), resultInfo: out(CUgraphExecUpdateResultInfo));

    /// Writes a graph as a DOT file.
    fn cuGraphDebugDotPrint since 11030 [soft forward call capture custom_wire]
        (hGraph: val(CUgraph), path: cstr(), flags: val(u32));

    /// Creates a counted object that graphs keep alive.
    fn cuUserObjectCreate since 11030 [soft forward call capture custom_wire]
        (object_out: out(CUuserObject), ptr: raw(Ptr<c_void>), destroy: val(CUhostFn), initialRefcount: val(u32),
         flags: val(u32));

    /// Takes references to a user object.
    fn cuUserObjectRetain since 11030 [soft forward submit capture]
        (object: val(CUuserObject), count: val(u32));

    /// Gives references to a user object back.
    fn cuUserObjectRelease since 11030 [soft forward submit capture]
        (object: val(CUuserObject), count: val(u32));

    /// Gives a graph a reference to a user object.
    fn cuGraphRetainUserObject since 11030 [soft forward submit capture]
        (graph: val(CUgraph), object: val(CUuserObject), count: val(u32), flags: val(u32));

    /// Takes a reference to a user object away from a graph.
    fn cuGraphReleaseUserObject since 11030 [soft forward submit capture]
        (graph: val(CUgraph), object: val(CUuserObject), count: val(u32));

    /// Makes a graph executable; a buffer takes messages.
    fn cuGraphInstantiate since 10000 [soft charge call capture]
        (phGraphExec: out(CUgraphExec), hGraph: val(CUgraph), phErrorNode: out(CUgraphNode),
         logBuffer: bytes_mut(bufferSize), bufferSize: val(usize));

    /// Makes a graph executable; a buffer takes messages.
    fn cuGraphInstantiate_v2 since 11000 [soft charge call capture]
        (phGraphExec: out(CUgraphExec), hGraph: val(CUgraph), phErrorNode: out(CUgraphNode),
         logBuffer: bytes_mut(bufferSize), bufferSize: val(usize));

}}}}
