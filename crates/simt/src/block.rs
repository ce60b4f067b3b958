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
    /// Makes decisions in adversarial mode.
    pub chance: Option<Chance>,
}

/// A block of a running grid, between its start and its end.
pub struct Block {
    pub env: Arc<Env>,
    cta: Cta,
    warps: Vec<Warp>,
    work: Total,
}

/// Why a block gave the worker back.
pub enum Outcome {
    /// Ran to its end.
    Done(Counters),
    /// Wants to go on later; `spinning` if it seems to wait for others.
    Yield {
        spinning: bool,
    },
    /// No thread can ever run again: all wait at barriers that nobody will open.
    Stuck,
    Fault(Box<Fault>),
}

/// Backward branches per turn of a warp.
const TURN: i32 = 4096;
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
            chance: None,
        };
        Block { env, cta, warps: Vec::new(), work: Total::default() }
    }

    /// Becomes block `index` of the grid of `env`, all threads at the kernel's entry. Memory is kept from whatever this was before.
    pub fn start(&mut self, env: Arc<Env>, index: u64) {
        let same_kernel = Arc::ptr_eq(&self.env.kernel, &env.kernel);
        self.env = env;
        let env = &*self.env;
        self.work = Total::default();
        self.cta.ctaid = env.ctaid(index);
        self.cta.shared.resize(env.shared_bytes);
        self.cta.barriers = Default::default();
        self.cta.alive = env.threads;
        self.cta.sm = (index % u64::from(env.sms)) as u32;
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
            let mut waiting = 0;
            let first = self.cta.chance.as_mut().map_or(0, |chance| chance.below(self.warps.len()));
            for i in 0..self.warps.len() {
                let warp = (first + i) % self.warps.len();
                match self.turn(warp, sites) {
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
                return Outcome::Done(Counters { blocks: 1, ..self.work.counters() });
            }
            let runnable = self.warps.iter().any(|w| w.runnable(&self.cta.phases));
            if !runnable {
                return Outcome::Stuck;
            }
            if spinning > 0 && spinning + waiting + exited == self.warps.len() {
                return Outcome::Yield { spinning: true };
            }
            if self.cta.chance.as_mut().is_some_and(|chance| chance.below(4) == 0) {
                return Outcome::Yield { spinning: true };
            }
        }
        Outcome::Yield { spinning: false }
    }

    fn turn(&mut self, warp: usize, sites: &mut [Site]) -> Result<Turn, Box<Fault>> {
        let budget = self.cta.chance.as_mut().map_or(TURN, |chance| chance.below(16) as i32);
        let mut machine = Machine::new(&self.env, &mut self.cta, &mut self.warps[warp], sites, budget);
        let turn = machine.take_turn();
        let (work, fault) = (machine.work, machine.fault);
        self.work.add(&work);
        match (turn, fault) {
            (Turn::Fault, Some(fault)) => Err(fault),
            (turn, _) => Ok(turn),
        }
    }
}
