//! Waiting for a task: a short spin, then sleep.

use super::lock;
use super::task::Task;
use super::work::Status;
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
    /// Blocks until the task is done and tells how it ended.
    pub fn wait(&self, patience: Patience) -> Status {
        if patience == Patience::Spin && self.spin() {
            return self.status().unwrap_or(Ok(()));
        }
        loop {
            if let Some(status) = self.status() {
                return status;
            }
            let latch = Arc::new(Latch::default());
            self.notify(&latch);
            latch.wait();
        }
    }

    fn spin(&self) -> bool {
        let start = Instant::now();
        loop {
            for _ in 0..32 {
                if self.is_done() {
                    return true;
                }
                std::hint::spin_loop();
            }
            if start.elapsed() > SPIN {
                return false;
            }
        }
    }
}

/// Opens once; those who wait sleep until then.
#[derive(Default)]
pub struct Latch {
    opened: Mutex<bool>,
    changed: Condvar,
}

impl Latch {
    pub fn open(&self) {
        *lock(&self.opened) = true;
        self.changed.notify_all();
    }

    pub fn wait(&self) {
        let mut opened = lock(&self.opened);
        while !*opened {
            opened = self.changed.wait(opened).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
