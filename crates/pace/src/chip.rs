//! The block dispatcher in GR time: a conservative simulation.
//!
//! Blocks end when whoever executes them says so, which may be long after others, modelled earlier, could have started. A start is decided
//! only when it can no longer be wrong: every block whose end is still unknown is known to reach beyond that moment. So the
//! order in which ends are reported never changes a time.
//!
//! Order: of the kernels that are ready the one with the greatest priority, then the oldest, places its blocks, each at the earliest
//! moment a multiprocessor has room; kernels behind it wait until all its blocks are placed.

use crate::card::{Card, Shape};
use crate::sm::{Room, Sms};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// A kernel of a [`Chip`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KernelId(pub u64);

/// A block starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    pub kernel: KernelId,
    pub block: u64,
    pub sm: u32,
    pub at: u64,
}

/// The multiprocessors of one device as one process sees them.
#[derive(Clone, Debug)]
pub struct Chip {
    card: Card,
    sms: Sms,
    /// Everything before this moment is decided.
    now: u64,
    next_id: u64,
    kernels: BTreeMap<KernelId, Kernel>,
    /// Kernels with blocks to place that are ready, best first.
    ready: BTreeSet<Rank>,
    /// Kernels that will be ready, earliest first.
    future: BTreeSet<(u64, KernelId)>,
    resident: BTreeMap<(KernelId, u64), Resident>,
    /// Blocks whose end is unknown, by a moment they are known to reach. Entries may be out of date; `resident` knows better.
    open: BinaryHeap<Reverse<(u64, KernelId, u64)>>,
    /// Rooms of blocks that have ended, by the moment they become free.
    leaving: BinaryHeap<Reverse<(u64, u32, Room)>>,
    /// A cooperative kernel some of whose blocks are placed: nobody comes between.
    together: Option<KernelId>,
}

/// Best first: greatest priority, then earliest, then first launched.
type Rank = (Reverse<i32>, u64, KernelId);

#[derive(Clone, Debug)]
struct Kernel {
    shape: Shape,
    room: Room,
    /// Blocks that must find room together before the first one starts.
    together: u64,
    /// When the first block may start.
    from: u64,
    placed: u64,
    ended: u64,
    last_end: u64,
}

#[derive(Clone, Copy, Debug)]
struct Resident {
    sm: u32,
    room: Room,
    /// The block does not end before this.
    reaches: u64,
}

impl Chip {
    pub fn new(card: Card) -> Chip {
        Chip {
            sms: Sms::new(&card),
            card,
            now: 0,
            next_id: 1,
            kernels: BTreeMap::new(),
            ready: BTreeSet::new(),
            future: BTreeSet::new(),
            resident: BTreeMap::new(),
            open: BinaryHeap::new(),
            leaving: BinaryHeap::new(),
            together: None,
        }
    }

    pub fn card(&self) -> &Card {
        &self.card
    }

    /// A kernel whose predecessors end at `ready`. If later moments are decided already, it counts as ready at the first one that is not.
    pub fn launch(&mut self, shape: Shape, ready: u64) -> KernelId {
        let id = KernelId(self.next_id);
        self.next_id += 1;
        let from = ready.saturating_add(self.card.start_ns).max(self.now);
        let room = Room::of_block(&shape, &self.card);
        let shape = Shape { blocks: shape.blocks.max(1), ..shape };
        let together = match shape.cooperative {
            // More than the device ever holds is the driver's to refuse.
            true => shape.blocks.min(Sms::new(&self.card).holds(&room)),
            false => 1,
        };
        self.kernels.insert(id, Kernel { shape, room, together, from, placed: 0, ended: 0, last_end: 0 });
        self.future.insert((from, id));
        id
    }

    /// The next block to start, if that is before `until` and already certain.
    pub fn next(&mut self, until: u64) -> Option<Start> {
        let (start, room) = self.decide(until)?;
        // A block takes time, however little, so all that ends at this moment is known before anything starts.
        let reaches = start.at + 1;
        self.resident.insert((start.kernel, start.block), Resident { sm: start.sm, room, reaches });
        self.open.push(Reverse((reaches, start.kernel, start.block)));
        Some(start)
    }

    /// The same for who knows how long blocks of a kernel take: the block counts as ended. Gives the kernel's end with its last block.
    pub fn next_lasting(
        &mut self,
        until: u64,
        lasts: impl FnOnce(KernelId) -> u64,
    ) -> Option<(Start, Option<u64>)> {
        let (start, room) = self.decide(until)?;
        let end = start.at + lasts(start.kernel).max(1);
        self.leaving.push(Reverse((end, start.sm, room)));
        Some((start, self.count_end(start.kernel, end)))
    }

    fn decide(&mut self, until: u64) -> Option<(Start, Room)> {
        loop {
            self.admit();
            if self.now >= until {
                return None;
            }
            if let Some(start) = self.place()? {
                return Some(start);
            }
            let event = self.next_event()?;
            if event >= until || self.open_until() <= event {
                return None;
            }
            self.now = event;
        }
    }

    /// The running block does not end before `at`.
    pub fn reached(&mut self, kernel: KernelId, block: u64, at: u64) {
        if let Some(resident) = self.resident.get_mut(&(kernel, block)) {
            resident.reaches = resident.reaches.max(at);
        }
    }

    /// A block ended; gives the kernel's end if that was its last. The kernel is forgotten then.
    pub fn ended(&mut self, kernel: KernelId, block: u64, at: u64) -> Option<u64> {
        let resident = self.resident.remove(&(kernel, block))?;
        let at = at.max(resident.reaches);
        self.leaving.push(Reverse((at, resident.sm, resident.room)));
        self.count_end(kernel, at)
    }

    fn count_end(&mut self, kernel: KernelId, at: u64) -> Option<u64> {
        let state = self.kernels.get_mut(&kernel)?;
        state.ended += 1;
        state.last_end = state.last_end.max(at);
        if state.ended < state.shape.blocks {
            return None;
        }
        let end = state.last_end;
        self.kernels.remove(&kernel);
        Some(end)
    }

    /// The kernel is given up at `at`: its blocks free their room then, and no more of them start.
    pub fn cancel(&mut self, kernel: KernelId, at: u64) {
        let Some(state) = self.kernels.remove(&kernel) else { return };
        self.ready.remove(&rank(&state, kernel));
        self.future.remove(&(state.from, kernel));
        self.together.take_if(|together| *together == kernel);
        let leaving = &mut self.leaving;
        self.resident.retain(|&(of, _), resident| {
            if of == kernel {
                leaving.push(Reverse((at, resident.sm, resident.room)));
            }
            of != kernel
        });
    }

    /// The moment before which nothing is open: no block whose end is unknown, none that might still start. `u64::MAX` if there is none at all.
    pub fn frontier(&mut self) -> u64 {
        self.admit();
        let open = self.open_until();
        let start = match self.head() {
            Some(id) if self.room_for(id).is_some() => Some(self.now),
            _ => self.next_event(),
        };
        open.min(start.unwrap_or(u64::MAX))
    }

    /// Does what is known to have happened up to now.
    fn admit(&mut self) {
        while let Some(&Reverse((at, sm, room))) = self.leaving.peek()
            && at <= self.now
        {
            self.leaving.pop();
            self.sms.give_back(sm, &room);
        }
        while let Some(&(from, id)) = self.future.first()
            && from <= self.now
        {
            self.future.pop_first();
            if let Some(kernel) = self.kernels.get(&id) {
                self.ready.insert(rank(kernel, id));
            }
        }
    }

    /// The kernel whose turn it is.
    fn head(&self) -> Option<KernelId> {
        self.together.or_else(|| self.ready.first().map(|&(_, _, id)| id))
    }

    /// Where the next block of the kernel can start now.
    fn room_for(&self, id: KernelId) -> Option<u32> {
        let kernel = self.kernels.get(&id)?;
        if kernel.placed == 0 && kernel.together > 1 && self.sms.holds(&kernel.room) < kernel.together {
            return None;
        }
        self.sms.choose(&kernel.room)
    }

    /// Places the next block now. `None`: it is too early to say; `Some(None)`: nobody wants to start, or there is no room.
    fn place(&mut self) -> Option<Option<(Start, Room)>> {
        let Some(id) = self.head() else { return Some(None) };
        let Some(sm) = self.room_for(id) else { return Some(None) };
        if self.open_until() <= self.now {
            return None;
        }
        let kernel = self.kernels.get_mut(&id)?;
        let block = kernel.placed;
        kernel.placed += 1;
        self.together = (kernel.placed < kernel.together).then_some(id);
        if kernel.placed == kernel.shape.blocks {
            self.ready.remove(&rank(kernel, id));
        }
        self.sms.take(sm, &kernel.room);
        Some(Some((Start { kernel: id, block, sm, at: self.now }, kernel.room)))
    }

    /// When something may change that the kernels that wait care for.
    fn next_event(&self) -> Option<u64> {
        let ready = self.future.first().map(|&(from, _)| from);
        let room = self.leaving.peek().map(|&Reverse((at, _, _))| at);
        match self.ready.is_empty() {
            true => ready,
            false => ready.into_iter().chain(room).min(),
        }
    }

    /// The earliest moment at which a block whose end is unknown might end.
    fn open_until(&mut self) -> u64 {
        while let Some(&Reverse((reaches, kernel, block))) = self.open.peek() {
            match self.resident.get(&(kernel, block)) {
                Some(resident) if resident.reaches == reaches => return reaches,
                Some(resident) => {
                    let reaches = resident.reaches;
                    self.open.pop();
                    self.open.push(Reverse((reaches, kernel, block)));
                }
                None => {
                    self.open.pop();
                }
            }
        }
        u64::MAX
    }
}

fn rank(kernel: &Kernel, id: KernelId) -> Rank {
    (Reverse(kernel.shape.priority), kernel.from, id)
}
