//! The order of a context's commands: one lane per stream, and the rule of the legacy default stream.
//!
//! A command of the legacy stream runs after all earlier commands of every blocking stream, and a command of a
//! blocking stream after all earlier ones of the legacy stream. The lists below name only the lanes that had work
//! since the last such meeting, so the cost of a command does not grow with the number of streams.

use super::task::Task;
use super::work::{Status, Turn, Work};
use super::{Patience, Queue, lock, run};
use cleave_device::engine::Engine;
use std::sync::Arc;

/// A stream's place in its queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneId(usize);

impl LaneId {
    /// The legacy default stream of every context.
    pub const LEGACY: LaneId = LaneId(0);
}

/// After this many commands a stream waits for those before the last mark, as hardware does when a channel is full;
/// a program that never synchronises cannot grow the queue without end.
const MARK: u32 = 4096;

pub(super) struct Order {
    lanes: Vec<Lane>,
    free: Vec<usize>,
    /// Lanes with commands that a context-wide wait has not yet seen done.
    recent: Vec<usize>,
    /// Blocking lanes with commands after the last legacy command.
    since_legacy: Vec<usize>,
}

#[derive(Default)]
struct Lane {
    tail: Option<Arc<Task>>,
    blocking: bool,
    closed: bool,
    in_recent: bool,
    in_since_legacy: bool,
    count: u32,
    mark: Option<Arc<Task>>,
}

impl Default for Order {
    fn default() -> Order {
        Order { lanes: vec![Lane::default()], free: Vec::new(), recent: Vec::new(), since_legacy: Vec::new() }
    }
}

impl Order {
    /// Puts `first ..= last` at the end of a lane; all of a single command is `first == last`.
    /// Gives back the task to wait for when the lane is full.
    fn append(&mut self, id: LaneId, first: &Arc<Task>, last: &Arc<Task>) -> Option<Arc<Task>> {
        if id == LaneId::LEGACY {
            for other in std::mem::take(&mut self.since_legacy) {
                let lane = &mut self.lanes[other];
                lane.in_since_legacy = false;
                first.follow(&lane.tail);
                lane.reuse(other, &mut self.free);
            }
        } else if self.lanes[id.0].blocking {
            first.follow(&self.lanes[LaneId::LEGACY.0].tail);
            if !std::mem::replace(&mut self.lanes[id.0].in_since_legacy, true) {
                self.since_legacy.push(id.0);
            }
        }
        let lane = &mut self.lanes[id.0];
        first.follow(&lane.tail);
        lane.tail = Some(last.clone());
        if !std::mem::replace(&mut lane.in_recent, true) {
            self.recent.push(id.0);
        }
        lane.count += 1;
        if lane.count < MARK {
            return None;
        }
        lane.count = 0;
        lane.mark.replace(last.clone())
    }

    /// What is pending in the whole context.
    fn pending(&mut self) -> Vec<Arc<Task>> {
        self.prune();
        self.recent.iter().filter_map(|&id| self.lanes[id].tail.clone()).collect()
    }

    /// Forgets what is done.
    fn prune(&mut self) {
        let Order { lanes, free, recent, since_legacy } = self;
        since_legacy.retain(|&id| {
            let lane = &mut lanes[id];
            lane.in_since_legacy = !lane.is_idle();
            if !lane.in_since_legacy {
                lane.reuse(id, free);
            }
            lane.in_since_legacy
        });
        recent.retain(|&id| {
            let lane = &mut lanes[id];
            lane.in_recent = !lane.is_idle();
            if !lane.in_recent {
                lane.tail = None;
                lane.reuse(id, free);
            }
            lane.in_recent
        });
    }

    #[cfg(test)]
    pub(super) fn lane_count(&self) -> usize {
        self.lanes.len()
    }

    /// What has to be done for a lane to be idle. The legacy stream stands for every blocking stream.
    fn pending_in(&self, id: LaneId) -> Vec<Arc<Task>> {
        let meets: &[usize] = if id == LaneId::LEGACY { &self.since_legacy } else { &[] };
        let lanes = std::iter::once(&id.0).chain(meets);
        lanes.filter_map(|&lane| self.lanes[lane].tail.clone()).filter(|tail| !tail.is_done()).collect()
    }
}

fn wait_for(pending: Vec<Arc<Task>>, patience: Patience) {
    // A host function that waits for its own stream would wait for ever; the calls that lead here refuse it before.
    if !run::in_host_function() {
        pending.iter().for_each(|task| {
            let _ = task.wait(patience);
        });
    }
}

impl Lane {
    fn is_idle(&self) -> bool {
        self.tail.as_ref().is_none_or(|tail| tail.is_done())
    }

    /// A closed lane is used again once no list names it.
    fn reuse(&mut self, id: usize, free: &mut Vec<usize>) {
        if self.closed && !self.in_recent && !self.in_since_legacy {
            *self = Lane::default();
            free.push(id);
        }
    }
}

impl Task {
    fn follow(self: &Arc<Self>, tail: &Option<Arc<Task>>) {
        if let Some(tail) = tail {
            self.after(tail);
        }
    }
}

impl Queue {
    /// A lane for a new stream.
    pub(super) fn open_lane(&self, blocking: bool) -> LaneId {
        let order = &mut *lock(&self.order);
        // Programs that make a stream per request would otherwise leave all their lanes behind in the lists.
        if order.free.is_empty() && order.recent.len() >= order.lanes.len() / 2 {
            order.prune();
        }
        let id = order.free.pop().unwrap_or_else(|| {
            order.lanes.push(Lane::default());
            order.lanes.len() - 1
        });
        order.lanes[id].blocking = blocking;
        LaneId(id)
    }

    /// The stream is gone; its commands still run.
    pub(super) fn close_lane(&self, id: LaneId) {
        let order = &mut *lock(&self.order);
        let lane = &mut order.lanes[id.0];
        lane.closed = true;
        lane.reuse(id.0, &mut order.free);
    }

    /// Queues one command, after its lane's earlier ones and after `events`.
    pub fn submit(self: &Arc<Self>, lane: LaneId, work: Work, events: &[Arc<Task>]) -> Arc<Task> {
        let task = Task::new(self, work);
        for event in events {
            task.after(event);
        }
        self.append(lane, &task, &task);
        run::release(task.clone());
        task
    }

    /// Queues a part of the graph of tasks: `first` follows the lane, the lane's next command follows `last`.
    /// The caller wires and releases both.
    pub fn append(&self, lane: LaneId, first: &Arc<Task>, last: &Arc<Task>) {
        let full = lock(&self.order).append(lane, first, last);
        if let Some(mark) = full
            && !run::in_host_function()
        {
            let _ = mark.wait(Patience::Sleep);
        }
    }

    /// Performs a copy of so many bytes on the calling thread when its turn has come. Its error is the caller's, not the context's.
    pub fn perform(
        self: &Arc<Self>,
        lane: LaneId,
        (engine, bytes): (Engine, usize),
        copy: impl FnOnce() -> Status,
    ) -> Status {
        let turn = Arc::new(Turn::default());
        let task = self.submit(lane, Work::Caller(turn.clone()), &[]);
        let token = turn.take(if self.modelled { Patience::Sleep } else { Patience::Spin });
        let Some(token) = token else { return task.retired_as().unwrap_or(Ok(())) };
        if self.modelled {
            // The bytes may be the program's own: they are touched when it is their time.
            self.time.sleep_until(task.ready());
        }
        let began = self.time.now();
        let status = copy();
        token.finish_at(Ok(()), self.time.copied(engine, bytes as u64, task.ready(), began));
        let _ = task.wait(Patience::Sleep);
        status
    }

    /// Whether all commands of a lane are done.
    pub fn is_idle(&self, lane: LaneId) -> bool {
        lock(&self.order).pending_in(lane).is_empty()
    }

    /// Blocks until the commands a lane has now are done.
    pub fn wait_lane(&self, lane: LaneId, patience: Patience) {
        let pending = lock(&self.order).pending_in(lane);
        wait_for(pending, patience);
    }

    /// Blocks until the commands the context has now are done.
    pub fn wait_all(&self, patience: Patience) {
        let pending = lock(&self.order).pending();
        wait_for(pending, patience);
    }
}
