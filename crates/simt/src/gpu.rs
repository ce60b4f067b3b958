//! The device: how big it is, and the way to launch grids on it.

use crate::counters::Counters;
use crate::fault::{Fault, FaultKind};
use crate::grid::{Env, Grid, Tids};
use crate::launch::Launch;
use crate::pool::Pool;
use cleave_pace::Card;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::{Duration, Instant};

/// Size and habits of a device.
#[derive(Clone, Debug)]
pub struct Config {
    /// Worker threads.
    pub workers: usize,
    /// Multiprocessors the device pretends to have: they bound how many blocks are resident at once.
    pub sms: u32,
    pub threads_per_sm: u32,
    pub blocks_per_sm: u32,
    pub shared_per_sm: u32,
    pub registers_per_sm: u32,
    /// Schedule in hostile orders drawn from this seed.
    pub adversarial: Option<u64>,
    /// How long an idle worker looks out for work before it sleeps.
    pub spin: Duration,
}

impl Default for Config {
    fn default() -> Config {
        let Card { sms, threads_per_sm, blocks_per_sm, shared_per_sm, registers_per_sm, .. } =
            Card::default();
        Config {
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            sms,
            threads_per_sm,
            blocks_per_sm,
            shared_per_sm,
            registers_per_sm,
            adversarial: None,
            spin: Duration::from_micros(50),
        }
    }
}

/// Hears how a grid ended, on a worker thread.
pub type Done = Box<dyn FnOnce(Result<Counters, Fault>) + Send>;

/// A device that executes grids.
pub struct Gpu {
    config: Config,
    epoch: Instant,
    pool: Arc<Pool>,
}

impl Gpu {
    /// A device without threads: these start with the first launch.
    pub fn start(config: Config) -> Gpu {
        let pool = Pool::new(config.workers.max(1), config.spin, config.adversarial);
        Gpu { config, epoch: Instant::now(), pool }
    }

    /// Starts a grid beside those that are running. `done` is called once, whatever happens.
    pub fn submit(&self, launch: Launch, done: Done) -> Grid {
        let limit = match self.check(&launch) {
            Ok(limit) => limit,
            Err(fault) => {
                done(Err(*fault));
                return Grid { id: 0, pool: self.pool.clone() };
            }
        };
        let threads = launch.block.iter().product();
        let kernel = launch.kernel.clone();
        let function = &kernel.code.functions[kernel.function as usize];
        let env = Env {
            threads,
            tids: Tids::of_block(launch.block, threads),
            shared_bytes: match launch.dynamic_shared {
                0 => kernel.static_shared,
                bytes => kernel.dynamic_base.saturating_add(bytes),
            },
            local_limit: function.local.next_multiple_of(crate::local::ALIGN).saturating_add(launch.stack),
            sms: self.config.sms.max(1),
            seed: self.config.adversarial,
            epoch: self.epoch,
            control: AtomicU32::new(0),
            timed: launch.pacing.as_ref().map(|pacing| kernel.code.timed(&pacing.card().latency)),
            kernel,
            launch,
        };
        let id = self.pool.submit(env, limit, done);
        Grid { id, pool: self.pool.clone() }
    }

    /// Takes every grid off the workers, those submitted later included, until [`Gpu::resume`].
    pub fn pause(&self) {
        self.pool.pause(None);
    }

    pub fn resume(&self) {
        self.pool.resume(None);
    }

    /// Makes workers look for work again, after an answer of a [`Pacing`](crate::Pacing) changed. Asks the pacings itself whether there is any,
    /// so the caller holds no lock that these take.
    pub fn kick(&self) {
        self.pool.kick();
    }

    /// Stops every grid that is in flight now.
    pub fn stop(&self) {
        self.pool.stop(None);
    }

    /// How many blocks of `threads` threads and `shared` bytes of a kernel with `registers` registers fit on one multiprocessor.
    pub fn blocks_per_sm(&self, threads: u32, shared: u32, registers: u32) -> u32 {
        let card = Card {
            threads_per_sm: self.config.threads_per_sm,
            blocks_per_sm: self.config.blocks_per_sm,
            registers_per_sm: self.config.registers_per_sm,
            shared_per_sm: self.config.shared_per_sm,
            ..Card::default()
        };
        card.blocks_per_sm(threads, registers, shared)
    }

    /// How many blocks may be resident, or why the launch can never run.
    fn check(&self, launch: &Launch) -> Result<u64, Box<Fault>> {
        let kernel = &launch.kernel;
        let refuse =
            |detail: &str| Err(Box::new(Fault::of_launch(FaultKind::InvalidLaunch, &kernel.name, detail)));
        let threads = launch.block.iter().try_fold(1u32, |n, &d| n.checked_mul(d)).unwrap_or(u32::MAX);
        if threads == 0 || threads > 1024 {
            return refuse("a block has 1 to 1024 threads");
        }
        let Some(shared) = kernel.dynamic_base.checked_add(launch.dynamic_shared) else {
            return refuse("more shared memory than the device has");
        };
        let blocks: u128 = launch.grid.iter().map(|&n| u128::from(n)).product();
        if blocks > u128::from(u64::MAX) {
            return refuse("more blocks than can be counted");
        }
        let per_sm = self.blocks_per_sm(threads, shared, kernel.registers);
        // A block that a multiprocessor cannot hold is the driver's to refuse; here it runs alone.
        let limit = u64::from(per_sm.max(1)) * u64::from(self.config.sms.max(1));
        if launch.cooperative && blocks > u128::from(limit) {
            return refuse("more blocks than can be resident at once");
        }
        Ok(limit)
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        self.pool.shut_down();
    }
}
