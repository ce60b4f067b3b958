//! A launched grid: what all its blocks know, and the handle that controls it.

use crate::launch::Launch;
use crate::pool::Pool;
use crate::program::Kernel;
use crate::rows_unsafe::LANES;
use crate::work::Cost;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Instant;

/// Bits of [`Env::control`].
pub mod control {
    pub const STOP: u32 = 1;
    pub const PAUSE: u32 = 2;
}

/// What never changes while a grid runs, except for `control`.
pub struct Env {
    pub launch: Launch,
    pub kernel: Arc<Kernel>,
    /// Threads per block.
    pub threads: u32,
    /// `%tid` of the lanes of each warp.
    pub tids: Box<[Tids]>,
    /// Static and dynamic shared memory of a block.
    pub shared_bytes: u32,
    /// Bytes of local memory a thread may have in use.
    pub local_limit: u32,
    pub sms: u32,
    /// Seed of the adversary.
    pub seed: Option<u64>,
    /// When the device started.
    pub epoch: Instant,
    /// Looked at in backward branches and at barriers.
    pub control: AtomicU32,
    /// Costs with cycles, if the grid is paced.
    pub timed: Option<Arc<[Cost]>>,
}

impl Env {
    /// Number of blocks.
    pub fn blocks(&self) -> u128 {
        self.launch.grid.iter().map(|&n| u128::from(n)).product()
    }

    /// Nanoseconds since the device started.
    pub fn age(&self) -> u64 {
        self.epoch.elapsed().as_nanos() as u64
    }

    /// `%ctaid` of a block.
    pub fn ctaid(&self, index: u64) -> [u32; 3] {
        let [x, y, _] = self.launch.grid.map(u64::from);
        [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32]
    }
}

/// `%tid` of the lanes of a warp.
#[derive(Clone)]
pub struct Tids(pub [[u32; LANES]; 3]);

impl Tids {
    /// The tables of all warps of a block.
    pub fn of_block([nx, ny, _]: [u32; 3], threads: u32) -> Box<[Tids]> {
        let mut tids = vec![Tids([[0; LANES]; 3]); threads.div_ceil(LANES as u32) as usize];
        let [mut x, mut y, mut z] = [0; 3];
        for warp in &mut tids {
            for lane in 0..LANES {
                (warp.0[0][lane], warp.0[1][lane], warp.0[2][lane]) = (x, y, z);
                x += 1;
                if x == nx {
                    (x, y) = (0, y + 1);
                }
                if y == ny {
                    (y, z) = (0, z + 1);
                }
            }
        }
        tids.into()
    }

    pub fn of(&self, lane: usize) -> [u32; 3] {
        self.0.map(|row| row[lane % LANES])
    }
}

/// A grid in flight. Dropping the handle changes nothing.
#[derive(Clone)]
pub struct Grid {
    pub(crate) id: u64,
    pub(crate) pool: Arc<Pool>,
}

impl Grid {
    /// Takes the grid off the workers, at the next backward branch or barrier of each warp; nothing is lost.
    pub fn pause(&self) {
        self.pool.pause(Some(self.id));
    }

    pub fn resume(&self) {
        self.pool.resume(Some(self.id));
    }

    /// Ends the grid with [`FaultKind::Stopped`](crate::FaultKind::Stopped), paused or not. The launch's `done` still comes, once.
    pub fn stop(&self) {
        self.pool.stop(Some(self.id));
    }
}
