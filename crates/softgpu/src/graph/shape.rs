//! The shape of a graph: nodes in the order they were made, and the edges between them.
//!
//! Knows nothing of what a node does. A cycle is allowed while a program builds and is found by [`Shape::order`].

use cleave_api::cuda::types::CUgraphEdgeData;
use std::collections::BTreeMap;

/// A node's name inside its graph; later nodes have greater names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u64);

impl NodeId {
    pub fn number(self) -> u64 {
        self.0
    }
}

/// Where an edge starts and ends within its nodes. All edges the program does not describe are plain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ports {
    pub from: u8,
    pub to: u8,
    pub kind: u8,
}

impl From<CUgraphEdgeData> for Ports {
    fn from(data: CUgraphEdgeData) -> Ports {
        Ports { from: data.from_port, to: data.to_port, kind: data.type_ }
    }
}

impl From<Ports> for CUgraphEdgeData {
    fn from(ports: Ports) -> CUgraphEdgeData {
        CUgraphEdgeData { from_port: ports.from, to_port: ports.to, type_: ports.kind, reserved: [0; 5] }
    }
}

/// An edge as seen from one of its ends: the other end, and the ports.
pub type End = (NodeId, Ports);

/// An edge with both its ends.
pub type Edge = (NodeId, NodeId, Ports);

/// Nodes with a value each, and edges.
#[derive(Clone)]
pub struct Shape<T> {
    nodes: BTreeMap<NodeId, Vertex<T>>,
    next: u64,
}

#[derive(Clone)]
struct Vertex<T> {
    value: T,
    from: Vec<End>,
    to: Vec<End>,
}

impl<T> Default for Shape<T> {
    fn default() -> Shape<T> {
        Shape { nodes: BTreeMap::new(), next: 0 }
    }
}

impl<T> Shape<T> {
    /// The name the next node will get.
    pub fn next_id(&self) -> NodeId {
        NodeId(self.next)
    }

    /// Adds a node that depends on nothing yet.
    pub fn add(&mut self, value: T) -> NodeId {
        let id = self.next_id();
        self.next += 1;
        self.nodes.insert(id, Vertex { value, from: Vec::new(), to: Vec::new() });
        id
    }

    /// Removes a node and its edges.
    pub fn remove(&mut self, id: NodeId) -> Option<T> {
        let gone = self.nodes.remove(&id)?;
        for (other, _) in &gone.from {
            if let Some(vertex) = self.nodes.get_mut(other) {
                vertex.to.retain(|(end, _)| *end != id);
            }
        }
        for (other, _) in &gone.to {
            if let Some(vertex) = self.nodes.get_mut(other) {
                vertex.from.retain(|(end, _)| *end != id);
            }
        }
        Some(gone.value)
    }

    /// Adds an edge. False if an end is missing, both are the same, or the edge exists.
    pub fn connect(&mut self, from: NodeId, to: NodeId, ports: Ports) -> bool {
        let known = |vertex: &Vertex<T>| vertex.from.iter().any(|(end, have)| *end == from && *have == ports);
        if from == to || !self.nodes.contains_key(&from) || self.nodes.get(&to).is_none_or(known) {
            return false;
        }
        if let Some(vertex) = self.nodes.get_mut(&to) {
            vertex.from.push((from, ports));
        }
        if let Some(vertex) = self.nodes.get_mut(&from) {
            vertex.to.push((to, ports));
        }
        true
    }

    /// Removes an edge. False if there is none.
    pub fn disconnect(&mut self, from: NodeId, to: NodeId, ports: Ports) -> bool {
        let Some(vertex) = self.nodes.get_mut(&to) else { return false };
        let Some(at) = vertex.from.iter().position(|end| *end == (from, ports)) else { return false };
        vertex.from.remove(at);
        if let Some(vertex) = self.nodes.get_mut(&from) {
            vertex.to.retain(|end| *end != (to, ports));
        }
        true
    }

    /// Adds edges, all or none.
    pub fn connect_all(&mut self, edges: &[Edge]) -> bool {
        let done = edges.iter().take_while(|(from, to, ports)| self.connect(*from, *to, *ports)).count();
        let all = done == edges.len();
        for (from, to, ports) in edges.iter().take(if all { 0 } else { done }) {
            self.disconnect(*from, *to, *ports);
        }
        all
    }

    /// Removes edges, all or none.
    pub fn disconnect_all(&mut self, edges: &[Edge]) -> bool {
        let done = edges.iter().take_while(|(from, to, ports)| self.disconnect(*from, *to, *ports)).count();
        let all = done == edges.len();
        for (from, to, ports) in edges.iter().take(if all { 0 } else { done }) {
            self.connect(*from, *to, *ports);
        }
        all
    }

    pub fn get(&self, id: NodeId) -> Option<&T> {
        self.nodes.get(&id).map(|vertex| &vertex.value)
    }

    pub fn get_mut(&mut self, id: NodeId) -> Option<&mut T> {
        self.nodes.get_mut(&id).map(|vertex| &mut vertex.value)
    }

    /// All nodes, oldest first.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &T)> {
        self.nodes.iter().map(|(id, vertex)| (*id, &vertex.value))
    }

    /// Nodes that depend on nothing.
    pub fn roots(&self) -> impl Iterator<Item = (NodeId, &T)> {
        self.nodes
            .iter()
            .filter(|(_, vertex)| vertex.from.is_empty())
            .map(|(id, vertex)| (*id, &vertex.value))
    }

    /// Nodes nothing depends on.
    pub fn leaves(&self) -> impl Iterator<Item = NodeId> {
        self.nodes.iter().filter(|(_, vertex)| vertex.to.is_empty()).map(|(id, _)| *id)
    }

    /// What a node depends on.
    pub fn from(&self, id: NodeId) -> &[End] {
        self.nodes.get(&id).map_or(&[], |vertex| &vertex.from)
    }

    /// What depends on a node.
    pub fn to(&self, id: NodeId) -> &[End] {
        self.nodes.get(&id).map_or(&[], |vertex| &vertex.to)
    }

    /// All edges, by the age of the node they come from.
    pub fn edges(&self) -> impl Iterator<Item = Edge> {
        self.nodes.iter().flat_map(|(from, vertex)| vertex.to.iter().map(|(to, ports)| (*from, *to, *ports)))
    }

    /// The nodes so that each comes after all it depends on; among equals the older first. `None` if there is a cycle.
    pub fn order(&self) -> Option<Vec<NodeId>> {
        let mut waiting: BTreeMap<NodeId, usize> =
            self.nodes.iter().map(|(id, vertex)| (*id, vertex.from.len())).collect();
        let mut order: Vec<NodeId> = self.roots().map(|(id, _)| id).collect();
        let mut at = 0;
        while let Some(&id) = order.get(at) {
            at += 1;
            for (to, _) in self.to(id) {
                let Some(count) = waiting.get_mut(to) else { continue };
                *count -= 1;
                if *count == 0 {
                    order.push(*to);
                }
            }
        }
        (order.len() == self.nodes.len()).then_some(order)
    }

    /// The same shape with other values; nodes keep their names.
    pub fn map<U>(&self, mut value: impl FnMut(NodeId, &T) -> U) -> Shape<U> {
        let vertex = |(id, v): (&NodeId, &Vertex<T>)| {
            (*id, Vertex { value: value(*id, &v.value), from: v.from.clone(), to: v.to.clone() })
        };
        Shape { nodes: self.nodes.iter().map(vertex).collect(), next: self.next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Ports = Ports { from: 0, to: 0, kind: 0 };

    fn diamond() -> (Shape<char>, [NodeId; 4]) {
        let mut shape = Shape::default();
        let ids = ['a', 'b', 'c', 'd'].map(|name| shape.add(name));
        let [a, b, c, d] = ids;
        for (from, to) in [(a, b), (a, c), (b, d), (c, d)] {
            assert!(shape.connect(from, to, PLAIN));
        }
        (shape, ids)
    }

    #[test]
    fn the_order_respects_every_edge() {
        let (shape, [a, b, c, d]) = diamond();
        assert_eq!(shape.order(), Some(vec![a, b, c, d]));
        assert_eq!(shape.roots().map(|(id, _)| id).collect::<Vec<_>>(), [a]);
        assert_eq!(shape.leaves().collect::<Vec<_>>(), [d]);
        assert_eq!(shape.edges().count(), 4);
    }

    #[test]
    fn a_cycle_has_no_order() {
        let (mut shape, [a, .., d]) = diamond();
        assert!(shape.connect(d, a, PLAIN));
        assert_eq!(shape.order(), None);
        assert!(shape.disconnect(d, a, PLAIN));
        assert!(shape.order().is_some());
    }

    #[test]
    fn wrong_edges_are_refused() {
        let (mut shape, [a, b, _, d]) = diamond();
        assert!(!shape.connect(a, b, PLAIN), "exists");
        assert!(!shape.connect(a, a, PLAIN), "to itself");
        assert!(!shape.disconnect(a, d, PLAIN), "not there");
        assert!(shape.connect(a, b, Ports { to: 1, ..PLAIN }), "another port is another edge");
        assert!(shape.disconnect(a, b, PLAIN));
        assert_eq!(shape.from(b).len(), 1);
        shape.remove(d);
        assert!(!shape.connect(a, d, PLAIN), "gone");
    }

    #[test]
    fn a_removed_node_takes_its_edges_along() {
        let (mut shape, [a, b, c, d]) = diamond();
        assert_eq!(shape.remove(b), Some('b'));
        assert_eq!(shape.remove(b), None);
        assert_eq!(shape.to(a).len(), 1);
        assert_eq!(shape.from(d).len(), 1);
        assert_eq!(shape.order(), Some(vec![a, c, d]));
        assert_eq!(shape.map(|_, name| name.to_ascii_uppercase()).get(d), Some(&'D'));
    }
}
