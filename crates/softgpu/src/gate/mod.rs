//! The way to a device's engines, which all processes of the machine share: when kernels run and copies take place, and what the clock shows meanwhile.
//!
//! There is one gate per device and process, and one engine behind it: what waits for a turn on one device does not hold up another. A device of this
//! process alone needs no turns, unless its time is modelled.

/// Copy engines.
mod copies;
/// Turns in free mode.
mod free;
/// Turns and times in paced mode.
mod paced;
/// What paced mode knows.
mod state;
/// GR time and device time.
mod tenures;
/// The thread that looks at the turn.
mod watcher;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use cleave_device::engine::Engine;
use cleave_device::turns::Turns;
use cleave_device::usage::Usage;
use cleave_device::{Machine, Member, Mode};
use cleave_pace::{Card, Shape};
use cleave_simt::Pacing;

use crate::queue::{Completion, Status, Time};
use free::Free;
use paced::{Pace, Paced};

pub struct Gate {
    /// Executes the device's grids. Its threads start with the first launch.
    pub simt: Arc<cleave_simt::Gpu>,
    card: Card,
    turns: Arc<Turns>,
    usage: &'static Usage,
    turnstile: Turnstile,
}

/// How kernels get their turn.
enum Turnstile {
    /// They need none: nobody else is there.
    Open,
    Free(Arc<Free>),
    Paced(Arc<Paced>),
}

/// What a kernel has from its launch to its end.
pub struct Ticket(Option<Arc<Pace>>);

impl Ticket {
    pub fn pacing(&self) -> Option<Arc<dyn Pacing>> {
        self.0.clone().map(|pace| pace as Arc<dyn Pacing>)
    }
}

impl Gate {
    /// The gate to device `ordinal` of the machine, for the process that is this member. `engine` says how its grids are executed.
    pub fn new(machine: &Machine, member: &Member, ordinal: usize, engine: cleave_simt::Config) -> Arc<Gate> {
        let (setup, turns, me) = (machine.setup(), machine.turns(ordinal).clone(), member.record().get());
        let (usage, card) = (machine.usage(ordinal, member.record()), setup.card());
        let simt = Arc::new(cleave_simt::Gpu::start(engine));
        let busy = usage.of(Engine::Gr);
        let turnstile = match setup.mode {
            Mode::Free if machine.is_private() => Turnstile::Open,
            Mode::Free => Turnstile::Free(Free::new(turns.clone(), me, busy, simt.clone())),
            Mode::Paced => {
                let workers = simt.clone();
                let kick = move || workers.kick();
                Turnstile::Paced(Paced::new(turns.clone(), me, busy, card.clone(), kick))
            }
        };
        Arc::new(Gate { simt, card, turns, usage, turnstile })
    }

    /// A kernel is about to be given to the engine; it may start at `ready`.
    pub fn begin(&self, shape: Shape, ready: u64) -> Ticket {
        match &self.turnstile {
            Turnstile::Open => Ticket(None),
            Turnstile::Free(free) => {
                free.enter();
                Ticket(None)
            }
            Turnstile::Paced(paced) => Ticket(Some(paced.launch(shape, ready))),
        }
    }

    /// The engine is done with a kernel.
    pub fn end(&self, ticket: &Ticket, status: Status, done: Completion) {
        match (&self.turnstile, &ticket.0) {
            (Turnstile::Paced(paced), Some(pace)) if status.is_ok() => {
                paced.retire(pace, Box::new(move |end| done.finish_at(Ok(()), end)));
            }
            (Turnstile::Paced(paced), Some(pace)) => {
                paced.cancel(pace);
                done.finish_at(status, 0);
            }
            (turnstile, _) => {
                // First what follows: a train of kernels enters once.
                done.finish(status);
                if let Turnstile::Free(free) = turnstile {
                    free.leave();
                }
            }
        }
    }
}

impl Time for Gate {
    fn is_modelled(&self) -> bool {
        self.turns.clock().is_paced()
    }

    fn now(&self) -> u64 {
        self.turns.clock().now()
    }

    fn reached(&self, at: u64) -> bool {
        let clock = self.turns.clock();
        if clock.now() >= at {
            return true;
        }
        if clock.running() >= at {
            // The clock stands. A program that only ever asks must not wait for a dead process.
            self.turns.settle();
        }
        false
    }

    fn sleep_until(&self, at: u64) {
        self.turns.clock().sleep_until(at, || self.turns.settle());
    }

    fn is_short(&self, bytes: u64, ready: u64) -> bool {
        copies::is_short(self, bytes, ready)
    }

    fn copied(&self, engine: Engine, bytes: u64, ready: u64, began: u64) -> u64 {
        copies::copied(self, engine, bytes, ready, began)
    }
}
