#[macro_export]
#[doc(hidden)]
macro_rules! cuda_stream_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Creates a stream.
    fn cuStreamCreate since 2000 [soft forward call capture]
        (phStream: out(CUstream), Flags: val(u32));

    /// Creates a stream with a priority.
    fn cuStreamCreateWithPriority since 5050 [soft forward call capture]
        (phStream: out(CUstream), flags: val(u32), priority: val(i32));

    /// Begins to record a stream's work for a graphics queue.
    fn cuStreamBeginCaptureToCig since 13010 [todo note stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), streamCigCaptureParams: input(CUstreamCigCaptureParams));

    /// Begins to record a stream's work for a graphics queue. Default stream: per thread.
    fn cuStreamBeginCaptureToCig_ptsz since 13010 [todo note stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), streamCigCaptureParams: input(CUstreamCigCaptureParams));

    /// Ends recording for a graphics queue.
    fn cuStreamEndCaptureToCig since 13010 [todo note stream(hStream) call capture]
        (hStream: val(CUstream));

    /// Ends recording for a graphics queue. Default stream: per thread.
    fn cuStreamEndCaptureToCig_ptsz since 13010 [todo note stream(hStream) call capture]
        (hStream: val(CUstream));

    /// Priority of a stream.
    fn cuStreamGetPriority since 5050 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), priority: out(i32));

    /// Priority of a stream. Default stream: per thread.
    fn cuStreamGetPriority_ptsz since 7000 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), priority: out(i32));

    /// Device of a stream.
    fn cuStreamGetDevice since 12080 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), device: out(CUdevice));

    /// Device of a stream. Default stream: per thread.
    fn cuStreamGetDevice_ptsz since 12080 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), device: out(CUdevice));

    /// Flags of a stream.
    fn cuStreamGetFlags since 5050 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), flags: out(u32));

    /// Flags of a stream. Default stream: per thread.
    fn cuStreamGetFlags_ptsz since 7000 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), flags: out(u32));

    /// Number that names a stream for as long as the process lives.
    fn cuStreamGetId since 12000 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), streamId: out(u64));

    /// Number that names a stream for as long as the process lives. Default stream: per thread.
    fn cuStreamGetId_ptsz since 12000 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), streamId: out(u64));

    /// Context of a stream.
    fn cuStreamGetCtx since 9020 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), pctx: out(CUcontext));

    /// Context of a stream. Default stream: per thread.
    fn cuStreamGetCtx_ptsz since 9020 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), pctx: out(CUcontext));

    /// Context or green context of a stream.
    fn cuStreamGetCtx_v2 since 12050 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), pCtx: out(CUcontext), pGreenCtx: out(CUgreenCtx));

    /// Context or green context of a stream. Default stream: per thread.
    fn cuStreamGetCtx_v2_ptsz since 12050 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), pCtx: out(CUcontext), pGreenCtx: out(CUgreenCtx));

    /// Makes later work of a stream wait for an event.
    fn cuStreamWaitEvent since 3020 [soft forward stream(hStream) submit capture]
        (hStream: val(CUstream), hEvent: val(CUevent), Flags: val(u32));

    /// Makes later work of a stream wait for an event. Default stream: per thread.
    fn cuStreamWaitEvent_ptsz since 7000 [soft forward stream(hStream) submit capture]
        (hStream: val(CUstream), hEvent: val(CUevent), Flags: val(u32));

    /// Calls a host function with the stream's status, in stream order.
    fn cuStreamAddCallback since 5000 [soft forward stream(hStream) submit custom_wire]
        (hStream: val(CUstream), callback: val(CUstreamCallback), userData: raw(Ptr<c_void>), flags: val(u32));

    /// Calls a host function with the stream's status, in stream order. Default stream: per thread.
    fn cuStreamAddCallback_ptsz since 7000 [soft forward stream(hStream) submit custom_wire]
        (hStream: val(CUstream), callback: val(CUstreamCallback), userData: raw(Ptr<c_void>), flags: val(u32));

    /// Begins to record a stream's work into a graph.
    fn cuStreamBeginCapture since 10000 [soft note stream(hStream) call capture]
        (hStream: val(CUstream));

    /// Begins to record a stream's work into a graph. Default stream: per thread.
    fn cuStreamBeginCapture_ptsz since 10000 [soft note stream(hStream) call capture]
        (hStream: val(CUstream));

    /// Begins to record a stream's work into a graph, with a mode.
    fn cuStreamBeginCapture_v2 since 10010 [soft note stream(hStream) call capture]
        (hStream: val(CUstream), mode: val(CUstreamCaptureMode));

    /// Begins to record a stream's work into a graph, with a mode. Default stream: per thread.
    fn cuStreamBeginCapture_v2_ptsz since 10010 [soft note stream(hStream) call capture]
        (hStream: val(CUstream), mode: val(CUstreamCaptureMode));

    /// Begins to record a stream's work over an existing graph.
    fn cuStreamBeginRecaptureToGraph since 13030 [todo forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), mode: val(CUstreamCaptureMode), hGraph: val(CUgraph),
         callbackFunc: val(CUgraphRecaptureCallback), userData: raw(Ptr<c_void>));

    /// Begins to record a stream's work over an existing graph. Default stream: per thread.
    fn cuStreamBeginRecaptureToGraph_ptsz since 13030 [todo forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), mode: val(CUstreamCaptureMode), hGraph: val(CUgraph),
         callbackFunc: val(CUgraphRecaptureCallback), userData: raw(Ptr<c_void>));

    /// Begins to record a stream's work into an existing graph.
    fn cuStreamBeginCaptureToGraph since 12030 [soft note stream(hStream) call capture]
        (hStream: val(CUstream), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         dependencyData: array(CUgraphEdgeData, numDependencies), numDependencies: val(usize),
         mode: val(CUstreamCaptureMode));

    /// Begins to record a stream's work into an existing graph. Default stream: per thread.
    fn cuStreamBeginCaptureToGraph_ptsz since 12030 [soft note stream(hStream) call capture]
        (hStream: val(CUstream), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         dependencyData: array(CUgraphEdgeData, numDependencies), numDependencies: val(usize),
         mode: val(CUstreamCaptureMode));

    /// Swaps this thread's rule about unsafe calls during recording.
    fn cuThreadExchangeStreamCaptureMode since 10010 [soft forward call capture]
        (mode: inout(CUstreamCaptureMode));

    /// Ends recording and gives the graph.
    fn cuStreamEndCapture since 10000 [soft note stream(hStream) call capture]
        (hStream: val(CUstream), phGraph: out(CUgraph));

    /// Ends recording and gives the graph. Default stream: per thread.
    fn cuStreamEndCapture_ptsz since 10000 [soft note stream(hStream) call capture]
        (hStream: val(CUstream), phGraph: out(CUgraph));

    /// Whether a stream is being recorded.
    fn cuStreamIsCapturing since 10000 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), captureStatus: out(CUstreamCaptureStatus));

    /// Whether a stream is being recorded. Default stream: per thread.
    fn cuStreamIsCapturing_ptsz since 10000 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), captureStatus: out(CUstreamCaptureStatus));

    /// State and id of a recording.
    fn cuStreamGetCaptureInfo since 10010 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), captureStatus_out: out(CUstreamCaptureStatus), id_out: out(u64));

    /// State and id of a recording. Default stream: per thread.
    fn cuStreamGetCaptureInfo_ptsz since 10010 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), captureStatus_out: out(CUstreamCaptureStatus), id_out: out(u64));

    /// State, graph and open nodes of a recording.
    fn cuStreamGetCaptureInfo_v2 since 11030 [soft forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), captureStatus_out: out(CUstreamCaptureStatus), id_out: out(u64),
         graph_out: out(CUgraph), dependencies_out: out(Ptr<CUgraphNode>), numDependencies_out: out(usize));

    /// State, graph and open nodes of a recording. Default stream: per thread.
    fn cuStreamGetCaptureInfo_v2_ptsz since 11030 [soft forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), captureStatus_out: out(CUstreamCaptureStatus), id_out: out(u64),
         graph_out: out(CUgraph), dependencies_out: out(Ptr<CUgraphNode>), numDependencies_out: out(usize));

    /// State, graph, open nodes and their edges of a recording.
    fn cuStreamGetCaptureInfo_v3 since 12030 [soft forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), captureStatus_out: out(CUstreamCaptureStatus), id_out: out(u64),
         graph_out: out(CUgraph), dependencies_out: out(Ptr<CUgraphNode>), edgeData_out: out(Ptr<CUgraphEdgeData>),
         numDependencies_out: out(usize));

    /// State, graph, open nodes and their edges of a recording. Default stream: per thread.
    fn cuStreamGetCaptureInfo_v3_ptsz since 12030 [soft forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), captureStatus_out: out(CUstreamCaptureStatus), id_out: out(u64),
         graph_out: out(CUgraph), dependencies_out: out(Ptr<CUgraphNode>), edgeData_out: out(Ptr<CUgraphEdgeData>),
         numDependencies_out: out(usize));

    /// Changes what the next recorded node depends on.
    fn cuStreamUpdateCaptureDependencies since 11030 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), dependencies: array(CUgraphNode, numDependencies), numDependencies: val(usize),
         flags: val(u32));

    /// Changes what the next recorded node depends on. Default stream: per thread.
    fn cuStreamUpdateCaptureDependencies_ptsz since 11030 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), dependencies: array(CUgraphNode, numDependencies), numDependencies: val(usize),
         flags: val(u32));

    /// Changes what the next recorded node depends on, with edge data.
    fn cuStreamUpdateCaptureDependencies_v2 since 12030 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), dependencies: array(CUgraphNode, numDependencies),
         dependencyData: array(CUgraphEdgeData, numDependencies), numDependencies: val(usize), flags: val(u32));

    /// Changes what the next recorded node depends on, with edge data. Default stream: per thread.
    fn cuStreamUpdateCaptureDependencies_v2_ptsz since 12030 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), dependencies: array(CUgraphNode, numDependencies),
         dependencyData: array(CUgraphEdgeData, numDependencies), numDependencies: val(usize), flags: val(u32));

    /// Ties managed memory to a stream.
    fn cuStreamAttachMemAsync since 6000 [soft forward stream(hStream) submit]
        (hStream: val(CUstream), dptr: val(CUdeviceptr), length: val(usize), flags: val(u32));

    /// Ties managed memory to a stream. Default stream: per thread.
    fn cuStreamAttachMemAsync_ptsz since 7000 [soft forward stream(hStream) submit]
        (hStream: val(CUstream), dptr: val(CUdeviceptr), length: val(usize), flags: val(u32));

    /// Whether a stream's work is finished.
    fn cuStreamQuery since 2000 [soft forward stream(hStream) call]
        (hStream: val(CUstream));

    /// Whether a stream's work is finished. Default stream: per thread.
    fn cuStreamQuery_ptsz since 7000 [soft forward stream(hStream) call]
        (hStream: val(CUstream));

    /// Waits for a stream's work.
    fn cuStreamSynchronize since 2000 [soft release stream(hStream) call]
        (hStream: val(CUstream));

    /// Waits for a stream's work. Default stream: per thread.
    fn cuStreamSynchronize_ptsz since 7000 [soft release stream(hStream) call]
        (hStream: val(CUstream));

    /// Destroys a stream; its work still finishes.
    fn cuStreamDestroy since 2000 [soft note stream(hStream) submit capture]
        (hStream: val(CUstream));

    /// Destroys a stream; its work still finishes.
    fn cuStreamDestroy_v2 since 4000 [soft note stream(hStream) submit capture]
        (hStream: val(CUstream));

    /// Copies attributes from stream to stream.
    fn cuStreamCopyAttributes since 11000 [soft forward stream(dstStream) submit capture]
        (dstStream: val(CUstream), srcStream: val(CUstream));

    /// Copies attributes from stream to stream. Default stream: per thread.
    fn cuStreamCopyAttributes_ptsz since 11000 [soft forward stream(dst) submit capture]
        (dst: val(CUstream), src: val(CUstream));

    /// An attribute of a stream.
    fn cuStreamGetAttribute since 11000 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), attr: val(CUlaunchAttributeID), value: out(CUlaunchAttributeValue));

    /// An attribute of a stream. Default stream: per thread.
    fn cuStreamGetAttribute_ptsz since 11000 [soft forward stream(hStream) call capture]
        (hStream: val(CUstream), attr: val(CUlaunchAttributeID), value_out: out(CUlaunchAttributeValue));

    /// Changes an attribute of a stream.
    fn cuStreamSetAttribute since 11000 [soft forward stream(hStream) submit capture]
        (hStream: val(CUstream), attr: val(CUlaunchAttributeID), param: input(CUlaunchAttributeValue));

    /// Changes an attribute of a stream. Default stream: per thread.
    fn cuStreamSetAttribute_ptsz since 11000 [soft forward stream(hStream) submit capture]
        (hStream: val(CUstream), attr: val(CUlaunchAttributeID), value: input(CUlaunchAttributeValue));

    /// Makes later work of a stream wait for a 32-bit value in memory.
    fn cuStreamWaitValue32 since 8000 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u32), flags: val(u32));

    /// Makes later work of a stream wait for a 32-bit value in memory. Default stream: per thread.
    fn cuStreamWaitValue32_ptsz since 8000 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u32), flags: val(u32));

    /// Makes later work of a stream wait for a 32-bit value in memory.
    fn cuStreamWaitValue32_v2 since 11070 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u32), flags: val(u32));

    /// Makes later work of a stream wait for a 32-bit value in memory. Default stream: per thread.
    fn cuStreamWaitValue32_v2_ptsz since 11070 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u32), flags: val(u32));

    /// Makes later work of a stream wait for a 64-bit value in memory.
    fn cuStreamWaitValue64 since 9000 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u64), flags: val(u32));

    /// Makes later work of a stream wait for a 64-bit value in memory. Default stream: per thread.
    fn cuStreamWaitValue64_ptsz since 9000 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u64), flags: val(u32));

    /// Makes later work of a stream wait for a 64-bit value in memory.
    fn cuStreamWaitValue64_v2 since 11070 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u64), flags: val(u32));

    /// Makes later work of a stream wait for a 64-bit value in memory. Default stream: per thread.
    fn cuStreamWaitValue64_v2_ptsz since 11070 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u64), flags: val(u32));

    /// Writes a 32-bit value to memory, in stream order.
    fn cuStreamWriteValue32 since 8000 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u32), flags: val(u32));

    /// Writes a 32-bit value to memory, in stream order. Default stream: per thread.
    fn cuStreamWriteValue32_ptsz since 8000 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u32), flags: val(u32));

    /// Writes a 32-bit value to memory, in stream order.
    fn cuStreamWriteValue32_v2 since 11070 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u32), flags: val(u32));

    /// Writes a 32-bit value to memory, in stream order. Default stream: per thread.
    fn cuStreamWriteValue32_v2_ptsz since 11070 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u32), flags: val(u32));

    /// Writes a 64-bit value to memory, in stream order.
    fn cuStreamWriteValue64 since 9000 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u64), flags: val(u32));

    /// Writes a 64-bit value to memory, in stream order. Default stream: per thread.
    fn cuStreamWriteValue64_ptsz since 9000 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u64), flags: val(u32));

    /// Writes a 64-bit value to memory, in stream order.
    fn cuStreamWriteValue64_v2 since 11070 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u64), flags: val(u32));

    /// Writes a 64-bit value to memory, in stream order. Default stream: per thread.
    fn cuStreamWriteValue64_v2_ptsz since 11070 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u64), flags: val(u32));

    /// Does several waits and writes of memory values, in stream order.
    fn cuStreamBatchMemOp since 8000 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), count: val(u32), paramArray: array(CUstreamBatchMemOpParams, count), flags: val(u32));

    /// Does several waits and writes of memory values, in stream order. Default stream: per thread.
    fn cuStreamBatchMemOp_ptsz since 8000 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), count: val(u32), paramArray: array(CUstreamBatchMemOpParams, count), flags: val(u32));

    /// Does several waits and writes of memory values, in stream order.
    fn cuStreamBatchMemOp_v2 since 11070 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), count: val(u32), paramArray: array(CUstreamBatchMemOpParams, count), flags: val(u32));

    /// Does several waits and writes of memory values, in stream order. Default stream: per thread.
    fn cuStreamBatchMemOp_v2_ptsz since 11070 [soft forward stream(stream) submit capture]
        (stream: val(CUstream), count: val(u32), paramArray: array(CUstreamBatchMemOpParams, count), flags: val(u32));

}}}}
