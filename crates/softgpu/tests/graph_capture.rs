//! Capture: stream calls become graphs, and what must not be captured is refused.

#![allow(non_snake_case)]

#[allow(unsafe_code, dead_code)]
mod call_unsafe;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// Captures in the default mode look at the whole process, so the tests run one after the other.
static ONE: Mutex<()> = Mutex::new(());

fn alone() -> std::sync::MutexGuard<'static, ()> {
    ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn free_stream() -> CUstream {
    stream(CU_STREAM_NON_BLOCKING.0)
}

fn begin(stream: CUstream) {
    begin_in(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

fn begin_in(stream: CUstream, mode: CUstreamCaptureMode) {
    assert_eq!(Libcuda.cuStreamBeginCapture_v2(stream, mode), CUDA_SUCCESS);
}

fn end(stream: CUstream) -> Result<CUgraph, CUresult> {
    out(|graph| Libcuda.cuStreamEndCapture(stream, graph))
}

fn count(graph: CUgraph) -> usize {
    inout(0, |n| Libcuda.cuGraphGetNodes(graph, no_slice_mut(), n)).expect("a count")
}

fn status(stream: CUstream) -> CUstreamCaptureStatus {
    out(|status| Libcuda.cuStreamIsCapturing(stream, status)).expect("a status")
}

fn run(graph: CUgraph) {
    let exec = out(|exec| Libcuda.cuGraphInstantiateWithFlags(exec, graph, 0)).expect("an executable graph");
    let stream = free_stream();
    assert_eq!(Libcuda.cuGraphLaunch(exec, stream), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamSynchronize(stream), CUDA_SUCCESS);
}

fn fill(at: CUdeviceptr, value: u32, stream: CUstream) -> CUresult {
    Libcuda.cuMemsetD32Async(at, value, 1, stream)
}

fn at(memory: CUdeviceptr, word: u64) -> CUdeviceptr {
    CUdeviceptr(memory.0 + 4 * word)
}

extern "C" fn add_one(data: Ptr<c_void>) {
    user_data::<AtomicU32>(data).fetch_add(1, SeqCst);
}

#[test]
fn calls_become_nodes_and_do_nothing_yet() {
    let _alone = alone();
    context();
    let (a, memory) = (free_stream(), memory(64));
    let called: &'static AtomicU32 = Box::leak(Box::default());
    assert_eq!(Libcuda.cuMemsetD32_v2(memory, 0, 16), CUDA_SUCCESS);
    assert_eq!(status(a), CU_STREAM_CAPTURE_STATUS_NONE);
    begin(a);
    assert_eq!(status(a), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_eq!(fill(memory, 3, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemcpyDtoDAsync_v2(at(memory, 1), memory, 4, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuLaunchHostFunc(a, Some(add_one), pointer(called)), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamWriteValue32_v2(a, at(memory, 2), 9, 0), CUDA_SUCCESS);
    let graph = end(a).expect("a graph");
    assert_eq!(status(a), CU_STREAM_CAPTURE_STATUS_NONE);
    assert_eq!(count(graph), 4);
    assert_eq!(read_back::<u32>(memory, 3), [0, 0, 0]);
    assert_eq!(called.load(SeqCst), 0);
    run(graph);
    assert_eq!(read_back::<u32>(memory, 3), [3, 3, 9]);
    assert_eq!(called.load(SeqCst), 1);
    let edges = inout(0, |n| Libcuda.cuGraphGetEdges(graph, no_slice_mut(), no_slice_mut(), n));
    assert_eq!(edges, Ok(3), "one after the other");
}

#[test]
fn a_capture_forks_and_joins_by_events() {
    let _alone = alone();
    context();
    let (a, b, memory) = (free_stream(), free_stream(), memory(64));
    let (fork, join) = (event(0), event(0));
    begin(a);
    assert_eq!(fill(memory, 1, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuEventRecord(fork, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamWaitEvent(b, fork, 0), CUDA_SUCCESS);
    assert_eq!(status(b), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_eq!(fill(at(memory, 1), 2, b), CUDA_SUCCESS);
    assert_eq!(fill(at(memory, 2), 3, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuEventRecord(join, b), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamWaitEvent(a, join, 0), CUDA_SUCCESS);
    assert_eq!(fill(at(memory, 3), 4, a), CUDA_SUCCESS);
    assert_eq!(
        Libcuda.cuEventQuery(fork),
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
        "a call that is unsafe meanwhile"
    );
    assert_eq!(end(a), Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));

    begin(a);
    assert_eq!(fill(memory, 1, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuEventRecord(fork, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamWaitEvent(b, fork, 0), CUDA_SUCCESS);
    assert_eq!(fill(at(memory, 1), 2, b), CUDA_SUCCESS);
    assert_eq!(fill(at(memory, 2), 3, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuEventRecord(join, b), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamWaitEvent(a, join, 0), CUDA_SUCCESS);
    assert_eq!(fill(at(memory, 3), 4, a), CUDA_SUCCESS);
    let graph = end(a).expect("joined");
    assert_eq!(count(graph), 4);
    assert_eq!(
        inout(0, |n| Libcuda.cuGraphGetEdges(graph, no_slice_mut(), no_slice_mut(), n)),
        Ok(4),
        "a diamond"
    );
    assert_eq!(status(b), CU_STREAM_CAPTURE_STATUS_NONE);
    assert_eq!(Libcuda.cuEventQuery(fork), CUDA_ERROR_CAPTURED_EVENT);
    assert_eq!(Libcuda.cuEventSynchronize(fork), CUDA_ERROR_CAPTURED_EVENT);
    assert_eq!(Libcuda.cuStreamWaitEvent(b, fork, 0), CUDA_ERROR_CAPTURED_EVENT);
    run(graph);
    assert_eq!(read_back::<u32>(memory, 4), [1, 2, 3, 4]);
    assert_eq!(Libcuda.cuEventRecord(fork, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuEventSynchronize(fork), CUDA_SUCCESS, "an event can be recorded anew");
}

#[test]
fn every_way_to_end_a_capture_badly() {
    let _alone = alone();
    context();
    let (a, b, memory) = (free_stream(), free_stream(), memory(64));
    let (one, two) = (event(0), event(0));
    assert_eq!(end(a), Err(CUDA_ERROR_ILLEGAL_STATE), "never begun");
    assert_eq!(
        Libcuda.cuStreamBeginCapture_v2(CU_STREAM_LEGACY, CU_STREAM_CAPTURE_MODE_GLOBAL),
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
    );
    assert_eq!(Libcuda.cuStreamBeginCapture_v2(a, CUstreamCaptureMode(7)), CUDA_ERROR_INVALID_VALUE);

    begin(a);
    assert_eq!(Libcuda.cuStreamBeginCapture(a), CUDA_ERROR_ILLEGAL_STATE, "already");
    assert_eq!(end(a).map(count), Ok(0));

    // A stream that was forked and never joined.
    begin(a);
    assert_eq!(Libcuda.cuEventRecord(one, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamWaitEvent(b, one, 0), CUDA_SUCCESS);
    assert_eq!(fill(memory, 1, b), CUDA_SUCCESS);
    assert_eq!(end(a), Err(CUDA_ERROR_STREAM_CAPTURE_UNJOINED));
    assert_eq!(status(b), CU_STREAM_CAPTURE_STATUS_NONE);

    // Ended where it was not begun.
    begin(a);
    assert_eq!(Libcuda.cuEventRecord(one, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamWaitEvent(b, one, 0), CUDA_SUCCESS);
    assert_eq!(end(b), Err(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED));
    assert_eq!(status(a), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    assert_eq!(fill(memory, 1, a), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_eq!(end(a), Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));

    // Two captures meet.
    begin_in(a, CU_STREAM_CAPTURE_MODE_RELAXED);
    begin_in(b, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_eq!(Libcuda.cuEventRecord(one, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamWaitEvent(b, one, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
    assert_eq!(end(a), Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
    assert_eq!(end(b), Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));

    // Work that really runs is no part of a capture.
    assert_eq!(Libcuda.cuEventRecord(two, b), CUDA_SUCCESS);
    begin(a);
    assert_eq!(Libcuda.cuStreamWaitEvent(a, two, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    assert_eq!(end(a), Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));

    // Waiting for what does not run.
    for call in [Libcuda::cuStreamSynchronize, Libcuda::cuStreamQuery] {
        begin_in(a, CU_STREAM_CAPTURE_MODE_RELAXED);
        assert_eq!(call(&Libcuda, a), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        assert_eq!(end(a), Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
    }

    // The stream goes away.
    begin(a);
    assert_eq!(Libcuda.cuStreamDestroy_v2(a), CUDA_SUCCESS);
    let again = free_stream();
    begin(again);
    assert_eq!(end(again).map(count), Ok(0), "nothing is left behind");
}

#[test]
fn the_legacy_stream_and_a_captured_blocking_stream_must_not_meet() {
    let _alone = alone();
    context();
    let (blocking, free, memory) = (stream(0), free_stream(), memory(64));
    begin_in(blocking, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_eq!(
        out(|s| Libcuda.cuStreamIsCapturing(CU_STREAM_LEGACY, s)),
        Err(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
    );
    assert_eq!(fill(memory, 1, CUstream(0)), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    assert_eq!(end(blocking), Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
    begin_in(free, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_eq!(fill(memory, 1, CUstream(0)), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamSynchronize(CUstream(0)), CUDA_SUCCESS);
    assert_eq!(end(free).map(count), Ok(0));
    assert_eq!(fill(memory, 1, blocking), CUDA_SUCCESS);
}

#[test]
fn unsafe_calls_are_refused_by_mode() {
    let _alone = alone();
    let ctx = context();
    let a = free_stream();
    let allocate = || out(|p| Libcuda.cuMemAlloc_v2(p, 64)).map(drop);
    let refused = Err(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    let from_another_thread = move || {
        std::thread::spawn(move || {
            assert_eq!(Libcuda.cuCtxSetCurrent(ctx), CUDA_SUCCESS);
            out(|p| Libcuda.cuMemAlloc_v2(p, 64)).map(drop)
        })
        .join()
        .expect("no panic")
    };
    begin_in(a, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_eq!((allocate(), from_another_thread()), (Ok(()), Ok(())));
    assert_eq!(end(a).map(count), Ok(0));

    begin_in(a, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    assert_eq!(from_another_thread(), Ok(()));
    assert_eq!(allocate(), refused);
    assert_eq!(end(a), Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));

    begin_in(a, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_eq!(from_another_thread(), refused);
    assert_eq!(end(a), Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));

    let exchange = |mode| inout(mode, |m| Libcuda.cuThreadExchangeStreamCaptureMode(m));
    begin_in(a, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_eq!(exchange(CU_STREAM_CAPTURE_MODE_RELAXED), Ok(CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_eq!(allocate(), Ok(()));
    assert_eq!(exchange(CU_STREAM_CAPTURE_MODE_GLOBAL), Ok(CU_STREAM_CAPTURE_MODE_RELAXED));
    let thread = std::thread::spawn(move || end(a));
    assert_eq!(thread.join().expect("no panic"), Err(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD));
    assert_eq!(end(a).map(count), Ok(0));
    assert_eq!(exchange(CUstreamCaptureMode(9)), Err(CUDA_ERROR_INVALID_VALUE));
}

#[test]
fn a_program_may_look_into_its_capture_and_steer_it() {
    let _alone = alone();
    context();
    let (a, memory) = (free_stream(), memory(64));
    begin(a);
    assert_eq!(fill(memory, 1, a), CUDA_SUCCESS);
    let (mut graph, mut nodes, mut how_many) = (CUgraph(0), Ptr::<CUgraphNode>::NULL, 0usize);
    let told = out(|status| {
        let mut code = CUDA_SUCCESS;
        graph = out(|g| {
            nodes = out(|n| {
                how_many = out(|c| {
                    code = Libcuda.cuStreamGetCaptureInfo_v2(a, status, null(), g, n, c);
                    CUDA_SUCCESS
                })
                .expect("always");
                CUDA_SUCCESS
            })
            .expect("always");
            CUDA_SUCCESS
        })
        .expect("always");
        code
    });
    assert_eq!(told, Ok(CU_STREAM_CAPTURE_STATUS_ACTIVE));
    assert_eq!(how_many, 1);
    let first = nodes.slice::<CUresult>(1).get(0).expect("one node");
    assert_eq!(out(|t| Libcuda.cuGraphNodeGetType(first, t)), Ok(CU_GRAPH_NODE_TYPE_MEMSET));
    // A node of our own takes the stream's place.
    let own = out(|n| Libcuda.cuGraphAddEmptyNode(n, graph, slice(&[first]), 1)).expect("a node");
    let set = CU_STREAM_SET_CAPTURE_DEPENDENCIES.0;
    assert_eq!(Libcuda.cuStreamUpdateCaptureDependencies(a, slice(&[own]), 1, set), CUDA_SUCCESS);
    assert_eq!(fill(memory, 2, a), CUDA_SUCCESS);
    let ended = end(a).expect("a graph");
    assert_eq!(ended, graph);
    let edges = inout(0, |n| Libcuda.cuGraphGetEdges(graph, no_slice_mut(), no_slice_mut(), n));
    assert_eq!(edges, Ok(2));
    run(graph);
    assert_eq!(read_back::<u32>(memory, 1), [2]);
    assert_eq!(Libcuda.cuStreamUpdateCaptureDependencies(a, slice(&[own]), 1, set), CUDA_ERROR_ILLEGAL_STATE);
}

#[test]
fn a_capture_can_go_on_in_a_graph_that_is_there() {
    let _alone = alone();
    context();
    let (a, memory) = (free_stream(), memory(64));
    let graph = out(|g| Libcuda.cuGraphCreate(g, 0)).expect("a graph");
    let first = out(|n| Libcuda.cuGraphAddEmptyNode(n, graph, slice(&[]), 0)).expect("a node");
    let mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    let begun = Libcuda.cuStreamBeginCaptureToGraph(a, graph, slice(&[first]), slice(&[]), 1, mode);
    assert_eq!(begun, CUDA_SUCCESS);
    assert_eq!(fill(memory, 6, a), CUDA_SUCCESS);
    assert_eq!(end(a), Ok(graph));
    assert_eq!(count(graph), 2);
    run(graph);
    assert_eq!(read_back::<u32>(memory, 1), [6]);
}

#[test]
fn external_events_and_launches_become_nodes() {
    let _alone = alone();
    context();
    let (a, b, memory) = (free_stream(), free_stream(), memory(64));
    let done = event(0);
    assert_eq!(Libcuda.cuEventRecordWithFlags(done, a, CU_EVENT_RECORD_EXTERNAL.0), CUDA_ERROR_INVALID_VALUE);
    begin(a);
    assert_eq!(fill(memory, 1, a), CUDA_SUCCESS);
    let inner = end(a).expect("a graph");
    let exec = out(|exec| Libcuda.cuGraphInstantiateWithFlags(exec, inner, 0)).expect("an executable graph");
    begin(b);
    assert_eq!(Libcuda.cuGraphLaunch(exec, b), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuEventRecordWithFlags(done, b, CU_EVENT_RECORD_EXTERNAL.0), CUDA_SUCCESS);
    let graph = end(b).expect("a graph");
    let mut nodes = [CUgraphNode(0); 2];
    assert_eq!(inout(2, |n| Libcuda.cuGraphGetNodes(graph, slice_mut(&mut nodes), n)), Ok(2));
    let kind = |node| out(|t| Libcuda.cuGraphNodeGetType(node, t));
    assert_eq!(kind(nodes[0]), Ok(CU_GRAPH_NODE_TYPE_GRAPH));
    assert_eq!(kind(nodes[1]), Ok(CU_GRAPH_NODE_TYPE_EVENT_RECORD));
    run(graph);
    assert_eq!(Libcuda.cuEventSynchronize(done), CUDA_SUCCESS);
    assert_eq!(read_back::<u32>(memory, 1), [1]);
}

#[test]
fn stream_ordered_memory_is_captured() {
    let _alone = alone();
    context();
    let (a, result) = (free_stream(), memory(64));
    begin(a);
    let at = out(|p| Libcuda.cuMemAllocAsync(p, 256, a)).expect("an address");
    assert_eq!(Libcuda.cuMemsetD32Async(at, 8, 64, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemcpyDtoDAsync_v2(result, at, 64, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemFreeAsync(at, a), CUDA_SUCCESS);
    let graph = end(a).expect("a graph");
    assert_eq!(count(graph), 4);
    run(graph);
    run(graph);
    assert_eq!(read_back::<u32>(result, 16), [8; 16]);
}
