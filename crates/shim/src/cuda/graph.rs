use cleave_api::cuda::types::*;
use cleave_api::edge::{BytesMut, InOut, Out};
use cleave_gate::Command;

use crate::books::{self, Books};
use crate::gate::{self, Stream};
use crate::graphs;
use crate::real_unsafe::cuda as real;

/// Makes a graph executable and remembers what its nodes will allocate.
fn instantiate(
    symbol: &'static str,
    place: Out<CUgraphExec>,
    graph: CUgraph,
    call: impl FnOnce(Out<CUgraphExec>) -> CUresult,
) -> CUresult {
    let Some(books) = books::get().filter(|_| !place.is_null()) else { return call(place) };
    // What cannot be read is the driver's to judge.
    let Ok(needs) = graphs::needs_of(books, graph) else { return call(place) };
    let mut made = CUgraphExec(0);
    let run = || {
        books.graphs.grow(symbol, &needs, || CUDA_SUCCESS, || call((&mut made).into()))?;
        books.graphs.insert(made, needs);
        place.set(made)
    };
    run().into()
}

pub fn cuGraphInstantiate(
    phGraphExec: Out<CUgraphExec>,
    hGraph: CUgraph,
    phErrorNode: Out<CUgraphNode>,
    logBuffer: BytesMut,
    bufferSize: usize,
) -> CUresult {
    let call = |p: Out<CUgraphExec>| real::cuGraphInstantiate(p, hGraph, phErrorNode, logBuffer, bufferSize);
    instantiate("cuGraphInstantiate", phGraphExec, hGraph, call)
}

pub fn cuGraphInstantiate_v2(
    phGraphExec: Out<CUgraphExec>,
    hGraph: CUgraph,
    phErrorNode: Out<CUgraphNode>,
    logBuffer: BytesMut,
    bufferSize: usize,
) -> CUresult {
    let call =
        |p: Out<CUgraphExec>| real::cuGraphInstantiate_v2(p, hGraph, phErrorNode, logBuffer, bufferSize);
    instantiate("cuGraphInstantiate_v2", phGraphExec, hGraph, call)
}

pub fn cuGraphInstantiateWithFlags(phGraphExec: Out<CUgraphExec>, hGraph: CUgraph, flags: u64) -> CUresult {
    let call = |p: Out<CUgraphExec>| real::cuGraphInstantiateWithFlags(p, hGraph, flags);
    instantiate("cuGraphInstantiateWithFlags", phGraphExec, hGraph, call)
}

pub fn cuGraphInstantiateWithParams(
    phGraphExec: Out<CUgraphExec>,
    hGraph: CUgraph,
    instantiateParams: InOut<CUDA_GRAPH_INSTANTIATE_PARAMS>,
) -> CUresult {
    let call = |p: Out<CUgraphExec>| real::cuGraphInstantiateWithParams(p, hGraph, instantiateParams);
    instantiate("cuGraphInstantiateWithParams", phGraphExec, hGraph, call)
}

pub fn cuGraphInstantiateWithParams_ptsz(
    phGraphExec: Out<CUgraphExec>,
    hGraph: CUgraph,
    instantiateParams: InOut<CUDA_GRAPH_INSTANTIATE_PARAMS>,
) -> CUresult {
    let call = |p: Out<CUgraphExec>| real::cuGraphInstantiateWithParams_ptsz(p, hGraph, instantiateParams);
    instantiate("cuGraphInstantiateWithParams_ptsz", phGraphExec, hGraph, call)
}

/// Runs a call that makes a graph's memory real, if it has any.
fn submit(
    symbol: &'static str,
    graph: CUgraphExec,
    wait: impl Fn() -> CUresult,
    call: impl FnOnce() -> CUresult,
) -> CUresult {
    let needs = books::get().and_then(|books: &Books| Some((books, books.graphs.needs(graph)?)));
    let Some((books, needs)) = needs else { return call() };
    books.graphs.grow(symbol, &needs, wait, call).into()
}

pub fn cuGraphUpload(hGraph: CUgraphExec, hStream: CUstream) -> CUresult {
    let wait = || real::cuStreamSynchronize(hStream);
    submit("cuGraphUpload", hGraph, wait, || real::cuGraphUpload(hGraph, hStream))
}

pub fn cuGraphUpload_ptsz(hGraphExec: CUgraphExec, hStream: CUstream) -> CUresult {
    let wait = || real::cuStreamSynchronize_ptsz(hStream);
    submit("cuGraphUpload_ptsz", hGraphExec, wait, || real::cuGraphUpload_ptsz(hGraphExec, hStream))
}

pub fn cuGraphLaunch(hGraph: CUgraphExec, hStream: CUstream) -> CUresult {
    let wait = || real::cuStreamSynchronize(hStream);
    let call = || submit("cuGraphLaunch", hGraph, wait, || real::cuGraphLaunch(hGraph, hStream));
    gate::launch(|| Command::graph(hGraph.0 as u64), Stream::plain(hStream), call)
}

pub fn cuGraphLaunch_ptsz(hGraphExec: CUgraphExec, hStream: CUstream) -> CUresult {
    let wait = || real::cuStreamSynchronize_ptsz(hStream);
    let call =
        || submit("cuGraphLaunch_ptsz", hGraphExec, wait, || real::cuGraphLaunch_ptsz(hGraphExec, hStream));
    gate::launch(|| Command::graph(hGraphExec.0 as u64), Stream::per_thread(hStream), call)
}

pub fn cuGraphExecDestroy(hGraphExec: CUgraphExec) -> CUresult {
    let result = real::cuGraphExecDestroy(hGraphExec);
    if let Some(books) = books::get().filter(|_| result == CUDA_SUCCESS) {
        books.graphs.remove(hGraphExec);
        gate::forget_graph(hGraphExec);
    }
    result
}

pub fn cuDeviceGraphMemTrim(device: CUdevice) -> CUresult {
    let result = real::cuDeviceGraphMemTrim(device);
    if let Some(books) = books::get()
        && let Ok(card) = books.cards.get(device)
    {
        books.graphs.settle(card);
    }
    result
}
