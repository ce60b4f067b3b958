//! Worker threads and the queue they take blocks from.
//!
//! One mutex guards the queue; it is held for the choice of a block, never while one runs or while `done` is called.

use crate::block::{Block, Outcome};
use crate::chance::Chance;
use crate::code::Code;
use crate::counters::Counters;
use crate::fault::{Fault, FaultKind};
use crate::gpu::Done;
use crate::grid::{Env, control};
use crate::ranges::Ranges;
use crate::signals_unsafe::with_signals_blocked;
use crate::site::Site;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, ThreadId};
use std::time::{Duration, Instant};

/// The workers of a device.
pub struct Pool {
    queue: Mutex<Queue>,
    wake: Condvar,
    /// Raised with everything that may give an idle worker something to do.
    news: AtomicU64,
    workers: usize,
    spin: Duration,
}

struct Queue {
    grids: Vec<Running>,
    /// Where the search for work starts: moves on, so that grids take turns.
    turn: usize,
    /// How many times work was looked for, to let lower priorities through now and then.
    searches: u64,
    next_id: u64,
    sleepers: usize,
    /// Whether an idle worker is looking out for work.
    lookout: bool,
    paused: bool,
    closing: bool,
    threads: Vec<JoinHandle<()>>,
    chance: Option<Chance>,
}

/// A grid in flight.
struct Running {
    id: u64,
    env: Arc<Env>,
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
    /// Blocks that can never run again; dropped when the grid is stopped.
    stuck: VecDeque<Box<Block>>,
    counters: Counters,
    fault: Option<Fault>,
    done: Option<Done>,
    /// How many times a block was chosen, to alternate between old and new ones.
    choices: u64,
}

/// Something for a worker to do.
enum Task {
    Resume(u64, Box<Block>),
    Start(u64, Arc<Env>, u64),
    Close,
}

impl Pool {
    pub fn new(workers: usize, spin: Duration, seed: Option<u64>) -> Arc<Pool> {
        let queue = Queue {
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
        };
        Arc::new(Pool {
            queue: Mutex::new(queue),
            wake: Condvar::new(),
            news: AtomicU64::new(0),
            workers,
            spin,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn submit(self: &Arc<Pool>, env: Env, limit: u64, done: Done) -> u64 {
        let blocks = env.blocks() as u64;
        let mut queue = self.lock();
        if queue.threads.is_empty() && !queue.closing {
            self.start_threads(&mut queue);
        }
        if queue.threads.is_empty() {
            drop(queue);
            done(Err(Fault::of_launch(FaultKind::Stopped, &env.kernel.name, "no worker threads")));
            return 0;
        }
        let id = queue.next_id;
        queue.next_id += 1;
        if queue.paused {
            env.control.store(control::PAUSE, Relaxed);
        }
        queue.grids.push(Running {
            id,
            env: Arc::new(env),
            started: 0,
            blocks,
            limit,
            resident: 0,
            on_workers: 0,
            sliced: VecDeque::new(),
            spinning: VecDeque::new(),
            stuck: VecDeque::new(),
            counters: Counters::default(),
            fault: None,
            done: Some(done),
            choices: 0,
        });
        self.announce(queue, blocks.max(1));
        id
    }

    /// Wakes as many sleepers as there are new things to do.
    fn announce(&self, queue: MutexGuard<'_, Queue>, things: u64) {
        self.news.fetch_add(1, Release);
        // The lookout sees the news by itself.
        let wake = (things - u64::from(queue.lookout)).min(queue.sleepers as u64);
        drop(queue);
        for _ in 0..wake {
            self.wake.notify_one();
        }
    }

    fn start_threads(self: &Arc<Pool>, queue: &mut Queue) {
        // A signal of the application must never run its handler on our threads, not even in their first moment.
        with_signals_blocked(|| {
            for i in 0..self.workers {
                let pool = self.clone();
                let thread = std::thread::Builder::new().name(format!("cleave-gpu-{i}"));
                if let Ok(handle) = thread.spawn(move || Worker::default().run(&pool)) {
                    queue.threads.push(handle);
                }
            }
        });
    }

    pub fn pause(&self, id: Option<u64>) {
        let mut queue = self.lock();
        queue.paused |= id.is_none();
        for grid in queue.of(id) {
            grid.env.control.fetch_or(control::PAUSE, Relaxed);
        }
    }

    pub fn resume(&self, id: Option<u64>) {
        let mut queue = self.lock();
        queue.paused &= id.is_some();
        for grid in queue.of(id) {
            grid.env.control.fetch_and(!control::PAUSE, Relaxed);
        }
        self.announce(queue, u64::MAX);
    }

    pub fn stop(&self, id: Option<u64>) {
        let mut queue = self.lock();
        for grid in queue.of(id) {
            grid.end(Fault::of_launch(FaultKind::Stopped, &grid.env.kernel.name, ""));
        }
        self.announce(queue, u64::MAX);
    }

    /// Something outside changed that may give workers something to do.
    pub fn kick(&self) {
        self.announce(self.lock(), u64::MAX);
    }

    /// Stops all grids and waits for the threads to end.
    pub fn shut_down(&self) {
        self.stop(None);
        let mut queue = self.lock();
        queue.closing = true;
        let threads = std::mem::take(&mut queue.threads);
        self.announce(queue, u64::MAX);
        let me: ThreadId = std::thread::current().id();
        for thread in threads {
            // The last reference may go in a `done`, on a worker.
            if thread.thread().id() != me {
                let _ = thread.join();
            }
        }
    }
}

impl Queue {
    fn of(&mut self, id: Option<u64>) -> impl Iterator<Item = &mut Running> {
        self.grids.iter_mut().filter(move |grid| id.is_none_or(|id| id == grid.id))
    }

    /// The next thing to do: of the grids with the greatest priority, in turn, or of any if those have nothing. One
    /// search in eight asks all alike: a grid may be waiting for one of lower priority.
    fn choose(&mut self) -> Option<Task> {
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

    /// Takes out a grid that has ended.
    fn ended(&mut self) -> Option<Running> {
        let at = self.grids.iter().position(Running::has_ended)?;
        Some(self.grids.remove(at))
    }
}

impl Running {
    fn priority(&self) -> i32 {
        self.env.launch.priority
    }

    fn choose(&mut self) -> Option<Task> {
        if self.env.control.load(Relaxed) != 0 {
            return None;
        }
        self.choices += 1;
        // Blocks that are half done come first, for the caches' sake, but not always: they may be waiting for one that has not started.
        let may_start = self.started < self.blocks && self.resident < self.limit;
        let prefer_new = may_start && self.choices.is_multiple_of(4);
        if !prefer_new && let Some(block) = self.sliced.pop_front() {
            self.on_workers += 1;
            return Some(Task::Resume(self.id, block));
        }
        if may_start {
            let index = self.started;
            self.started += 1;
            self.resident += 1;
            self.on_workers += 1;
            return Some(Task::Start(self.id, self.env.clone(), index));
        }
        let block = self.spinning.pop_front()?;
        self.on_workers += 1;
        Some(Task::Resume(self.id, block))
    }

    /// Ends the grid early; the first fault counts.
    fn end(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
        self.env.control.fetch_or(control::STOP, Relaxed);
        self.sliced.clear();
        self.spinning.clear();
        self.stuck.clear();
    }

    fn has_ended(&self) -> bool {
        let finished = self.counters.blocks == self.blocks;
        self.on_workers == 0 && (self.fault.is_some() || finished)
    }

    /// Takes back what a worker did with a block. Gives the block back if it has ended.
    fn returned(&mut self, block: Box<Block>, outcome: Outcome) -> Option<Box<Block>> {
        self.on_workers -= 1;
        if self.fault.is_some() {
            return Some(block);
        }
        match outcome {
            Outcome::Done(counters) => {
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
            Outcome::Stuck => self.stuck.push_back(block),
        }
        None
    }
}

/// What a worker keeps between blocks.
#[derive(Default)]
struct Worker {
    /// A block whose memory can be used again.
    spare: Option<Box<Block>>,
    /// Inline caches of the programs it worked on last.
    caches: VecDeque<Cache>,
}

/// Inline caches of a program for one table of ranges. Holding both keeps their addresses from being taken for those of others.
struct Cache {
    code: Arc<Code>,
    ranges: Arc<Ranges>,
    sites: Vec<Site>,
}

/// Programs whose inline caches a worker remembers.
const REMEMBERED: usize = 8;

impl Worker {
    fn run(&mut self, pool: &Pool) {
        loop {
            let (id, mut block) = match self.next(pool) {
                Task::Resume(id, block) => (id, block),
                Task::Start(id, env, index) => {
                    let mut block = self.spare.take().unwrap_or_else(|| Box::new(Block::new(env.clone())));
                    block.start(env, index);
                    (id, block)
                }
                Task::Close => return,
            };
            let env = block.env.clone();
            let outcome = block.run(self.sites(&env));
            self.give_back(pool, id, block, outcome);
        }
    }

    fn sites(&mut self, env: &Env) -> &mut [Site] {
        let (code, ranges) = (&env.kernel.code, &env.launch.ranges);
        let same = |cache: &Cache| Arc::ptr_eq(&cache.code, code) && Arc::ptr_eq(&cache.ranges, ranges);
        let at = self.caches.iter().position(same).unwrap_or_else(|| {
            if self.caches.len() == REMEMBERED {
                self.caches.pop_front();
            }
            let sites = vec![Site::EMPTY; code.sites as usize];
            self.caches.push_back(Cache { code: code.clone(), ranges: ranges.clone(), sites });
            self.caches.len() - 1
        });
        &mut self.caches[at].sites
    }

    fn give_back(&mut self, pool: &Pool, id: u64, block: Box<Block>, outcome: Outcome) {
        let mut queue = pool.lock();
        let Some(grid) = queue.of(Some(id)).next() else { return };
        // Others may be asleep because all blocks were on workers.
        let news = matches!(outcome, Outcome::Yield { .. });
        self.spare = grid.returned(block, outcome).or(self.spare.take());
        self.finish(pool, queue, news);
    }

    /// Calls `done` of grids that have ended, without the lock.
    fn finish<'p>(&mut self, pool: &'p Pool, mut queue: MutexGuard<'p, Queue>, news: bool) {
        while let Some(mut ended) = queue.ended() {
            drop(queue);
            if let Some(done) = ended.done.take() {
                done(match ended.fault.take() {
                    Some(fault) => Err(fault),
                    None => Ok(ended.counters),
                });
            }
            drop(ended);
            queue = pool.lock();
        }
        if news && queue.sleepers > 0 {
            pool.announce(queue, 1);
        }
    }

    /// Waits for something to do.
    fn next(&mut self, pool: &Pool) -> Task {
        let mut idle_since = None;
        loop {
            let seen = pool.news.load(Acquire);
            let mut queue = pool.lock();
            if queue.grids.iter().any(Running::has_ended) {
                self.finish(pool, queue, false);
                continue;
            }
            if let Some(task) = queue.choose() {
                return task;
            }
            if queue.closing {
                return Task::Close;
            }
            // One worker may look out for work without sleeping; a second one would only take the caller's core.
            let since = *idle_since.get_or_insert_with(Instant::now);
            if !queue.lookout && since.elapsed() < pool.spin {
                queue.lookout = true;
                drop(queue);
                spin_until(|| pool.news.load(Acquire) != seen, since, pool.spin);
                pool.lock().lookout = false;
                continue;
            }
            queue.sleepers += 1;
            let mut queue = pool.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.sleepers -= 1;
            idle_since = None;
        }
    }
}

fn spin_until(news: impl Fn() -> bool, since: Instant, limit: Duration) {
    while !news() {
        for _ in 0..32 {
            std::hint::spin_loop();
        }
        // Whoever is to launch next may be waiting for this very core.
        std::thread::yield_now();
        if since.elapsed() >= limit {
            return;
        }
    }
}
