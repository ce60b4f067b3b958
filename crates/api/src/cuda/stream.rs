#[macro_export]
macro_rules! cuda_stream_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn cuStreamCreate since 2000 [todo forward call capture]
        (phStream: out(CUstream), Flags: val(u32));

    fn cuStreamCreateWithPriority since 5050 [todo forward call capture]
        (phStream: out(CUstream), flags: val(u32), priority: val(i32));

    fn cuStreamBeginCaptureToCig since 13010 [todo forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), streamCigCaptureParams: input(CUstreamCigCaptureParams));

    fn cuStreamBeginCaptureToCig_ptsz since 13010 [todo forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), streamCigCaptureParams: input(CUstreamCigCaptureParams));

    fn cuStreamEndCaptureToCig since 13010 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream));

    fn cuStreamEndCaptureToCig_ptsz since 13010 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream));

    fn cuStreamGetPriority since 5050 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), priority: out(i32));

    fn cuStreamGetPriority_ptsz since 7000 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), priority: out(i32));

    fn cuStreamGetDevice since 12080 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), device: out(CUdevice));

    fn cuStreamGetDevice_ptsz since 12080 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), device: out(CUdevice));

    fn cuStreamGetFlags since 5050 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), flags: out(u32));

    fn cuStreamGetFlags_ptsz since 7000 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), flags: out(u32));

    fn cuStreamGetId since 12000 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), streamId: out(u64));

    fn cuStreamGetId_ptsz since 12000 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), streamId: out(u64));

    fn cuStreamGetCtx since 9020 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), pctx: out(CUcontext));

    fn cuStreamGetCtx_ptsz since 9020 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), pctx: out(CUcontext));

    fn cuStreamGetCtx_v2 since 12050 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), pCtx: out(CUcontext), pGreenCtx: out(CUgreenCtx));

    fn cuStreamGetCtx_v2_ptsz since 12050 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), pCtx: out(CUcontext), pGreenCtx: out(CUgreenCtx));

    fn cuStreamWaitEvent since 3020 [todo forward stream(hStream) submit capture]
        (hStream: val(CUstream), hEvent: val(CUevent), Flags: val(u32));

    fn cuStreamWaitEvent_ptsz since 7000 [todo forward stream(hStream) submit capture]
        (hStream: val(CUstream), hEvent: val(CUevent), Flags: val(u32));

    fn cuStreamAddCallback since 5000 [todo forward stream(hStream) submit custom_wire]
        (hStream: val(CUstream), callback: val(CUstreamCallback), userData: raw(Ptr<c_void>), flags: val(u32));

    fn cuStreamAddCallback_ptsz since 7000 [todo forward stream(hStream) submit custom_wire]
        (hStream: val(CUstream), callback: val(CUstreamCallback), userData: raw(Ptr<c_void>), flags: val(u32));

    fn cuStreamBeginCapture since 10000 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream));

    fn cuStreamBeginCapture_ptsz since 10000 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream));

    fn cuStreamBeginCapture_v2 since 10010 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), mode: val(CUstreamCaptureMode));

    fn cuStreamBeginCapture_v2_ptsz since 10010 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), mode: val(CUstreamCaptureMode));

    fn cuStreamBeginRecaptureToGraph since 13030 [todo forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), mode: val(CUstreamCaptureMode), hGraph: val(CUgraph),
         callbackFunc: val(CUgraphRecaptureCallback), userData: raw(Ptr<c_void>));

    fn cuStreamBeginRecaptureToGraph_ptsz since 13030 [todo forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), mode: val(CUstreamCaptureMode), hGraph: val(CUgraph),
         callbackFunc: val(CUgraphRecaptureCallback), userData: raw(Ptr<c_void>));

    fn cuStreamBeginCaptureToGraph since 12030 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         dependencyData: array(CUgraphEdgeData, numDependencies), numDependencies: val(usize),
         mode: val(CUstreamCaptureMode));

    fn cuStreamBeginCaptureToGraph_ptsz since 12030 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), hGraph: val(CUgraph), dependencies: array(CUgraphNode, numDependencies),
         dependencyData: array(CUgraphEdgeData, numDependencies), numDependencies: val(usize),
         mode: val(CUstreamCaptureMode));

    fn cuThreadExchangeStreamCaptureMode since 10010 [todo forward call capture]
        (mode: inout(CUstreamCaptureMode));

    fn cuStreamEndCapture since 10000 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), phGraph: out(CUgraph));

    fn cuStreamEndCapture_ptsz since 10000 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), phGraph: out(CUgraph));

    fn cuStreamIsCapturing since 10000 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), captureStatus: out(CUstreamCaptureStatus));

    fn cuStreamIsCapturing_ptsz since 10000 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), captureStatus: out(CUstreamCaptureStatus));

    fn cuStreamGetCaptureInfo since 10010 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), captureStatus_out: out(CUstreamCaptureStatus), id_out: out(u64));

    fn cuStreamGetCaptureInfo_ptsz since 10010 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), captureStatus_out: out(CUstreamCaptureStatus), id_out: out(u64));

    fn cuStreamGetCaptureInfo_v2 since 11030 [todo forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), captureStatus_out: out(CUstreamCaptureStatus), id_out: out(u64),
         graph_out: out(CUgraph), dependencies_out: out(Ptr<CUgraphNode>), numDependencies_out: out(usize));

    fn cuStreamGetCaptureInfo_v2_ptsz since 11030 [todo forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), captureStatus_out: out(CUstreamCaptureStatus), id_out: out(u64),
         graph_out: out(CUgraph), dependencies_out: out(Ptr<CUgraphNode>), numDependencies_out: out(usize));

    fn cuStreamGetCaptureInfo_v3 since 12030 [todo forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), captureStatus_out: out(CUstreamCaptureStatus), id_out: out(u64),
         graph_out: out(CUgraph), dependencies_out: out(Ptr<CUgraphNode>), edgeData_out: out(Ptr<CUgraphEdgeData>),
         numDependencies_out: out(usize));

    fn cuStreamGetCaptureInfo_v3_ptsz since 12030 [todo forward stream(hStream) call capture custom_wire]
        (hStream: val(CUstream), captureStatus_out: out(CUstreamCaptureStatus), id_out: out(u64),
         graph_out: out(CUgraph), dependencies_out: out(Ptr<CUgraphNode>), edgeData_out: out(Ptr<CUgraphEdgeData>),
         numDependencies_out: out(usize));

    fn cuStreamUpdateCaptureDependencies since 11030 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), dependencies: array(CUgraphNode, numDependencies), numDependencies: val(usize),
         flags: val(u32));

    fn cuStreamUpdateCaptureDependencies_ptsz since 11030 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), dependencies: array(CUgraphNode, numDependencies), numDependencies: val(usize),
         flags: val(u32));

    fn cuStreamUpdateCaptureDependencies_v2 since 12030 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), dependencies: array(CUgraphNode, numDependencies),
         dependencyData: array(CUgraphEdgeData, numDependencies), numDependencies: val(usize), flags: val(u32));

    fn cuStreamUpdateCaptureDependencies_v2_ptsz since 12030 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), dependencies: array(CUgraphNode, numDependencies),
         dependencyData: array(CUgraphEdgeData, numDependencies), numDependencies: val(usize), flags: val(u32));

    fn cuStreamAttachMemAsync since 6000 [todo forward stream(hStream) submit]
        (hStream: val(CUstream), dptr: val(CUdeviceptr), length: val(usize), flags: val(u32));

    fn cuStreamAttachMemAsync_ptsz since 7000 [todo forward stream(hStream) submit]
        (hStream: val(CUstream), dptr: val(CUdeviceptr), length: val(usize), flags: val(u32));

    fn cuStreamQuery since 2000 [todo forward stream(hStream) call]
        (hStream: val(CUstream));

    fn cuStreamQuery_ptsz since 7000 [todo forward stream(hStream) call]
        (hStream: val(CUstream));

    fn cuStreamSynchronize since 2000 [todo forward stream(hStream) call]
        (hStream: val(CUstream));

    fn cuStreamSynchronize_ptsz since 7000 [todo forward stream(hStream) call]
        (hStream: val(CUstream));

    fn cuStreamDestroy since 2000 [todo forward stream(hStream) submit capture]
        (hStream: val(CUstream));

    fn cuStreamDestroy_v2 since 4000 [todo forward stream(hStream) submit capture]
        (hStream: val(CUstream));

    fn cuStreamCopyAttributes since 11000 [todo forward stream(dstStream) submit capture]
        (dstStream: val(CUstream), srcStream: val(CUstream));

    fn cuStreamCopyAttributes_ptsz since 11000 [todo forward stream(dst) submit capture]
        (dst: val(CUstream), src: val(CUstream));

    fn cuStreamGetAttribute since 11000 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), attr: val(CUlaunchAttributeID), value: out(CUlaunchAttributeValue));

    fn cuStreamGetAttribute_ptsz since 11000 [todo forward stream(hStream) call capture]
        (hStream: val(CUstream), attr: val(CUlaunchAttributeID), value_out: out(CUlaunchAttributeValue));

    fn cuStreamSetAttribute since 11000 [todo forward stream(hStream) submit capture]
        (hStream: val(CUstream), attr: val(CUlaunchAttributeID), param: input(CUlaunchAttributeValue));

    fn cuStreamSetAttribute_ptsz since 11000 [todo forward stream(hStream) submit capture]
        (hStream: val(CUstream), attr: val(CUlaunchAttributeID), value: input(CUlaunchAttributeValue));

    fn cuStreamWaitValue32 since 8000 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u32), flags: val(u32));

    fn cuStreamWaitValue32_ptsz since 8000 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u32), flags: val(u32));

    fn cuStreamWaitValue32_v2 since 11070 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u32), flags: val(u32));

    fn cuStreamWaitValue32_v2_ptsz since 11070 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u32), flags: val(u32));

    fn cuStreamWaitValue64 since 9000 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u64), flags: val(u32));

    fn cuStreamWaitValue64_ptsz since 9000 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u64), flags: val(u32));

    fn cuStreamWaitValue64_v2 since 11070 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u64), flags: val(u32));

    fn cuStreamWaitValue64_v2_ptsz since 11070 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u64), flags: val(u32));

    fn cuStreamWriteValue32 since 8000 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u32), flags: val(u32));

    fn cuStreamWriteValue32_ptsz since 8000 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u32), flags: val(u32));

    fn cuStreamWriteValue32_v2 since 11070 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u32), flags: val(u32));

    fn cuStreamWriteValue32_v2_ptsz since 11070 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u32), flags: val(u32));

    fn cuStreamWriteValue64 since 9000 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u64), flags: val(u32));

    fn cuStreamWriteValue64_ptsz since 9000 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u64), flags: val(u32));

    fn cuStreamWriteValue64_v2 since 11070 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u64), flags: val(u32));

    fn cuStreamWriteValue64_v2_ptsz since 11070 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), addr: val(CUdeviceptr), value: val(u64), flags: val(u32));

    fn cuStreamBatchMemOp since 8000 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), count: val(u32), paramArray: array(CUstreamBatchMemOpParams, count), flags: val(u32));

    fn cuStreamBatchMemOp_ptsz since 8000 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), count: val(u32), paramArray: array(CUstreamBatchMemOpParams, count), flags: val(u32));

    fn cuStreamBatchMemOp_v2 since 11070 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), count: val(u32), paramArray: array(CUstreamBatchMemOpParams, count), flags: val(u32));

    fn cuStreamBatchMemOp_v2_ptsz since 11070 [todo forward stream(stream) submit capture]
        (stream: val(CUstream), count: val(u32), paramArray: array(CUstreamBatchMemOpParams, count), flags: val(u32));

}}}}
