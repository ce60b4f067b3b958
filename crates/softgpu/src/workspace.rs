//! The few bytes that the blocks of a cooperative grid share: the barrier of the whole grid.
//!
//! Device code finds them by `%envreg1` (upper half of the address) and `%envreg2`: a word for the size, then the barrier.

use std::sync::Arc;

use crate::bytes_unsafe::{Extent, Place, fill};
use crate::context::Context;
use crate::gpu::SoftGpu;
use crate::memory::allocation::{Allocation, Kind};

const BYTES: u64 = 8;

/// Lives as long as its grid.
pub struct Workspace {
    gpu: &'static SoftGpu,
    memory: Arc<Allocation>,
}

impl Workspace {
    /// A barrier at which nobody has arrived. `None`: out of memory.
    pub fn new(gpu: &'static SoftGpu, context: &Context) -> Option<Workspace> {
        let memory = gpu.memory.alloc(&context.heap, BYTES, Kind::Variable, context.owner())?;
        let width = BYTES as usize;
        let place = Place { addr: memory.start.wrapping_add(memory.delta()), pitch: width, layer: width };
        fill(&place, Extent { width, height: 1, depth: 1 }, 0, 4);
        Some(Workspace { gpu, memory })
    }

    pub fn address(&self) -> u64 {
        self.memory.start
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        self.gpu.memory.live.remove_if(self.memory.start, |_| true);
    }
}
