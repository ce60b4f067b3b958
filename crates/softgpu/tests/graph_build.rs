//! Graphs as data: nodes, edges, clones, parameters, handles, user objects.

#![allow(non_snake_case)]

#[allow(unsafe_code, dead_code)]
mod call_unsafe;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

fn graph() -> CUgraph {
    out(|graph| Libcuda.cuGraphCreate(graph, 0)).expect("a graph")
}

fn empty(graph: CUgraph, after: &[CUgraphNode]) -> CUgraphNode {
    out(|node| Libcuda.cuGraphAddEmptyNode(node, graph, slice(after), after.len())).expect("a node")
}

fn nodes(graph: CUgraph) -> Vec<CUgraphNode> {
    let count = inout(0, |count| Libcuda.cuGraphGetNodes(graph, no_slice_mut(), count)).expect("a count");
    let mut nodes = vec![CUgraphNode(0); count];
    inout(count, |count| Libcuda.cuGraphGetNodes(graph, slice_mut(&mut nodes), count)).expect("nodes");
    nodes
}

fn edges(graph: CUgraph) -> Vec<(CUgraphNode, CUgraphNode)> {
    let count = inout(0, |count| Libcuda.cuGraphGetEdges(graph, no_slice_mut(), no_slice_mut(), count));
    let count = count.expect("a count");
    let (mut from, mut to) = (vec![CUgraphNode(0); count], vec![CUgraphNode(0); count]);
    let got =
        inout(count, |count| Libcuda.cuGraphGetEdges(graph, slice_mut(&mut from), slice_mut(&mut to), count));
    assert_eq!(got, Ok(count));
    from.into_iter().zip(to).collect()
}

#[test]
fn a_diamond() {
    context();
    let g = graph();
    let a = empty(g, &[]);
    let (b, c) = (empty(g, &[a]), empty(g, &[a]));
    let d = empty(g, &[b]);
    assert_eq!(Libcuda.cuGraphAddDependencies(g, slice(&[c]), slice(&[d]), 1), CUDA_SUCCESS);
    assert_eq!(nodes(g), [a, b, c, d]);
    assert_eq!(edges(g), [(a, b), (a, c), (b, d), (c, d)]);
    let mut roots = [CUgraphNode(9); 3];
    let count = inout(3, |count| Libcuda.cuGraphGetRootNodes(g, slice_mut(&mut roots), count));
    assert_eq!((count, roots), (Ok(1), [a, CUgraphNode(0), CUgraphNode(0)]), "the rest is cleared");
    let mut two = [CUgraphNode(0); 1];
    let count = inout(1, |count| Libcuda.cuGraphNodeGetDependencies(d, slice_mut(&mut two), count));
    assert_eq!((count, two), (Ok(2), [b]), "as many as fit, and how many there are");
    let mut both = [CUgraphNode(0); 2];
    let count = inout(2, |count| Libcuda.cuGraphNodeGetDependentNodes(a, slice_mut(&mut both), count));
    assert_eq!((count, both), (Ok(2), [b, c]));
    assert_eq!(out(|t| Libcuda.cuGraphNodeGetType(a, t)), Ok(CU_GRAPH_NODE_TYPE_EMPTY));

    assert_eq!(
        Libcuda.cuGraphAddDependencies(g, slice(&[a]), slice(&[b]), 1),
        CUDA_ERROR_INVALID_VALUE,
        "exists"
    );
    assert_eq!(Libcuda.cuGraphRemoveDependencies(g, slice(&[a]), slice(&[d]), 1), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuGraphRemoveDependencies(g, slice(&[b]), slice(&[d]), 1), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuGraphDestroyNode(c), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuGraphDestroyNode(c), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(edges(g), [(a, b)]);
    assert_eq!(Libcuda.cuGraphDestroy(g), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuGraphDestroy(g), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(
        out(|t| Libcuda.cuGraphNodeGetType(a, t)),
        Err(CUDA_ERROR_INVALID_VALUE),
        "gone with its graph"
    );
}

#[test]
fn edges_are_added_all_or_none() {
    context();
    let g = graph();
    let (a, b, c) = (empty(g, &[]), empty(g, &[]), empty(g, &[]));
    let twice = Libcuda.cuGraphAddDependencies(g, slice(&[a, a]), slice(&[b, b]), 2);
    assert_eq!(twice, CUDA_ERROR_INVALID_VALUE);
    assert_eq!(edges(g), []);
    let foreign = empty(graph(), &[]);
    assert_eq!(
        Libcuda.cuGraphAddDependencies(g, slice(&[foreign]), slice(&[b]), 1),
        CUDA_ERROR_INVALID_VALUE
    );
    assert_eq!(
        out(|n| Libcuda.cuGraphAddEmptyNode(n, g, slice(&[foreign]), 1)),
        Err(CUDA_ERROR_INVALID_VALUE)
    );
    assert_eq!(nodes(g), [a, b, c], "a node that could not be added leaves nothing behind");
    assert_eq!(Libcuda.cuGraphAddDependencies(g, slice(&[a]), slice(&[a]), 1), CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn ports_are_not_lost() {
    context();
    let g = graph();
    let (a, b) = (empty(g, &[]), empty(g, &[]));
    let data = CUgraphEdgeData { from_port: 1, to_port: 0, type_: 1, reserved: [0; 5] };
    let added = Libcuda.cuGraphAddDependencies_v2(g, slice(&[a]), slice(&[b]), slice(&[data]), 1);
    assert_eq!(added, CUDA_SUCCESS);
    let (mut from, mut to, mut told) = ([CUgraphNode(0)], [CUgraphNode(0)], [CUgraphEdgeData::default()]);
    let lossy = inout(1, |n| Libcuda.cuGraphGetEdges(g, slice_mut(&mut from), slice_mut(&mut to), n));
    assert_eq!(lossy, Err(CUDA_ERROR_LOSSY_QUERY));
    let all = inout(1, |n| {
        Libcuda.cuGraphGetEdges_v2(g, slice_mut(&mut from), slice_mut(&mut to), slice_mut(&mut told), n)
    });
    assert_eq!((all, from, to), (Ok(1), [a], [b]));
    assert_eq!((told[0].from_port, told[0].type_), (1, 1));
    assert_eq!(Libcuda.cuGraphRemoveDependencies(g, slice(&[a]), slice(&[b]), 1), CUDA_ERROR_INVALID_VALUE);
    let removed = Libcuda.cuGraphRemoveDependencies_v2(g, slice(&[a]), slice(&[b]), slice(&[data]), 1);
    assert_eq!(removed, CUDA_SUCCESS);
}

#[test]
fn a_clone_has_nodes_of_its_own() {
    context();
    let g = graph();
    let a = empty(g, &[]);
    let b = empty(g, &[a]);
    let clone = out(|c| Libcuda.cuGraphClone(c, g)).expect("a clone");
    let find = |node, graph| out(|n| Libcuda.cuGraphNodeFindInClone(n, node, graph));
    let (a2, b2) = (find(a, clone).expect("there"), find(b, clone).expect("there"));
    assert_eq!(edges(clone), [(a2, b2)]);
    assert!(a2 != a && b2 != b);
    assert_eq!(find(a, g), Err(CUDA_ERROR_INVALID_VALUE), "not a clone");
    assert_eq!(find(a2, clone), Err(CUDA_ERROR_INVALID_VALUE), "not the original's");
    assert_eq!(Libcuda.cuGraphDestroyNode(b2), CUDA_SUCCESS);
    assert_eq!(find(b, clone), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(nodes(g), [a, b]);
}

#[test]
fn a_child_is_a_graph_of_its_own() {
    context();
    let (g, inner) = (graph(), graph());
    let a = empty(inner, &[]);
    let child = out(|n| Libcuda.cuGraphAddChildGraphNode(n, g, slice(&[]), 0, inner)).expect("a child");
    let embedded = out(|c| Libcuda.cuGraphChildGraphNodeGetGraph(child, c)).expect("its graph");
    assert_ne!(embedded, inner);
    assert_eq!(Libcuda.cuGraphDestroy(inner), CUDA_SUCCESS);
    assert_eq!(nodes(embedded).len(), 1);
    assert_ne!(nodes(embedded), [a]);
    assert_eq!(Libcuda.cuGraphDestroy(embedded), CUDA_ERROR_INVALID_VALUE, "it belongs to its node");
    assert_eq!(Libcuda.cuGraphDestroyNode(child), CUDA_SUCCESS);
    assert_eq!(out(|n| Libcuda.cuGraphGetId(embedded, n)), Err(CUDA_ERROR_INVALID_VALUE));
}

#[test]
fn a_cycle_cannot_be_instantiated() {
    context();
    let g = graph();
    let (a, b) = (empty(g, &[]), empty(g, &[]));
    let added = Libcuda.cuGraphAddDependencies(g, slice(&[a, b]), slice(&[b, a]), 2);
    assert_eq!(added, CUDA_SUCCESS);
    let made = out(|exec| Libcuda.cuGraphInstantiateWithFlags(exec, g, 0));
    assert_eq!(made, Err(CUDA_ERROR_INVALID_VALUE));
    let params = std::cell::Cell::new(CUDA_GRAPH_INSTANTIATE_PARAMS::default());
    let made = out(|exec| {
        let mut result = CUDA_SUCCESS;
        let read = inout(params.get(), |p| {
            result = Libcuda.cuGraphInstantiateWithParams(exec, g, p);
            CUDA_SUCCESS
        });
        params.set(read.expect("always"));
        result
    });
    assert_eq!(made, Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(params.get().result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
    assert_eq!(params.get().hErrNode_out, a);
}

#[test]
fn wrong_handles_are_told_apart() {
    context();
    let g = graph();
    let a = empty(g, &[]);
    // None of them can be one that another test holds.
    for wrong in [CUgraph(0), CUgraph(1), CUgraph(a.0), CUgraph(g.0 + 8), CUgraph(usize::MAX)] {
        assert_eq!(Libcuda.cuGraphDestroy(wrong), CUDA_ERROR_INVALID_VALUE);
        assert_eq!(out(|c| Libcuda.cuGraphClone(c, wrong)), Err(CUDA_ERROR_INVALID_VALUE));
        assert_eq!(out(|e| Libcuda.cuGraphInstantiateWithFlags(e, wrong, 0)), Err(CUDA_ERROR_INVALID_VALUE));
    }
    for wrong in [CUgraphExec(0), CUgraphExec(g.0)] {
        assert_eq!(Libcuda.cuGraphLaunch(wrong, CUstream(0)), CUDA_ERROR_INVALID_VALUE);
        assert_eq!(Libcuda.cuGraphExecDestroy(wrong), CUDA_ERROR_INVALID_VALUE);
    }
    assert_eq!(Libcuda.cuGraphCreate(null(), 0), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(out(|c| Libcuda.cuGraphCreate(c, 1)), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(out(|e| Libcuda.cuGraphHostNodeGetParams(a, e)).err(), Some(CUDA_ERROR_INVALID_VALUE));
}

extern "C" fn count_down(data: Ptr<c_void>) {
    user_data::<AtomicU32>(data).fetch_add(1, SeqCst);
}

#[test]
fn user_objects_live_as_long_as_somebody_holds_them() {
    context();
    let gone: &'static AtomicU32 = Box::leak(Box::default());
    let flag = CU_USER_OBJECT_NO_DESTRUCTOR_SYNC.0;
    let make =
        |count, flags| out(|o| Libcuda.cuUserObjectCreate(o, pointer(gone), Some(count_down), count, flags));
    assert_eq!(make(1, 0), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(make(0, flag), Err(CUDA_ERROR_INVALID_VALUE));
    let object = make(2, flag).expect("an object");
    let g = graph();
    assert_eq!(Libcuda.cuGraphRetainUserObject(g, object, 1, CU_GRAPH_USER_OBJECT_MOVE.0), CUDA_SUCCESS);
    let clone = out(|c| Libcuda.cuGraphClone(c, g)).expect("a clone");
    assert_eq!(Libcuda.cuUserObjectRelease(object, 1), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuGraphReleaseUserObject(g, object, 2), CUDA_ERROR_INVALID_VALUE, "held once");
    assert_eq!(Libcuda.cuGraphDestroy(g), CUDA_SUCCESS);
    assert_eq!(gone.load(SeqCst), 0);
    assert_eq!(Libcuda.cuGraphDestroy(clone), CUDA_SUCCESS);
    assert_eq!(gone.load(SeqCst), 1);
    assert_eq!(Libcuda.cuUserObjectRelease(object, 1), CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn a_graph_can_be_drawn() {
    context();
    let g = graph();
    let a = empty(g, &[]);
    empty(g, &[a]);
    let path = std::env::temp_dir().join(format!("cleave-dot-{}", std::process::id()));
    let text = std::ffi::CString::new(path.to_str().expect("text")).expect("no zero");
    assert_eq!(
        Libcuda.cuGraphDebugDotPrint(g, c_str(&text), CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE.0),
        CUDA_SUCCESS
    );
    let drawn = std::fs::read_to_string(&path).expect("written");
    std::fs::remove_file(&path).expect("there");
    assert!(drawn.starts_with("digraph") && drawn.contains("->") && drawn.contains("EMPTY"), "{drawn}");
}
