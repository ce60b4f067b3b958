#[macro_export]
#[doc(hidden)]
macro_rules! cuda_graph_node_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Adds a kernel node.
    fn cuGraphAddKernelNode since 10000 [soft forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), nodeParams: input(CUDA_KERNEL_NODE_PARAMS_v1));

    /// Adds a kernel node.
    fn cuGraphAddKernelNode_v2 since 12000 [soft forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), nodeParams: input(CUDA_KERNEL_NODE_PARAMS));

    /// Parameters of a kernel node.
    fn cuGraphKernelNodeGetParams since 10000 [soft forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: out(CUDA_KERNEL_NODE_PARAMS_v1));

    /// Parameters of a kernel node.
    fn cuGraphKernelNodeGetParams_v2 since 12000 [soft forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: out(CUDA_KERNEL_NODE_PARAMS));

    /// Changes a kernel node.
    fn cuGraphKernelNodeSetParams since 10000 [soft forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: input(CUDA_KERNEL_NODE_PARAMS_v1));

    /// Changes a kernel node.
    fn cuGraphKernelNodeSetParams_v2 since 12000 [soft forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: input(CUDA_KERNEL_NODE_PARAMS));

    /// Adds a copy node.
    fn cuGraphAddMemcpyNode since 10000 [soft forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), copyParams: input(CUDA_MEMCPY3D), ctx: val(CUcontext));

    /// Parameters of a copy node.
    fn cuGraphMemcpyNodeGetParams since 10000 [soft forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: out(CUDA_MEMCPY3D));

    /// Changes a copy node.
    fn cuGraphMemcpyNodeSetParams since 10000 [soft forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: input(CUDA_MEMCPY3D));

    /// Adds a fill node.
    fn cuGraphAddMemsetNode since 10000 [soft forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), memsetParams: input(CUDA_MEMSET_NODE_PARAMS), ctx: val(CUcontext));

    /// Parameters of a fill node.
    fn cuGraphMemsetNodeGetParams since 10000 [soft forward call capture]
        (hNode: val(CUgraphNode), nodeParams: out(CUDA_MEMSET_NODE_PARAMS));

    /// Changes a fill node.
    fn cuGraphMemsetNodeSetParams since 10000 [soft forward call capture]
        (hNode: val(CUgraphNode), nodeParams: input(CUDA_MEMSET_NODE_PARAMS));

    /// Adds a node that calls a host function.
    fn cuGraphAddHostNode since 10000 [soft forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), nodeParams: input(CUDA_HOST_NODE_PARAMS));

    /// Parameters of a host function node.
    fn cuGraphHostNodeGetParams since 10000 [soft forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: out(CUDA_HOST_NODE_PARAMS));

    /// Changes a host function node.
    fn cuGraphHostNodeSetParams since 10000 [soft forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: input(CUDA_HOST_NODE_PARAMS));

    /// Adds a graph as a node.
    fn cuGraphAddChildGraphNode since 10000 [soft forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), childGraph: val(CUgraph));

    /// Graph inside a child graph node.
    fn cuGraphChildGraphNodeGetGraph since 10000 [soft forward call capture]
        (hNode: val(CUgraphNode), phGraph: out(CUgraph));

    /// Adds a node that does nothing.
    fn cuGraphAddEmptyNode since 10000 [soft forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize));

    /// Adds a node that records an event.
    fn cuGraphAddEventRecordNode since 11010 [soft forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), event: val(CUevent));

    /// Event of a record node.
    fn cuGraphEventRecordNodeGetEvent since 11010 [soft forward call capture]
        (hNode: val(CUgraphNode), event_out: out(CUevent));

    /// Changes the event of a record node.
    fn cuGraphEventRecordNodeSetEvent since 11010 [soft forward call capture]
        (hNode: val(CUgraphNode), event: val(CUevent));

    /// Adds a node that waits for an event.
    fn cuGraphAddEventWaitNode since 11010 [soft forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), event: val(CUevent));

    /// Event of a wait node.
    fn cuGraphEventWaitNodeGetEvent since 11010 [soft forward call capture]
        (hNode: val(CUgraphNode), event_out: out(CUevent));

    /// Changes the event of a wait node.
    fn cuGraphEventWaitNodeSetEvent since 11010 [soft forward call capture]
        (hNode: val(CUgraphNode), event: val(CUevent));

    /// Adds a node that signals external semaphores.
    fn cuGraphAddExternalSemaphoresSignalNode since 11020 [todo forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), nodeParams: input(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS));

    /// Parameters of a signal node.
    fn cuGraphExternalSemaphoresSignalNodeGetParams since 11020 [todo forward call capture custom_wire]
        (hNode: val(CUgraphNode), params_out: out(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS));

    /// Changes a signal node.
    fn cuGraphExternalSemaphoresSignalNodeSetParams since 11020 [todo forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: input(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS));

    /// Adds a node that waits for external semaphores.
    fn cuGraphAddExternalSemaphoresWaitNode since 11020 [todo forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), nodeParams: input(CUDA_EXT_SEM_WAIT_NODE_PARAMS));

    /// Parameters of a semaphore wait node.
    fn cuGraphExternalSemaphoresWaitNodeGetParams since 11020 [todo forward call capture custom_wire]
        (hNode: val(CUgraphNode), params_out: out(CUDA_EXT_SEM_WAIT_NODE_PARAMS));

    /// Changes a semaphore wait node.
    fn cuGraphExternalSemaphoresWaitNodeSetParams since 11020 [todo forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: input(CUDA_EXT_SEM_WAIT_NODE_PARAMS));

    /// Adds a node of waits and writes of memory values.
    fn cuGraphAddBatchMemOpNode since 11070 [soft forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), nodeParams: input(CUDA_BATCH_MEM_OP_NODE_PARAMS));

    /// Parameters of a node of memory operations.
    fn cuGraphBatchMemOpNodeGetParams since 11070 [soft forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams_out: out(CUDA_BATCH_MEM_OP_NODE_PARAMS));

    /// Changes a node of memory operations.
    fn cuGraphBatchMemOpNodeSetParams since 11070 [soft forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: input(CUDA_BATCH_MEM_OP_NODE_PARAMS));

    /// Changes memory operations of an executable graph.
    fn cuGraphExecBatchMemOpNodeSetParams since 11070 [soft forward call capture custom_wire]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), nodeParams: input(CUDA_BATCH_MEM_OP_NODE_PARAMS));

    /// Adds a node that allocates memory.
    fn cuGraphAddMemAllocNode since 11040 [soft forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), nodeParams: inout(CUDA_MEM_ALLOC_NODE_PARAMS));

    /// Parameters of an allocation node.
    fn cuGraphMemAllocNodeGetParams since 11040 [soft forward call capture custom_wire]
        (hNode: val(CUgraphNode), params_out: out(CUDA_MEM_ALLOC_NODE_PARAMS));

    /// Adds a node that frees memory.
    fn cuGraphAddMemFreeNode since 11040 [soft forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), dptr: val(CUdeviceptr));

    /// Address a free node frees.
    fn cuGraphMemFreeNodeGetParams since 11040 [soft forward call capture]
        (hNode: val(CUgraphNode), dptr_out: out(CUdeviceptr));

    /// Node of a copied graph that stands for a node of the original.
    fn cuGraphNodeFindInClone since 10000 [soft forward call capture]
        (phNode: out(CUgraphNode), hOriginalNode: val(CUgraphNode), hClonedGraph: val(CUgraph));

    /// Type of a node.
    fn cuGraphNodeGetType since 10000 [soft forward call capture]
        (hNode: val(CUgraphNode), type_: out(CUgraphNodeType));

    /// Graph a node is in.
    fn cuGraphNodeGetContainingGraph since 13010 [soft forward call capture]
        (hNode: val(CUgraphNode), phGraph: out(CUgraph));

    /// Number of a node within its graph.
    fn cuGraphNodeGetLocalId since 13010 [soft forward call capture]
        (hNode: val(CUgraphNode), nodeId: out(u32));

    /// Number by which tools name a node.
    fn cuGraphNodeGetToolsId since 13010 [soft forward call capture]
        (hNode: val(CUgraphNode), toolsNodeId: out(u64));

    /// Nodes of a graph.
    fn cuGraphGetNodes since 10000 [soft forward call capture]
        (hGraph: val(CUgraph), nodes: array_out(CUgraphNode, numNodes), numNodes: inout(usize));

    /// Nodes of a graph that depend on nothing.
    fn cuGraphGetRootNodes since 10000 [soft forward call capture]
        (hGraph: val(CUgraph), rootNodes: array_out(CUgraphNode, numRootNodes), numRootNodes: inout(usize));

    /// Nodes a node depends on.
    fn cuGraphNodeGetDependencies since 10000 [soft forward call capture]
        (hNode: val(CUgraphNode), dependencies: array_out(CUgraphNode, numDependencies), numDependencies: inout(usize));

    /// Nodes a node depends on, with edge data.
    fn cuGraphNodeGetDependencies_v2 since 12030 [soft forward call capture]
        (hNode: val(CUgraphNode), dependencies: array_out(CUgraphNode, numDependencies),
         edgeData: array_out(CUgraphEdgeData, numDependencies), numDependencies: inout(usize));

    /// Nodes that depend on a node.
    fn cuGraphNodeGetDependentNodes since 10000 [soft forward call capture]
        (hNode: val(CUgraphNode), dependentNodes: array_out(CUgraphNode, numDependentNodes),
         numDependentNodes: inout(usize));

    /// Nodes that depend on a node, with edge data.
    fn cuGraphNodeGetDependentNodes_v2 since 12030 [soft forward call capture]
        (hNode: val(CUgraphNode), dependentNodes: array_out(CUgraphNode, numDependentNodes),
         edgeData: array_out(CUgraphEdgeData, numDependentNodes), numDependentNodes: inout(usize));

    /// Removes a node.
    fn cuGraphDestroyNode since 10000 [soft forward submit capture]
        (hNode: val(CUgraphNode));

    /// Changes a kernel of an executable graph.
    fn cuGraphExecKernelNodeSetParams since 10010 [soft forward call capture custom_wire]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), nodeParams: input(CUDA_KERNEL_NODE_PARAMS_v1));

    /// Changes a kernel of an executable graph.
    fn cuGraphExecKernelNodeSetParams_v2 since 12000 [soft forward call capture custom_wire]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), nodeParams: input(CUDA_KERNEL_NODE_PARAMS));

    /// Changes a copy of an executable graph.
    fn cuGraphExecMemcpyNodeSetParams since 10020 [soft forward call capture custom_wire]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), copyParams: input(CUDA_MEMCPY3D), ctx: val(CUcontext));

    /// Changes a fill of an executable graph.
    fn cuGraphExecMemsetNodeSetParams since 10020 [soft forward call capture]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), memsetParams: input(CUDA_MEMSET_NODE_PARAMS),
         ctx: val(CUcontext));

    /// Changes a host function of an executable graph.
    fn cuGraphExecHostNodeSetParams since 10020 [soft forward call capture custom_wire]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), nodeParams: input(CUDA_HOST_NODE_PARAMS));

    /// Changes a child graph of an executable graph.
    fn cuGraphExecChildGraphNodeSetParams since 11010 [soft forward call capture]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), childGraph: val(CUgraph));

    /// Changes a recorded event of an executable graph.
    fn cuGraphExecEventRecordNodeSetEvent since 11010 [soft forward call capture]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), event: val(CUevent));

    /// Changes an awaited event of an executable graph.
    fn cuGraphExecEventWaitNodeSetEvent since 11010 [soft forward call capture]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), event: val(CUevent));

    /// Changes signalled semaphores of an executable graph.
    fn cuGraphExecExternalSemaphoresSignalNodeSetParams since 11020 [todo forward call capture custom_wire]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), nodeParams: input(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS));

    /// Changes awaited semaphores of an executable graph.
    fn cuGraphExecExternalSemaphoresWaitNodeSetParams since 11020 [todo forward call capture custom_wire]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), nodeParams: input(CUDA_EXT_SEM_WAIT_NODE_PARAMS));

    /// Whether a node of an executable graph shall run.
    fn cuGraphNodeSetEnabled since 11060 [soft forward call capture]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), isEnabled: val(u32));

    /// Whether a node of an executable graph runs.
    fn cuGraphNodeGetEnabled since 11060 [soft forward call capture]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), isEnabled: out(u32));

    /// Copies attributes from kernel node to kernel node.
    fn cuGraphKernelNodeCopyAttributes since 11000 [soft forward call capture]
        (dst: val(CUgraphNode), src: val(CUgraphNode));

    /// An attribute of a kernel node.
    fn cuGraphKernelNodeGetAttribute since 11000 [soft forward call capture]
        (hNode: val(CUgraphNode), attr: val(CUlaunchAttributeID), value_out: out(CUlaunchAttributeValue));

    /// Changes an attribute of a kernel node.
    fn cuGraphKernelNodeSetAttribute since 11000 [soft forward call capture]
        (hNode: val(CUgraphNode), attr: val(CUlaunchAttributeID), value: input(CUlaunchAttributeValue));

    /// Adds a node of any type.
    fn cuGraphAddNode since 12020 [soft forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), nodeParams: inout(CUgraphNodeParams));

    /// Adds a node of any type, with edge data.
    fn cuGraphAddNode_v2 since 12030 [soft forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         dependencyData: array(CUgraphEdgeData, numDependencies), numDependencies: val(usize),
         nodeParams: inout(CUgraphNodeParams));

    /// Adds a node of any type, with edge data; contexts in the parameters count.
    fn cuGraphAddNode_v3 since 13040 [soft forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         dependencyData: array(CUgraphEdgeData, numDependencies), numDependencies: val(usize),
         nodeParams: inout(CUgraphNodeParams));

    /// Changes a node of any type.
    fn cuGraphNodeSetParams since 12020 [soft forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: input(CUgraphNodeParams));

    /// Changes a node of any type; contexts in the parameters count.
    fn cuGraphNodeSetParams_v2 since 13040 [soft forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: input(CUgraphNodeParams));

    /// Parameters of a node of any type.
    fn cuGraphNodeGetParams since 13020 [soft forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: out(CUgraphNodeParams));

    /// Changes any node of an executable graph.
    fn cuGraphExecNodeSetParams since 12020 [soft forward call capture custom_wire]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), nodeParams: input(CUgraphNodeParams));

    /// Creates the value that a conditional node tests.
    fn cuGraphConditionalHandleCreate since 12030 [todo forward call capture]
        (pHandle_out: out(CUgraphConditionalHandle), hGraph: val(CUgraph), ctx: val(CUcontext),
         defaultLaunchValue: val(u32), flags: val(u32));

}}}}
