//! Device commands as values.
//!
//! Every asynchronous call of the driver makes an [`Op`] and hands it to `SoftGpu::submit`, which queues it on the
//! stream or, while the stream is captured, keeps it as a node. A graph launch queues its nodes' ops again and again.
//! So a command is described once, and capture, graphs and streams cannot disagree about it.

use super::Graph;
use super::kernel::KernelOp;
use super::memory::{self, GraphAlloc};
use super::values::ValueOps;
use crate::context::Context;
use crate::gpu::SoftGpu;
use crate::queue::callback_unsafe::host_function;
use crate::queue::{Event, Queue, Work};
use crate::{copy, fill, launch};
use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use cleave_device::Engine;
use std::ffi::c_void;
use std::sync::Arc;

/// One command.
#[derive(Clone)]
pub enum Op {
    Empty,
    Kernel(Arc<KernelOp>),
    Copy(Arc<CopyOp>),
    Fill(Arc<FillOp>),
    Host(HostOp),
    Child(Arc<Graph>),
    Record(EventRef),
    Wait(EventRef),
    Alloc(Arc<GraphAlloc>),
    Free(CUdeviceptr),
    Values(Arc<ValueOps>),
}

/// A copy of any dimension between any kinds of memory.
#[derive(Clone)]
pub struct CopyOp {
    pub context: Arc<Context>,
    pub params: CUDA_MEMCPY3D,
}

/// A fill of linear or pitched memory.
#[derive(Clone)]
pub struct FillOp {
    pub context: Arc<Context>,
    pub params: CUDA_MEMSET_NODE_PARAMS,
}

/// A function of the program.
#[derive(Clone, Copy)]
pub struct HostOp {
    pub func: CUhostFn,
    pub user_data: Ptr<c_void>,
}

/// An event and the handle the program knows it by.
#[derive(Clone)]
pub struct EventRef {
    pub handle: CUevent,
    pub event: Arc<Event>,
}

impl Op {
    pub fn kind(&self) -> CUgraphNodeType {
        match self {
            Op::Empty => CU_GRAPH_NODE_TYPE_EMPTY,
            Op::Kernel(_) => CU_GRAPH_NODE_TYPE_KERNEL,
            Op::Copy(_) => CU_GRAPH_NODE_TYPE_MEMCPY,
            Op::Fill(_) => CU_GRAPH_NODE_TYPE_MEMSET,
            Op::Host(_) => CU_GRAPH_NODE_TYPE_HOST,
            Op::Child(_) => CU_GRAPH_NODE_TYPE_GRAPH,
            Op::Record(_) => CU_GRAPH_NODE_TYPE_EVENT_RECORD,
            Op::Wait(_) => CU_GRAPH_NODE_TYPE_WAIT_EVENT,
            Op::Alloc(_) => CU_GRAPH_NODE_TYPE_MEM_ALLOC,
            Op::Free(_) => CU_GRAPH_NODE_TYPE_MEM_FREE,
            Op::Values(_) => CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
        }
    }

    /// What it takes to perform it once.
    pub fn work(&self, gpu: &'static SoftGpu) -> Work {
        match self {
            // A child's nodes are tasks of their own; the child node is where they meet.
            Op::Empty | Op::Child(_) => Work::Join,
            Op::Kernel(kernel) => {
                let kernel = kernel.clone();
                Work::Start(Box::new(move |done| launch::start(gpu, &kernel, done)))
            }
            // Resolved when they run: memory of allocation nodes exists only then, and a graph must not keep alive
            // what the program has freed.
            Op::Copy(op) => {
                let op = op.clone();
                let (engine, bytes) = (copy::engine(gpu, &op), copy::bytes(&op.params));
                Work::Copy { engine, bytes, run: Box::new(move || copy::run(gpu, &op)) }
            }
            Op::Fill(op) => {
                let op = op.clone();
                let (engine, bytes) = (Engine::Ce0, fill::bytes(&op.params));
                Work::Copy { engine, bytes, run: Box::new(move || fill::run(gpu, &op)) }
            }
            Op::Host(HostOp { func, user_data }) => {
                let (func, user_data) = (*func, *user_data);
                let call = Box::new(move |_| host_function(func, user_data));
                Work::Host { call, even_after_fault: false }
            }
            Op::Record(_) => Work::Stamp,
            Op::Wait(EventRef { event, .. }) => {
                let event = event.clone();
                Work::Until(Box::new(move || Ok(event.is_done())))
            }
            Op::Alloc(alloc) => {
                let alloc = alloc.clone();
                Work::Inline(Box::new(move || alloc.show()))
            }
            Op::Free(addr) => {
                let addr = *addr;
                Work::Inline(Box::new(move || memory::hide(gpu, addr)))
            }
            Op::Values(values) => values.work(),
        }
    }

    /// The queue whose fault cancels it: that of its context, where it has one.
    pub fn queue(&self) -> Option<&Arc<Queue>> {
        match self {
            Op::Kernel(op) => Some(&op.context.queue),
            Op::Copy(op) => Some(&op.context.queue),
            Op::Fill(op) => Some(&op.context.queue),
            Op::Values(op) => Some(&op.context.queue),
            _ => None,
        }
    }

    pub fn alloc(&self) -> Option<&Arc<GraphAlloc>> {
        match self {
            Op::Alloc(alloc) => Some(alloc),
            _ => None,
        }
    }

    /// Whether an executable graph may exchange this command for `other`: same kind, same context, same memory.
    pub fn may_become(&self, other: &Op) -> bool {
        let same = |a: &Arc<Context>, b: &Arc<Context>| Arc::ptr_eq(a, b);
        match (self, other) {
            (Op::Kernel(a), Op::Kernel(b)) => same(&a.context, &b.context),
            (Op::Copy(a), Op::Copy(b)) => same(&a.context, &b.context),
            (Op::Fill(a), Op::Fill(b)) => same(&a.context, &b.context),
            (Op::Values(a), Op::Values(b)) => same(&a.context, &b.context),
            (Op::Alloc(a), Op::Alloc(b)) => Arc::ptr_eq(a, b),
            (Op::Free(a), Op::Free(b)) => a == b,
            (a, b) => a.kind() == b.kind(),
        }
    }
}
