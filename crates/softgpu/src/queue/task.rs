//! A task: one command, how much it still waits for, and who waits for it.

use super::wait::Latch;
use super::work::{Status, Work};
use super::{Queue, lock};
use cleave_api::cuda::types::*;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// No CUresult has this value.
const PENDING: u32 = u32::MAX;

/// One command of a stream or a graph launch.
///
/// `blockers` is the number of unfinished predecessors plus one hold by the builder. Edges point forward only, so a
/// finished task keeps nothing alive, and the thread that takes `blockers` to zero is the only one that runs it.
pub struct Task {
    pub(super) queue: Arc<Queue>,
    blockers: AtomicUsize,
    status: AtomicU32,
    /// When what it waits for ends, as far as known. Device time, as `end`; both only where times are modelled.
    ready: AtomicU64,
    /// When it ends, or when a [`Work::Stamp`] was taken.
    end: AtomicU64,
    inner: Mutex<Inner>,
}

struct Inner {
    work: Option<Work>,
    followers: Vec<Follower>,
}

enum Follower {
    Task(Arc<Task>),
    Latch(Arc<Latch>),
}

impl Task {
    /// A task nobody waits for yet, held back until [`release`](super::release).
    pub fn new(queue: &Arc<Queue>, work: Work) -> Arc<Task> {
        // Nothing begins before the program asked for it.
        let ready = if queue.modelled { queue.time.now() } else { 0 };
        Arc::new(Task {
            queue: queue.clone(),
            blockers: AtomicUsize::new(1),
            status: AtomicU32::new(PENDING),
            ready: AtomicU64::new(ready),
            end: AtomicU64::new(0),
            inner: Mutex::new(Inner { work: Some(work), followers: Vec::new() }),
        })
    }

    /// How it ended, or `None` while it is pending.
    pub fn status(&self) -> Option<Status> {
        self.retired_as().filter(|_| self.is_reached())
    }

    /// Whether the host may see that it is done.
    pub fn is_done(&self) -> bool {
        self.is_retired() && self.is_reached()
    }

    /// Whether it has run, whatever the clock shows.
    pub(super) fn is_retired(&self) -> bool {
        self.status.load(Ordering::Acquire) != PENDING
    }

    pub(super) fn retired_as(&self) -> Option<Status> {
        match self.status.load(Ordering::Acquire) {
            PENDING => None,
            code => Some(CUresult(code).ok()),
        }
    }

    fn is_reached(&self) -> bool {
        !self.queue.modelled || self.queue.time.reached(self.end())
    }

    /// When all before it ends. Final once it runs.
    pub(super) fn ready(&self) -> u64 {
        self.ready.load(Ordering::Relaxed)
    }

    /// When it ended, or was stamped, in device time. Final once it has run.
    pub fn end(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    /// Makes this task, not yet released, wait for `earlier`.
    pub fn after(self: &Arc<Self>, earlier: &Task) {
        if !earlier.is_retired() {
            let mut inner = lock(&earlier.inner);
            // Again under the lock: `finish` takes the followers exactly once.
            if !earlier.is_retired() {
                // Relaxed: the builder's hold keeps the count above zero until it lets go.
                self.blockers.fetch_add(1, Ordering::Relaxed);
                inner.followers.push(Follower::Task(self.clone()));
                return;
            }
        }
        self.not_before(earlier);
    }

    /// Nothing begins before what it waited for has ended.
    fn not_before(&self, earlier: &Task) {
        if !self.queue.modelled {
            return;
        }
        let mut end = earlier.end();
        if !Arc::ptr_eq(&self.queue.time, &earlier.queue.time) {
            // Clocks of two devices: what one has still to wait, the other waits as well.
            end = self.queue.time.now().saturating_add(end.saturating_sub(earlier.queue.time.now()));
        }
        // Relaxed: ordered by the count of blockers.
        self.ready.fetch_max(end, Ordering::Relaxed);
    }

    /// Opens `latch` when this task has run; at once if it has.
    pub(super) fn notify(&self, latch: &Arc<Latch>) {
        let mut inner = lock(&self.inner);
        if self.is_retired() {
            drop(inner);
            latch.open();
        } else {
            inner.followers.push(Follower::Latch(latch.clone()));
        }
    }

    /// Takes one hold away. True for exactly one caller: the one who has to run the task.
    pub(super) fn unblock(&self) -> bool {
        // AcqRel: what every predecessor wrote is visible to the thread that runs the task.
        self.blockers.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// The command, once.
    pub(super) fn take_work(&self) -> Option<Work> {
        lock(&self.inner).work.take()
    }

    /// Ends the task and passes on those of its followers that have become ready.
    pub(super) fn finish(&self, status: Status, end: u64, mut ready: impl FnMut(Arc<Task>)) {
        let code = status.err().unwrap_or(CUDA_SUCCESS);
        // Relaxed: published by the release store of `status`.
        self.end.store(end, Ordering::Relaxed);
        let followers = {
            let mut inner = lock(&self.inner);
            self.status.store(code.0, Ordering::Release);
            std::mem::take(&mut inner.followers)
        };
        for follower in followers {
            match follower {
                Follower::Latch(latch) => latch.open(),
                Follower::Task(task) => {
                    task.not_before(self);
                    if task.unblock() {
                        ready(task);
                    }
                }
            }
        }
    }
}
