//! Clocks of warps. A paced grid has modelled time: each warp counts the cycles of what it executed, and waiting is time that passes without
//! work. A grid that runs free has the host's.
//!
//! Modelled times are cycles since the block's start inside a block, and nanoseconds of the grid's [`Pacing`] outside.

use crate::launch::Pacing;
use crate::machine::Machine;
use crate::op::Pc;
use cleave_pace::clock::{globaltimer, next_tick};
use std::time::{SystemTime, UNIX_EPOCH};

/// Reads of `%globaltimer` at one place that saw the same tick.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    place: Pc,
    tick: u64,
    times: u32,
}

impl Default for Seen {
    fn default() -> Seen {
        Seen { place: Pc::STOP, tick: 0, times: 0 }
    }
}

/// Reads of the same tick at one place after which a warp is taken to wait for the next one.
const PATIENCE: u32 = 2;

/// The longest `nanosleep`.
const LONGEST_SLEEP_NS: u64 = 1_000_000;
/// A free-running warp that sleeps for less only lets others go first: to sleep takes the host longer.
const SHORTEST_NAP_NS: u64 = 20_000;

impl Machine<'_> {
    /// The warp's modelled clock: cycles since the block's start. Stands at 0 in a grid that runs free.
    #[inline(always)]
    pub fn cycles(&self) -> u64 {
        self.warp.cycles + self.work.cycles()
    }

    /// Lets modelled time pass until the clock shows at least this.
    #[inline(always)]
    pub fn wait_until(&mut self, cycles: u64) {
        self.warp.cycles += cycles.saturating_sub(self.cycles());
    }

    /// `%clock64`: cycles of the device, or nanoseconds of its age (a clock of 1 GHz) if the grid runs free.
    pub fn clock64(&self) -> u64 {
        match self.pacing() {
            Some(pacing) => pacing.card().cycles(self.cta.start).wrapping_add(self.cycles()),
            None => self.age(),
        }
    }

    /// `%globaltimer`, read at `place`. `None`: the moment is not known yet.
    pub fn globaltimer(&mut self, place: Pc) -> Option<u64> {
        let env = self.env;
        let Some(pacing) = env.launch.pacing.as_deref() else { return Some(wall()) };
        let now = self.device_time(pacing)?;
        let tick = globaltimer(now);
        if (self.warp.seen.place, self.warp.seen.tick) != (place, tick) {
            self.warp.seen = Seen { place, tick, times: 1 };
            return Some(tick);
        }
        if self.warp.seen.times < PATIENCE {
            self.warp.seen.times += 1;
            return Some(tick);
        }
        // It waits for the timer to move on: what it would do until then is the same again.
        self.pass(pacing, next_tick(now) - now);
        let later = self.device_time(pacing)?;
        self.warp.seen = Seen { place, tick: globaltimer(later), times: 1 };
        Some(globaltimer(later))
    }

    /// `nanosleep`: as long as asked for, which may differ between lanes. A thread sleeps at most twice what it asked.
    pub fn sleep(&mut self, asked: impl Iterator<Item = u32> + Clone) {
        let least = asked.clone().min().unwrap_or(0);
        let most = asked.max().unwrap_or(0);
        let ns = u64::from(most).min(2 * u64::from(least)).min(LONGEST_SLEEP_NS);
        let env = self.env;
        match env.launch.pacing.as_deref() {
            Some(pacing) => self.pass(pacing, ns),
            None if ns < SHORTEST_NAP_NS || self.cta.chance.is_some() => {}
            None => self.warp.nap = self.age() + ns,
        }
    }

    fn device_time(&mut self, pacing: &dyn Pacing) -> Option<u64> {
        let time = pacing.globaltimer(self.moment(pacing));
        self.warp.stalled = time.is_none();
        time
    }

    /// Nanoseconds since the device started.
    pub fn age(&self) -> u64 {
        self.env.age()
    }

    fn pacing(&self) -> Option<&dyn Pacing> {
        self.env.launch.pacing.as_deref()
    }

    /// The warp's moment in the time of the grid.
    fn moment(&self, pacing: &dyn Pacing) -> u64 {
        self.cta.start.saturating_add(pacing.card().ns(self.cycles()))
    }

    /// Lets at least `ns` pass.
    fn pass(&mut self, pacing: &dyn Pacing, ns: u64) {
        let then = self.moment(pacing).saturating_add(ns);
        self.wait_until(pacing.card().cycles_until(then - self.cta.start));
    }
}

/// The host's wall clock.
fn wall() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_nanos() as u64)
}
