#[macro_export]
macro_rules! cuda_graph_node_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuGraphAddKernelNode since 10000 [todo forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), nodeParams: input(CUDA_KERNEL_NODE_PARAMS_v1));

    fn cuGraphAddKernelNode_v2 since 12000 [todo forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), nodeParams: input(CUDA_KERNEL_NODE_PARAMS));

    fn cuGraphKernelNodeGetParams since 10000 [todo forward call capture]
        (hNode: val(CUgraphNode), nodeParams: out(CUDA_KERNEL_NODE_PARAMS_v1));

    fn cuGraphKernelNodeGetParams_v2 since 12000 [todo forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: out(CUDA_KERNEL_NODE_PARAMS));

    fn cuGraphKernelNodeSetParams since 10000 [todo forward call capture]
        (hNode: val(CUgraphNode), nodeParams: input(CUDA_KERNEL_NODE_PARAMS_v1));

    fn cuGraphKernelNodeSetParams_v2 since 12000 [todo forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: input(CUDA_KERNEL_NODE_PARAMS));

    fn cuGraphAddMemcpyNode since 10000 [todo forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), copyParams: input(CUDA_MEMCPY3D), ctx: val(CUcontext));

    fn cuGraphMemcpyNodeGetParams since 10000 [todo forward call capture]
        (hNode: val(CUgraphNode), nodeParams: out(CUDA_MEMCPY3D));

    fn cuGraphMemcpyNodeSetParams since 10000 [todo forward call capture]
        (hNode: val(CUgraphNode), nodeParams: input(CUDA_MEMCPY3D));

    fn cuGraphAddMemsetNode since 10000 [todo forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), memsetParams: input(CUDA_MEMSET_NODE_PARAMS), ctx: val(CUcontext));

    fn cuGraphMemsetNodeGetParams since 10000 [todo forward call capture]
        (hNode: val(CUgraphNode), nodeParams: out(CUDA_MEMSET_NODE_PARAMS));

    fn cuGraphMemsetNodeSetParams since 10000 [todo forward call capture]
        (hNode: val(CUgraphNode), nodeParams: input(CUDA_MEMSET_NODE_PARAMS));

    fn cuGraphAddHostNode since 10000 [todo forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), nodeParams: input(CUDA_HOST_NODE_PARAMS));

    fn cuGraphHostNodeGetParams since 10000 [todo forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: out(CUDA_HOST_NODE_PARAMS));

    fn cuGraphHostNodeSetParams since 10000 [todo forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: input(CUDA_HOST_NODE_PARAMS));

    fn cuGraphAddChildGraphNode since 10000 [todo forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), childGraph: val(CUgraph));

    fn cuGraphChildGraphNodeGetGraph since 10000 [todo forward call capture]
        (hNode: val(CUgraphNode), phGraph: out(CUgraph));

    fn cuGraphAddEmptyNode since 10000 [todo forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize));

    fn cuGraphAddEventRecordNode since 11010 [todo forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), event: val(CUevent));

    fn cuGraphEventRecordNodeGetEvent since 11010 [todo forward call capture]
        (hNode: val(CUgraphNode), event_out: out(CUevent));

    fn cuGraphEventRecordNodeSetEvent since 11010 [todo forward call capture]
        (hNode: val(CUgraphNode), event: val(CUevent));

    fn cuGraphAddEventWaitNode since 11010 [todo forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), event: val(CUevent));

    fn cuGraphEventWaitNodeGetEvent since 11010 [todo forward call capture]
        (hNode: val(CUgraphNode), event_out: out(CUevent));

    fn cuGraphEventWaitNodeSetEvent since 11010 [todo forward call capture]
        (hNode: val(CUgraphNode), event: val(CUevent));

    fn cuGraphAddExternalSemaphoresSignalNode since 11020 [todo forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), nodeParams: input(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS));

    fn cuGraphExternalSemaphoresSignalNodeGetParams since 11020 [todo forward call capture custom_wire]
        (hNode: val(CUgraphNode), params_out: out(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS));

    fn cuGraphExternalSemaphoresSignalNodeSetParams since 11020 [todo forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: input(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS));

    fn cuGraphAddExternalSemaphoresWaitNode since 11020 [todo forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), nodeParams: input(CUDA_EXT_SEM_WAIT_NODE_PARAMS));

    fn cuGraphExternalSemaphoresWaitNodeGetParams since 11020 [todo forward call capture custom_wire]
        (hNode: val(CUgraphNode), params_out: out(CUDA_EXT_SEM_WAIT_NODE_PARAMS));

    fn cuGraphExternalSemaphoresWaitNodeSetParams since 11020 [todo forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: input(CUDA_EXT_SEM_WAIT_NODE_PARAMS));

    fn cuGraphAddBatchMemOpNode since 11070 [todo forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), nodeParams: input(CUDA_BATCH_MEM_OP_NODE_PARAMS));

    fn cuGraphBatchMemOpNodeGetParams since 11070 [todo forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams_out: out(CUDA_BATCH_MEM_OP_NODE_PARAMS));

    fn cuGraphBatchMemOpNodeSetParams since 11070 [todo forward call capture custom_wire]
        (hNode: val(CUgraphNode), nodeParams: input(CUDA_BATCH_MEM_OP_NODE_PARAMS));

    fn cuGraphExecBatchMemOpNodeSetParams since 11070 [todo forward call capture custom_wire]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), nodeParams: input(CUDA_BATCH_MEM_OP_NODE_PARAMS));

    fn cuGraphAddMemAllocNode since 11040 [todo forward call capture custom_wire]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), nodeParams: inout(CUDA_MEM_ALLOC_NODE_PARAMS));

    fn cuGraphMemAllocNodeGetParams since 11040 [todo forward call capture custom_wire]
        (hNode: val(CUgraphNode), params_out: out(CUDA_MEM_ALLOC_NODE_PARAMS));

    fn cuGraphAddMemFreeNode since 11040 [todo forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), dptr: val(CUdeviceptr));

    fn cuGraphMemFreeNodeGetParams since 11040 [todo forward call capture]
        (hNode: val(CUgraphNode), dptr_out: out(CUdeviceptr));

    fn cuGraphNodeFindInClone since 10000 [todo forward call capture]
        (phNode: out(CUgraphNode), hOriginalNode: val(CUgraphNode), hClonedGraph: val(CUgraph));

    fn cuGraphNodeGetType since 10000 [todo forward call capture]
        (hNode: val(CUgraphNode), type_: out(CUgraphNodeType));

    fn cuGraphNodeGetContainingGraph since 13010 [todo forward call capture]
        (hNode: val(CUgraphNode), phGraph: out(CUgraph));

    fn cuGraphNodeGetLocalId since 13010 [todo forward call capture]
        (hNode: val(CUgraphNode), nodeId: out(u32));

    fn cuGraphNodeGetToolsId since 13010 [todo forward call capture]
        (hNode: val(CUgraphNode), toolsNodeId: out(u64));

    fn cuGraphGetNodes since 10000 [todo forward call capture]
        (hGraph: val(CUgraph), nodes: array_out(CUgraphNode, numNodes), numNodes: inout(usize));

    fn cuGraphGetRootNodes since 10000 [todo forward call capture]
        (hGraph: val(CUgraph), rootNodes: array_out(CUgraphNode, numRootNodes), numRootNodes: inout(usize));

    fn cuGraphNodeGetDependencies since 10000 [todo forward call capture]
        (hNode: val(CUgraphNode), dependencies: array_out(CUgraphNode, numDependencies), numDependencies: inout(usize));

    fn cuGraphNodeGetDependencies_v2 since 12030 [todo forward call capture]
        (hNode: val(CUgraphNode), dependencies: array_out(CUgraphNode, numDependencies),
         edgeData: array_out(CUgraphEdgeData, numDependencies), numDependencies: inout(usize));

    fn cuGraphNodeGetDependentNodes since 10000 [todo forward call capture]
        (hNode: val(CUgraphNode), dependentNodes: array_out(CUgraphNode, numDependentNodes),
         numDependentNodes: inout(usize));

    fn cuGraphNodeGetDependentNodes_v2 since 12030 [todo forward call capture]
        (hNode: val(CUgraphNode), dependentNodes: array_out(CUgraphNode, numDependentNodes),
         edgeData: array_out(CUgraphEdgeData, numDependentNodes), numDependentNodes: inout(usize));

    fn cuGraphDestroyNode since 10000 [todo forward submit capture]
        (hNode: val(CUgraphNode));

    fn cuGraphExecKernelNodeSetParams since 10010 [todo forward call capture]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), nodeParams: input(CUDA_KERNEL_NODE_PARAMS_v1));

    fn cuGraphExecKernelNodeSetParams_v2 since 12000 [todo forward call capture custom_wire]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), nodeParams: input(CUDA_KERNEL_NODE_PARAMS));

    fn cuGraphExecMemcpyNodeSetParams since 10020 [todo forward call capture]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), copyParams: input(CUDA_MEMCPY3D), ctx: val(CUcontext));

    fn cuGraphExecMemsetNodeSetParams since 10020 [todo forward call capture]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), memsetParams: input(CUDA_MEMSET_NODE_PARAMS),
         ctx: val(CUcontext));

    fn cuGraphExecHostNodeSetParams since 10020 [todo forward call capture custom_wire]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), nodeParams: input(CUDA_HOST_NODE_PARAMS));

    fn cuGraphExecChildGraphNodeSetParams since 11010 [todo forward call capture]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), childGraph: val(CUgraph));

    fn cuGraphExecEventRecordNodeSetEvent since 11010 [todo forward call capture]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), event: val(CUevent));

    fn cuGraphExecEventWaitNodeSetEvent since 11010 [todo forward call capture]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), event: val(CUevent));

    fn cuGraphExecExternalSemaphoresSignalNodeSetParams since 11020 [todo forward call capture custom_wire]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), nodeParams: input(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS));

    fn cuGraphExecExternalSemaphoresWaitNodeSetParams since 11020 [todo forward call capture custom_wire]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), nodeParams: input(CUDA_EXT_SEM_WAIT_NODE_PARAMS));

    fn cuGraphNodeSetEnabled since 11060 [todo forward call capture]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), isEnabled: val(u32));

    fn cuGraphNodeGetEnabled since 11060 [todo forward call capture]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), isEnabled: out(u32));

    fn cuGraphKernelNodeCopyAttributes since 11000 [todo forward call capture]
        (dst: val(CUgraphNode), src: val(CUgraphNode));

    fn cuGraphKernelNodeGetAttribute since 11000 [todo forward call capture]
        (hNode: val(CUgraphNode), attr: val(CUlaunchAttributeID), value_out: out(CUlaunchAttributeValue));

    fn cuGraphKernelNodeSetAttribute since 11000 [todo forward call capture]
        (hNode: val(CUgraphNode), attr: val(CUlaunchAttributeID), value: input(CUlaunchAttributeValue));

    fn cuGraphAddNode since 12020 [todo forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         numDependencies: val(usize), nodeParams: inout(CUgraphNodeParams));

    fn cuGraphAddNode_v2 since 12030 [todo forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         dependencyData: array(CUgraphEdgeData, numDependencies), numDependencies: val(usize),
         nodeParams: inout(CUgraphNodeParams));

    fn cuGraphAddNode_v3 since 13040 [todo forward call capture]
        (phGraphNode: out(CUgraphNode), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         dependencyData: array(CUgraphEdgeData, numDependencies), numDependencies: val(usize),
         nodeParams: inout(CUgraphNodeParams));

    fn cuGraphNodeSetParams since 12020 [todo forward call capture]
        (hNode: val(CUgraphNode), nodeParams: input(CUgraphNodeParams));

    fn cuGraphNodeSetParams_v2 since 13040 [todo forward call capture]
        (hNode: val(CUgraphNode), nodeParams: input(CUgraphNodeParams));

    fn cuGraphNodeGetParams since 13020 [todo forward call capture]
        (hNode: val(CUgraphNode), nodeParams: out(CUgraphNodeParams));

    fn cuGraphExecNodeSetParams since 12020 [todo forward call capture]
        (hGraphExec: val(CUgraphExec), hNode: val(CUgraphNode), nodeParams: input(CUgraphNodeParams));

    fn cuGraphConditionalHandleCreate since 12030 [todo forward call capture]
        (pHandle_out: out(CUgraphConditionalHandle), hGraph: val(CUgraph), ctx: val(CUcontext),
         defaultLaunchValue: val(u32), flags: val(u32));

}}}}
