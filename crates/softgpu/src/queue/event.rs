//! Events: a name for a point in a stream, and the time it was reached.

use super::task::Task;
use super::work::{Probe, Work};
use super::{Patience, Queue, Stream, lock, release};
use cleave_api::cuda::types::*;
use cleave_device::shared_event::EventName;
use std::sync::{Arc, Mutex, OnceLock};

/// An event. What it names is the task of its last record; destroying the event leaves that task alone.
pub struct Event {
    queue: Arc<Queue>,
    timing: bool,
    patience: Patience,
    last: Mutex<Recorded>,
    shared: OnceLock<Arc<dyn Shared>>,
}

/// The part of an event that other processes see.
pub trait Shared: Send + Sync {
    /// What other processes know it by.
    fn name(&self) -> EventName;
    /// A record was queued here; its number.
    fn begin(&self) -> u64;
    /// The record with this number has been reached, or never will be.
    fn end(&self, number: u64);
    /// When another process recorded last and that point is not yet reached: looks whether it is.
    fn foreign(&self) -> Option<Probe>;
}

/// Says that a record has been reached when it is dropped, be it because it never will.
struct Told {
    shared: Arc<dyn Shared>,
    number: u64,
}

impl Drop for Told {
    fn drop(&mut self) {
        self.shared.end(self.number);
    }
}

/// What an event names.
#[derive(Clone, Default)]
pub enum Recorded {
    #[default]
    Never,
    Task(Arc<Task>),
    /// A point in a stream that was being captured, by the number the capture knows it: nothing runs there.
    Captured(u64),
}

impl Event {
    pub fn new(queue: &Arc<Queue>, timing: bool, patience: Patience) -> Arc<Event> {
        let (last, shared) = (Mutex::default(), OnceLock::new());
        Arc::new(Event { queue: queue.clone(), timing, patience, last, shared })
    }

    /// From now on other processes take part. The first answer stays.
    pub fn share(&self, part: Arc<dyn Shared>) {
        let _ = self.shared.set(part);
    }

    /// What other processes see of it, if they may.
    pub fn shared(&self) -> Option<&Arc<dyn Shared>> {
        self.shared.get()
    }

    /// The context it was made in.
    pub fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    /// Names the point behind the stream's commands so far.
    pub fn record(&self, stream: &Stream) {
        let announced = self.shared.get().map(|shared| (shared.clone(), shared.begin()));
        let stamp = stream.submit(Work::Stamp);
        if let Some((shared, number)) = announced {
            // Beside the stream: what comes after the record does not wait until the others have heard of it.
            let told = Told { shared, number };
            let tell = Work::Timed(Box::new(move || {
                drop(told);
                Ok(())
            }));
            let tell = Task::new(&self.queue, tell);
            tell.after(&stamp);
            release(tell);
        }
        self.name(stamp);
    }

    /// When another process recorded last: looks whether that point is reached.
    pub fn foreign(&self) -> Option<Probe> {
        self.shared.get().and_then(|shared| shared.foreign())
    }

    /// Names a task of [`Work::Stamp`].
    pub fn name(&self, task: Arc<Task>) {
        *lock(&self.last) = Recorded::Task(task);
    }

    /// Names a point of a capture.
    pub fn name_captured(&self, mark: u64) {
        *lock(&self.last) = Recorded::Captured(mark);
    }

    pub fn recorded(&self) -> Recorded {
        lock(&self.last).clone()
    }

    /// What a stream has to wait for: nothing if never recorded.
    pub fn last(&self) -> Option<Arc<Task>> {
        match &*lock(&self.last) {
            Recorded::Task(task) => Some(task.clone()),
            _ => None,
        }
    }

    /// Whether the last recorded point has been reached. True if there was none.
    pub fn is_done(&self) -> bool {
        match self.foreign() {
            // A probe that fails has nothing left to wait for.
            Some(mut probe) => probe().unwrap_or(true),
            None => self.last().is_none_or(|task| task.is_done()),
        }
    }

    /// Blocks until the last recorded point has been reached.
    pub fn wait(&self) {
        let pending = match self.foreign() {
            Some(probe) => {
                let reached = Task::new(&self.queue, Work::Until(probe));
                release(reached.clone());
                Some(reached)
            }
            None => self.last(),
        };
        if let Some(task) = pending {
            let _ = task.wait(self.patience);
        }
    }

    /// Nanoseconds from `start` to `self`.
    pub fn since(&self, start: &Event) -> Result<i64, CUresult> {
        Ok(self.time()?.wrapping_sub(start.time()?).cast_signed())
    }

    fn time(&self) -> Result<u64, CUresult> {
        let last = self.last().filter(|_| self.timing).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        match last.status() {
            None => Err(CUDA_ERROR_NOT_READY),
            Some(status) => status.map(|()| last.end()),
        }
    }
}
