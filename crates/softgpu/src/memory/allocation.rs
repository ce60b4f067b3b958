//! One allocation: what a pointer refers to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};

use super::advice::Advice;
use super::heap::Heap;
use super::layout;
use super::pool::Pool;
use super::space::Space;
use super::vmm::Mapping;

/// How memory came to be, as far as a program can tell the difference.
#[derive(Debug)]
pub enum Kind {
    /// cuMemAlloc and its pitched form.
    Linear,
    /// A variable of a module; not the program's to free.
    Variable,
    /// Stream-ordered memory.
    Pooled(Arc<Pool>),
    /// cuMemAllocManaged, and what was said about it.
    Managed(Advice),
    /// Page-locked host memory made by us, with its flags.
    Host { flags: u32 },
    /// The program's own memory, registered, with its flags.
    Registered { flags: u32 },
    /// A physical allocation mapped by the program.
    Mapped(Arc<Mapping>),
    /// Linear memory of another process.
    Imported,
}

/// Who may touch an allocation from device code.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scope {
    /// The context that made it and those it has been opened to.
    Context,
    /// Every context.
    Process,
    /// The devices it was given access to.
    Granted,
}

/// Live memory. It goes back where it came from when the last user lets go, so that a copy in flight never loses it.
#[derive(Debug)]
pub struct Allocation {
    pub start: u64,
    /// Exactly what was asked for: one byte more is an illegal address.
    pub len: u64,
    pub kind: Kind,
    /// Identifies the context it belongs to, as in `Context::id`.
    pub context: u64,
    pub device: usize,
    /// Never used twice in a process (CU_POINTER_ATTRIBUTE_BUFFER_ID).
    pub id: u64,
    /// CU_POINTER_ATTRIBUTE_SYNC_MEMOPS.
    pub sync_memops: AtomicBool,
    /// A stream will free it: to the program it is gone already.
    leaving: AtomicBool,
    home: Home,
}

enum Home {
    Heap(Arc<Heap>),
    /// Whole chunks, of which the allocation is a part.
    Span {
        space: Arc<Space>,
        addr: u64,
        chunks: u64,
    },
    Elsewhere,
}

impl std::fmt::Debug for Home {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Home::Heap(_) => "Heap",
            Home::Span { .. } => "Span",
            Home::Elsewhere => "Elsewhere",
        })
    }
}

/// Whose an allocation is.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    pub context: u64,
    pub device: usize,
}

impl Allocation {
    /// `len` bytes from a heap. `None`: out of memory.
    pub fn from_heap(heap: &Arc<Heap>, len: u64, kind: Kind, owner: Owner) -> Option<Arc<Allocation>> {
        let start = heap.alloc(len)?;
        Some(Arc::new(Allocation::new(start, len, kind, owner, Home::Heap(heap.clone()))))
    }

    /// Memory at `offset` in chunks that were attached for it alone.
    pub fn in_span(
        (space, addr, chunks): (&Arc<Space>, u64, u64),
        (offset, len): (u64, u64),
        kind: Kind,
        owner: Owner,
    ) -> Arc<Allocation> {
        let home = Home::Span { space: space.clone(), addr, chunks };
        Arc::new(Allocation::new(addr + offset, len, kind, owner, home))
    }

    /// Memory that somebody else gives back: the program's own, or a mapping of it.
    pub fn elsewhere(start: u64, len: u64, kind: Kind, owner: Owner) -> Arc<Allocation> {
        Arc::new(Allocation::new(start, len, kind, owner, Home::Elsewhere))
    }

    fn new(start: u64, len: u64, kind: Kind, owner: Owner, home: Home) -> Allocation {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let Owner { context, device } = owner;
        let id = NEXT.fetch_add(1, Relaxed);
        let (sync_memops, leaving) = (AtomicBool::new(false), AtomicBool::new(false));
        Allocation { start, len, kind, context, device, id, sync_memops, leaving, home }
    }

    pub fn end(&self) -> u64 {
        self.start + self.len
    }

    /// What to add to a pointer to get the address where the engine touches it.
    pub fn delta(&self) -> u64 {
        match self.kind {
            Kind::Registered { .. } => 0,
            _ => layout::ALIAS,
        }
    }

    pub fn scope(&self) -> Scope {
        match self.kind {
            Kind::Linear | Kind::Variable | Kind::Imported => Scope::Context,
            Kind::Managed(_) | Kind::Host { .. } | Kind::Registered { .. } => Scope::Process,
            Kind::Pooled(_) | Kind::Mapped(_) => Scope::Granted,
        }
    }

    /// What device code of `device` may do with it: read, and write.
    pub fn granted(&self, device: usize) -> (bool, bool) {
        match &self.kind {
            Kind::Pooled(pool) => pool.access(device).rights(),
            Kind::Mapped(mapping) => mapping.access(device).rights(),
            _ => (true, true),
        }
    }

    /// True for the one caller who will free it.
    pub fn leave(&self) -> bool {
        !self.leaving.swap(true, AcqRel)
    }

    /// Whether the host can read it where the pointer says.
    pub fn is_on_host(&self) -> bool {
        matches!(self.kind, Kind::Host { .. } | Kind::Registered { .. })
    }

    pub fn is_managed(&self) -> bool {
        matches!(self.kind, Kind::Managed(_))
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        match &self.home {
            Home::Heap(heap) => heap.free(self.start, self.len),
            Home::Span { space, addr, chunks } => space.give(*addr, *chunks),
            Home::Elsewhere => {}
        }
    }
}
