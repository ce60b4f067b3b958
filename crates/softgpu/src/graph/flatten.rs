//! From a graph with children to one list of nodes, each after all it depends on.

use super::Graph;
use super::op::Op;
use super::shape::NodeId;
use cleave_api::cuda::types::*;
use std::collections::HashMap;

/// One node of the list.
pub struct Flat {
    /// The node it came from.
    pub node: CUgraphNode,
    pub op: Op,
    /// Earlier places in the list that it waits for.
    pub after: Vec<usize>,
}

/// Graphs nested deeper than this are refused, so that walking them needs a bounded stack.
const DEEPEST: usize = 128;

/// The list, or the node that is part of a cycle.
///
/// A child graph becomes its nodes, begun by those the child node waits for, and a last one in place of the child
/// node itself, which waits for all of them.
pub fn flatten(graph: &Graph) -> Result<Vec<Flat>, CUgraphNode> {
    let mut list = Vec::new();
    append(graph, &[], &mut list, 0)?;
    Ok(list)
}

/// Appends `graph` to the list, its roots after `before`, and tells where its leaves are.
fn append(
    graph: &Graph,
    before: &[usize],
    list: &mut Vec<Flat>,
    depth: usize,
) -> Result<Vec<usize>, CUgraphNode> {
    let shape = graph.body().shape.clone();
    let first = || shape.nodes().next().map_or(CUgraphNode(0), |(_, node)| node.handle);
    if depth > DEEPEST {
        return Err(first());
    }
    let order = shape.order().ok_or_else(first)?;
    let mut places: HashMap<NodeId, usize> = HashMap::with_capacity(order.len());
    for id in order {
        let Some(node) = shape.get(id) else { continue };
        let mut after: Vec<usize> =
            shape.from(id).iter().filter_map(|(from, _)| places.get(from).copied()).collect();
        // Two edges with different ports are one thing to wait for.
        after.sort_unstable();
        after.dedup();
        if after.is_empty() {
            after.extend_from_slice(before);
        }
        if let Op::Child(child) = &node.op {
            let leaves = append(child, &after, list, depth + 1)?;
            if !leaves.is_empty() {
                after = leaves;
            }
        }
        places.insert(id, list.len());
        list.push(Flat { node: node.handle, op: node.op.clone(), after });
    }
    Ok(shape.leaves().filter_map(|id| places.get(&id).copied()).collect())
}
