//! Hands ready tasks to their engines.

use super::task::Task;
use super::work::{Completion, Status, Work};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;

thread_local! {
    /// Tasks this thread has made ready and not yet started.
    static READY: RefCell<VecDeque<Arc<Task>>> = const { RefCell::new(VecDeque::new()) };
    static DRAINING: Cell<bool> = const { Cell::new(false) };
    static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// Whether the calling thread runs a function the program queued, from which it must not call CUDA.
pub fn in_host_function() -> bool {
    IN_HOST_FUNCTION.try_with(Cell::get).unwrap_or(false)
}

/// Lets go of a task that is fully built; it starts here if nothing holds it back.
pub fn release(task: Arc<Task>) {
    if task.unblock() {
        push(task);
        drain();
    }
}

/// Ends a task and starts what it held back.
pub(super) fn finish(task: &Task, status: Status, end: u64) {
    task.finish(status, end, push);
    task.queue.engines.poller.kick();
    drain();
}

fn push(task: Arc<Task>) {
    let mut task = Some(task);
    let _ = READY.try_with(|ready| ready.borrow_mut().extend(task.take()));
    // A thread that is being torn down has no list any more; a program's last calls come from there.
    if let Some(task) = task {
        start(task);
    }
}

fn pop() -> Option<Arc<Task>> {
    READY.try_with(|ready| ready.borrow_mut().pop_front()).ok().flatten()
}

/// Starts what is ready on this thread. A nested call leaves it to the outer one, so that a chain of any length of
/// short commands runs in a fixed amount of stack.
fn drain() {
    struct Drained;
    impl Drop for Drained {
        fn drop(&mut self) {
            DRAINING.set(false);
        }
    }
    if DRAINING.replace(true) {
        return;
    }
    let _drained = Drained;
    while let Some(task) = pop() {
        start(task);
    }
}

fn start(task: Arc<Task>) {
    let Some(work) = task.take_work() else { return };
    let queue = task.queue.clone();
    if let Err(code) = queue.check() {
        return cancel(task, work, Err(code));
    }
    match work {
        Work::Join => finish(&task, Ok(()), task.ready()),
        Work::Stamp => {
            let stamp = if queue.modelled { task.ready() } else { queue.time.now() };
            finish(&task, Ok(()), stamp);
        }
        Work::Inline(run) => {
            let (ready, done) = (task.ready(), Completion::new(task, false));
            done.finish_at(run(), ready);
        }
        Work::Timed(run) => {
            let (ready, done) = (task.ready(), Completion::new(task, false));
            if queue.time.reached(ready) {
                return done.finish_at(run(), ready);
            }
            let time = queue.time.clone();
            queue.engines.timed.push(Box::new(move || {
                time.sleep_until(ready);
                done.finish_at(run(), ready);
            }));
        }
        Work::Copy { engine, bytes, run } => {
            let done = Completion::new(task, true);
            let (time, bytes, ready) = (queue.time.clone(), bytes as u64, done.ready());
            let short = time.is_short(bytes, ready);
            let perform = move || {
                let began = time.now();
                let status = run();
                done.finish_at(status, time.copied(engine, bytes, ready, began));
            };
            if short { perform() } else { queue.engines.copy(engine).push(Box::new(perform)) }
        }
        Work::Start(start) => start(Completion::new(task, true)),
        Work::Host { call, .. } => {
            let done = Completion::new(task, false);
            let time = queue.time.clone();
            queue.host.push(Box::new(move || {
                if time.is_modelled() {
                    time.sleep_until(done.ready());
                }
                as_host_function(|| call(Ok(())));
                done.finish(Ok(()));
            }));
        }
        Work::Until(probe) => {
            let done = Completion::new(task, false);
            queue.engines.poller.add(queue.clone(), probe, done);
        }
        Work::Caller(turn) => turn.give(Some(Completion::new(task, true))),
    }
}

/// Ends a task that must not run any more.
fn cancel(task: Arc<Task>, work: Work, status: Status) {
    match work {
        Work::Host { call, even_after_fault: true } => {
            let queue = task.queue.clone();
            let done = Completion::new(task, false);
            queue.host.push(Box::new(move || {
                as_host_function(|| call(status));
                done.finish_at(status, 0);
            }));
        }
        Work::Caller(turn) => {
            finish(&task, status, 0);
            turn.give(None);
        }
        // It does not happen, so nobody waits for the time it would have taken.
        _ => finish(&task, status, 0),
    }
}

fn as_host_function(call: impl FnOnce()) {
    IN_HOST_FUNCTION.set(true);
    call();
    IN_HOST_FUNCTION.set(false);
}
