//! What the driver hands over to run a grid, and the traits it implements to hear back.

use crate::program::Kernel;
use crate::ranges::Ranges;
use cleave_pace::Card;
use std::sync::Arc;

/// One kernel launch.
pub struct Launch {
    pub kernel: Arc<Kernel>,
    /// Blocks per dimension (`%nctaid`). A zero dimension runs nothing.
    pub grid: [u32; 3],
    /// Threads per dimension (`%ntid`), at most 1024 together.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory, after the static ones.
    pub dynamic_shared: u32,
    /// The parameter buffer, laid out as [`Kernel::params`] says; missing bytes at the end read as zero.
    pub params: Box<[u8]>,
    /// All blocks must be resident at once; refused if they cannot be.
    pub cooperative: bool,
    /// Address of what the blocks of a cooperative grid share (`%envreg1`, `%envreg2`); 0 without.
    pub workspace: u64,
    /// What the kernel may touch.
    pub ranges: Arc<Ranges>,
    /// Bytes of local memory a thread may use for its call stack (`cuCtxSetLimit` stack size); variables of the kernel come on top.
    pub stack: u32,
    /// Blocks of a grid with a greater priority are chosen first.
    pub priority: i32,
    /// `%gridid`.
    pub id: u64,
    /// Where `printf` and assertions write.
    pub output: Arc<dyn Output>,
    /// Where device-side `malloc` takes memory; without one it returns null, as when the heap is exhausted.
    pub heap: Option<Arc<dyn Heap>>,
    /// Who decides when blocks start and how far they may run; without one the grid runs as fast as it can.
    pub pacing: Option<Arc<dyn Pacing>>,
}

/// Sink of device-side `printf` and of assertion messages. Called on worker threads.
pub trait Output: Send + Sync {
    /// One formatted `printf` call, complete, in the order the threads made them within a warp.
    fn print(&self, text: &[u8]);
}

/// The device heap behind `malloc` and `free`. The memory it gives must be in the launch's ranges.
pub trait Heap: Send + Sync {
    /// Device address of `bytes` new bytes, aligned to 16.
    fn alloc(&self, bytes: u64) -> Option<u64>;
    /// Gives back what `alloc` gave; false if `address` is not such memory.
    fn free(&self, address: u64) -> bool;
}

/// The modelled time of a grid, in nanoseconds of its own: blocks start when this says so, and each warp's clock runs from there.
///
/// Called on worker threads, `start` and `horizon` with the pool locked: implementors must be quick and never call the device. When an answer
/// may have changed, [`Gpu::kick`](crate::Gpu::kick) makes workers ask again.
pub trait Pacing: Send + Sync {
    /// When and on which multiprocessor block `block` starts. Asked in the order of blocks; `None`: not yet.
    fn start(&self, block: u64) -> Option<(u64, u32)>;
    /// The moment beyond which nothing is to be executed yet. Never goes back.
    fn horizon(&self) -> u64;
    /// The block does not end before `at`; `u64::MAX` if it waits for what can never happen.
    fn reached(&self, block: u64, at: u64);
    /// The block ended.
    fn ended(&self, block: u64, at: u64);
    /// What `%globaltimer` shows at `at`, before it is cut to whole ticks. `None`: not known yet.
    fn globaltimer(&self, at: u64) -> Option<u64>;
    /// Latencies and clock.
    fn card(&self) -> &Card;
}

/// Throws output away.
pub struct Discard;

impl Output for Discard {
    fn print(&self, _: &[u8]) {}
}
