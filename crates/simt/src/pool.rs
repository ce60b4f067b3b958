//! Worker threads and the control of what they do.
//!
//! One mutex guards the queue; it is held for the choice of a block, never while one runs or while `done` is called.

use crate::fault::{Fault, FaultKind};
use crate::gpu::Done;
use crate::grid::{Env, control};
use crate::queue::{Queue, Running};
use crate::signals_unsafe::with_signals_blocked;
use crate::worker::Worker;
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

/// The workers of a device.
pub struct Pool {
    queue: Mutex<Queue>,
    pub wake: Condvar,
    /// Raised with everything that may give an idle worker something to do.
    pub news: AtomicU64,
    workers: usize,
    pub spin: Duration,
}

impl Pool {
    pub fn new(workers: usize, spin: Duration, seed: Option<u64>) -> Arc<Pool> {
        Arc::new(Pool {
            queue: Mutex::new(Queue::new(seed)),
            wake: Condvar::new(),
            news: AtomicU64::new(0),
            workers,
            spin,
        })
    }

    pub fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn submit(self: &Arc<Pool>, env: Env, limit: u64, done: Done) -> u64 {
        let blocks = env.blocks() as u64;
        let mut queue = self.lock();
        if queue.threads.is_empty() && !queue.closing {
            self.start_threads(&mut queue);
        }
        if queue.threads.is_empty() {
            drop(queue);
            done(Err(Fault::of_launch(FaultKind::Stopped, &env.kernel.name, "no worker threads")));
            return 0;
        }
        let id = queue.next_id;
        queue.next_id += 1;
        if queue.paused {
            env.control.store(control::PAUSE, Relaxed);
        }
        let paced = env.launch.pacing.is_some() && blocks > 0;
        queue.grids.push(Running::new(id, env, limit, done));
        match paced {
            true => self.announce_paced(queue),
            false => self.announce(queue, blocks.max(1)),
        }
        id
    }

    /// Wakes as many sleepers as there are new things to do.
    pub fn announce(&self, queue: MutexGuard<'_, Queue>, things: u64) {
        self.news.fetch_add(1, Release);
        // The lookout sees the news by itself.
        let wake = (things - u64::from(queue.lookout)).min(queue.sleepers as u64);
        drop(queue);
        for _ in 0..wake {
            self.wake.notify_one();
        }
    }

    /// Wakes a sleeper if modelled time has come for something; it wakes the next one if that takes long.
    fn announce_paced(&self, mut queue: MutexGuard<'_, Queue>) {
        if queue.more_to_do() {
            self.announce(queue, 1);
        }
    }

    fn start_threads(self: &Arc<Pool>, queue: &mut Queue) {
        // A signal of the application must never run its handler on our threads, not even in their first moment.
        with_signals_blocked(|| {
            for i in 0..self.workers {
                let pool = self.clone();
                let thread = std::thread::Builder::new().name(format!("cleave-gpu-{i}"));
                if let Ok(handle) = thread.spawn(move || Worker::default().run(&pool)) {
                    queue.threads.push(handle);
                }
            }
        });
    }

    pub fn pause(&self, id: Option<u64>) {
        let mut queue = self.lock();
        queue.paused |= id.is_none();
        for grid in queue.of(id) {
            grid.env.control.fetch_or(control::PAUSE, Relaxed);
        }
    }

    pub fn resume(&self, id: Option<u64>) {
        let mut queue = self.lock();
        queue.paused &= id.is_some();
        for grid in queue.of(id) {
            grid.env.control.fetch_and(!control::PAUSE, Relaxed);
        }
        self.announce(queue, u64::MAX);
    }

    pub fn stop(&self, id: Option<u64>) {
        let mut queue = self.lock();
        for grid in queue.of(id) {
            grid.end(Fault::of_launch(FaultKind::Stopped, &grid.env.kernel.name, ""));
        }
        self.announce(queue, u64::MAX);
    }

    /// A pacing has new answers.
    pub fn kick(&self) {
        let mut queue = self.lock();
        queue.kicked();
        self.announce_paced(queue);
    }

    /// Stops all grids and waits for the threads to end.
    pub fn shut_down(&self) {
        self.stop(None);
        let mut queue = self.lock();
        queue.closing = true;
        let threads = std::mem::take(&mut queue.threads);
        self.announce(queue, u64::MAX);
        let me: ThreadId = std::thread::current().id();
        for thread in threads {
            // The last reference may go in a `done`, on a worker.
            if thread.thread().id() != me {
                let _ = thread.join();
            }
        }
    }
}
