//! A context: one address space on one device, its streams, and the fault that ended it.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};
use std::sync::{Arc, Mutex, PoisonError};

use cleave_api::cuda::types::*;
use cleave_simt::Ranges;

use crate::device_heap::Blocks;
use crate::limits::Limits;
use crate::memory::allocation::Owner;
use crate::memory::heap::Heap;
use crate::memory::space::Room;
use crate::printf::Printf;
use crate::queue::{Patience, Queue, in_host_function};
use crate::running::Running;

pub struct Context {
    /// What the program holds.
    pub handle: CUcontext,
    /// Never used twice in a process; names the owner of memory.
    pub id: u64,
    /// Which device, as this process numbers them.
    pub device: usize,
    /// Belongs to the device and not to who made it.
    pub primary: bool,
    flags: AtomicU32,
    /// cuCtxAttach minus cuCtxDetach, and the one it was made with.
    uses: AtomicU32,
    destroyed: AtomicBool,
    /// Commands, and the sticky error.
    pub queue: Arc<Queue>,
    /// What its kernels may touch.
    pub ranges: Arc<Ranges>,
    /// Where its device memory comes from.
    pub heap: Arc<Heap>,
    /// What it costs of the device by being there, until it is destroyed.
    room: Mutex<Option<Room>>,
    pub limits: Limits,
    pub printf: Arc<Printf>,
    /// Its grids, to be stopped when it ends.
    pub running: Arc<Running>,
    /// What its kernels allocate.
    pub blocks: Blocks,
    pub cache_config: AtomicU32,
}

/// How to make one.
pub struct Parts {
    pub device: usize,
    pub primary: bool,
    pub flags: u32,
    pub queue: Arc<Queue>,
    pub heap: Arc<Heap>,
    pub room: Room,
}

impl Context {
    pub fn new(handle: usize, parts: Parts) -> Context {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let Parts { device, primary, flags, queue, heap, room } = parts;
        let running = Arc::new(Running::default());
        let stopped = running.clone();
        queue.on_poison(move |_| stopped.stop());
        Context {
            handle: CUcontext(handle),
            id: NEXT.fetch_add(1, Relaxed),
            device,
            primary,
            flags: AtomicU32::new(flags),
            uses: AtomicU32::new(1),
            destroyed: AtomicBool::new(false),
            queue,
            ranges: Arc::new(Ranges::new()),
            heap,
            room: Mutex::new(Some(room)),
            limits: Limits::default(),
            printf: Arc::new(Printf::default()),
            running,
            blocks: Blocks::default(),
            cache_config: AtomicU32::new(CU_FUNC_CACHE_PREFER_NONE.0),
        }
    }

    /// Whether it can still be used: the error every call must answer otherwise.
    pub fn check(&self) -> Result<(), CUresult> {
        if self.is_destroyed() {
            return Err(CUDA_ERROR_CONTEXT_IS_DESTROYED);
        }
        self.queue.check()
    }

    /// The owner of what it allocates.
    pub fn owner(&self) -> Owner {
        Owner { context: self.id, device: self.device }
    }

    pub fn is_destroyed(&self) -> bool {
        self.destroyed.load(Acquire)
    }

    /// True for the one caller who ends it.
    pub fn destroy(&self) -> bool {
        !self.destroyed.swap(true, AcqRel)
    }

    /// Gives back what it costs.
    pub fn leave_room(&self) {
        drop(self.room.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    pub fn flags(&self) -> u32 {
        self.flags.load(Relaxed)
    }

    /// How its threads wait, by the flags the program chose.
    pub fn patience(&self) -> Patience {
        if self.flags() & CU_CTX_SCHED_BLOCKING_SYNC.0 != 0 { Patience::Sleep } else { Patience::Spin }
    }

    /// Waits until all that was submitted so far is done. A function of the program that a stream is running would wait
    /// for itself.
    pub fn wait(&self) -> Result<(), CUresult> {
        if in_host_function() {
            return Err(CUDA_ERROR_NOT_PERMITTED);
        }
        self.queue.wait_all(self.patience());
        Ok(())
    }

    pub fn attach(&self) {
        self.uses.fetch_add(1, Relaxed);
    }

    /// True when nobody is attached any more.
    pub fn detach(&self) -> bool {
        self.uses.fetch_sub(1, AcqRel) <= 1
    }

    pub fn set_flags(&self, flags: u32) {
        self.flags.store(flags, Relaxed);
    }
}
