//! All memory of a process that uses the software GPU.

use std::io;
use std::sync::Arc;

use super::advice::Advice;
use super::allocation::{Allocation, Kind, Owner};
use super::heap::Heap;
use super::layout;
use super::live_unsafe::Live;
use super::space::Space;
use super::vmm::Reserved;

pub struct Memory {
    /// Every allocation, and who sees it.
    pub live: Live,
    /// Addresses the program maps itself.
    pub reserved: Reserved,
    managed: Arc<Heap>,
    host: Arc<Heap>,
}

impl Memory {
    pub fn new() -> io::Result<Memory> {
        let heap =
            |place| -> io::Result<Arc<Heap>> { Ok(Arc::new(Heap::new(Arc::new(Space::of_host(place)?)))) };
        Ok(Memory {
            live: Live::default(),
            reserved: Reserved::new()?,
            managed: heap(layout::MANAGED)?,
            host: heap(layout::HOST)?,
        })
    }

    /// A new allocation of `len` bytes, known to all who may touch it. `None`: out of memory.
    pub fn alloc(&self, heap: &Arc<Heap>, len: u64, kind: Kind, owner: Owner) -> Option<Arc<Allocation>> {
        let allocation = Allocation::from_heap(heap, len, kind, owner)?;
        self.live.insert(&allocation).then_some(allocation)
    }

    pub fn alloc_managed(&self, len: u64, owner: Owner) -> Option<Arc<Allocation>> {
        self.alloc(&self.managed, len, Kind::Managed(Advice::default()), owner)
    }

    pub fn alloc_host(&self, len: u64, flags: u32, owner: Owner) -> Option<Arc<Allocation>> {
        self.alloc(&self.host, len, Kind::Host { flags }, owner)
    }
}
