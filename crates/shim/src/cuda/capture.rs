use cleave_api::cuda::types::*;
use cleave_api::edge::{In, Out, Slice};

use crate::gate::{begin_capture, end_capture};
use crate::real_unsafe::cuda as real;

macro_rules! captures {
    ($( $note:ident fn $name:ident($( $arg:ident: $ty:ty ),* $(,)?); )*) => { $(
        pub fn $name($( $arg: $ty ),*) -> CUresult {
            $note(|| real::$name($( $arg ),*))
        }
    )* };
}

captures! {
    begin_capture fn cuStreamBeginCapture(hStream: CUstream);
    begin_capture fn cuStreamBeginCapture_ptsz(hStream: CUstream);
    begin_capture fn cuStreamBeginCapture_v2(hStream: CUstream, mode: CUstreamCaptureMode);
    begin_capture fn cuStreamBeginCapture_v2_ptsz(hStream: CUstream, mode: CUstreamCaptureMode);
    begin_capture fn cuStreamBeginCaptureToGraph(hStream: CUstream, hGraph: CUgraph, dependencies: Slice<CUgraphNode>,
        dependencyData: Slice<CUgraphEdgeData>, numDependencies: usize, mode: CUstreamCaptureMode);
    begin_capture fn cuStreamBeginCaptureToGraph_ptsz(hStream: CUstream, hGraph: CUgraph,
        dependencies: Slice<CUgraphNode>, dependencyData: Slice<CUgraphEdgeData>, numDependencies: usize,
        mode: CUstreamCaptureMode);
    begin_capture fn cuStreamBeginCaptureToCig(hStream: CUstream, streamCigCaptureParams: In<CUstreamCigCaptureParams>);
    begin_capture fn cuStreamBeginCaptureToCig_ptsz(hStream: CUstream,
        streamCigCaptureParams: In<CUstreamCigCaptureParams>);
    end_capture fn cuStreamEndCapture(hStream: CUstream, phGraph: Out<CUgraph>);
    end_capture fn cuStreamEndCapture_ptsz(hStream: CUstream, phGraph: Out<CUgraph>);
    end_capture fn cuStreamEndCaptureToCig(hStream: CUstream);
    end_capture fn cuStreamEndCaptureToCig_ptsz(hStream: CUstream);
}
