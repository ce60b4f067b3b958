//! Paced mode: when blocks start, how far they may run, and when kernels end, all in the modelled device's time.
//!
//! Emulation is at most one slice ahead of the device's clock. A slice that has been emulated to its end is passed on at once if others wait, early
//! or late; early costs nothing, late makes the clock stand. While nobody waits, the slice's end moves on before the clock.
//!
//! All contexts of a process share its tenures: their kernels overlap as those of streams do.
//!
//! Lock order: the engine's pool → `Paced::state`. Whatever is to be done with the engine or a command's end is therefore collected in [`Effects`]
//! and done when the state is unlocked.

use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cleave_device::turns::Turns;
use cleave_device::usage::Busy;
use cleave_pace::{Card, Shape};
use cleave_simt::Pacing;

use super::state::{Effects, Retire, State};
use super::watcher::{Watch, Watched, Watcher};

/// A process's share in the time of one device.
pub struct Paced {
    card: Card,
    watcher: Arc<Watcher>,
    state: Mutex<State>,
    /// How far emulation may go, and how far GR time has a place in device time. GR time, written with the state locked.
    horizon: AtomicU64,
    known: AtomicU64,
    /// Makes the engine's workers look again.
    kick: Box<dyn Fn() + Send + Sync>,
}

impl Paced {
    pub fn new(
        turns: Arc<Turns>,
        me: u16,
        busy: &'static Busy,
        card: Card,
        kick: impl Fn() + Send + Sync + 'static,
    ) -> Arc<Paced> {
        Arc::new(Paced {
            watcher: Watcher::new(turns.clone(), me),
            state: Mutex::new(State::new(turns, me, busy, card.clone())),
            card,
            horizon: AtomicU64::new(0),
            known: AtomicU64::new(0),
            kick: Box::new(kick),
        })
    }

    /// A kernel that may start at `ready`, in device time.
    pub fn launch(self: &Arc<Self>, shape: Shape, ready: u64) -> Arc<Pace> {
        let mut state = self.state();
        let kernel = state.launch(shape, ready);
        self.settle(state);
        Arc::new(Pace { paced: self.clone(), kernel })
    }

    /// All blocks of a kernel have ended: `retire` is called once its end in device time is known.
    pub fn retire(self: &Arc<Self>, pace: &Pace, retire: Retire) {
        let mut state = self.state();
        state.retire(pace.kernel, retire);
        self.settle(state);
    }

    /// A kernel failed or was stopped: it holds nothing any more.
    pub fn cancel(self: &Arc<Self>, pace: &Pace) {
        let mut state = self.state();
        state.cancel(pace.kernel);
        self.settle(state);
        (self.kick)();
    }

    /// Brings the state up to date and does what follows from it. True if there is something new to execute: the engine's own threads, which call most
    /// of this, look for that by themselves, and so does a thread that is about to give it a grid.
    fn settle<'a>(self: &'a Arc<Self>, mut state: MutexGuard<'a, State>) -> bool {
        let mut news = false;
        loop {
            let Effects { retired, horizon, known, granted, watch } = state.settle();
            news |= self.horizon.fetch_max(horizon, AcqRel) < horizon || granted;
            let told = self.known.fetch_max(known, AcqRel) >= known;
            drop(state);
            self.watcher.plan(watch, self);
            if !told {
                // Blocks may have asked for the device time of a moment that has got one now.
                (self.kick)();
            }
            if retired.is_empty() {
                return news;
            }
            let kernels: Vec<u64> = retired.iter().map(|(kernel, _, _)| *kernel).collect();
            retired.into_iter().for_each(|(_, retire, end)| retire(end));
            state = self.state();
            // Only now is it known what followed them.
            state.forget(&kernels);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watched for Paced {
    fn tick(self: &Arc<Self>, plan: impl FnOnce(Watch)) {
        let mut state = self.state();
        state.look();
        if self.settle(state) {
            (self.kick)();
        }
        let state = self.state();
        plan(state.watch());
    }
}

/// The time of one kernel.
pub struct Pace {
    paced: Arc<Paced>,
    kernel: u64,
}

impl Pacing for Pace {
    fn start(&self, _: u64) -> Option<(u64, u32)> {
        self.paced.state().start(self.kernel)
    }

    fn horizon(&self) -> u64 {
        self.paced.horizon.load(Acquire)
    }

    fn reached(&self, block: u64, at: u64) {
        let mut state = self.paced.state();
        state.reached(self.kernel, block, at);
        self.paced.settle(state);
    }

    fn ended(&self, block: u64, at: u64) {
        let mut state = self.paced.state();
        // After the last block comes `retire`, at once.
        if !state.ended(self.kernel, block, at) {
            self.paced.settle(state);
        }
    }

    fn globaltimer(&self, at: u64) -> Option<u64> {
        self.paced.state().globaltimer(at)
    }

    fn card(&self) -> &Card {
        &self.paced.card
    }
}
