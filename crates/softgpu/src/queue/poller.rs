//! Waits for values in memory, which anyone may write: a kernel, another stream, the program itself.

use super::work::{Completion, Probe};
use super::{Queue, lock, thread_unsafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Pause between looks: short at first, for a neighbour about to write, then long enough to cost nothing.
const SHORTEST: Duration = Duration::from_micros(20);
const LONGEST: Duration = Duration::from_millis(1);

/// One thread that looks after all value waits of the process. It sleeps while there are none, and looks at once
/// when any command of the process has finished.
#[derive(Default)]
pub struct Poller {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Number of waits, so that `kick` costs one load while there are none.
    waits: AtomicUsize,
    state: Mutex<State>,
    woken: Condvar,
}

#[derive(Default)]
struct State {
    arrived: Vec<Wait>,
    kicked: bool,
    running: bool,
    closed: bool,
}

struct Wait {
    queue: Arc<Queue>,
    probe: Probe,
    done: Completion,
}

impl Poller {
    /// Ends `done` once `probe` is satisfied or its context is gone.
    pub fn add(&self, queue: Arc<Queue>, probe: Probe, done: Completion) {
        let Some(wait) = (Wait { queue, probe, done }).look() else { return };
        self.shared.waits.fetch_add(1, Ordering::Relaxed);
        let start = {
            let mut state = lock(&self.shared.state);
            state.arrived.push(wait);
            state.kicked = true;
            !std::mem::replace(&mut state.running, true)
        };
        if start && !self.spawn() {
            let mut state = lock(&self.shared.state);
            state.running = false;
            // Without a thread the waits could only hang: dropping them ends them with an error.
            let lost = std::mem::take(&mut state.arrived);
            drop(state);
            self.shared.waits.fetch_sub(lost.len(), Ordering::Relaxed);
        }
        self.shared.woken.notify_one();
    }

    /// Something may have been written: look again now.
    pub fn kick(&self) {
        if self.shared.waits.load(Ordering::Relaxed) > 0 {
            lock(&self.shared.state).kicked = true;
            self.shared.woken.notify_one();
        }
    }

    fn spawn(&self) -> bool {
        let shared = self.shared.clone();
        thread_unsafe::spawn("cuda-poll", move || shared.work()).is_ok()
    }
}

impl Drop for Poller {
    fn drop(&mut self) {
        lock(&self.shared.state).closed = true;
        self.shared.woken.notify_one();
    }
}

impl Shared {
    fn work(&self) {
        let mut waits: Vec<Wait> = Vec::new();
        let mut pause = SHORTEST;
        loop {
            let mut state = lock(&self.state);
            if !state.kicked && !state.closed {
                state = if waits.is_empty() {
                    self.woken.wait(state).unwrap_or_else(PoisonError::into_inner)
                } else {
                    self.woken.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner).0
                };
                pause = (pause * 2).min(LONGEST);
            }
            if std::mem::take(&mut state.kicked) {
                pause = SHORTEST;
            }
            if state.closed {
                return;
            }
            waits.append(&mut state.arrived);
            drop(state);

            // `look` ends what is satisfied, on this thread and outside any lock.
            let before = waits.len();
            waits = waits.into_iter().filter_map(Wait::look).collect();
            self.waits.fetch_sub(before - waits.len(), Ordering::Relaxed);
        }
    }
}

impl Wait {
    /// Looks once; gives itself back if it has to wait longer.
    fn look(mut self) -> Option<Wait> {
        match self.queue.check().and_then(|()| (self.probe)()) {
            Ok(false) => Some(self),
            Ok(true) => {
                self.done.finish(Ok(()));
                None
            }
            Err(code) => {
                self.done.finish(Err(code));
                None
            }
        }
    }
}
