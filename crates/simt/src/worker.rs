//! One worker thread: takes blocks from the queue, runs them, and gives back what became of them.

use crate::block::{Block, Outcome};
use crate::code::Code;
use crate::grid::Env;
use crate::pool::Pool;
use crate::queue::{Queue, Running, Task};
use crate::ranges::Ranges;
use crate::site::Site;
use std::collections::VecDeque;
use std::sync::atomic::Ordering::Acquire;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a worker keeps between blocks.
#[derive(Default)]
pub struct Worker {
    /// A block whose memory can be used again.
    spare: Option<Box<Block>>,
    /// Inline caches of the programs it worked on last.
    caches: VecDeque<Cache>,
    /// Since when it has not been idle.
    busy_since: Option<Instant>,
}

/// Inline caches of a program for one table of ranges. Holding both keeps their addresses from being taken for those of others.
struct Cache {
    code: Arc<Code>,
    ranges: Arc<Ranges>,
    sites: Vec<Site>,
}

/// A worker that has been busy with paced grids for so long calls for help: small kernels are not worth waking another one.
const HELP_AFTER: Duration = Duration::from_micros(100);

/// Programs whose inline caches a worker remembers.
const REMEMBERED: usize = 8;

impl Worker {
    pub fn run(&mut self, pool: &Pool) {
        loop {
            let (id, mut block, limit) = match self.next(pool) {
                Task::Resume(id, block, limit) => (id, block, limit),
                Task::Start(id, env, index, place, limit) => {
                    let mut block = self.spare.take().unwrap_or_else(|| Box::new(Block::new(env.clone())));
                    block.start(env, index, place);
                    (id, block, limit)
                }
                Task::Close => return,
            };
            let env = block.env.clone();
            let outcome = match &env.launch.pacing {
                None => block.run(self.sites(&env)),
                Some(pacing) => {
                    let outcome = block.run_paced(pacing, self.sites(&env), limit);
                    match outcome {
                        Outcome::Done { at, .. } => pacing.ended(block.index, at),
                        Outcome::Rest { at, .. } => pacing.reached(block.index, at),
                        Outcome::Stuck => pacing.reached(block.index, u64::MAX),
                        _ => {}
                    }
                    outcome
                }
            };
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
        // Others may be asleep because all blocks were on workers.
        let news = matches!(outcome, Outcome::Yield { .. } | Outcome::Nap { .. });
        let Some(spare) = queue.returned(id, block, outcome) else { return };
        self.spare = spare.or(self.spare.take());
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
                if task.is_paced() && queue.sleepers > 0 && self.needs_help() && queue.more_to_do() {
                    pool.announce(queue, 1);
                }
                return task;
            }
            if queue.closing {
                return Task::Close;
            }
            // One worker may look out for work without sleeping; a second one would only take the caller's core. Nobody needs to look
            // out for modelled time or for sleepers.
            let since = *idle_since.get_or_insert_with(Instant::now);
            self.busy_since = None;
            let wake_in = queue.wake_in();
            if !queue.lookout && !queue.paces() && wake_in.is_none() && since.elapsed() < pool.spin {
                queue.lookout = true;
                drop(queue);
                spin_until(|| pool.news.load(Acquire) != seen, since, pool.spin);
                pool.lock().lookout = false;
                continue;
            }
            queue.sleepers += 1;
            let mut queue = match wake_in {
                None => pool.wake.wait(queue).unwrap_or_else(PoisonError::into_inner),
                Some(time) => pool.wake.wait_timeout(queue, time).unwrap_or_else(PoisonError::into_inner).0,
            };
            queue.sleepers -= 1;
            idle_since = None;
        }
    }

    fn needs_help(&mut self) -> bool {
        match self.busy_since {
            Some(since) => since.elapsed() >= HELP_AFTER,
            None => {
                self.busy_since = Some(Instant::now());
                false
            }
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
