//! Memory that graphs allocate: charged as the device's graph memory grows, checked before a graph can make it grow.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use cleave_api::cuda::types::*;
use cleave_api::edge::SliceMut;

use crate::books::{Books, Map, lock};
use crate::cards::Card;
use crate::real_unsafe::cuda as real;

/// The executable graphs of this process that allocate, and what graphs hold.
#[derive(Default)]
pub struct Graphs {
    /// What a graph may need of each device.
    needs: Mutex<Map<Vec<Need>>>,
    /// Charged for graph memory, by device.
    held: Mutex<Map<Held>>,
    /// Whether any graph allocates.
    any: AtomicBool,
}

/// Memory that a graph's nodes allocate on a device.
#[derive(Clone, Copy)]
pub struct Need {
    card: &'static Card,
    bytes: u64,
}

#[derive(Clone, Copy, Default)]
struct Held {
    charged: u64,
    /// Part of it that is charged for calls which the driver has not answered yet.
    pending: u64,
}

/// Graph memory comes in pieces of this size.
const GRAIN: u64 = 2 << 20;

impl Graphs {
    /// Remembers what an executable graph needs.
    pub fn insert(&self, graph: CUgraphExec, needs: Vec<Need>) {
        if !needs.is_empty() {
            lock(&self.needs).insert(graph.0 as u64, needs);
            self.any.store(true, Relaxed);
        }
    }

    /// What an executable graph needs; for most nothing.
    pub fn needs(&self, graph: CUgraphExec) -> Option<Vec<Need>> {
        if !self.any.load(Relaxed) {
            return None;
        }
        lock(&self.needs).get(&(graph.0 as u64)).cloned()
    }

    /// An executable graph is gone.
    pub fn remove(&self, graph: CUgraphExec) {
        let needs = lock(&self.needs).remove(&(graph.0 as u64));
        needs.iter().flatten().for_each(|need| self.settle(need.card));
    }

    /// Runs a call that may make graph memory grow, under a charge for the most it may grow by.
    pub fn grow(
        &self,
        symbol: &'static str,
        needs: &[Need],
        wait: impl Fn() -> CUresult,
        call: impl FnOnce() -> CUresult,
    ) -> Result<(), CUresult> {
        let mut asked = Vec::with_capacity(needs.len());
        let mut refused = Ok(());
        for need in needs {
            match self.reserve(symbol, need, &wait) {
                Ok(bytes) => asked.push((need.card, bytes)),
                Err(error) => {
                    refused = Err(error);
                    break;
                }
            }
        }
        let result = refused.and_then(|()| call().ok());
        asked.iter().for_each(|(card, bytes)| self.answered(card, *bytes));
        result
    }

    /// Charges what graphs hold on a device now.
    pub fn settle(&self, card: &Card) {
        self.answered(card, 0);
    }

    /// The same, where graphs hold anything at all.
    pub fn settle_if_any(&self, card: &Card) {
        if self.any.load(Relaxed) {
            self.settle(card);
        }
    }

    /// Has graphs give back what they do not use. Whether anything came back.
    pub fn trim(&self, card: &Card) -> bool {
        let charged = || lock(&self.held).get(&key(card)).map_or(0, |held| held.charged);
        let before = charged();
        if before == 0 {
            return false;
        }
        let _best_effort = real::cuDeviceGraphMemTrim(card.device);
        self.settle(card);
        charged() < before
    }

    /// Charges the most that a launch may add to what graphs hold. What is reserved and unused serves first; when that seems
    /// too little, launches that are under way are waited for, since they are about to free.
    fn reserve(
        &self,
        symbol: &'static str,
        need: &Need,
        wait: &impl Fn() -> CUresult,
    ) -> Result<u64, CUresult> {
        let card = need.card;
        let mut growth = growth(need)?;
        if !card.take(growth) {
            let _whatever_came = wait();
            growth = self::growth(need)?;
            card.charge(symbol, growth)?.keep();
        }
        let mut held = lock(&self.held);
        let held = held.entry(key(card)).or_default();
        held.charged += growth;
        held.pending += growth;
        Ok(growth)
    }

    fn answered(&self, card: &Card, bytes: u64) {
        let mut held = lock(&self.held);
        let held = held.entry(key(card)).or_default();
        held.pending -= bytes;
        let Some(reserved) = number(card, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) else { return };
        let due = reserved.saturating_add(held.pending);
        if due <= held.charged {
            card.release(held.charged - due);
            held.charged = due;
        } else if card.take(due - held.charged) {
            held.charged = due;
        }
    }
}

/// By how much a launch may make a device's graph memory grow.
fn growth(need: &Need) -> Result<u64, CUresult> {
    let ask = |attribute| number(need.card, attribute).ok_or(CUDA_ERROR_OUT_OF_MEMORY);
    let used = ask(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT)?;
    let reserved = ask(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT)?;
    Ok(need.bytes.saturating_add(used).saturating_sub(reserved))
}

fn number(card: &Card, attribute: CUgraphMem_attribute) -> Option<u64> {
    let mut number = 0;
    let asked = real::cuDeviceGetGraphMemAttribute(card.device, attribute, (&mut number).into());
    (asked == CUDA_SUCCESS).then_some(number)
}

fn key(card: &Card) -> u64 {
    card.device.0 as u64
}

/// What the nodes of a graph allocate, by device, those of graphs inside it included.
pub fn needs_of(books: &'static Books, graph: CUgraph) -> Result<Vec<Need>, CUresult> {
    let mut needs = Vec::new();
    let mut graphs = vec![graph];
    while let Some(graph) = graphs.pop() {
        for node in nodes(graph)? {
            let mut kind = CUgraphNodeType::default();
            real::cuGraphNodeGetType(node, (&mut kind).into()).ok()?;
            if kind == CU_GRAPH_NODE_TYPE_GRAPH {
                let mut inner = CUgraph(0);
                real::cuGraphChildGraphNodeGetGraph(node, (&mut inner).into()).ok()?;
                graphs.push(inner);
            } else if kind == CU_GRAPH_NODE_TYPE_MEM_ALLOC {
                let mut params = CUDA_MEM_ALLOC_NODE_PARAMS::default();
                real::cuGraphMemAllocNodeGetParams(node, (&mut params).into()).ok()?;
                add(
                    &mut needs,
                    books.cards.get(CUdevice(params.poolProps.location.id))?,
                    params.bytesize as u64,
                );
            }
        }
    }
    Ok(needs)
}

fn add(needs: &mut Vec<Need>, card: &'static Card, bytes: u64) {
    let bytes = bytes.checked_next_multiple_of(GRAIN).unwrap_or(u64::MAX);
    match needs.iter_mut().find(|need| need.card.device == card.device) {
        Some(need) => need.bytes = need.bytes.saturating_add(bytes),
        None => needs.push(Need { card, bytes }),
    }
}

fn nodes(graph: CUgraph) -> Result<Vec<CUgraphNode>, CUresult> {
    let mut count = 0;
    real::cuGraphGetNodes(graph, SliceMut::NULL, (&mut count).into()).ok()?;
    let mut nodes = vec![CUgraphNode(0); count];
    if count > 0 {
        real::cuGraphGetNodes(graph, SliceMut::from(&mut nodes[..]), (&mut count).into()).ok()?;
    }
    nodes.truncate(count);
    Ok(nodes)
}
