//! What a task does, and the token that ends it.

use super::task::Task;
use super::wait::{Latch, Patience};
use super::{lock, run};
use cleave_api::cuda::types::*;
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
    /// Short and never blocking; runs on the thread that makes the task ready.
    Inline(Run),
    /// A copy or fill of so many bytes.
    Copy(usize, Run),
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
    pub(super) fn take(&self) -> Option<Completion> {
        self.latch.wait(Patience::Spin);
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

    /// Ends the task. A command that failed while it ran takes its context with it.
    pub fn finish(mut self, status: Status) {
        self.end(status);
    }

    fn end(&mut self, status: Status) {
        let Some(task) = self.task.take() else { return };
        if let Err(code) = status {
            task.queue.poison(code);
        }
        if self.busy {
            task.queue.busy.leave();
        }
        run::finish(&task, status);
    }
}

impl Drop for Completion {
    fn drop(&mut self) {
        self.end(Err(CUDA_ERROR_UNKNOWN));
    }
}
