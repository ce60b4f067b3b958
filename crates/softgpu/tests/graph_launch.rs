//! Launching graphs: order, concurrency, updates, memory nodes.

#![allow(non_snake_case)]

#[allow(unsafe_code, dead_code)]
mod call_unsafe;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

fn graph() -> CUgraph {
    out(|graph| Libcuda.cuGraphCreate(graph, 0)).expect("a graph")
}

fn instantiate(graph: CUgraph, flags: u64) -> CUgraphExec {
    out(|exec| Libcuda.cuGraphInstantiateWithFlags(exec, graph, flags)).expect("an executable graph")
}

/// A host node that writes its name into a list.
struct Note {
    name: u32,
    list: &'static Mutex<Vec<u32>>,
}

extern "C" fn note(data: Ptr<c_void>) {
    let note: &Note = user_data(data);
    note.list.lock().expect("no panic").push(note.name);
}

fn list() -> &'static Mutex<Vec<u32>> {
    Box::leak(Box::default())
}

fn host_params(name: u32, list: &'static Mutex<Vec<u32>>) -> CUDA_HOST_NODE_PARAMS {
    let data: &'static Note = Box::leak(Box::new(Note { name, list }));
    CUDA_HOST_NODE_PARAMS { func: Some(note), userData: pointer(data) }
}

fn host(graph: CUgraph, after: &[CUgraphNode], params: CUDA_HOST_NODE_PARAMS) -> CUgraphNode {
    out(|node| Libcuda.cuGraphAddHostNode(node, graph, slice(after), after.len(), input(&params)))
        .expect("a node")
}

fn fill_params(dst: CUdeviceptr, value: u32, width: usize) -> CUDA_MEMSET_NODE_PARAMS {
    CUDA_MEMSET_NODE_PARAMS { dst, pitch: 0, value, elementSize: 4, width, height: 1 }
}

fn fill(graph: CUgraph, after: &[CUgraphNode], params: CUDA_MEMSET_NODE_PARAMS) -> CUgraphNode {
    let ctx = out(|c| Libcuda.cuCtxGetCurrent(c)).expect("a context");
    out(|node| Libcuda.cuGraphAddMemsetNode(node, graph, slice(after), after.len(), input(&params), ctx))
        .expect("a node")
}

fn copy_params(dst: CUdeviceptr, src: CUdeviceptr, bytes: usize) -> CUDA_MEMCPY3D {
    CUDA_MEMCPY3D {
        srcMemoryType: CU_MEMORYTYPE_DEVICE,
        srcDevice: src,
        dstMemoryType: CU_MEMORYTYPE_DEVICE,
        dstDevice: dst,
        WidthInBytes: bytes,
        Height: 1,
        Depth: 1,
        ..CUDA_MEMCPY3D::default()
    }
}

fn copy(graph: CUgraph, after: &[CUgraphNode], params: CUDA_MEMCPY3D) -> CUgraphNode {
    let ctx = out(|c| Libcuda.cuCtxGetCurrent(c)).expect("a context");
    out(|node| Libcuda.cuGraphAddMemcpyNode(node, graph, slice(after), after.len(), input(&params), ctx))
        .expect("a node")
}

fn run(exec: CUgraphExec) {
    let stream = stream(CU_STREAM_NON_BLOCKING.0);
    assert_eq!(Libcuda.cuGraphLaunch(exec, stream), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamSynchronize(stream), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamDestroy_v2(stream), CUDA_SUCCESS);
}

#[test]
fn nodes_run_after_what_they_depend_on() {
    context();
    let (g, list) = (graph(), list());
    let memory = memory(64);
    let a = host(g, &[], host_params(1, list));
    let b = fill(g, &[a], fill_params(memory, 0xabcd, 4));
    let c = copy(g, &[b], copy_params(CUdeviceptr(memory.0 + 32), memory, 16));
    host(g, &[c], host_params(2, list));
    let exec = instantiate(g, 0);
    assert_eq!(Libcuda.cuGraphDestroy(g), CUDA_SUCCESS, "the executable graph does not need it");
    for round in 1..=3 {
        run(exec);
        assert_eq!(list.lock().expect("no panic").len(), 2 * round);
        assert_eq!(read_back::<u32>(memory, 12)[8..], [0xabcd; 4]);
        assert_eq!(Libcuda.cuMemsetD32_v2(memory, 0, 16), CUDA_SUCCESS);
    }
    assert_eq!(*list.lock().expect("no panic"), [1, 2, 1, 2, 1, 2]);
    assert_eq!(Libcuda.cuGraphExecDestroy(exec), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuGraphLaunch(exec, CUstream(0)), CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn launches_of_one_graph_follow_each_other_on_any_streams() {
    context();
    let (g, list) = (graph(), list());
    let (flag, at) = word();
    let ctx = out(|c| Libcuda.cuCtxGetCurrent(c)).expect("a context");
    let wait = CUstreamMemOpWaitValueParams {
        operation: CU_STREAM_MEM_OP_WAIT_VALUE_32,
        address: flag,
        value: cleave_api::edge::Union::of(1u64),
        flags: CU_STREAM_WAIT_VALUE_GEQ.0,
        alias: CUdeviceptr(0),
    };
    let mut op = CUstreamBatchMemOpParams::default();
    op.value.set(wait);
    let ops = [op];
    let params = CUDA_BATCH_MEM_OP_NODE_PARAMS { ctx, count: 1, paramArray: pointer(&ops).cast(), flags: 0 };
    let held =
        out(|n| Libcuda.cuGraphAddBatchMemOpNode(n, g, slice(&[]), 0, input(&params))).expect("a node");
    host(g, &[held], host_params(1, list));
    let exec = instantiate(g, 0);
    let (a, b) = (stream(CU_STREAM_NON_BLOCKING.0), stream(CU_STREAM_NON_BLOCKING.0));
    assert_eq!(Libcuda.cuGraphLaunch(exec, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuGraphLaunch(exec, b), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamQuery(b), CUDA_ERROR_NOT_READY);
    assert_eq!(list.lock().expect("no panic").len(), 0);
    at.store(1, SeqCst);
    assert_eq!(Libcuda.cuStreamSynchronize(b), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamQuery(a), CUDA_SUCCESS, "the first launch ended before the second began");
    assert_eq!(list.lock().expect("no panic").len(), 2);
}

#[test]
fn independent_nodes_overlap() {
    context();
    let g = graph();
    let (flag, at) = word();
    // One branch waits for a value that the other branch writes: both must be under way together.
    let ctx = out(|c| Libcuda.cuCtxGetCurrent(c)).expect("a context");
    let op = |operation, value: u64| {
        let mut op = CUstreamBatchMemOpParams::default();
        op.value.set(CUstreamMemOpWaitValueParams {
            operation,
            address: flag,
            value: cleave_api::edge::Union::of(value),
            flags: 0,
            alias: CUdeviceptr(0),
        });
        [op]
    };
    let (waiting, writing) = (op(CU_STREAM_MEM_OP_WAIT_VALUE_32, 9), op(CU_STREAM_MEM_OP_WRITE_VALUE_32, 9));
    for ops in [&waiting, &writing] {
        let params =
            CUDA_BATCH_MEM_OP_NODE_PARAMS { ctx, count: 1, paramArray: pointer(ops).cast(), flags: 0 };
        out(|n| Libcuda.cuGraphAddBatchMemOpNode(n, g, slice(&[]), 0, input(&params))).expect("a node");
    }
    run(instantiate(g, 0));
    assert_eq!(at.load(SeqCst), 9);
}

#[test]
fn a_child_runs_where_its_node_is() {
    context();
    let (g, inner, list) = (graph(), graph(), list());
    let first = host(inner, &[], host_params(2, list));
    host(inner, &[first], host_params(3, list));
    let a = host(g, &[], host_params(1, list));
    let child = out(|n| Libcuda.cuGraphAddChildGraphNode(n, g, slice(&[a]), 1, inner)).expect("a child");
    host(g, &[child], host_params(4, list));
    let exec = instantiate(g, 0);
    run(exec);
    assert_eq!(*list.lock().expect("no panic"), [1, 2, 3, 4]);

    let other = graph();
    let first = host(other, &[], host_params(20, list));
    host(other, &[first], host_params(30, list));
    assert_eq!(Libcuda.cuGraphExecChildGraphNodeSetParams(exec, child, other), CUDA_SUCCESS);
    run(exec);
    assert_eq!(list.lock().expect("no panic")[4..], [1, 20, 30, 4]);
    let wrong = graph();
    assert_eq!(Libcuda.cuGraphExecChildGraphNodeSetParams(exec, child, wrong), CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn parameters_change_in_the_graph_or_in_the_executable_one() {
    context();
    let (g, memory) = (graph(), memory(64));
    let node = fill(g, &[], fill_params(memory, 1, 1));
    let exec = instantiate(g, 0);
    assert_eq!(Libcuda.cuGraphMemsetNodeSetParams(node, input(&fill_params(memory, 2, 1))), CUDA_SUCCESS);
    let read = out(|p| Libcuda.cuGraphMemsetNodeGetParams(node, p)).expect("parameters");
    assert_eq!((read.value, read.dst), (2, memory));
    run(exec);
    assert_eq!(read_back::<u32>(memory, 1), [1], "instantiated before the change");
    run(instantiate(g, 0));
    assert_eq!(read_back::<u32>(memory, 1), [2]);
    let ctx = out(|c| Libcuda.cuCtxGetCurrent(c)).expect("a context");
    let changed = Libcuda.cuGraphExecMemsetNodeSetParams(exec, node, input(&fill_params(memory, 3, 1)), ctx);
    assert_eq!(changed, CUDA_SUCCESS);
    run(exec);
    assert_eq!(read_back::<u32>(memory, 1), [3]);
    let wrong = Libcuda.cuGraphExecHostNodeSetParams(exec, node, input(&host_params(1, list())));
    assert_eq!(wrong, CUDA_ERROR_INVALID_VALUE, "a fill stays a fill");

    assert_eq!(Libcuda.cuGraphNodeSetEnabled(exec, node, 0), CUDA_SUCCESS);
    assert_eq!(out(|e| Libcuda.cuGraphNodeGetEnabled(exec, node, e)), Ok(0));
    assert_eq!(Libcuda.cuMemsetD32_v2(memory, 0, 1), CUDA_SUCCESS);
    run(exec);
    assert_eq!(read_back::<u32>(memory, 1), [0], "switched off");
}

#[test]
fn an_update_takes_a_graph_of_the_same_shape() {
    context();
    let memory = memory(64);
    let build = |value, extra: bool| {
        let g = graph();
        let a = fill(g, &[], fill_params(memory, value, 1));
        let b = fill(g, &[a], fill_params(CUdeviceptr(memory.0 + 4), value + 1, 1));
        if extra {
            fill(g, &[b], fill_params(memory, 0, 1));
        }
        g
    };
    let exec = instantiate(build(1, false), 0);
    let update = |graph| out(|info| Libcuda.cuGraphExecUpdate_v2(exec, graph, info));
    assert!(update(build(10, false)).is_ok());
    run(exec);
    assert_eq!(read_back::<u32>(memory, 2), [10, 11]);
    assert_eq!(update(build(5, true)).err(), Some(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE));

    let other = graph();
    let a = host(other, &[], host_params(1, list()));
    fill(other, &[a], fill_params(memory, 1, 1));
    let info = std::cell::Cell::new(CUgraphExecUpdateResultInfo::default());
    let code = out(|told| {
        let code = std::cell::Cell::new(CUDA_SUCCESS);
        let read = out(|inner| {
            code.set(Libcuda.cuGraphExecUpdate_v2(exec, other, inner));
            CUDA_SUCCESS
        });
        info.set(read.expect("always"));
        told.set(0u32).expect("not null");
        code.get()
    });
    assert_eq!(code, Err(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE));
    assert_eq!(info.get().result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
    assert_eq!(info.get().errorNode, a);
    run(exec);
    assert_eq!(read_back::<u32>(memory, 2), [10, 11], "a refused update changes nothing");
}

#[test]
fn events_in_graphs_meet_streams() {
    context();
    let (g, list) = (graph(), list());
    let (inside, outside) = (event(0), event(0));
    let wait = out(|n| Libcuda.cuGraphAddEventWaitNode(n, g, slice(&[]), 0, outside)).expect("a node");
    let noted = host(g, &[wait], host_params(1, list));
    out(|n| Libcuda.cuGraphAddEventRecordNode(n, g, slice(&[noted]), 1, inside)).expect("a node");
    let exec = instantiate(g, 0);

    let (flag, at) = word();
    let (a, b) = (stream(CU_STREAM_NON_BLOCKING.0), stream(CU_STREAM_NON_BLOCKING.0));
    assert_eq!(Libcuda.cuStreamWaitValue32_v2(a, flag, 1, 0), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuEventRecord(outside, a), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuGraphLaunch(exec, b), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuEventQuery(inside), CUDA_ERROR_NOT_READY);
    assert_eq!(list.lock().expect("no panic").len(), 0);
    at.store(1, SeqCst);
    assert_eq!(Libcuda.cuEventSynchronize(inside), CUDA_SUCCESS);
    assert_eq!(list.lock().expect("no panic").len(), 1);
}

fn alloc(graph: CUgraph, after: &[CUgraphNode], bytes: usize) -> (CUgraphNode, CUdeviceptr) {
    let mut params = CUDA_MEM_ALLOC_NODE_PARAMS { bytesize: bytes, ..Default::default() };
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location = CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 };
    let mut node = CUgraphNode(0);
    let params = inout(params, |params| {
        let made = out(|n| Libcuda.cuGraphAddMemAllocNode(n, graph, slice(after), after.len(), params));
        node = made.expect("a node");
        CUDA_SUCCESS
    });
    (node, params.expect("always").dptr)
}

/// Memory nodes share the device's counters, so their tests run one after the other.
static MEMORY: Mutex<()> = Mutex::new(());

fn graph_memory(attr: CUgraphMem_attribute) -> u64 {
    out(|v| Libcuda.cuDeviceGetGraphMemAttribute(CUdevice(0), attr, v)).expect("a number")
}

#[test]
fn memory_lives_from_its_node_to_its_free() {
    let _one = MEMORY.lock();
    context();
    let (g, result) = (graph(), memory(4096));
    let (node, at) = alloc(g, &[], 1000);
    let b = fill(g, &[node], fill_params(at, 77, 250));
    let c = copy(g, &[b], copy_params(result, at, 1000));
    out(|n| Libcuda.cuGraphAddMemFreeNode(n, g, slice(&[c]), 1, at)).expect("a node");
    assert_eq!(out(|c| Libcuda.cuGraphClone(c, g)), Err(CUDA_ERROR_NOT_SUPPORTED));
    let exec = instantiate(g, 0);
    assert_eq!(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 0);
    for _ in 0..3 {
        run(exec);
        assert_eq!(read_back::<u32>(result, 250), [77; 250]);
        assert_eq!(Libcuda.cuMemsetD32_v2(result, 0, 250), CUDA_SUCCESS);
    }
    assert_eq!(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0);
    assert!(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) >= 1000);
    assert!(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) >= 1000);
    assert_eq!(Libcuda.cuMemsetD32_v2(at, 0, 1), CUDA_ERROR_INVALID_VALUE, "freed");
    assert_eq!(Libcuda.cuDeviceGraphMemTrim(CUdevice(0)), CUDA_SUCCESS);
    assert_eq!(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 0);
    run(exec);
    assert_eq!(read_back::<u32>(result, 1), [77]);
    assert_eq!(Libcuda.cuGraphExecDestroy(exec), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuGraphDestroy(g), CUDA_SUCCESS);
    assert_eq!(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 0, "gone with the last graph");
}

#[test]
fn memory_may_outlive_its_launch() {
    let _one = MEMORY.lock();
    context();
    let g = graph();
    let (node, at) = alloc(g, &[], 4096);
    fill(g, &[node], fill_params(at, 5, 1024));
    let exec = instantiate(g, 0);
    run(exec);
    assert_eq!(read_back::<u32>(at, 1024), [5; 1024]);
    assert_eq!(Libcuda.cuGraphLaunch(exec, CUstream(0)), CUDA_ERROR_INVALID_VALUE, "still allocated");

    let freeing = graph();
    out(|n| Libcuda.cuGraphAddMemFreeNode(n, freeing, slice(&[]), 0, at)).expect("a node");
    let free = instantiate(freeing, 0);
    run(free);
    assert_eq!(Libcuda.cuGraphLaunch(free, CUstream(0)), CUDA_ERROR_INVALID_VALUE, "freed already");
    run(exec);
    assert_eq!(Libcuda.cuMemFree_v2(at), CUDA_SUCCESS, "the program may free it too");
    run(exec);
    run(free);

    let again = instantiate(g, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH.0.into());
    run(again);
    run(again);
    assert_eq!(read_back::<u32>(at, 1), [5]);
    assert_eq!(Libcuda.cuGraphDestroy(g), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuGraphExecDestroy(exec), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuGraphExecDestroy(again), CUDA_SUCCESS);
    assert_eq!(read_back::<u32>(at, 1), [5], "what is allocated stays");
    assert_eq!(Libcuda.cuMemFree_v2(at), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemFree_v2(at), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 0);
}

#[test]
fn a_graph_larger_than_the_device_cannot_be_launched() {
    let _one = MEMORY.lock();
    context();
    let g = graph();
    alloc(g, &[], 1 << 40);
    let exec = instantiate(g, 0);
    assert_eq!(Libcuda.cuGraphLaunch(exec, CUstream(0)), CUDA_ERROR_OUT_OF_MEMORY);
    assert_eq!(Libcuda.cuGraphUpload(exec, CUstream(0)), CUDA_ERROR_OUT_OF_MEMORY);
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
}

#[test]
fn wide_and_long_graphs() {
    context();
    let g = graph();
    let memory = memory(4 << 20);
    let root = fill(g, &[], fill_params(memory, 1, 1));
    let wide: Vec<_> = (0..1000)
        .map(|i| copy(g, &[root], copy_params(CUdeviceptr(memory.0 + 8 + 4 * i), memory, 4)))
        .collect();
    let mut last = fill(g, &wide, fill_params(CUdeviceptr(memory.0 + 4), 2, 1));
    for i in 0..3000u32 {
        last = fill(g, &[last], fill_params(CUdeviceptr(memory.0 + 4), i, 1));
    }
    let exec = instantiate(g, 0);
    for _ in 0..3 {
        run(exec);
    }
    let values = read_back::<u32>(memory, 1002);
    assert_eq!((values[0], values[1]), (1, 2999));
    assert!(values[2..].iter().all(|value| *value == 1));
}

static ENDED: AtomicU32 = AtomicU32::new(0);

extern "C" fn slow(_: Ptr<c_void>) {
    std::thread::sleep(std::time::Duration::from_millis(30));
    ENDED.fetch_add(1, SeqCst);
}

#[test]
fn a_destroyed_executable_graph_finishes() {
    context();
    let g = graph();
    host(g, &[], CUDA_HOST_NODE_PARAMS { func: Some(slow), userData: Ptr::NULL });
    let exec = instantiate(g, 0);
    assert_eq!(Libcuda.cuGraphLaunch(exec, CUstream(0)), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuGraphExecDestroy(exec), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuGraphDestroy(g), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamSynchronize(CUstream(0)), CUDA_SUCCESS);
    assert_eq!(ENDED.load(SeqCst), 1);
}
