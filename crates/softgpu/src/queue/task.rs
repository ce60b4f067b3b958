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
    stamp: AtomicU64,
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
        Arc::new(Task {
            queue: queue.clone(),
            blockers: AtomicUsize::new(1),
            status: AtomicU32::new(PENDING),
            stamp: AtomicU64::new(0),
            inner: Mutex::new(Inner { work: Some(work), followers: Vec::new() }),
        })
    }

    /// How it ended, or `None` while it is pending.
    pub fn status(&self) -> Option<Status> {
        match self.status.load(Ordering::Acquire) {
            PENDING => None,
            code => Some(CUresult(code).ok()),
        }
    }

    pub fn is_done(&self) -> bool {
        self.status.load(Ordering::Acquire) != PENDING
    }

    /// When a [`Work::Stamp`] task ran, on the engines' clock. Meaningful once it is done.
    pub fn stamp(&self) -> u64 {
        self.stamp.load(Ordering::Relaxed)
    }

    pub(super) fn set_stamp(&self, now: u64) {
        // Relaxed: published by the release store of `status` in `finish`.
        self.stamp.store(now, Ordering::Relaxed);
    }

    /// Makes this task, not yet released, wait for `earlier`.
    pub fn after(self: &Arc<Self>, earlier: &Task) {
        if earlier.is_done() {
            return;
        }
        let mut inner = lock(&earlier.inner);
        // Again under the lock: `finish` takes the followers exactly once.
        if !earlier.is_done() {
            // Relaxed: the builder's hold keeps the count above zero until it lets go.
            self.blockers.fetch_add(1, Ordering::Relaxed);
            inner.followers.push(Follower::Task(self.clone()));
        }
    }

    /// Opens `latch` when this task is done; at once if it is.
    pub(super) fn notify(&self, latch: &Arc<Latch>) {
        let mut inner = lock(&self.inner);
        if self.is_done() {
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
    pub(super) fn finish(&self, status: Status, mut ready: impl FnMut(Arc<Task>)) {
        let code = status.err().unwrap_or(CUDA_SUCCESS);
        let followers = {
            let mut inner = lock(&self.inner);
            self.status.store(code.0, Ordering::Release);
            std::mem::take(&mut inner.followers)
        };
        for follower in followers {
            match follower {
                Follower::Latch(latch) => latch.open(),
                Follower::Task(task) if task.unblock() => ready(task),
                Follower::Task(_) => {}
            }
        }
    }
}
