//! Waiting for a task: a short spin, then sleep.

use super::lock;
use super::task::Task;
use super::work::Status;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a waiter spins before it sleeps. Waking a sleeper on another core takes about as long as this.
const SPIN: Duration = Duration::from_micros(50);

/// How a thread waits; the program chooses by context and event flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Patience {
    /// Spin a little first.
    #[default]
    Spin,
    /// Sleep at once.
    Sleep,
}

impl Task {
    /// Blocks until the task is done and tells how it ended. Where times are modelled nobody spins: the cores are for the emulation.
    pub fn wait(&self, patience: Patience) -> Status {
        if patience == Patience::Spin && !self.queue.modelled {
            spin(|| self.is_retired());
        }
        loop {
            if let Some(status) = self.retired_as() {
                if self.queue.modelled {
                    self.queue.time.sleep_until(self.end());
                }
                return status;
            }
            let latch = Arc::new(Latch::default());
            self.notify(&latch);
            latch.wait(Patience::Sleep);
        }
    }
}

/// Whether something came true within a short spin.
///
/// After a moment the waiter offers its core between looks: with as many workers as cores, the worker it waits for may
/// be queued behind it.
fn spin(mut done: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    for _ in 0..64 {
        if done() {
            return true;
        }
        std::hint::spin_loop();
    }
    while start.elapsed() < SPIN {
        if done() {
            return true;
        }
        std::thread::yield_now();
    }
    done()
}

/// Opens once; those who wait sleep until then.
#[derive(Default)]
pub struct Latch {
    opened: AtomicBool,
    sleepers: Mutex<()>,
    changed: Condvar,
}

impl Latch {
    pub fn open(&self) {
        // Under the lock, so that nobody falls asleep between looking and sleeping.
        let _sleepers = lock(&self.sleepers);
        self.opened.store(true, Ordering::Release);
        self.changed.notify_all();
    }

    pub fn wait(&self, patience: Patience) {
        if patience == Patience::Spin && spin(|| self.is_open()) {
            return;
        }
        let mut sleepers = lock(&self.sleepers);
        while !self.is_open() {
            sleepers = self.changed.wait(sleepers).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn is_open(&self) -> bool {
        self.opened.load(Ordering::Acquire)
    }
}
