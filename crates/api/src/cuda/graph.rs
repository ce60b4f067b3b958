#[macro_export]
macro_rules! cuda_graph_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuGraphCreate since 10000 [todo forward call capture]
        (phGraph: out(CUgraph), flags: val(u32));

    fn cuDeviceGraphMemTrim since 11040 [todo release call]
        (device: val(CUdevice));

    fn cuDeviceGetGraphMemAttribute since 11040 [todo answer call capture]
        (device: val(CUdevice), attr: val(CUgraphMem_attribute), value: out(u64));

    fn cuDeviceSetGraphMemAttribute since 11040 [todo forward call capture]
        (device: val(CUdevice), attr: val(CUgraphMem_attribute), value: input(u64));

    fn cuGraphClone since 10000 [todo forward call capture]
        (phGraphClone: out(CUgraph), originalGraph: val(CUgraph));

    fn cuGraphGetId since 13010 [todo forward call capture]
        (hGraph: val(CUgraph), graphId: out(u32));

    fn cuGraphExecGetId since 13010 [todo forward call capture]
        (hGraphExec: val(CUgraphExec), graphId: out(u32));

    fn cuGraphGetEdges since 10000 [todo forward call capture]
        (hGraph: val(CUgraph), from: array_out(CUgraphNode, numEdges), to: array_out(CUgraphNode, numEdges),
         numEdges: inout(usize));

    fn cuGraphGetEdges_v2 since 12030 [todo forward call capture]
        (hGraph: val(CUgraph), from: array_out(CUgraphNode, numEdges), to: array_out(CUgraphNode, numEdges),
         edgeData: array_out(CUgraphEdgeData, numEdges), numEdges: inout(usize));

    fn cuGraphAddDependencies since 10000 [todo forward call capture]
        (hGraph: val(CUgraph), from: array(CUgraphNode, numDependencies), to: array(CUgraphNode, numDependencies),
         numDependencies: val(usize));

    fn cuGraphAddDependencies_v2 since 12030 [todo forward call capture]
        (hGraph: val(CUgraph), from: array(CUgraphNode, numDependencies), to: array(CUgraphNode, numDependencies),
         edgeData: array(CUgraphEdgeData, numDependencies), numDependencies: val(usize));

    fn cuGraphRemoveDependencies since 10000 [todo forward call capture]
        (hGraph: val(CUgraph), from: array(CUgraphNode, numDependencies), to: array(CUgraphNode, numDependencies),
         numDependencies: val(usize));

    fn cuGraphRemoveDependencies_v2 since 12030 [todo forward call capture]
        (hGraph: val(CUgraph), from: array(CUgraphNode, numDependencies), to: array(CUgraphNode, numDependencies),
         edgeData: array(CUgraphEdgeData, numDependencies), numDependencies: val(usize));

    fn cuGraphInstantiateWithFlags since 11040 [todo charge call capture]
        (phGraphExec: out(CUgraphExec), hGraph: val(CUgraph), flags: val(u64));

    fn cuGraphInstantiateWithParams since 12000 [todo charge call capture]
        (phGraphExec: out(CUgraphExec), hGraph: val(CUgraph), instantiateParams: inout(CUDA_GRAPH_INSTANTIATE_PARAMS));

    fn cuGraphInstantiateWithParams_ptsz since 12000 [todo charge call capture]
        (phGraphExec: out(CUgraphExec), hGraph: val(CUgraph), instantiateParams: inout(CUDA_GRAPH_INSTANTIATE_PARAMS));

    fn cuGraphExecGetFlags since 12000 [todo forward call capture]
        (hGraphExec: val(CUgraphExec), flags: out(u64));

    fn cuGraphUpload since 11010 [todo charge stream(hStream) submit]
        (hGraph: val(CUgraphExec), hStream: val(CUstream));

    fn cuGraphUpload_ptsz since 11010 [todo charge stream(hStream) submit]
        (hGraphExec: val(CUgraphExec), hStream: val(CUstream));

    fn cuGraphLaunch since 10000 [todo pace charge gr stream(hStream) submit capture]
        (hGraph: val(CUgraphExec), hStream: val(CUstream));

    fn cuGraphLaunch_ptsz since 10000 [todo pace charge gr stream(hStream) submit capture]
        (hGraphExec: val(CUgraphExec), hStream: val(CUstream));

    fn cuGraphExecDestroy since 10000 [todo release submit capture]
        (hGraphExec: val(CUgraphExec));

    fn cuGraphDestroy since 10000 [todo forward submit capture]
        (hGraph: val(CUgraph));

    fn cuGraphExecUpdate since 10020 [todo forward call capture]
        (hGraphExec: val(CUgraphExec), hGraph: val(CUgraph), hErrorNode_out: out(CUgraphNode),
         updateResult_out: out(CUgraphExecUpdateResult));

    fn cuGraphExecUpdate_v2 since 12000 [todo forward call capture]
        (hGraphExec: val(CUgraphExec), hGraph: val(CUgraph), resultInfo: out(CUgraphExecUpdateResultInfo));

    fn cuGraphDebugDotPrint since 11030 [todo forward call capture]
        (hGraph: val(CUgraph), path: cstr(), flags: val(u32));

    fn cuUserObjectCreate since 11030 [todo forward call capture custom_wire]
        (object_out: out(CUuserObject), ptr: raw(Ptr<c_void>), destroy: val(CUhostFn), initialRefcount: val(u32),
         flags: val(u32));

    fn cuUserObjectRetain since 11030 [todo forward submit capture]
        (object: val(CUuserObject), count: val(u32));

    fn cuUserObjectRelease since 11030 [todo forward submit capture]
        (object: val(CUuserObject), count: val(u32));

    fn cuGraphRetainUserObject since 11030 [todo forward submit capture]
        (graph: val(CUgraph), object: val(CUuserObject), count: val(u32), flags: val(u32));

    fn cuGraphReleaseUserObject since 11030 [todo forward submit capture]
        (graph: val(CUgraph), object: val(CUuserObject), count: val(u32));

    fn cuGraphInstantiate since 10000 [todo charge call capture]
        (phGraphExec: out(CUgraphExec), hGraph: val(CUgraph), phErrorNode: out(CUgraphNode),
         logBuffer: bytes_mut(bufferSize), bufferSize: val(usize));

    fn cuGraphInstantiate_v2 since 11000 [todo charge call capture]
        (phGraphExec: out(CUgraphExec), hGraph: val(CUgraph), phErrorNode: out(CUgraphNode),
         logBuffer: bytes_mut(bufferSize), bufferSize: val(usize));

}}}}
