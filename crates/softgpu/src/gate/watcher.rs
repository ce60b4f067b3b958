//! The thread that looks at the turn when nobody else would: when a slice ends, when another process asks, when a wait is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use cleave_device::clock::sharpen_timers;
use cleave_device::turns::Turns;

use crate::queue::spawn;

/// When to look next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// There is nothing to look at.
    Nothing,
    /// When the bell rings.
    Bell,
    /// Then too, but at this monotonic time at the latest.
    Until(u64),
}

/// What is watched.
pub trait Watched: Send + Sync + 'static {
    /// Looks, does what is to be done, and tells `plan` when to look again, while nobody else can change what that follows from: who changes it
    /// later finds what was planned.
    fn tick(self: &Arc<Self>, plan: impl FnOnce(Watch));
}

/// A thread that is there while there is something to watch, and a little longer.
pub struct Watcher {
    turns: Arc<Turns>,
    me: u16,
    running: AtomicBool,
    /// When the thread will look by itself.
    planned: AtomicU64,
}

/// How long the thread stays without anything to watch.
const PATIENCE: u64 = 10_000_000_000;
/// A look this much later than wished is not worth a wake-up.
const TOLERANCE: u64 = 20_000;

impl Watcher {
    pub fn new(turns: Arc<Turns>, me: u16) -> Arc<Watcher> {
        Arc::new(Watcher { turns, me, running: AtomicBool::new(false), planned: AtomicU64::new(u64::MAX) })
    }

    /// Sees to it that somebody looks as wished. Costs two loads if that is so already.
    pub fn plan(self: &Arc<Self>, watch: Watch, watched: &Arc<impl Watched>) {
        if watch == Watch::Nothing {
            return;
        }
        if !self.running.load(SeqCst) && !self.running.swap(true, SeqCst) {
            let (watcher, watched) = (self.clone(), watched.clone());
            if spawn("cuda-turn", move || watcher.work(&watched)).is_err() {
                // Then the next plan tries again; without a thread turns are late, but calls still make them.
                self.running.store(false, SeqCst);
            }
        } else if let Watch::Until(at) = watch
            && at.saturating_add(TOLERANCE) < self.planned.load(SeqCst)
        {
            // Once is enough until it has looked.
            self.planned.store(at, SeqCst);
            self.turns.ring(self.me);
        }
    }

    fn work(&self, watched: &Arc<impl Watched>) {
        sharpen_timers();
        loop {
            self.planned.store(0, SeqCst);
            let seen = self.turns.bell(self.me);
            let (mut watch, mut until) = (Watch::Nothing, 0);
            watched.tick(|next| {
                watch = next;
                until = match next {
                    Watch::Nothing => self.turns.clock().monotonic().saturating_add(PATIENCE),
                    Watch::Bell => u64::MAX,
                    Watch::Until(at) => at,
                };
                self.planned.store(until, SeqCst);
            });
            let rang = self.turns.wait(self.me, seen, (until != u64::MAX).then_some(until));
            if watch == Watch::Nothing && !rang && !self.stays(watched) {
                return;
            }
        }
    }

    /// Whether the thread has to stay after all. Whoever comes from now on starts another.
    fn stays(&self, watched: &Arc<impl Watched>) -> bool {
        self.running.store(false, SeqCst);
        let mut watch = Watch::Nothing;
        watched.tick(|next| watch = next);
        watch != Watch::Nothing && !self.running.swap(true, SeqCst)
    }
}
