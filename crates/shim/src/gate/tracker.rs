//! The thread that follows completions: closely where others wait for them, and else so that a program that waits for nothing is seen
//! to be done. It is made when it is first needed, never blocks in the driver, and is gone before the program's last destructors run;
//! without it, launches look for themselves.

use std::sync::Mutex;
use std::sync::TryLockError;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::time::Duration;

use cleave_ledger::{clock, futex};

use super::{GATES, Gates, thread_unsafe};
use crate::{books, log};

/// How often it looks where nobody waits, as long as something is in flight.
const UNHURRIED: u64 = 20_000_000;
/// How long the end of a process waits for a look that is under way.
const LAST_LOOK: Duration = Duration::from_millis(50);

/// The thread, as others see it.
#[derive(Default)]
pub struct Tracker {
    started: AtomicBool,
    /// It sleeps until it is woken.
    idle: AtomicBool,
    /// What it sleeps on.
    word: AtomicU32,
    /// The process ends.
    leaving: AtomicBool,
    /// Held while it asks the driver.
    looking: Mutex<()>,
}

impl Tracker {
    /// Something is in flight that has to be followed.
    #[inline]
    pub fn watch(&'static self) {
        if !self.started.load(Acquire) {
            self.start();
        }
        if self.idle.load(SeqCst) && self.idle.swap(false, AcqRel) {
            self.word.fetch_add(1, Release);
            futex::wake(&self.word, 1);
        }
    }

    #[cold]
    fn start(&'static self) {
        if self.started.swap(true, AcqRel) {
            return;
        }
        if let Err(why) = thread_unsafe::spawn("cleave-tracker", follow) {
            log::say(format_args!("no thread to follow completions: {why}"));
            return;
        }
        thread_unsafe::at_exit(leave);
    }

    /// Looks at all that is in flight; when to look again. None if nothing is.
    fn look(&self, gates: &'static Gates) -> Option<u64> {
        let _looking = books::lock(&self.looking);
        if self.leaving.load(Relaxed) {
            return None;
        }
        let now = clock::now_ns();
        let all = gates.each.iter().flat_map(|turns| turns.gates.iter().map(|gate| (gate, &turns.marks)));
        let next = all.filter(|(gate, _)| !gate.is_free()).filter_map(|(gate, marks)| {
            let next = gate.poll(marks, now).next?;
            Some(if gate.is_tracked() { next } else { next.max(now + UNHURRIED) })
        });
        next.min()
    }
}

/// What the thread does.
fn follow() {
    let Some(gates) = GATES.get().and_then(Option::as_ref) else { return };
    let tracker = &gates.tracker;
    thread_unsafe::wake_on_time();
    thread_unsafe::stay_out_of_recordings();
    while !tracker.leaving.load(Relaxed) {
        let seen = tracker.word.load(Acquire);
        let mut next = tracker.look(gates);
        if next.is_none() {
            // Said before the last look: whoever submits after that sees it and wakes us.
            tracker.idle.store(true, SeqCst);
            next = tracker.look(gates);
        }
        if tracker.leaving.load(Relaxed) {
            return;
        }
        futex::wait(&tracker.word, seen, next);
        tracker.idle.store(false, Relaxed);
    }
}

/// The process ends: the thread asks the driver nothing from here on.
extern "C" fn leave() {
    let Some(gates) = GATES.get().and_then(Option::as_ref) else { return };
    let tracker = &gates.tracker;
    tracker.leaving.store(true, SeqCst);
    let until = std::time::Instant::now() + LAST_LOOK;
    while matches!(tracker.looking.try_lock(), Err(TryLockError::WouldBlock))
        && std::time::Instant::now() < until
    {
        std::thread::yield_now();
    }
}
