//! Graphs as text for people, in the language of Graphviz.

use super::Graph;
use super::op::Op;
use cleave_api::cuda::types::*;
use std::fmt::Write;

/// The graph and its children as one digraph.
pub fn print(graph: &Graph, flags: u32) -> String {
    let mut text = String::from("digraph dot {\n");
    let mut children = vec![];
    cluster(&mut text, graph, flags, &mut children);
    while let Some(child) = children.pop() {
        cluster(&mut text, &child, flags, &mut children);
    }
    text.push_str("}\n");
    text
}

fn cluster(text: &mut String, graph: &Graph, flags: u32, children: &mut Vec<std::sync::Arc<Graph>>) {
    let id = graph.id;
    let shape = graph.body().shape.clone();
    let name = |node: super::NodeId| format!("\"graph_{id}_node_{}\"", node.number());
    // Writing to a string cannot fail.
    let _ = writeln!(text, "subgraph cluster_{id} {{\nlabel=\"graph_{id}\" graph[style=\"dashed\"];");
    for (node, value) in shape.nodes() {
        let mut label = format!("{}\\n{}", node.number(), describe(&value.op, flags));
        if wants(flags, CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES) {
            let _ = write!(label, "\\nnode handle: {:#x}", value.handle.0);
        }
        let _ = writeln!(text, "{}[style=\"solid\" shape=\"rectangle\" label=\"{label}\"];", name(node));
        if let Op::Child(child) = &value.op {
            children.push(child.clone());
        }
    }
    for (from, to, _) in shape.edges() {
        let _ = writeln!(text, "{} -> {};", name(from), name(to));
    }
    text.push_str("}\n");
}

fn wants(flags: u32, what: CUgraphDebugDot_flags) -> bool {
    flags & (what.0 | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE.0) != 0
}

fn describe(op: &Op, flags: u32) -> String {
    match op {
        Op::Empty => "EMPTY".into(),
        Op::Kernel(op) => {
            let ([gx, gy, gz], [bx, by, bz]) = (op.grid, op.block);
            let name = op.function.kernel.name.replace(['"', '\\', '\n'], "?");
            match wants(flags, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS) {
                true => format!("{name}\\n<<<({gx},{gy},{gz}),({bx},{by},{bz}),{}>>>", op.shared),
                false => name,
            }
        }
        Op::Copy(op) if wants(flags, CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS) => {
            format!("MEMCPY\\n{}x{}x{}", op.params.WidthInBytes, op.params.Height, op.params.Depth)
        }
        Op::Copy(_) => "MEMCPY".into(),
        Op::Fill(op) if wants(flags, CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS) => {
            format!(
                "MEMSET\\n{:#x} = {:#x}, {}x{}",
                op.params.dst.0, op.params.value, op.params.width, op.params.height
            )
        }
        Op::Fill(_) => "MEMSET".into(),
        Op::Host(_) => "HOST".into(),
        Op::Child(child) => format!("CHILD\\ngraph_{}", child.id),
        Op::Record(_) => "EVENT_RECORD".into(),
        Op::Wait(_) => "EVENT_WAIT".into(),
        Op::Alloc(alloc) => format!("MEM_ALLOC\\n{:#x}, {} bytes", alloc.address().0, alloc.params.bytesize),
        Op::Free(address) => format!("MEM_FREE\\n{:#x}", address.0),
        Op::Values(values) => format!("BATCH_MEM_OP\\n{} operations", values.params.len()),
    }
}
