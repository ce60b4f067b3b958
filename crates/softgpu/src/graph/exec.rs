//! A graph ready to launch: its commands in order, and the tasks they become.

use super::flatten::{Flat, flatten};
use super::memory::Lease;
use super::op::Op;
use super::{Graph, Graphs, NodeId, Ports};
use crate::gpu::SoftGpu;
use crate::queue::{Patience, Stream, Task, Work, release};
use cleave_api::cuda::types::*;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Tasks that the launches of one executable graph may have under way.
const MOST_TASKS: usize = 1 << 16;

/// An executable graph. Launches of the same one follow each other.
pub struct Exec {
    pub id: u32,
    pub flags: u64,
    state: Mutex<State>,
}

struct State {
    nodes: Vec<ExecNode>,
    /// Where the nodes of the source graph went.
    places: HashMap<CUgraphNode, usize>,
    /// Ends of the last launches, oldest first.
    launches: VecDeque<Arc<Task>>,
}

struct ExecNode {
    op: Op,
    after: Vec<usize>,
    enabled: bool,
    /// Somebody waits for it.
    followed: bool,
}

/// Why an update was refused: the node of the new graph, and the one it was compared with.
pub struct Mismatch {
    pub result: CUgraphExecUpdateResult,
    pub node: CUgraphNode,
    pub from: CUgraphNode,
}

impl Exec {
    /// Copies a graph into an executable form, or names the node that does not allow it.
    pub fn new(graph: &Graph, flags: u64) -> Result<Exec, CUgraphNode> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let list = flatten(graph)?;
        let mut followed = vec![false; list.len()];
        list.iter().flat_map(|flat| &flat.after).for_each(|&at| followed[at] = true);
        let places = list.iter().enumerate().map(|(at, flat)| (flat.node, at)).collect();
        let node = |(Flat { op, after, .. }, followed)| ExecNode { op, after, enabled: true, followed };
        let nodes = list.into_iter().zip(followed).map(node).collect();
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(Exec { id, flags, state: Mutex::new(State { nodes, places, launches: VecDeque::new() }) })
    }

    /// Queues every node, as concurrent as the edges allow, between the stream's earlier and later commands.
    pub fn launch(&self, gpu: &'static SoftGpu, stream: &Stream) -> Result<(), CUresult> {
        let mut state = self.room();
        let queue = stream.queue();
        let free_first = self.flags & u64::from(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH.0) != 0;
        let lease = Lease::take(gpu, state.nodes.iter().map(|node| &node.op), free_first)?;

        let start = Task::new(queue, Work::Join);
        let end = Task::new(queue, lease.end());
        if let Some(last) = state.launches.back() {
            start.after(last);
        }
        let mut tasks: Vec<Arc<Task>> = Vec::with_capacity(state.nodes.len());
        for node in &state.nodes {
            let (home, work) = match node.enabled {
                true => (node.op.queue().unwrap_or(queue), node.op.work(gpu)),
                false => (queue, Work::Join),
            };
            let task = Task::new(home, work);
            if let (Op::Record(record), true) = (&node.op, node.enabled) {
                record.event.name(task.clone());
            }
            if node.after.is_empty() {
                task.after(&start);
            }
            node.after.iter().for_each(|&at| task.after(&tasks[at]));
            if !node.followed {
                end.after(&task);
            }
            tasks.push(task);
        }
        if tasks.is_empty() {
            end.after(&start);
        }
        state.launches.push_back(end.clone());
        queue.append(stream.lane(), &start, &end);
        drop(state);
        tasks.into_iter().chain([start, end]).for_each(release);
        Ok(())
    }

    /// The nodes as a graph again, to be a child of another one.
    pub fn as_graph(&self, graphs: &Graphs) -> Result<Arc<Graph>, CUresult> {
        let state = self.state();
        if state.nodes.iter().any(|node| matches!(node.op, Op::Alloc(_) | Op::Free(_))) {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        let graph = graphs.create_embedded()?;
        let mut ids: Vec<NodeId> = Vec::with_capacity(state.nodes.len());
        for node in &state.nodes {
            let after: Vec<_> = node.after.iter().map(|&at| (ids[at], Ports::default())).collect();
            let op = match &node.op {
                Op::Child(_) => Op::Empty,
                _ if !node.enabled => Op::Empty,
                op => op.clone(),
            };
            match graphs.add_after(&graph, &after, op) {
                Ok((_, id)) => ids.push(id),
                Err(code) => {
                    graphs.forget(&graph);
                    return Err(code);
                }
            }
        }
        Ok(graph)
    }

    /// Makes memory ready for a launch to come.
    pub fn upload(&self) -> Result<(), CUresult> {
        let state = self.state();
        state.nodes.iter().filter_map(|node| node.op.alloc()).try_for_each(|alloc| alloc.back())
    }

    /// What a node of the source graph does here.
    pub fn op(&self, node: CUgraphNode) -> Result<Op, CUresult> {
        let state = self.state();
        let at = *state.places.get(&node).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        Ok(state.nodes[at].op.clone())
    }

    /// Changes what a node does, for launches to come. Its kind stays.
    pub fn set_op(&self, node: CUgraphNode, op: Op) -> Result<(), CUresult> {
        let mut state = self.state();
        let at = *state.places.get(&node).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        if !state.nodes[at].op.may_become(&op) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        state.nodes[at].op = op;
        Ok(())
    }

    /// Gives the nodes of a child the parameters they have in `graph`, which has the same shape.
    pub fn set_child(&self, node: CUgraphNode, graph: &Graph) -> Result<(), CUresult> {
        let Op::Child(child) = self.op(node)? else { return Err(CUDA_ERROR_INVALID_VALUE) };
        let (old, new) = match (flatten(&child), flatten(graph)) {
            (Ok(old), Ok(new)) if old.len() == new.len() => (old, new),
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        };
        let same = |(old, new): (&Flat, &Flat)| old.after == new.after && old.op.may_become(&new.op);
        if !old.iter().zip(&new).all(same) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        old.into_iter().zip(new).try_for_each(|(old, new)| match new.op {
            Op::Child(_) => Ok(()),
            op => self.set_op(old.node, op),
        })
    }

    /// Takes all parameters from a graph of the same shape.
    pub fn update(&self, graph: &Graph) -> Result<(), Mismatch> {
        let mut state = self.state();
        let refuse = |result, node, from| Mismatch { result, node, from };
        let cyclic = |node| refuse(CU_GRAPH_EXEC_UPDATE_ERROR, node, CUgraphNode(0));
        let list = flatten(graph).map_err(cyclic)?;
        let nothing = CUgraphNode(0);
        if list.len() != state.nodes.len() {
            return Err(refuse(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nothing, nothing));
        }
        for (new, old) in list.iter().zip(&state.nodes) {
            if new.after != old.after {
                return Err(refuse(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, new.node, nothing));
            }
            if new.op.kind() != old.op.kind() {
                return Err(refuse(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, new.node, nothing));
            }
            if !old.op.may_become(&new.op) {
                return Err(refuse(CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, new.node, nothing));
            }
        }
        for (new, old) in list.into_iter().zip(&mut state.nodes) {
            // A child's own node is only the end of its nodes, which are in the list themselves.
            if !matches!(new.op, Op::Child(_)) {
                old.op = new.op;
            }
        }
        Ok(())
    }

    pub fn is_enabled(&self, node: CUgraphNode) -> Result<bool, CUresult> {
        let state = self.state();
        let at = state.switchable(node)?;
        Ok(state.nodes[at].enabled)
    }

    pub fn set_enabled(&self, node: CUgraphNode, enabled: bool) -> Result<(), CUresult> {
        let mut state = self.state();
        let at = state.switchable(node)?;
        state.nodes[at].enabled = enabled;
        Ok(())
    }

    /// Waits until another launch fits: a program that never synchronises must not fill the memory with tasks.
    fn room(&self) -> MutexGuard<'_, State> {
        loop {
            let mut state = self.state();
            state.launches.retain(|launch| !launch.is_done());
            let most = (MOST_TASKS / state.nodes.len().max(1)).max(2);
            let Some(oldest) = state.launches.front().filter(|_| state.launches.len() >= most).cloned()
            else {
                return state;
            };
            drop(state);
            let _ = oldest.wait(Patience::Sleep);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Only kernels, copies and fills can be switched off.
    fn switchable(&self, node: CUgraphNode) -> Result<usize, CUresult> {
        let at = *self.places.get(&node).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        match self.nodes[at].op {
            Op::Kernel(_) | Op::Copy(_) | Op::Fill(_) => Ok(at),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
}
