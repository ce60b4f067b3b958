//! Kernels in streams and graphs: order, overlap, faults, and kernels that never end.

#![allow(non_snake_case)]

#[allow(unsafe_code, dead_code)]
mod call_unsafe;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

const CODE: &str = r"
.version 7.0
.target sm_80
.address_size 64

.visible .entry nothing() { ret; }

// *to = value
.visible .entry store(.param .u64 to, .param .u64 value)
{
    .reg .u64 %a, %v;
    ld.param.u64 %a, [to];
    ld.param.u64 %v, [value];
    cvta.to.global.u64 %a, %a;
    st.global.u64 [%a], %v;
    ret;
}

// waits until *flag is not zero
.visible .entry spin(.param .u64 flag)
{
    .reg .u64 %a;
    .reg .u32 %v;
    .reg .pred %p;
    ld.param.u64 %a, [flag];
    cvta.to.global.u64 %a, %a;
again:
    ld.volatile.global.u32 %v, [%a];
    setp.eq.u32 %p, %v, 0;
    @%p bra again;
    ret;
}

.visible .entry stop() { trap; }
";

const COUNT: &str = r"
.version 7.0
.target sm_80
.address_size 64

// *to += 1, by every thread
.visible .entry count(.param .u64 to)
{
    .reg .u64 %a;
    .reg .u32 %o;
    ld.param.u64 %a, [to];
    cvta.to.global.u64 %a, %a;
    atom.global.add.u32 %o, [%a], 1;
    ret;
}
";

extern "C" fn note_status(_: CUstream, status: CUresult, data: Ptr<c_void>) {
    user_data::<AtomicU32>(data).store(status.0, SeqCst);
}

fn free_stream() -> CUstream {
    stream(CU_STREAM_NON_BLOCKING.0)
}

#[test]
fn kernels_run_in_order_and_overlap_across_streams() {
    context();
    let (spin, store) = (kernel(CODE, "spin"), kernel(CODE, "store"));
    let (a, b) = (free_stream(), free_stream());
    let (flag, at) = word();
    let next = CUdeviceptr(flag.0 + 8);
    assert_eq!(launch(spin, 1, a, &[flag.0]), CUDA_SUCCESS);
    assert_eq!(launch(store, 1, a, &[next.0, 7]), CUDA_SUCCESS);
    assert_eq!(launch(store, 1, b, &[next.0, 5]), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamSynchronize(b), CUDA_SUCCESS, "beside a kernel that runs");
    assert_eq!(Libcuda.cuStreamQuery(a), CUDA_ERROR_NOT_READY);
    at.store(1, SeqCst);
    assert_eq!(Libcuda.cuStreamSynchronize(a), CUDA_SUCCESS);
    assert_eq!(read_back::<u64>(next, 1), [7]);
}

#[test]
fn a_stream_of_many_kernels_runs_each_once() {
    context();
    let count = kernel(COUNT, "count");
    let memory = memory(64);
    assert_eq!(Libcuda.cuMemsetD32_v2(memory, 0, 16), CUDA_SUCCESS);
    let streams: Vec<_> = (0..8).map(|_| free_stream()).collect();
    for i in 0..4_000 {
        assert_eq!(launch(count, 32, streams[i % 8], &[memory.0]), CUDA_SUCCESS);
    }
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
    assert_eq!(read_back::<u32>(memory, 1), [4_000 * 32]);
}

#[test]
fn a_fault_ends_the_context_and_nothing_else() {
    let healthy = context();
    let memory = memory(64);
    let faulty = context();
    let (a, b) = (free_stream(), free_stream());
    let (store, spin) = (kernel(CODE, "store"), kernel(CODE, "spin"));
    let (flag, _) = word();
    let done = event(0);
    assert_eq!(launch(spin, 1, b, &[flag.0]), CUDA_SUCCESS, "would never end by itself");
    assert_eq!(Libcuda.cuEventRecord(done, b), CUDA_SUCCESS);
    let status: &'static AtomicU32 = Box::leak(Box::new(AtomicU32::new(u32::MAX)));
    let (held, _) = word();
    assert_eq!(Libcuda.cuStreamWaitValue32_v2(a, held, 1, 0), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamAddCallback(a, Some(note_status), pointer(status), 0), CUDA_SUCCESS);
    let c = free_stream();
    assert_eq!(launch(store, 1, c, &[0x1000, 1]), CUDA_SUCCESS, "faults while it runs");

    assert_eq!(Libcuda.cuStreamSynchronize(c), CUDA_ERROR_ILLEGAL_ADDRESS);
    for _ in 0..2 {
        assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS, "sticky");
        assert_eq!(Libcuda.cuStreamSynchronize(b), CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_eq!(Libcuda.cuStreamQuery(a), CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_eq!(Libcuda.cuEventSynchronize(done), CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_eq!(launch(store, 1, a, &[memory.0, 1]), CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_eq!(out(|p| Libcuda.cuMemAlloc_v2(p, 64)), Err(CUDA_ERROR_ILLEGAL_ADDRESS));
    }
    while status.load(SeqCst) == u32::MAX {
        std::thread::yield_now();
    }
    assert_eq!(status.load(SeqCst), CUDA_ERROR_ILLEGAL_ADDRESS.0);
    assert_eq!(Libcuda.cuCtxDestroy_v2(faulty), CUDA_SUCCESS);

    assert_eq!(Libcuda.cuCtxSetCurrent(healthy), CUDA_SUCCESS);
    let store = kernel(CODE, "store");
    assert_eq!(launch(store, 1, CUstream(0), &[memory.0, 9]), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
    assert_eq!(read_back::<u64>(memory, 1), [9]);
}

#[test]
fn every_waiter_hears_of_a_fault() {
    let ctx = context();
    let (stop, spin) = (kernel(CODE, "stop"), kernel(CODE, "spin"));
    let (flag, _) = word();
    let a = free_stream();
    assert_eq!(launch(spin, 1, a, &[flag.0]), CUDA_SUCCESS);
    let waiters: Vec<_> = (0..4)
        .map(|i| {
            std::thread::spawn(move || {
                assert_eq!(Libcuda.cuCtxSetCurrent(ctx), CUDA_SUCCESS);
                if i % 2 == 0 { Libcuda.cuStreamSynchronize(a) } else { Libcuda.cuCtxSynchronize() }
            })
        })
        .collect();
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(launch(stop, 1, free_stream(), &[]), CUDA_SUCCESS);
    for waiter in waiters {
        assert_eq!(waiter.join().expect("no panic"), CUDA_ERROR_LAUNCH_FAILED);
    }
}

#[test]
fn contexts_meet_by_events_and_a_fault_stays_where_it_is() {
    let first = context();
    let (spin, a, (flag, at)) = (kernel(CODE, "spin"), free_stream(), word());
    let reached = event(0);
    assert_eq!(launch(spin, 1, a, &[flag.0]), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuEventRecord(reached, a), CUDA_SUCCESS);
    let second = context();
    let b = free_stream();
    assert_eq!(Libcuda.cuStreamWaitEvent(b, reached, 0), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuEventRecord(reached, b), CUDA_ERROR_INVALID_HANDLE, "of another context");
    assert_eq!(Libcuda.cuStreamQuery(b), CUDA_ERROR_NOT_READY);
    at.store(1, SeqCst);
    assert_eq!(Libcuda.cuStreamSynchronize(b), CUDA_SUCCESS);

    // The other context faults while this one waits for it: the wait is over, and this one is well.
    assert_eq!(Libcuda.cuCtxSetCurrent(first), CUDA_SUCCESS);
    let (never, _) = word();
    assert_eq!(launch(spin, 1, a, &[never.0]), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuEventRecord(reached, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxSetCurrent(second), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamWaitEvent(b, reached, 0), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxSetCurrent(first), CUDA_SUCCESS);
    assert_eq!(launch(kernel(CODE, "stop"), 1, free_stream(), &[]), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxSetCurrent(second), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamSynchronize(b), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamSynchronize(a), CUDA_ERROR_LAUNCH_FAILED);
}

#[test]
fn a_context_with_a_kernel_that_never_ends_can_be_destroyed() {
    let ctx = context();
    let spin = kernel(CODE, "spin");
    let (flag, _) = word();
    let a = free_stream();
    assert_eq!(launch_grid(spin, 64, 64, a, &[flag.0]), CUDA_SUCCESS);
    assert_eq!(launch(spin, 1, a, &[flag.0]), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxDestroy_v2(ctx), CUDA_SUCCESS);
    assert!(Libcuda.cuStreamQuery(a) != CUDA_SUCCESS);
}

#[test]
fn kernel_nodes_keep_their_arguments() {
    context();
    let store = kernel(CODE, "store");
    let memory = memory(64);
    let graph = out(|g| Libcuda.cuGraphCreate(g, 0)).expect("a graph");
    let describe = |arguments: &[Ptr<c_void>; 2]| CUDA_KERNEL_NODE_PARAMS {
        func: store,
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 1,
        blockDimY: 1,
        blockDimZ: 1,
        kernelParams: pointer(&arguments[0]).cast(),
        ..Default::default()
    };
    let node = {
        let (to, value) = (memory.0, 5u64);
        let arguments = [pointer(&to), pointer(&value)];
        let params = describe(&arguments);
        out(|n| Libcuda.cuGraphAddKernelNode_v2(n, graph, slice(&[]), 0, input(&params))).expect("a node")
    };
    let read = out(|p| Libcuda.cuGraphKernelNodeGetParams_v2(node, p)).expect("parameters");
    let argument = |i: usize| {
        let at = read.kernelParams.slice::<CUresult>(2).get(i).expect("two arguments");
        at.cast::<u64>().slice::<CUresult>(1).get(0)
    };
    assert_eq!((argument(0), argument(1)), (Some(memory.0), Some(5)));
    assert_eq!((read.func, read.blockDimX), (store, 1));

    let exec = out(|exec| Libcuda.cuGraphInstantiateWithFlags(exec, graph, 0)).expect("an executable graph");
    let run = |expected: u64| {
        assert_eq!(Libcuda.cuGraphLaunch(exec, CUstream(0)), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuStreamSynchronize(CUstream(0)), CUDA_SUCCESS);
        assert_eq!(read_back::<u64>(memory, 1), [expected]);
    };
    run(5);
    let (to, value) = (memory.0, 6u64);
    let arguments = [pointer(&to), pointer(&value)];
    let changed = Libcuda.cuGraphExecKernelNodeSetParams_v2(exec, node, input(&describe(&arguments)));
    assert_eq!(changed, CUDA_SUCCESS);
    run(6);

    let mut on = CUlaunchAttributeValue::default();
    on.value.set(1i32);
    let id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    assert_eq!(Libcuda.cuGraphKernelNodeSetAttribute(node, id, input(&on)), CUDA_SUCCESS);
    let read = out(|v| Libcuda.cuGraphKernelNodeGetAttribute(node, id, v)).expect("a value");
    assert_eq!(read.value.get::<i32>(), 1);
    let wrong = CUDA_KERNEL_NODE_PARAMS { func: CUfunction(1), ..describe(&arguments) };
    let added = out(|n| Libcuda.cuGraphAddKernelNode_v2(n, graph, slice(&[]), 0, input(&wrong)));
    assert!(added.is_err());
}

#[test]
fn captured_kernels_run_with_the_arguments_they_were_given() {
    context();
    let (store, count) = (kernel(CODE, "store"), kernel(COUNT, "count"));
    let a = free_stream();
    let memory = memory(64);
    assert_eq!(Libcuda.cuMemsetD32_v2(memory, 0, 16), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamBeginCapture_v2(a, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    for i in 0..10u64 {
        assert_eq!(launch(store, 1, a, &[memory.0 + 8, i]), CUDA_SUCCESS);
        assert_eq!(launch(count, 32, a, &[memory.0]), CUDA_SUCCESS);
    }
    let graph = out(|g| Libcuda.cuStreamEndCapture(a, g)).expect("a graph");
    let exec = out(|exec| Libcuda.cuGraphInstantiateWithFlags(exec, graph, 0)).expect("an executable graph");
    for _ in 0..5 {
        assert_eq!(Libcuda.cuGraphLaunch(exec, a), CUDA_SUCCESS);
    }
    assert_eq!(Libcuda.cuStreamSynchronize(a), CUDA_SUCCESS);
    assert_eq!(read_back::<u32>(memory, 3), [5 * 10 * 32, 0, 9]);
}

/// A launch takes its stream's priority along, also into a graph; one of a plain stream carries none.
#[test]
fn launches_inherit_the_priority_of_their_stream() {
    context();
    let nothing = kernel(CODE, "nothing");
    let priority_of_a_node = |stream| {
        let mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        assert_eq!(Libcuda.cuStreamBeginCapture_v2(stream, mode), CUDA_SUCCESS);
        assert_eq!(launch(nothing, 1, stream, &[]), CUDA_SUCCESS);
        let graph = out(|graph| Libcuda.cuStreamEndCapture(stream, graph)).expect("a graph");
        let mut nodes = [CUgraphNode(0)];
        assert_eq!(inout(1, |n| Libcuda.cuGraphGetNodes(graph, slice_mut(&mut nodes), n)), Ok(1));
        let id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
        out(|v| Libcuda.cuGraphKernelNodeGetAttribute(nodes[0], id, v)).map(|v| v.value.get::<i32>())
    };
    let urgent =
        out(|s| Libcuda.cuStreamCreateWithPriority(s, CU_STREAM_NON_BLOCKING.0, -3)).expect("a stream");
    assert_eq!(priority_of_a_node(urgent), Ok(-3));
    assert_eq!(priority_of_a_node(free_stream()), Ok(0));
}

#[test]
fn a_thousand_launches_each_waited_for() {
    context();
    let nothing = kernel(CODE, "nothing");
    let a = free_stream();
    for _ in 0..1_000 {
        assert_eq!(launch(nothing, 1, a, &[]), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuStreamSynchronize(a), CUDA_SUCCESS);
    }
}
