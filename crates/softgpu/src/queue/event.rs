//! Events: a name for a point in a stream, and the time it was reached.

use super::task::Task;
use super::work::Work;
use super::{Patience, Queue, Stream, lock};
use cleave_api::cuda::types::*;
use std::sync::{Arc, Mutex};

/// An event. What it names is the task of its last record; destroying the event leaves that task alone.
pub struct Event {
    queue: Arc<Queue>,
    timing: bool,
    patience: Patience,
    last: Mutex<Recorded>,
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
        Arc::new(Event { queue: queue.clone(), timing, patience, last: Mutex::default() })
    }

    /// The context it was made in.
    pub fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    /// Names the point behind the stream's commands so far.
    pub fn record(&self, stream: &Stream) {
        self.name(stream.submit(Work::Stamp));
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
        self.last().is_none_or(|task| task.is_done())
    }

    /// Blocks until the last recorded point has been reached.
    pub fn wait(&self) {
        if let Some(task) = self.last() {
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
            Some(status) => status.map(|()| last.stamp()),
        }
    }
}
