//! Streams, events and host functions as a program sees them.

#![allow(non_snake_case)]

#[allow(unsafe_code, dead_code)]
mod call_unsafe;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::time::Duration;

/// A host function that blocks its stream until the test opens it.
#[derive(Default)]
struct Gate {
    open: AtomicBool,
    passed: AtomicU32,
}

extern "C" fn pass(data: Ptr<c_void>) {
    let gate: &Gate = user_data(data);
    while !gate.open.load(SeqCst) {
        std::thread::yield_now();
    }
    gate.passed.fetch_add(1, SeqCst);
}

fn close(stream: CUstream) -> &'static Gate {
    let gate: &'static Gate = Box::leak(Box::default());
    assert_eq!(Libcuda.cuLaunchHostFunc(stream, Some(pass), pointer(gate)), CUDA_SUCCESS);
    gate
}

#[test]
fn a_stream_is_busy_until_its_commands_are_done() {
    context();
    let a = stream(CU_STREAM_NON_BLOCKING.0);
    assert_eq!(Libcuda.cuStreamQuery(a), CUDA_SUCCESS);
    let gate = close(a);
    let done = event(0);
    assert_eq!(Libcuda.cuEventQuery(done), CUDA_SUCCESS, "never recorded");
    assert_eq!(Libcuda.cuEventRecord(done, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamQuery(a), CUDA_ERROR_NOT_READY);
    assert_eq!(Libcuda.cuEventQuery(done), CUDA_ERROR_NOT_READY);
    gate.open.store(true, SeqCst);
    assert_eq!(Libcuda.cuEventSynchronize(done), CUDA_SUCCESS);
    assert_eq!(gate.passed.load(SeqCst), 1);
    assert_eq!(Libcuda.cuStreamSynchronize(a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamDestroy_v2(a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamDestroy_v2(a), CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(Libcuda.cuStreamQuery(a), CUDA_ERROR_INVALID_HANDLE);
}

#[test]
fn legacy_and_per_thread_default_streams() {
    context();
    let (blocking, free) = (stream(0), stream(CU_STREAM_NON_BLOCKING.0));
    let gate = close(blocking);
    assert_eq!(Libcuda.cuStreamQuery(CU_STREAM_LEGACY), CUDA_ERROR_NOT_READY);
    assert_eq!(Libcuda.cuStreamQuery(CUstream(0)), CUDA_ERROR_NOT_READY);
    assert_eq!(Libcuda.cuStreamQuery(free), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamQuery_ptsz(CUstream(0)), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_SUCCESS);

    // Work of the legacy stream waits for the blocking stream, and the per-thread stream for the legacy one.
    let (memory, at) = word();
    assert_eq!(Libcuda.cuMemsetD32Async(memory, 7, 1, CUstream(0)), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemsetD32Async_ptsz(CUdeviceptr(memory.0 + 4), 8, 1, CUstream(0)), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamQuery_ptsz(CUstream(0)), CUDA_ERROR_NOT_READY);
    assert_eq!(Libcuda.cuMemsetD32Async(CUdeviceptr(memory.0 + 8), 9, 1, free), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamSynchronize(free), CUDA_SUCCESS);
    assert_eq!(at.load(SeqCst), 0);
    gate.open.store(true, SeqCst);
    assert_eq!(Libcuda.cuStreamSynchronize_ptsz(CUstream(0)), CUDA_SUCCESS);
    assert_eq!(at.load(SeqCst), 7);
    assert_eq!(read_back::<u32>(memory, 3), [7, 8, 9]);

    let id = |stream| out(|id| Libcuda.cuStreamGetId(stream, id)).expect("an id");
    assert_eq!(id(CUstream(0)), id(CU_STREAM_LEGACY));
    assert_ne!(id(CU_STREAM_LEGACY), id(CU_STREAM_PER_THREAD));
    assert_eq!(id(CU_STREAM_PER_THREAD), id(CU_STREAM_PER_THREAD));
    for default in [CUstream(0), CU_STREAM_LEGACY, CU_STREAM_PER_THREAD] {
        assert_eq!(Libcuda.cuStreamDestroy_v2(default), CUDA_ERROR_INVALID_HANDLE);
    }
}

#[test]
fn properties_of_streams() {
    let ctx = context();
    let made =
        out(|s| Libcuda.cuStreamCreateWithPriority(s, CU_STREAM_NON_BLOCKING.0, -100)).expect("a stream");
    assert_eq!(out(|p| Libcuda.cuStreamGetPriority(made, p)), Ok(-5), "clamped");
    assert_eq!(out(|f| Libcuda.cuStreamGetFlags(made, f)), Ok(CU_STREAM_NON_BLOCKING.0));
    assert_eq!(out(|c| Libcuda.cuStreamGetCtx(made, c)), Ok(ctx));
    assert_eq!(out(|d| Libcuda.cuStreamGetDevice(made, d)), Ok(CUdevice(0)));
    assert_eq!(Libcuda.cuStreamCreate(null(), 0), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(out(|s| Libcuda.cuStreamCreate(s, 2)), Err(CUDA_ERROR_INVALID_VALUE));

    let mut policy = CUlaunchAttributeValue::default();
    policy.value.set(CU_SYNC_POLICY_BLOCKING_SYNC);
    let id = CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY;
    assert_eq!(Libcuda.cuStreamSetAttribute(made, id, input(&policy)), CUDA_SUCCESS);
    let other = stream(0);
    let read = |stream| out(|v| Libcuda.cuStreamGetAttribute(stream, id, v)).map(|v| v.value.get());
    assert_eq!(read(other), Ok(CU_SYNC_POLICY_AUTO));
    assert_eq!(Libcuda.cuStreamCopyAttributes(other, made), CUDA_SUCCESS);
    assert_eq!(read(other), Ok(CU_SYNC_POLICY_BLOCKING_SYNC));
    let wrong = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    assert_eq!(Libcuda.cuStreamSetAttribute(made, wrong, input(&policy)), CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn events_order_streams_and_tell_time() {
    context();
    let (a, b) = (stream(CU_STREAM_NON_BLOCKING.0), stream(CU_STREAM_NON_BLOCKING.0));
    let (start, end) = (event(0), event(0));
    let elapsed = |from, to| out(|ms| Libcuda.cuEventElapsedTime(ms, from, to));
    assert_eq!(elapsed(start, end), Err(CUDA_ERROR_INVALID_HANDLE), "never recorded");
    assert_eq!(Libcuda.cuEventRecord(start, a), CUDA_SUCCESS);
    let gate = close(a);
    assert_eq!(Libcuda.cuEventRecord(end, a), CUDA_SUCCESS);
    assert_eq!(elapsed(start, end), Err(CUDA_ERROR_NOT_READY));
    assert_eq!(Libcuda.cuStreamWaitEvent(b, end, 0), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamQuery(b), CUDA_ERROR_NOT_READY);
    std::thread::sleep(Duration::from_millis(20));
    gate.open.store(true, SeqCst);
    assert_eq!(Libcuda.cuStreamSynchronize(b), CUDA_SUCCESS);
    let milliseconds = elapsed(start, end).expect("both reached");
    assert!((19.0..10_000.0).contains(&milliseconds), "{milliseconds}");
    assert!(elapsed(end, start).expect("both reached") < 0.0);

    let untimed = event(CU_EVENT_DISABLE_TIMING.0);
    assert_eq!(Libcuda.cuEventRecord(untimed, a), CUDA_SUCCESS);
    assert_eq!(elapsed(start, untimed), Err(CUDA_ERROR_INVALID_HANDLE));
    assert_eq!(out(|e| Libcuda.cuEventCreate(e, CU_EVENT_INTERPROCESS.0)), Err(CUDA_ERROR_INVALID_VALUE));
    event(CU_EVENT_INTERPROCESS.0 | CU_EVENT_DISABLE_TIMING.0);
    assert_eq!(out(|e| Libcuda.cuEventCreate(e, 8)), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(Libcuda.cuEventDestroy_v2(end), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuEventDestroy_v2(end), CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(Libcuda.cuEventQuery(CUevent(0)), CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(Libcuda.cuEventQuery(CUevent(a.0)), CUDA_ERROR_INVALID_HANDLE, "a stream is no event");
}

#[test]
fn an_event_destroyed_while_pending_still_orders() {
    context();
    let (a, b) = (stream(0), stream(0));
    let gate = close(a);
    let reached = event(0);
    assert_eq!(Libcuda.cuEventRecord(reached, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamWaitEvent(b, reached, 0), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuEventDestroy_v2(reached), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamDestroy_v2(a), CUDA_SUCCESS, "its commands still run");
    assert_eq!(Libcuda.cuStreamQuery(b), CUDA_ERROR_NOT_READY);
    gate.open.store(true, SeqCst);
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
    assert_eq!(gate.passed.load(SeqCst), 1);
}

static FROM_INSIDE: Mutex<Vec<CUresult>> = Mutex::new(Vec::new());

extern "C" fn call_from_inside(data: Ptr<c_void>) {
    let stream: &CUstream = user_data(data);
    let codes = [
        Libcuda.cuCtxSynchronize(),
        Libcuda.cuStreamSynchronize(*stream),
        Libcuda.cuStreamQuery(*stream),
        Libcuda.cuLaunchHostFunc(*stream, Some(call_from_inside), data),
    ];
    FROM_INSIDE.lock().expect("no panic").extend(codes);
}

extern "C" fn note_status(_: CUstream, status: CUresult, data: Ptr<c_void>) {
    user_data::<AtomicU32>(data).store(status.0, SeqCst);
}

#[test]
fn host_functions_must_not_call_the_driver() {
    context();
    let a = stream(0);
    assert_eq!(Libcuda.cuLaunchHostFunc(a, Some(call_from_inside), pointer(&a)), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamSynchronize(a), CUDA_SUCCESS);
    assert_eq!(*FROM_INSIDE.lock().expect("no panic"), [CUDA_ERROR_NOT_PERMITTED; 4]);
    assert_eq!(Libcuda.cuLaunchHostFunc(a, None, Ptr::NULL), CUDA_ERROR_INVALID_VALUE);

    let status = AtomicU32::new(u32::MAX);
    assert_eq!(Libcuda.cuStreamAddCallback(a, Some(note_status), pointer(&status), 0), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamSynchronize(a), CUDA_SUCCESS);
    assert_eq!(status.load(SeqCst), CUDA_SUCCESS.0);
    assert_eq!(Libcuda.cuStreamAddCallback(a, Some(note_status), Ptr::NULL, 1), CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn values_in_memory_hold_streams_back() {
    context();
    let (a, b) = (stream(0), stream(0));
    let (flag, at) = word();
    let next = CUdeviceptr(flag.0 + 4);
    assert_eq!(Libcuda.cuStreamWaitValue32_v2(a, flag, 3, CU_STREAM_WAIT_VALUE_GEQ.0), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamWriteValue32_v2(a, next, 11, 0), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamWaitValue32(b, next, 11, CU_STREAM_WAIT_VALUE_EQ.0), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamQuery(b), CUDA_ERROR_NOT_READY);
    at.store(2, SeqCst);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(Libcuda.cuStreamQuery(a), CUDA_ERROR_NOT_READY);
    at.store(3, SeqCst);
    assert_eq!(Libcuda.cuStreamSynchronize(b), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamQuery(a), CUDA_SUCCESS);

    let wide = CUdeviceptr(flag.0 + 8);
    assert_eq!(Libcuda.cuStreamWriteValue64(a, wide, u64::MAX - 1, 0), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamWaitValue64_v2(b, wide, 2, CU_STREAM_WAIT_VALUE_AND.0), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamSynchronize(b), CUDA_SUCCESS);
    assert_eq!(read_back::<u64>(wide, 1), [u64::MAX - 1]);

    let misaligned = CUdeviceptr(flag.0 + 2);
    assert_eq!(Libcuda.cuStreamWaitValue32_v2(a, misaligned, 0, 0), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuStreamWriteValue32_v2(a, CUdeviceptr(64), 0, 0), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuStreamWaitValue32_v2(a, flag, 0, 77), CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn a_destroyed_context_drops_what_waits() {
    let ctx = context();
    let a = stream(0);
    let (flag, _) = word();
    assert_eq!(Libcuda.cuStreamWaitValue32_v2(a, flag, 1, CU_STREAM_WAIT_VALUE_EQ.0), CUDA_SUCCESS);
    let status = Box::leak(Box::new(AtomicU32::new(u32::MAX)));
    assert_eq!(Libcuda.cuStreamAddCallback(a, Some(note_status), pointer(status), 0), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxDestroy_v2(ctx), CUDA_SUCCESS);
    while status.load(SeqCst) == u32::MAX {
        std::thread::yield_now();
    }
    assert_eq!(status.load(SeqCst), CUDA_ERROR_CONTEXT_IS_DESTROYED.0);
    assert!(Libcuda.cuStreamSynchronize(a) != CUDA_SUCCESS);
}

#[test]
fn a_thread_may_end_before_its_stream() {
    let ctx = context();
    let (memory, at) = word();
    let gate: &'static Gate = Box::leak(Box::default());
    let thread = std::thread::spawn(move || {
        assert_eq!(Libcuda.cuCtxSetCurrent(ctx), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuLaunchHostFunc_ptsz(CUstream(0), Some(pass), pointer(gate)), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuMemsetD32Async_ptsz(memory, 5, 1, CUstream(0)), CUDA_SUCCESS);
    });
    thread.join().expect("no panic");
    assert_eq!(at.load(SeqCst), 0);
    gate.open.store(true, SeqCst);
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
    assert_eq!(at.load(SeqCst), 5);
}

#[test]
fn a_thousand_streams_cost_a_call_nothing() {
    context();
    let time = |count: u32| {
        let a = stream(0);
        let start = std::time::Instant::now();
        for _ in 0..count {
            assert_eq!(Libcuda.cuStreamQuery(a), CUDA_SUCCESS);
            assert_eq!(Libcuda.cuStreamQuery(CUstream(0)), CUDA_SUCCESS);
        }
        start.elapsed()
    };
    let alone = (0..5).map(|_| time(2_000)).min().expect("five");
    let streams: Vec<_> = (0..1_000).map(|_| stream(0)).collect();
    for stream in &streams {
        assert_eq!(
            Libcuda.cuLaunchHostFunc(
                *stream,
                Some(pass),
                pointer(&Gate { open: true.into(), passed: 0.into() })
            ),
            CUDA_SUCCESS
        );
        assert_eq!(Libcuda.cuStreamSynchronize(*stream), CUDA_SUCCESS);
    }
    assert_eq!(Libcuda.cuStreamSynchronize(CUstream(0)), CUDA_SUCCESS);
    let among = (0..5).map(|_| time(2_000)).min().expect("five");
    assert!(among < alone * 5 + Duration::from_millis(5), "{alone:?} alone, {among:?} among a thousand");
}
