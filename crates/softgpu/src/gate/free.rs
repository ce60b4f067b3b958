//! Turns in free mode: kernels run as fast as the processor goes, while it is this process's turn.
//!
//! A process enters with its first kernel and leaves with its last. While others have the turn its grids are off the workers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cleave_device::turns::{Turn, Turns};
use cleave_device::usage::Busy;
use cleave_pace::turns::Tenure;

use super::watcher::{Watch, Watched, Watcher};

pub struct Free {
    turns: Arc<Turns>,
    me: u16,
    busy: &'static Busy,
    simt: Arc<cleave_simt::Gpu>,
    watcher: Arc<Watcher>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Kernels between start and end.
    kernels: usize,
    hold: Hold,
}

/// How this process stands to the turn while it has kernels.
#[derive(Clone, Copy, Default)]
enum Hold {
    /// It has none.
    #[default]
    Idle,
    /// It is its turn.
    Held(Tenure),
    /// It will be at `begin`: the switch takes its time.
    Coming { begin: u64, tenure: Tenure },
    /// It waits, until this monotonic time at least.
    Waiting { look_at: u64 },
}

impl Free {
    pub fn new(turns: Arc<Turns>, me: u16, busy: &'static Busy, simt: Arc<cleave_simt::Gpu>) -> Arc<Free> {
        let watcher = Watcher::new(turns.clone(), me);
        Arc::new(Free { turns, me, busy, simt, watcher, state: Mutex::default() })
    }

    /// A kernel is about to be started. It may have to wait on the engine, paused.
    pub fn enter(self: &Arc<Self>) {
        let mut state = self.state();
        state.kernels += 1;
        if state.kernels == 1 {
            let now = self.turns.clock().now();
            let turn = self.turns.enter(self.me, now);
            self.follow(&mut state, turn);
            let watch = watch(&state, &self.turns);
            drop(state);
            self.watcher.plan(watch, self);
        }
    }

    /// A kernel has ended, and what followed it has been started.
    pub fn leave(&self) {
        let mut state = self.state();
        state.kernels -= 1;
        if state.kernels == 0 {
            let now = self.turns.clock().now();
            match state.hold {
                Hold::Held(tenure) if self.turns.holds(tenure) => self.busy.end(now),
                Hold::Held(_) => self.busy.end(self.turns.lost_at(self.me)),
                // The last one was stopped while it waited.
                _ => self.simt.resume(),
            }
            state.hold = Hold::Idle;
            self.turns.leave(self.me, now);
        }
    }

    /// Acts on whose turn it is. Before, grids may run only in `Held`.
    fn follow(&self, state: &mut State, turn: Turn) {
        let now = self.turns.clock().now();
        let ran = matches!(state.hold, Hold::Held(_) | Hold::Idle);
        state.hold = match turn {
            Turn::Mine { begin, tenure } if begin <= now => Hold::Held(tenure),
            Turn::Mine { begin, tenure } => Hold::Coming { begin, tenure },
            Turn::Theirs { look_at } => Hold::Waiting { look_at },
        };
        let runs = matches!(state.hold, Hold::Held(_));
        if ran && !runs {
            self.simt.pause();
        } else if runs && !ran {
            self.simt.resume();
        }
        if runs {
            self.busy.begin(now);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watched for Free {
    fn tick(self: &Arc<Self>, plan: impl FnOnce(Watch)) {
        let mut state = self.state();
        let now = self.turns.clock().now();
        let turn = match state.hold {
            Hold::Held(tenure) if !self.turns.holds(tenure) => {
                // We were too late, or stopped.
                self.busy.end(self.turns.lost_at(self.me));
                Some(self.turns.look(self.me))
            }
            Hold::Held(tenure) if now >= tenure.end => {
                let turn = self.turns.yield_turn(self.me, tenure);
                if turn.is_some() {
                    self.busy.end(now);
                }
                turn
            }
            Hold::Coming { begin, tenure } if now >= begin => Some(Turn::Mine { begin, tenure }),
            Hold::Waiting { .. } => Some(self.turns.look(self.me)),
            _ => None,
        };
        if let Some(turn) = turn {
            self.follow(&mut state, turn);
        }
        plan(watch(&state, &self.turns));
    }
}

fn watch(state: &State, turns: &Turns) -> Watch {
    match state.hold {
        Hold::Idle => Watch::Nothing,
        Hold::Held(tenure) if turns.is_wanted(tenure.owner) => Watch::Until(turns.clock().wall(tenure.end)),
        Hold::Held(_) => Watch::Bell,
        Hold::Coming { begin, .. } => Watch::Until(turns.clock().wall(begin)),
        Hold::Waiting { look_at } => Watch::Until(look_at),
    }
}
