//! Stream capture: calls on a captured stream become nodes of a graph instead of commands.
//!
//! A capture begins on one stream and spreads by events: a stream that waits for an event recorded in a captured one
//! joins it. What would tie captured work to work that really runs is refused and spoils the capture. All bookkeeping
//! is behind one lock; while nothing is captured, a call costs one load.

use super::op::Op;
use super::shape::{NodeId, Ports};
use super::{EventRef, Graph, Graphs};
use crate::queue::{Queue, Recorded, Stream, StreamKind};
use cleave_api::cuda::types::*;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

/// All captures of the process.
#[derive(Default)]
pub struct Captures {
    /// Captures under way; 0 is the fast path of every call.
    count: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    captures: HashMap<u64, Capture>,
    /// Captured streams by their id.
    members: HashMap<u64, Member>,
    /// Points that events name, by number.
    marks: HashMap<u64, Mark>,
}

struct Capture {
    graph: Arc<Graph>,
    /// The graph was there before; it is not ours to throw away.
    given: bool,
    mode: CUstreamCaptureMode,
    thread: ThreadId,
    origin: u64,
    invalid: bool,
}

/// A captured stream: the nodes its next one follows.
struct Member {
    capture: u64,
    after: Vec<(NodeId, Ports)>,
    blocking: bool,
    queue: usize,
    /// Handed out by cuStreamGetCaptureInfo, to stay where it is until the next call on the stream.
    shown: Option<Arc<Shown>>,
}

/// A point in a captured stream.
#[derive(Clone)]
struct Mark {
    capture: u64,
    after: Vec<(NodeId, Ports)>,
}

/// What a program may know about a captured stream.
pub struct Info {
    pub status: CUstreamCaptureStatus,
    pub id: u64,
    pub graph: CUgraph,
    pub after: Arc<Shown>,
}

/// Dependencies, in arrays the program can look at.
#[derive(Default)]
pub struct Shown {
    pub nodes: Vec<CUgraphNode>,
    pub edges: Vec<CUgraphEdgeData>,
}

thread_local! {
    static MODE: Cell<CUstreamCaptureMode> = const { Cell::new(CU_STREAM_CAPTURE_MODE_GLOBAL) };
}

/// Sets how much the calling thread cares about captures, and tells what it was.
pub fn exchange_mode(mode: CUstreamCaptureMode) -> CUstreamCaptureMode {
    MODE.replace(mode)
}

impl Captures {
    /// Whether anything is captured at all.
    pub fn any(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    pub fn begin(
        &self,
        stream: &Stream,
        graph: Arc<Graph>,
        after: Option<Vec<(NodeId, Ports)>>,
        mode: CUstreamCaptureMode,
    ) -> Result<(), CUresult> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        if stream.kind() == StreamKind::Legacy {
            return Err(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        }
        let mut state = self.lock();
        if state.members.contains_key(&stream.id()) {
            return Err(CUDA_ERROR_ILLEGAL_STATE);
        }
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let (thread, given, origin) = (std::thread::current().id(), after.is_some(), stream.id());
        state.captures.insert(id, Capture { graph, given, mode, thread, origin, invalid: false });
        state.join(stream, id, after.unwrap_or_default());
        self.count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Ends the capture that began on `stream` and gives its graph.
    pub fn end(&self, graphs: &Graphs, stream: &Stream) -> Result<Arc<Graph>, CUresult> {
        let mut state = self.lock();
        let member = state.members.get(&stream.id()).ok_or(CUDA_ERROR_ILLEGAL_STATE)?;
        let id = member.capture;
        let capture = state.captures.get(&id).ok_or(CUDA_ERROR_ILLEGAL_STATE)?;
        if capture.origin != stream.id() {
            return Err(state.spoil(id, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED));
        }
        if capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture.thread != std::thread::current().id() {
            return Err(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
        }
        let result = match capture.invalid {
            true => Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
            false if !state.is_joined(id, &member.after) => Err(CUDA_ERROR_STREAM_CAPTURE_UNJOINED),
            false => Ok(capture.graph.clone()),
        };
        let ended = self.remove(&mut state, id);
        drop(state);
        if let Some(capture) = ended.filter(|capture| result.is_err() && !capture.given) {
            graphs.forget(&capture.graph);
        }
        result
    }

    /// Whether calls on the stream become nodes.
    pub fn is_captured(&self, stream: &Stream) -> bool {
        self.any() && self.lock().members.contains_key(&stream.id())
    }

    /// Keeps a command as a node if the stream is captured; false if it is not and the command has to run.
    pub fn divert(&self, graphs: &Graphs, stream: &Stream, op: &Op) -> Result<bool, CUresult> {
        if !self.any() {
            return Ok(false);
        }
        let mut state = self.lock();
        state.check_legacy(stream)?;
        let Some((id, graph, after)) = state.place(stream)? else { return Ok(false) };
        let added = graphs.add_after(&graph, &after, op.clone());
        let (_, node) = added.map_err(|_| state.spoil(id, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED))?;
        state.move_to(stream, vec![(node, Ports::default())]);
        Ok(true)
    }

    /// The same for an event record. Without `external` the event names a point of the capture and no node is made.
    pub fn record(
        &self,
        graphs: &Graphs,
        stream: &Stream,
        event: &EventRef,
        external: bool,
    ) -> Result<bool, CUresult> {
        if external {
            return match self.divert(graphs, stream, &Op::Record(event.clone()))? {
                true => Ok(true),
                false => Err(CUDA_ERROR_INVALID_VALUE),
            };
        }
        if !self.any() {
            return Ok(false);
        }
        let mut state = self.lock();
        state.check_legacy(stream)?;
        let Some((capture, _, after)) = state.place(stream)? else { return Ok(false) };
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mark = NEXT.fetch_add(1, Ordering::Relaxed);
        state.marks.insert(mark, Mark { capture, after });
        event.event.name_captured(mark);
        Ok(true)
    }

    /// The same for a wait: joins streams to a capture. An event that names nothing is waited for by nobody.
    pub fn wait(
        &self,
        graphs: &Graphs,
        stream: &Stream,
        event: &EventRef,
        external: bool,
    ) -> Result<bool, CUresult> {
        if external {
            return match self.divert(graphs, stream, &Op::Wait(event.clone()))? {
                true => Ok(true),
                false => Err(CUDA_ERROR_INVALID_VALUE),
            };
        }
        let recorded = event.event.recorded();
        if !self.any() {
            return match recorded {
                Recorded::Captured(_) => Err(CUDA_ERROR_CAPTURED_EVENT),
                _ => Ok(false),
            };
        }
        let mut state = self.lock();
        state.check_legacy(stream)?;
        let place = state.place(stream)?;
        match (recorded, place) {
            (Recorded::Never, place) => Ok(place.is_some()),
            (Recorded::Task(_), None) => Ok(false),
            (Recorded::Task(_), Some((id, ..))) => Err(state.spoil(id, CUDA_ERROR_STREAM_CAPTURE_ISOLATION)),
            (Recorded::Captured(mark), place) => state.merge(stream, mark, place.map(|(id, ..)| id)),
        }
    }

    /// What is known about a stream; `None` if it is not captured.
    pub fn info(&self, stream: &Stream) -> Result<Option<Info>, CUresult> {
        if !self.any() {
            return Ok(None);
        }
        let mut state = self.lock();
        if stream.kind() == StreamKind::Legacy && state.met_by_legacy(stream.queue()).next().is_some() {
            return Err(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        }
        let State { captures, members, .. } = &mut *state;
        let Some(member) = members.get_mut(&stream.id()) else { return Ok(None) };
        let Some(capture) = captures.get(&member.capture) else { return Ok(None) };
        let status = match capture.invalid {
            true => CU_STREAM_CAPTURE_STATUS_INVALIDATED,
            false => CU_STREAM_CAPTURE_STATUS_ACTIVE,
        };
        let body = capture.graph.body();
        let known = member.after.iter().filter_map(|(id, ports)| Some((body.shape.get(*id)?.handle, *ports)));
        let (nodes, edges) = known.map(|(handle, ports)| (handle, CUgraphEdgeData::from(ports))).unzip();
        let after = Arc::new(Shown { nodes, edges });
        member.shown = Some(after.clone());
        Ok(Some(Info { status, id: member.capture, graph: capture.graph.handle, after }))
    }

    /// Replaces or extends what the stream's next node follows.
    pub fn update(
        &self,
        graphs: &Graphs,
        stream: &Stream,
        nodes: &[(CUgraphNode, Ports)],
        replace: bool,
    ) -> Result<(), CUresult> {
        let mut state = self.lock();
        let (_, graph, mut after) = state.place(stream)?.ok_or(CUDA_ERROR_ILLEGAL_STATE)?;
        let handles: Vec<CUgraphNode> = nodes.iter().map(|(handle, _)| *handle).collect();
        let ids = graphs.ids(&graph, &handles)?;
        if replace {
            after.clear();
        }
        for end in ids.into_iter().zip(nodes.iter().map(|(_, ports)| *ports)) {
            if !after.contains(&end) {
                after.push(end);
            }
        }
        state.move_to(stream, after);
        Ok(())
    }

    /// A query or wait makes no sense on a captured stream and spoils the capture.
    pub fn refuse(&self, stream: &Stream) -> Result<(), CUresult> {
        if !self.any() {
            return Ok(());
        }
        let mut state = self.lock();
        state.check_legacy(stream)?;
        match state.place(stream)? {
            Some((id, ..)) => Err(state.spoil(id, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)),
            None => Ok(()),
        }
    }

    /// Calls that may touch the device behind a capture's back (allocations, context-wide waits, …) are refused while
    /// the calling thread's mode says so, and spoil the captures they endanger.
    pub fn refuse_unsafe(&self) -> Result<(), CUresult> {
        if !self.any() || MODE.get() == CU_STREAM_CAPTURE_MODE_RELAXED {
            return Ok(());
        }
        let (here, global) = (std::thread::current().id(), MODE.get() == CU_STREAM_CAPTURE_MODE_GLOBAL);
        let endangered = |capture: &Capture| {
            let own = capture.thread == here && capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED;
            own || (global && capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL)
        };
        let mut hit = false;
        for capture in self.lock().captures.values_mut().filter(|capture| endangered(capture)) {
            capture.invalid = true;
            hit = true;
        }
        if hit { Err(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) } else { Ok(()) }
    }

    /// The stream is destroyed: a capture it takes part in cannot be completed, and one it began ends here.
    pub fn leave(&self, graphs: &Graphs, stream: &Stream) {
        if !self.any() {
            return;
        }
        let mut state = self.lock();
        let Some(id) = state.members.get(&stream.id()).map(|member| member.capture) else { return };
        if state.captures.get(&id).is_some_and(|capture| capture.origin != stream.id()) {
            state.spoil(id, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
            return;
        }
        let ended = self.remove(&mut state, id);
        drop(state);
        if let Some(capture) = ended.filter(|capture| !capture.given) {
            graphs.forget(&capture.graph);
        }
    }

    /// A context is destroyed: captures of its streams end here.
    pub fn leave_all(&self, graphs: &Graphs, queue: &Arc<Queue>) {
        if !self.any() {
            return;
        }
        let mut state = self.lock();
        let gone = identity(queue);
        let ids: HashSet<u64> =
            state.members.values().filter(|m| m.queue == gone).map(|m| m.capture).collect();
        let ended: Vec<Capture> = ids.into_iter().filter_map(|id| self.remove(&mut state, id)).collect();
        drop(state);
        for capture in ended.into_iter().filter(|capture| !capture.given) {
            graphs.forget(&capture.graph);
        }
    }

    fn remove(&self, state: &mut State, id: u64) -> Option<Capture> {
        state.members.retain(|_, member| member.capture != id);
        state.marks.retain(|_, mark| mark.capture != id);
        let capture = state.captures.remove(&id)?;
        self.count.fetch_sub(1, Ordering::Relaxed);
        Some(capture)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn join(&mut self, stream: &Stream, capture: u64, after: Vec<(NodeId, Ports)>) {
        let blocking =
            matches!(stream.kind(), StreamKind::PerThread | StreamKind::Created { blocking: true });
        let queue = identity(stream.queue());
        self.members.insert(stream.id(), Member { capture, after, blocking, queue, shown: None });
    }

    fn move_to(&mut self, stream: &Stream, after: Vec<(NodeId, Ports)>) {
        if let Some(member) = self.members.get_mut(&stream.id()) {
            member.after = after;
            member.shown = None;
        }
    }

    /// The capture a stream is in, its graph, and what the next node follows.
    #[allow(clippy::type_complexity)]
    fn place(&self, stream: &Stream) -> Result<Option<(u64, Arc<Graph>, Vec<(NodeId, Ports)>)>, CUresult> {
        let Some(member) = self.members.get(&stream.id()) else { return Ok(None) };
        match self.captures.get(&member.capture) {
            Some(capture) if capture.invalid => Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
            Some(capture) => Ok(Some((member.capture, capture.graph.clone(), member.after.clone()))),
            None => Ok(None),
        }
    }

    /// Makes a stream wait for a point of a capture.
    fn merge(&mut self, stream: &Stream, mark: u64, own: Option<u64>) -> Result<bool, CUresult> {
        // A capture that has ended has no points any more.
        let mark = self.marks.get(&mark).cloned().ok_or(CUDA_ERROR_CAPTURED_EVENT)?;
        match self.captures.get(&mark.capture) {
            None => return Err(CUDA_ERROR_CAPTURED_EVENT),
            Some(capture) if capture.invalid => return Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
            Some(_) => {}
        }
        match own {
            None if stream.kind() == StreamKind::Legacy => {
                return Err(self.spoil(mark.capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT));
            }
            None => self.join(stream, mark.capture, mark.after.clone()),
            Some(own) if own != mark.capture => {
                self.spoil(own, CUDA_ERROR_STREAM_CAPTURE_MERGE);
                return Err(self.spoil(mark.capture, CUDA_ERROR_STREAM_CAPTURE_MERGE));
            }
            Some(_) => {
                let member = self.members.get_mut(&stream.id()).ok_or(CUDA_ERROR_ILLEGAL_STATE)?;
                for end in &mark.after {
                    if !member.after.contains(end) {
                        member.after.push(*end);
                    }
                }
                member.shown = None;
            }
        }
        Ok(true)
    }

    /// Whether every stream of the capture leads back to its origin: all its last nodes come before the origin's.
    fn is_joined(&self, id: u64, origin: &[(NodeId, Ports)]) -> bool {
        let Some(capture) = self.captures.get(&id) else { return false };
        let body = capture.graph.body();
        let mut seen: HashSet<NodeId> = origin.iter().map(|(node, _)| *node).collect();
        let mut next: Vec<NodeId> = seen.iter().copied().collect();
        while let Some(node) = next.pop() {
            next.extend(
                body.shape.from(node).iter().map(|(from, _)| *from).filter(|from| seen.insert(*from)),
            );
        }
        let members = self.members.values().filter(|member| member.capture == id);
        members.flat_map(|member| &member.after).all(|(node, _)| seen.contains(node))
    }

    /// The legacy stream must not be used while a stream it meets is captured.
    fn check_legacy(&mut self, stream: &Stream) -> Result<(), CUresult> {
        if stream.kind() != StreamKind::Legacy {
            return Ok(());
        }
        let met: Vec<u64> = self.met_by_legacy(stream.queue()).collect();
        for id in &met {
            self.spoil(*id, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        }
        if met.is_empty() { Ok(()) } else { Err(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) }
    }

    fn met_by_legacy(&self, queue: &Arc<Queue>) -> impl Iterator<Item = u64> {
        let queue = identity(queue);
        self.members
            .values()
            .filter(move |member| member.blocking && member.queue == queue)
            .map(|member| member.capture)
    }

    /// Spoils a capture and gives back the code that says why.
    fn spoil(&mut self, id: u64, why: CUresult) -> CUresult {
        if let Some(capture) = self.captures.get_mut(&id) {
            capture.invalid = true;
        }
        why
    }
}

fn identity(queue: &Arc<Queue>) -> usize {
    Arc::as_ptr(queue).addr()
}
