//! A block: its warps, its shared memory, its barriers, and the order in which warps take turns.

use crate::barrier::Barrier;
use crate::chance::Chance;
use crate::counters::Counters;
use crate::fault::Fault;
use crate::frame::Frame;
use crate::grid::Env;
use crate::machine::Machine;
use crate::op::Pc;
use crate::rows_unsafe::{Extent, LANES};
use crate::shared_unsafe::SharedMemory;
use crate::site::Site;
use crate::warp::{Fragment, Turn, Warp};
use crate::work::Total;
use std::sync::Arc;

/// What the warps of a block share. Only one worker runs a block at a time, so nothing here is atomic.
pub struct Cta {
    pub ctaid: [u32; 3],
    pub shared: SharedMemory,
    pub barriers: [Barrier; 16],
    /// The phase of each barrier: raised when it opens.
    pub phases: [u32; 16],
    /// Threads that have not exited.
    pub alive: u32,
    /// `%smid`
    pub sm: u32,
    /// When the block started, in the grid's modelled time.
    pub start: u64,
    /// Makes decisions in adversarial mode.
    pub chance: Option<Chance>,
}

/// A block of a running grid, between its start and its end.
pub struct Block {
    pub env: Arc<Env>,
    pub cta: Cta,
    pub warps: Vec<Warp>,
    pub work: Total,
    /// Position in the grid.
    pub index: u64,
}

/// Where a block starts, and when in modelled time (0 if the grid runs free).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub sm: u32,
    pub at: u64,
}

/// Why a block gave the worker back.
pub enum Outcome {
    /// Ran to its end, in modelled time at `at`.
    Done {
        counters: Counters,
        at: u64,
    },
    /// Wants to go on later; `spinning` if it seems to wait for others.
    Yield {
        spinning: bool,
    },
    /// Sleeps until the device is so many nanoseconds old.
    Nap {
        until: u64,
    },
    /// Paced: did everything up to this modelled moment; `stalled` if it asked for a time that is not known yet.
    Rest {
        at: u64,
        stalled: bool,
    },
    /// No thread can ever run again: all wait at barriers that nobody will open.
    Stuck,
    Fault(Box<Fault>),
}

/// Backward branches per turn of a warp.
pub const TURN: i32 = 4096;
/// Rounds over all warps after which a block lets others have the worker.
const ROUNDS: u32 = 256;

impl Block {
    /// An empty block, to be started.
    pub fn new(env: Arc<Env>) -> Block {
        let cta = Cta {
            ctaid: [0; 3],
            shared: SharedMemory::default(),
            barriers: Default::default(),
            phases: [0; 16],
            alive: 0,
            sm: 0,
            start: 0,
            chance: None,
        };
        Block { env, cta, warps: Vec::new(), work: Total::default(), index: 0 }
    }

    /// Becomes block `index` of the grid of `env`, all threads at the kernel's entry. Memory is kept from whatever this was before.
    pub fn start(&mut self, env: Arc<Env>, index: u64, place: Place) {
        let same_kernel = Arc::ptr_eq(&self.env.kernel, &env.kernel);
        self.env = env;
        let env = &*self.env;
        self.index = index;
        self.work = Total::default();
        self.cta.ctaid = env.ctaid(index);
        self.cta.shared.resize(env.shared_bytes);
        self.cta.barriers = Default::default();
        self.cta.alive = env.threads;
        (self.cta.sm, self.cta.start) = (place.sm, place.at);
        self.cta.chance = env.seed.map(|seed| Chance::new(seed ^ env.launch.id, index));

        let entry = env.kernel.code.entry(env.kernel.function);
        let function = &env.kernel.code.functions[env.kernel.function as usize];
        let known = if same_kernel { self.warps.len() } else { 0 };
        self.warps.resize_with(env.tids.len(), Warp::default);
        for (i, warp) in self.warps.iter_mut().enumerate() {
            let threads = (env.threads - i as u32 * LANES as u32).min(LANES as u32);
            let mask = if threads == LANES as u32 { !0 } else { (1 << threads) - 1 };
            warp.index = i as u32;
            warp.alive = mask;
            warp.carry = 0;
            (warp.cycles, warp.rate, warp.nap) = (0, 0, 0);
            warp.frames.clear();
            warp.frames.push(Frame {
                function: env.kernel.function,
                depth: 0,
                base: Extent::default(),
                local: 0,
                ret: Pc::STOP,
                parent: 0,
                lanes: mask,
            });
            warp.fragments.clear();
            warp.fragments.push(Fragment { pc: entry, mask, ..Fragment::default() });
            warp.local.reset(function.local);
            // Constant rows survive in a warp that ran the same kernel before.
            if i >= known {
                warp.regs.frame(Extent::default(), function.extent).fill(function, !0);
            }
        }
    }

    /// Runs until the block ends, waits for others or has had its share.
    pub fn run(&mut self, sites: &mut [Site]) -> Outcome {
        for _ in 0..ROUNDS {
            let mut exited = 0;
            let mut spinning = 0;
            let mut napping = 0;
            let mut waiting = 0;
            let first = self.cta.chance.as_mut().map_or(0, |chance| chance.below(self.warps.len()));
            for i in 0..self.warps.len() {
                let warp = (first + i) % self.warps.len();
                if self.naps(warp) {
                    napping += 1;
                    continue;
                }
                match self.turn(warp, sites, TURN) {
                    Ok(Turn::Slice { .. }) if self.warps[warp].nap != 0 => napping += 1,
                    Ok(Turn::Exited) => exited += 1,
                    Ok(Turn::Waiting) => waiting += 1,
                    Ok(Turn::Slice { spinning: true }) => spinning += 1,
                    Ok(Turn::Slice { spinning: false } | Turn::Fault) => {}
                    Err(fault) => return Outcome::Fault(fault),
                }
                if self.env.control.load(std::sync::atomic::Ordering::Relaxed) != 0 {
                    return Outcome::Yield { spinning: false };
                }
            }
            if exited == self.warps.len() {
                return self.done(0);
            }
            let runnable = self.warps.iter().any(|w| w.runnable(&self.cta.phases));
            if !runnable {
                return Outcome::Stuck;
            }
            if napping > 0 && napping + waiting + exited == self.warps.len() {
                let wake = self.warps.iter().map(|warp| warp.nap).filter(|&nap| nap != 0);
                return Outcome::Nap { until: wake.min().unwrap_or(0) };
            }
            if spinning > 0 && napping + spinning + waiting + exited == self.warps.len() {
                return Outcome::Yield { spinning: true };
            }
            if self.cta.chance.as_mut().is_some_and(|chance| chance.below(4) == 0) {
                return Outcome::Yield { spinning: true };
            }
        }
        Outcome::Yield { spinning: false }
    }

    /// Whether the warp is asleep. One whose time has come wakes up.
    fn naps(&mut self, warp: usize) -> bool {
        let nap = &mut self.warps[warp].nap;
        if *nap != 0 && self.env.age() >= *nap {
            *nap = 0;
        }
        *nap != 0
    }

    pub fn done(&self, at: u64) -> Outcome {
        Outcome::Done { counters: Counters { blocks: 1, ..self.work.counters() }, at }
    }

    /// Lets a warp run for so many backward branches.
    pub fn turn(&mut self, warp: usize, sites: &mut [Site], budget: i32) -> Result<Turn, Box<Fault>> {
        let budget = self.cta.chance.as_mut().map_or(budget, |chance| chance.below(16) as i32);
        let mut machine = Machine::new(&self.env, &mut self.cta, &mut self.warps[warp], sites, budget);
        let turn = machine.take_turn();
        let (work, fault, left) = (machine.work, machine.fault, machine.budget);
        self.work.add(&work);
        self.warps[warp].spend(work.cycles(), budget.saturating_sub(left));
        match (turn, fault) {
            (Turn::Fault, Some(fault)) => Err(fault),
            (turn, _) => Ok(turn),
        }
    }
}
