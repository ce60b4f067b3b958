//! What a task does, and the token that ends it.

use super::task::Task;
use super::wait::{Latch, Patience};
use super::{lock, run};
use cleave_api::cuda::types::*;
use cleave_device::engine::Engine;
use std::sync::{Arc, Mutex};

/// How a command ended.
pub type Status = Result<(), CUresult>;

type Run = Box<dyn FnOnce() -> Status + Send>;

/// Looks at memory; `Ok(true)` when the awaited value is there.
pub type Probe = Box<dyn FnMut() -> Result<bool, CUresult> + Send>;

/// A command, ready to be given to the engine that performs it.
pub enum Work {
    /// A join: done when all before it is done.
    Join,
    /// Takes the time for an event.
    Stamp,
    /// As `Inline`, but not before the clock shows that all before it is done.
    Timed(Run),
    /// Short and never blocking; runs on the thread that makes the task ready.
    Inline(Run),
    /// A copy or fill.
    Copy { engine: Engine, bytes: usize, run: Run },
    /// Begins on an engine of its own and is ended by the token, at any time and from any thread.
    Start(Box<dyn FnOnce(Completion) + Send>),
    /// A function of the program. Gets the context's error if it is to be called even then.
    Host { call: Box<dyn FnOnce(Status) + Send>, even_after_fault: bool },
    /// Until the probe is satisfied.
    Until(Probe),
    /// The calling thread performs it itself and waits here for its turn.
    Caller(Arc<Turn>),
}

/// Where a synchronous command gets its token.
#[derive(Default)]
pub struct Turn {
    latch: Latch,
    token: Mutex<Option<Completion>>,
}

impl Turn {
    /// It is the caller's turn; without a token, the command is cancelled.
    pub(super) fn give(&self, token: Option<Completion>) {
        *lock(&self.token) = token;
        self.latch.open();
    }

    /// Blocks until it is the caller's turn.
    pub(super) fn take(&self, patience: Patience) -> Option<Completion> {
        self.latch.wait(patience);
        lock(&self.token).take()
    }
}

/// The right and the duty to end a task. Dropping it without an answer ends the task with an unknown error, so that
/// no path leaves a waiter behind.
pub struct Completion {
    task: Option<Arc<Task>>,
    /// Counted in the queue's `busy` until it ends.
    busy: bool,
}

impl Completion {
    pub(super) fn new(task: Arc<Task>, busy: bool) -> Completion {
        if busy {
            task.queue.busy.enter();
        }
        Completion { task: Some(task), busy }
    }

    /// When everything before the task ends, in device time; meaningful where times are modelled.
    pub fn ready(&self) -> u64 {
        self.task.as_ref().map_or(0, |task| task.ready())
    }

    /// Ends the task now. A command that failed while it ran takes its context with it.
    pub fn finish(mut self, status: Status) {
        self.end(status, None);
    }

    /// Ends the task at `end` in device time.
    pub fn finish_at(mut self, status: Status, end: u64) {
        self.end(status, Some(end));
    }

    fn end(&mut self, status: Status, end: Option<u64>) {
        let Some(task) = self.task.take() else { return };
        if let Err(code) = status {
            task.queue.poison(code);
        }
        if self.busy {
            task.queue.busy.leave();
        }
        let now = || if task.queue.modelled { task.queue.time.now().max(task.ready()) } else { 0 };
        run::finish(&task, status, end.unwrap_or_else(now));
    }
}

impl Drop for Completion {
    fn drop(&mut self) {
        self.end(Err(CUDA_ERROR_UNKNOWN), None);
    }
}
