//! How a copy or fill becomes work: on the calling thread, in stream order, or as a node of a graph being captured.

use std::sync::Arc;

use cleave_api::cuda::types::*;
use cleave_device::Engine;

use crate::context::Context;
use crate::copy::Copy;
use crate::fill::Fill;
use crate::gpu::SoftGpu;
use crate::graph;
use crate::queue::{Stream, Work};

/// The stream of an asynchronous copy or fill and the context it belongs to.
fn place(gpu: &'static SoftGpu, stream: CUstream) -> Result<(Arc<Context>, Arc<Stream>), CUresult> {
    let context = gpu.current()?;
    let stream = gpu.stream(&context, stream)?;
    Ok((context, stream))
}

/// A copy in stream order. What the program may reuse at once is read at once, and what it may read at once is written
/// before the call returns: pageable memory has no other moment.
pub fn copy(gpu: &'static SoftGpu, params: CUDA_MEMCPY3D, stream: CUstream) -> Result<(), CUresult> {
    let (context, stream) = place(gpu, stream)?;
    copy_in(gpu, &context, &stream, params, false)
}

/// The same on a stream that is known already. `at_once`: the source is read before the call returns.
pub fn copy_in(
    gpu: &'static SoftGpu,
    context: &Context,
    stream: &Stream,
    params: CUDA_MEMCPY3D,
    at_once: bool,
) -> Result<(), CUresult> {
    if gpu.graphs.captures.any() {
        let op = graph::params::copy(gpu, params, context.handle)?;
        if gpu.graphs.captures.divert(&gpu.graphs, stream, &op)? {
            return Ok(());
        }
    }
    let copy = Copy::new(gpu, &params)?;
    let size = (copy.engine(), copy.bytes());
    let at_once = copy.reads_pageable() || (at_once && copy.reads_host());
    if copy.writes_pageable() || (at_once && stream.is_idle()) {
        return stream.perform(size, || {
            copy.run();
            Ok(())
        });
    }
    if at_once {
        let staged = copy.staged();
        submit(stream, size, move || staged.run());
    } else {
        submit(stream, size, move || copy.run());
    }
    Ok(())
}

/// A copy on the default stream that is complete when the call returns, unless the host takes no part in it.
pub fn copy_now(gpu: &'static SoftGpu, params: CUDA_MEMCPY3D) -> Result<(), CUresult> {
    let (_, stream) = place(gpu, CUstream(0))?;
    gpu.graphs.captures.refuse(&stream)?;
    let copy = Copy::new(gpu, &params)?;
    let size = (copy.engine(), copy.bytes());
    if copy.on_device() {
        submit(&stream, size, move || copy.run());
        return Ok(());
    }
    stream.perform(size, || {
        copy.run();
        Ok(())
    })
}

/// A fill in stream order.
pub fn fill(
    gpu: &'static SoftGpu,
    params: CUDA_MEMSET_NODE_PARAMS,
    stream: CUstream,
) -> Result<(), CUresult> {
    let (context, stream) = place(gpu, stream)?;
    if gpu.graphs.captures.any() {
        let op = graph::params::fill(gpu, params, context.handle)?;
        if gpu.graphs.captures.divert(&gpu.graphs, &stream, &op)? {
            return Ok(());
        }
    }
    let fill = Fill::new(gpu, &params)?;
    submit(&stream, (Engine::Ce0, fill.bytes()), move || fill.run());
    Ok(())
}

/// A fill on the default stream. The host does not wait for device memory.
pub fn fill_now(gpu: &'static SoftGpu, params: CUDA_MEMSET_NODE_PARAMS) -> Result<(), CUresult> {
    let (_, stream) = place(gpu, CUstream(0))?;
    gpu.graphs.captures.refuse(&stream)?;
    let fill = Fill::new(gpu, &params)?;
    let size = (Engine::Ce0, fill.bytes());
    if fill.on_device() {
        submit(&stream, size, move || fill.run());
        return Ok(());
    }
    stream.perform(size, || {
        fill.run();
        Ok(())
    })
}

fn submit(stream: &Stream, (engine, bytes): (Engine, usize), run: impl FnOnce() + Send + 'static) {
    let run = Box::new(move || {
        run();
        Ok(())
    });
    stream.submit(Work::Copy { engine, bytes, run });
}
