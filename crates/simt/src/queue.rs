//! Grids in flight, and the choice of what a worker does next.

use crate::block::{Block, Outcome, Place};
use crate::chance::Chance;
use crate::counters::Counters;
use crate::fault::Fault;
use crate::gpu::Done;
use crate::grid::{Env, control};
use crate::timeline::Timeline;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;
use std::time::Duration;

/// What workers choose from.
pub struct Queue {
    pub grids: Vec<Running>,
    /// Where the search for work starts: moves on, so that grids take turns.
    turn: usize,
    /// How many times work was looked for, to let lower priorities through now and then.
    searches: u64,
    pub next_id: u64,
    pub sleepers: usize,
    /// Whether an idle worker is looking out for work.
    pub lookout: bool,
    pub paused: bool,
    pub closing: bool,
    pub threads: Vec<JoinHandle<()>>,
    chance: Option<Chance>,
}

/// A grid in flight.
pub struct Running {
    pub id: u64,
    pub env: Arc<Env>,
    /// Blocks that have been started.
    started: u64,
    blocks: u64,
    /// Blocks that may be between start and end.
    limit: u64,
    resident: u64,
    /// Blocks on workers right now.
    on_workers: usize,
    /// Blocks that used up their share.
    sliced: VecDeque<Box<Block>>,
    /// Blocks that seem to wait for others.
    spinning: VecDeque<Box<Block>>,
    /// Blocks that sleep, and until when.
    napping: Vec<(u64, Box<Block>)>,
    /// Blocks that can never run again; dropped when the grid is stopped.
    stuck: VecDeque<Box<Block>>,
    /// Blocks of a paced grid by their modelled time.
    timeline: Option<Timeline>,
    pub counters: Counters,
    pub fault: Option<Fault>,
    pub done: Option<Done>,
    /// How many times a block was chosen, to alternate between old and new ones.
    choices: u64,
}

/// Something for a worker to do, in modelled time up to the last number.
pub enum Task {
    Resume(u64, Box<Block>, u64),
    Start(u64, Arc<Env>, u64, Place, u64),
    Close,
}

impl Task {
    pub fn is_paced(&self) -> bool {
        match self {
            Task::Resume(_, block, _) => block.env.launch.pacing.is_some(),
            Task::Start(_, env, ..) => env.launch.pacing.is_some(),
            Task::Close => false,
        }
    }
}

impl Queue {
    pub fn new(seed: Option<u64>) -> Queue {
        Queue {
            grids: Vec::new(),
            turn: 0,
            searches: 0,
            next_id: 1,
            sleepers: 0,
            lookout: false,
            paused: false,
            closing: false,
            threads: Vec::new(),
            chance: seed.map(|seed| Chance::new(seed, 0)),
        }
    }

    pub fn of(&mut self, id: Option<u64>) -> impl Iterator<Item = &mut Running> {
        self.grids.iter_mut().filter(move |grid| id.is_none_or(|id| id == grid.id))
    }

    /// The next thing to do: whatever is furthest behind in modelled time, else of the grids with the greatest priority, in turn, or of any if
    /// those have nothing. One search in eight asks all alike: a grid may be waiting for one of lower priority.
    pub fn choose(&mut self) -> Option<Task> {
        if let Some(at) = self.furthest_behind() {
            return self.grids[at].take_paced();
        }
        self.searches += 1;
        let greatest = self.grids.iter().map(Running::priority).max()?;
        let first = match &mut self.chance {
            Some(chance) => chance.below(self.grids.len()),
            None => self.turn,
        };
        if self.searches.is_multiple_of(8) {
            return self.choose_from(first, i32::MIN);
        }
        self.choose_from(first, greatest).or_else(|| self.choose_from(first, i32::MIN))
    }

    /// The next thing to do of the grids with at least this priority, beginning with grid `first`.
    fn choose_from(&mut self, first: usize, least: i32) -> Option<Task> {
        let count = self.grids.len();
        for i in 0..count {
            let at = (first + i) % count;
            if self.grids[at].priority() >= least
                && let Some(task) = self.grids[at].choose()
            {
                self.turn = at + 1;
                return Some(task);
            }
        }
        None
    }

    /// The paced grid with the block that may run furthest.
    fn furthest_behind(&mut self) -> Option<usize> {
        let slack = self.grids.iter_mut().map(Running::slack).enumerate();
        slack
            .filter(|(_, slack)| *slack > 0)
            .max_by_key(|&(at, slack)| (slack, std::cmp::Reverse(at)))
            .map(|(at, _)| at)
    }

    /// Whether another worker would find a block of a paced grid.
    pub fn more_to_do(&mut self) -> bool {
        self.furthest_behind().is_some()
    }

    /// Whether anything runs in modelled time.
    pub fn paces(&self) -> bool {
        self.grids.iter().any(|grid| grid.timeline.is_some())
    }

    /// What was not known before may be known now.
    pub fn kicked(&mut self) {
        self.grids.iter_mut().filter_map(|grid| grid.timeline.as_mut()).for_each(Timeline::kicked);
    }

    /// How long until a block wakes up, if any sleeps.
    pub fn wake_in(&self) -> Option<Duration> {
        let wakes = self.grids.iter().filter_map(Running::wake_in);
        wakes.min()
    }

    /// Takes back what a worker did with a block of grid `id`. Gives the block back if it has ended; `None` without such a grid.
    pub fn returned(&mut self, id: u64, block: Box<Block>, outcome: Outcome) -> Option<Option<Box<Block>>> {
        self.of(Some(id)).next().map(|grid| grid.returned(block, outcome))
    }

    /// Takes out a grid that has ended.
    pub fn ended(&mut self) -> Option<Running> {
        let at = self.grids.iter().position(Running::has_ended)?;
        Some(self.grids.remove(at))
    }
}

impl Running {
    pub fn new(id: u64, env: Env, limit: u64, done: Done) -> Running {
        Running {
            id,
            started: 0,
            blocks: env.blocks() as u64,
            limit,
            resident: 0,
            on_workers: 0,
            sliced: VecDeque::new(),
            spinning: VecDeque::new(),
            napping: Vec::new(),
            stuck: VecDeque::new(),
            timeline: env.launch.pacing.clone().map(Timeline::new),
            counters: Counters::default(),
            fault: None,
            done: Some(done),
            choices: 0,
            env: Arc::new(env),
        }
    }

    fn priority(&self) -> i32 {
        self.env.launch.priority
    }

    fn choose(&mut self) -> Option<Task> {
        if self.timeline.is_some() || self.env.control.load(Relaxed) != 0 {
            return None;
        }
        self.wake_up();
        self.choices += 1;
        // Blocks that are half done come first, for the caches' sake, but not always: they may be waiting for one that has not started.
        let may_start = self.started < self.blocks && self.resident < self.limit;
        let prefer_new = may_start && self.choices.is_multiple_of(4);
        if !prefer_new && let Some(block) = self.sliced.pop_front() {
            return Some(self.resume(block, u64::MAX));
        }
        if may_start {
            let sm = (self.started % u64::from(self.env.sms)) as u32;
            return Some(self.start(Place { sm, at: 0 }, u64::MAX));
        }
        let block = self.spinning.pop_front()?;
        Some(self.resume(block, u64::MAX))
    }

    /// How far the paced block that is furthest behind may run; 0 if none may.
    fn slack(&mut self) -> u64 {
        if self.env.control.load(Relaxed) != 0 {
            return 0;
        }
        let next = (self.started < self.blocks).then_some(self.started);
        self.timeline.as_mut().map_or(0, |timeline| timeline.slack(next))
    }

    /// The paced block that is furthest behind.
    fn take_paced(&mut self) -> Option<Task> {
        match self.timeline.as_mut()?.take(self.started, self.blocks)? {
            (Ok(block), limit) => Some(self.resume(block, limit)),
            (Err(place), limit) => Some(self.start(place, limit)),
        }
    }

    fn resume(&mut self, block: Box<Block>, limit: u64) -> Task {
        self.on_workers += 1;
        Task::Resume(self.id, block, limit)
    }

    fn start(&mut self, place: Place, limit: u64) -> Task {
        let index = self.started;
        self.started += 1;
        self.resident += 1;
        self.on_workers += 1;
        Task::Start(self.id, self.env.clone(), index, place, limit)
    }

    /// Blocks whose sleep is over may run.
    fn wake_up(&mut self) {
        if self.napping.is_empty() {
            return;
        }
        let now = self.env.age();
        for (_, block) in self.napping.extract_if(.., |(until, _)| *until <= now) {
            self.sliced.push_back(block);
        }
    }

    fn wake_in(&self) -> Option<Duration> {
        let until = self.napping.iter().map(|(until, _)| *until).min()?;
        Some(Duration::from_nanos(until.saturating_sub(self.env.age())))
    }

    /// Ends the grid early; the first fault counts.
    pub fn end(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
        self.env.control.fetch_or(control::STOP, Relaxed);
        self.sliced.clear();
        self.spinning.clear();
        self.napping.clear();
        self.stuck.clear();
        if let Some(timeline) = &mut self.timeline {
            timeline.clear();
        }
    }

    pub fn has_ended(&self) -> bool {
        let finished = self.counters.blocks == self.blocks;
        self.on_workers == 0 && (self.fault.is_some() || finished)
    }

    /// Takes back what a worker did with a block. Gives the block back if it has ended.
    fn returned(&mut self, block: Box<Block>, outcome: Outcome) -> Option<Box<Block>> {
        self.on_workers -= 1;
        let kicked = self.timeline.as_mut().is_some_and(|timeline| timeline.off_worker(block.index));
        if self.fault.is_some() {
            return Some(block);
        }
        match outcome {
            Outcome::Done { counters, .. } => {
                self.counters += counters;
                self.resident -= 1;
                return Some(block);
            }
            Outcome::Fault(fault) => {
                self.end(*fault);
                return Some(block);
            }
            Outcome::Yield { spinning: true } => self.spinning.push_back(block),
            Outcome::Yield { spinning: false } => self.sliced.push_back(block),
            Outcome::Nap { until } => self.napping.push((until, block)),
            Outcome::Rest { at, stalled } => {
                if let Some(timeline) = &mut self.timeline {
                    timeline.rest(block, at, stalled && !kicked);
                }
            }
            Outcome::Stuck => self.stuck.push_back(block),
        }
        None
    }
}
