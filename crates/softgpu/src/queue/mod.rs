//! The command queue: streams are orders of tasks, and a task runs when all it waits for is done.
//!
//! Device-side order and the host's view differ in paced mode: see [`Time`].
//!
//! There is no thread per stream. A command becomes a [`Task`] that counts its unfinished predecessors: the one
//! before it on its stream, the legacy stream's where that rule applies, the events it waits for, its edges in a
//! graph. Whoever finishes the last predecessor hands the task to its engine: kernels to the compute engine, large
//! copies to two copy threads, host functions to the context's own thread, value waits to a poller; everything
//! short runs where it became ready. A task on an idle stream starts on the calling thread.
//!
//! Lock order, outermost first, each held for a few instructions only:
//! `Order` (one per context) → `Task::inner`. The pools and the poller lock only their own lists. No lock is held
//! while an engine, a callback or any other task runs.

/// Functions of the program.
#[allow(unsafe_code)]
pub mod callback_unsafe;
mod event;
mod order;
mod poller;
mod pool;
mod run;
mod stream;
mod task;
/// Threads that no signal of the program reaches.
#[allow(unsafe_code)]
mod thread_unsafe;
mod time;
mod wait;
mod work;

#[cfg(test)]
mod stress;
#[cfg(test)]
mod tests;

pub use event::{Event, Recorded, Shared};
pub use run::{in_host_function, release};
pub use stream::{Stream, StreamKind};
pub use task::Task;
pub use thread_unsafe::spawn;
pub use time::Time;
pub use wait::Patience;
pub use work::{Completion, Probe, Status, Work};

use cleave_api::cuda::types::{CUDA_SUCCESS, CUcontext, CUresult};
use cleave_device::engine::Engine;
use order::Order;
use poller::Poller;
use pool::Pool;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What all queues of a process share: a thread for each copy engine, one for what must not be early, and the poller.
pub struct Engines {
    copy: [Pool; 2],
    timed: Pool,
    poller: Poller,
}

impl Engines {
    /// Threads start with the first command that needs one.
    pub fn new() -> Arc<Engines> {
        Arc::new(Engines {
            copy: [Pool::new("cuda-copy", 1), Pool::new("cuda-copy", 1)],
            timed: Pool::new("cuda-timed", 1),
            poller: Poller::default(),
        })
    }

    fn copy(&self, engine: Engine) -> &Pool {
        &self.copy[usize::from(engine == Engine::Ce1)]
    }
}

/// Stops what runs for a context.
type OnFault = Box<dyn FnOnce(CUresult) + Send>;

/// The commands of one context: its streams, its callback thread, and the fault that ends it.
pub struct Queue {
    context: CUcontext,
    legacy_id: u64,
    order: Mutex<Order>,
    fault: AtomicU32,
    busy: Busy,
    host: Pool,
    engines: Arc<Engines>,
    time: Arc<dyn Time>,
    /// Whether its commands have modelled times.
    modelled: bool,
    on_fault: Mutex<Option<OnFault>>,
}

impl Queue {
    /// An empty queue on a device with that time; its legacy default stream exists from the start.
    pub fn new(engines: &Arc<Engines>, time: Arc<dyn Time>, context: CUcontext) -> Arc<Queue> {
        Arc::new(Queue {
            context,
            legacy_id: stream::next_id(),
            order: Mutex::default(),
            fault: AtomicU32::new(CUDA_SUCCESS.0),
            busy: Busy::default(),
            host: Pool::new("cuda-host", 1),
            engines: engines.clone(),
            modelled: time.is_modelled(),
            time,
            on_fault: Mutex::default(),
        })
    }

    /// The context whose commands these are.
    pub fn context(&self) -> CUcontext {
        self.context
    }

    /// The error that ended this context, if one did. It never goes away.
    pub fn check(&self) -> Status {
        CUresult(self.fault.load(Ordering::Acquire)).ok()
    }

    /// Ends the context with `code`: what waits is cancelled, what runs may finish. The first code stays.
    pub fn poison(&self, code: CUresult) {
        let healthy = CUDA_SUCCESS.0;
        if self.fault.compare_exchange(healthy, code.0, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            let stop = lock(&self.on_fault).take();
            if let Some(stop) = stop {
                stop(code);
            }
            self.engines.poller.kick();
        }
    }

    /// Has `stop` called once when the context is poisoned, to stop what runs for it.
    pub fn on_poison(&self, stop: impl FnOnce(CUresult) + Send + 'static) {
        *lock(&self.on_fault) = Some(Box::new(stop));
    }

    /// Waits until no kernel and no copy of this context runs. Call after [`Queue::poison`], before memory goes away.
    /// A host function that still runs is not waited for: it may be waiting for us.
    pub fn quiesce(&self) {
        self.busy.wait_idle();
    }
}

/// How many commands that touch memory run right now.
#[derive(Default)]
struct Busy {
    count: Mutex<Count>,
    idle: Condvar,
}

#[derive(Default)]
struct Count {
    running: usize,
    /// Those who wait: telling nobody would still be a system call.
    waiting: usize,
}

impl Busy {
    fn enter(&self) {
        lock(&self.count).running += 1;
    }

    fn leave(&self) {
        let mut count = lock(&self.count);
        count.running -= 1;
        if count.running == 0 && count.waiting > 0 {
            self.idle.notify_all();
        }
    }

    fn wait_idle(&self) {
        let mut count = lock(&self.count);
        count.waiting += 1;
        while count.running > 0 {
            count = self.idle.wait(count).unwrap_or_else(PoisonError::into_inner);
        }
        count.waiting -= 1;
    }
}

/// Locks, also after a panic elsewhere: every critical section here leaves its data whole at each step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
