//! A graph as the program builds it, and the tables that know graphs and nodes by handle.

use super::memory::GraphMemory;
use super::op::Op;
use super::shape::{NodeId, Ports, Shape};
use super::user_object::UserObject;
use super::{Captures, Exec};
use crate::handle::{Kind, Table};
use cleave_api::cuda::types::*;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A graph under construction. Executable graphs copy what they need and do not depend on it.
pub struct Graph {
    pub handle: CUgraph,
    pub id: u32,
    /// Lives inside a child node and dies with it; not the program's to destroy.
    pub embedded: bool,
    body: Mutex<Body>,
}

#[derive(Default)]
pub struct Body {
    pub shape: Shape<Node>,
    /// The graph this one was cloned from. Nodes keep their names in a clone.
    pub origin: Option<u32>,
    /// Objects this graph holds, and how often.
    pub objects: Vec<(Arc<UserObject>, u32)>,
}

#[derive(Clone)]
pub struct Node {
    pub handle: CUgraphNode,
    pub op: Op,
}

impl Graph {
    pub fn body(&self) -> MutexGuard<'_, Body> {
        self.body.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Graphs, nodes, executable graphs and user objects of the process, and the captures under way.
pub struct Graphs {
    graphs: Table<Graph>,
    nodes: Table<NodePlace>,
    pub execs: Table<Exec>,
    pub objects: Table<UserObject>,
    pub captures: Captures,
    pub memory: GraphMemory,
}

/// Where a node is.
struct NodePlace {
    graph: Weak<Graph>,
    id: NodeId,
}

impl Default for Graphs {
    fn default() -> Graphs {
        Graphs {
            graphs: Table::new(Kind::Graph),
            nodes: Table::new(Kind::GraphNode),
            execs: Table::new(Kind::GraphExec),
            objects: Table::new(Kind::UserObject),
            captures: Captures::default(),
            memory: GraphMemory::default(),
        }
    }
}

impl Graphs {
    /// A new graph with the given body; the body's nodes get handles of their own.
    fn insert(&self, body: Body, embedded: bool) -> Result<Arc<Graph>, CUresult> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut made = None;
        self.graphs
            .insert_with(|handle| {
                let graph = Arc::new(Graph { handle: CUgraph(handle), id, embedded, body: Mutex::new(body) });
                made.insert(graph).clone()
            })
            .ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let graph = made.ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let ids: Vec<NodeId> = graph.body().shape.nodes().map(|(id, _)| id).collect();
        for id in ids {
            let handle = self.name(&graph, id)?;
            if let Some(node) = graph.body().shape.get_mut(id) {
                node.handle = handle;
            }
        }
        Ok(graph)
    }

    fn name(&self, graph: &Arc<Graph>, id: NodeId) -> Result<CUgraphNode, CUresult> {
        let place = Arc::new(NodePlace { graph: Arc::downgrade(graph), id });
        self.nodes.insert(place).map(CUgraphNode).ok_or(CUDA_ERROR_OUT_OF_MEMORY)
    }

    pub fn create(&self) -> Result<Arc<Graph>, CUresult> {
        self.insert(Body::default(), false)
    }

    /// An empty graph to be filled and put into a child node.
    pub fn create_embedded(&self) -> Result<Arc<Graph>, CUresult> {
        self.insert(Body::default(), true)
    }

    pub fn get(&self, handle: CUgraph) -> Result<Arc<Graph>, CUresult> {
        self.graphs.get(handle.0).ok_or(CUDA_ERROR_INVALID_VALUE)
    }

    /// The graph a node is in, and its name there.
    pub fn node(&self, handle: CUgraphNode) -> Result<(Arc<Graph>, NodeId), CUresult> {
        let place = self.nodes.get(handle.0).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let graph = place.graph.upgrade().ok_or(CUDA_ERROR_INVALID_VALUE)?;
        Ok((graph, place.id))
    }

    /// What a node does.
    pub fn op(&self, handle: CUgraphNode) -> Result<Op, CUresult> {
        let (graph, id) = self.node(handle)?;
        let body = graph.body();
        body.shape.get(id).map(|node| node.op.clone()).ok_or(CUDA_ERROR_INVALID_VALUE)
    }

    /// Changes what a node does.
    pub fn set_op(&self, handle: CUgraphNode, op: Op) -> Result<(), CUresult> {
        let (graph, id) = self.node(handle)?;
        let mut body = graph.body();
        let node = body.shape.get_mut(id).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let old = std::mem::replace(&mut node.op, op);
        drop(body);
        self.discard(&old);
        Ok(())
    }

    /// The names of nodes, all of which must be in `graph`.
    pub fn ids(&self, graph: &Graph, handles: &[CUgraphNode]) -> Result<Vec<NodeId>, CUresult> {
        let id = |handle: &CUgraphNode| {
            let (home, id) = self.node(*handle)?;
            if home.id == graph.id { Ok(id) } else { Err(CUDA_ERROR_INVALID_VALUE) }
        };
        handles.iter().map(id).collect()
    }

    /// Adds a node behind others of the same graph. A command that cannot be added is discarded.
    pub fn add(
        &self,
        graph: &Arc<Graph>,
        after: &[(CUgraphNode, Ports)],
        op: Op,
    ) -> Result<CUgraphNode, CUresult> {
        let handles: Vec<CUgraphNode> = after.iter().map(|(handle, _)| *handle).collect();
        let ids = self.ids(graph, &handles).inspect_err(|_| self.discard(&op))?;
        let after: Vec<_> = ids.into_iter().zip(after.iter().map(|(_, ports)| *ports)).collect();
        self.add_after(graph, &after, op).map(|(handle, _)| handle)
    }

    /// Adds a node behind nodes known by name.
    pub fn add_after(
        &self,
        graph: &Arc<Graph>,
        after: &[(NodeId, Ports)],
        op: Op,
    ) -> Result<(CUgraphNode, NodeId), CUresult> {
        let mut body = graph.body();
        let handle = self.name(graph, body.shape.next_id())?;
        let id = body.shape.add(Node { handle, op });
        if after.iter().all(|(from, ports)| body.shape.connect(*from, id, *ports)) {
            return Ok((handle, id));
        }
        let removed = body.shape.remove(id);
        drop(body);
        if let Some(node) = removed {
            self.forget_node(&node);
        }
        Err(CUDA_ERROR_INVALID_VALUE)
    }

    /// A graph with the same nodes and edges, and clones of its children.
    pub fn clone_graph(&self, graph: &Graph, embedded: bool) -> Result<Arc<Graph>, CUresult> {
        let (shape, objects) = {
            let body = graph.body();
            (body.shape.clone(), body.objects.clone())
        };
        let mut failed = None;
        let shape = shape.map(|_, node| {
            let op = match &node.op {
                Op::Child(child) => match self.clone_graph(child, true) {
                    Ok(child) => Op::Child(child),
                    Err(code) => {
                        failed = Some(code);
                        Op::Empty
                    }
                },
                other => other.clone(),
            };
            Node { handle: node.handle, op }
        });
        if let Some(code) = failed {
            return Err(code);
        }
        for (object, count) in &objects {
            object.retain(*count);
        }
        self.insert(Body { shape, origin: Some(graph.id), objects }, embedded)
    }

    /// Forgets a graph the program made, its nodes, and what it held.
    pub fn destroy(&self, handle: CUgraph) -> Result<(), CUresult> {
        let graph = self.get(handle)?;
        if graph.embedded {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        self.forget(&graph);
        Ok(())
    }

    /// Takes a graph's handles away. Whoever else destroys it at the same moment finds nothing left to do.
    pub fn forget(&self, graph: &Graph) {
        if self.graphs.remove(graph.handle.0).is_none() {
            return;
        }
        let body = std::mem::take(&mut *graph.body());
        for (_, node) in body.shape.nodes() {
            self.forget_node(node);
        }
        for (object, count) in body.objects {
            self.release_object(&object, count);
        }
    }

    pub fn destroy_node(&self, handle: CUgraphNode) -> Result<(), CUresult> {
        let (graph, id) = self.node(handle)?;
        let node = graph.body().shape.remove(id).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        self.forget_node(&node);
        Ok(())
    }

    fn forget_node(&self, node: &Node) {
        self.nodes.remove(node.handle.0);
        self.discard(&node.op);
    }

    /// A command is no node's any more. A child graph dies with its node.
    pub fn discard(&self, op: &Op) {
        if let Op::Child(child) = op {
            self.forget(child);
        }
    }

    /// Lets go of an object `count` times; the last one destroys it.
    pub fn release_object(&self, object: &Arc<UserObject>, count: u32) {
        if object.release(count) {
            self.objects.remove(object.handle.0);
            object.destroy();
        }
    }
}
