//! Memory that can leave the device and come back to the same addresses, for tenants that were started so.
//!
//! Linear, pitched and stream-ordered memory is made of reserved addresses with physical memory mapped behind them. To move it
//! out, nobody may be handing work to the driver ([`door`]), what is on the device is waited for, all bytes are copied to the
//! host, and the physical memory is given back while the addresses stay reserved ([`mover`]). Charges stay as they are: a
//! tenant's grant is what it may have on the device when it is there.

/// Segments of physical memory, and the blocks in them.
mod blocks;
/// Who is about to hand work to the driver.
mod door;
/// Host memory.
#[allow(unsafe_code)]
mod host_unsafe;
/// Blocks freed in stream order.
mod later;
/// The thread that moves.
mod mover;
/// What the driver is asked for.
mod segment;

use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Mutex, OnceLock};

use cleave_api::cuda::types::*;
use cleave_ledger::{clock, futex};
use cleave_slot::{Place, Seat};

pub use self::blocks::{Block, Level, Whose};
use self::blocks::{Blocks, Segment};
use self::door::{Door, Inside};
pub use self::later::Lane;
use self::later::Later;
use crate::books::{Here, Map, lock};
use crate::cards::Card;
use crate::process_unsafe::PerProcess;
use crate::real_unsafe::cuda as real;
use crate::tenancy::{self, Grant};

/// How long a thread sleeps before it looks again whether its memory may be on the device.
const LOOK_AGAIN_NS: u64 = 100_000_000;

static MOVABLE: PerProcess<Option<Movable>> = PerProcess::new();

/// The memory of this process that can move.
#[derive(Default)]
pub struct Movable {
    door: Door,
    blocks: Mutex<Blocks>,
    later: Mutex<Vec<Later>>,
    /// Contexts that such memory was made in, with their devices.
    contexts: Mutex<Map<&'static Card>>,
    /// What sizes are multiples of, by device.
    grains: Mutex<Map<u64>>,
    /// Whether there is a thread that moves.
    mover: OnceLock<bool>,
    /// How often it was called because of memory that it may not have seen.
    calls: AtomicU32,
    /// Whether it moves at this moment, and whether the process ends so that it must not begin.
    moving: Mutex<()>,
    ends: AtomicBool,
}

/// The memory that can move, if this process is of a tenant whose memory can.
#[inline]
pub fn get() -> Option<&'static Movable> {
    let open = || grants().next().is_some().then(Movable::default);
    MOVABLE.get_or(open).as_ref()
}

/// To be held while work on memory is handed to the driver. Waits while memory is away; costs nothing where none can move.
#[inline]
pub fn stay() -> Option<Inside<'static>> {
    get().map(Movable::enter)
}

/// The grants whose memory can move.
fn grants() -> impl Iterator<Item = &'static Grant> {
    tenancy::current().grants().iter().filter(|grant| grant.slot.is_movable())
}

fn seats() -> impl Iterator<Item = &'static Seat> {
    grants().filter_map(|grant| grant.seat().ok())
}

/// Whether the node wants the memory on the host.
fn is_sent() -> bool {
    grants().any(|grant| grant.slot.is_sent())
}

fn say(place: Place) {
    seats().for_each(|seat| seat.stays(place));
}

/// A thread that waits for its memory.
struct Wanting;

impl Wanting {
    fn new() -> Wanting {
        seats().for_each(|seat| seat.wants(true));
        Wanting
    }
}

impl Drop for Wanting {
    fn drop(&mut self) {
        seats().for_each(|seat| seat.wants(false));
    }
}

impl Movable {
    #[inline]
    pub fn enter(&'static self) -> Inside<'static> {
        match self.door.try_enter() {
            Some(inside) => inside,
            None => self.wait_and_enter(),
        }
    }

    #[cold]
    fn wait_and_enter(&'static self) -> Inside<'static> {
        let _wanting = Wanting::new();
        loop {
            self.door.wait();
            if let Some(inside) = self.door.try_enter() {
                return inside;
            }
        }
    }

    /// Goes in to make memory: that waits also where there is none yet that could be away.
    fn enter_to_make(&'static self) -> Inside<'static> {
        let mut wanting = None;
        loop {
            let inside = self.enter();
            if !is_sent() {
                return inside;
            }
            drop(inside);
            wanting.get_or_insert_with(Wanting::new);
            if let Some(grant) = grants().find(|grant| grant.slot.is_sent()) {
                let (word, sendings) = grant.slot.sendings();
                if grant.slot.is_sent() {
                    futex::wait(word, sendings, Some(clock::now_ns() + LOOK_AGAIN_NS));
                }
            }
        }
    }

    /// Makes a block of memory. Small ones share what is charged for them: whole segments are.
    pub fn allocate(
        &'static self,
        symbol: &'static str,
        bytes: u64,
        here: Here,
        pool: Option<CUmemoryPool>,
    ) -> Result<u64, CUresult> {
        if !self.has_mover() {
            return Err(CUDA_ERROR_OUT_OF_MEMORY);
        }
        let card = here.card;
        let owner = pool.is_none().then_some(here.context);
        let whose = Whose { card, owner, pool: pool.map_or(0, |pool| pool.0) };
        let grain = self.grain(card)?;
        loop {
            let _inside = self.enter_to_make();
            self.reap();
            lock(&self.contexts).insert(here.context.0 as u64, card);
            if let Some(start) = lock(&self.blocks).find(bytes, grain, whose) {
                return Ok(start);
            }
            let size = bytes.checked_next_multiple_of(grain).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
            if let Some(start) = self.grow(symbol, size, grain, card)? {
                lock(&self.blocks).add(start, size, bytes, whose);
                // Sent away while it was made: whoever moves may have found nothing.
                if is_sent() {
                    self.calls.fetch_add(1, SeqCst);
                    futex::wake(&self.calls, 1);
                }
                return Ok(start);
            }
        }
    }

    /// A new segment, charged. Nothing if the node wants memory on the host all of a sudden.
    fn grow(
        &'static self,
        symbol: &'static str,
        size: u64,
        grain: u64,
        card: &'static Card,
    ) -> Result<Option<u64>, CUresult> {
        if !card.take(size) {
            // What was freed in stream order may be all that is missing.
            self.wait_for_later();
            card.charge(symbol, size)?.keep();
        }
        let undo = || {
            card.release(size);
            told(card, |seat| seat.remove_movable(size));
        };
        // Said before it is there, and the node's word read after that: one of the two sees the other.
        told(card, |seat| seat.add_movable(size));
        if is_sent() {
            undo();
            return Ok(None);
        }
        segment::make(card.device, size, grain).map(Some).inspect_err(|_| undo())
    }

    /// Gives a segment back.
    fn discard(&self, segment: &Segment) {
        segment::unmake(segment.start, segment.bytes);
        segment.card.release(segment.bytes);
        told(segment.card, |seat| seat.remove_movable(segment.bytes));
    }

    fn remove(&self, start: u64) {
        let emptied = lock(&self.blocks).remove(start);
        if let Some(segment) = emptied {
            self.discard(&segment);
        }
    }

    /// Frees a block, when all work that may use it is done. Nothing if there is no such block.
    pub fn free(&'static self, start: u64) -> Option<CUresult> {
        lock(&self.blocks).at(start)?;
        let _inside = self.enter();
        // As the driver does; and it says what is wrong if there is no context.
        let waited = real::cuCtxSynchronize();
        if waited != CUDA_SUCCESS {
            return Some(waited);
        }
        let block = lock(&self.blocks).at(start)?;
        if let Some(owner) = block.owner {
            let _done = segment::within(owner, real::cuCtxSynchronize);
        }
        self.remove(start);
        Some(CUDA_SUCCESS)
    }

    /// A context is gone, and all that was made in it. Called from inside the door.
    pub fn forget(&self, context: CUcontext) {
        lock(&self.contexts).remove(&(context.0 as u64));
        self.forget_later(context);
        let gone = lock(&self.blocks).of(context);
        gone.into_iter().for_each(|start| self.remove(start));
    }

    /// The block that holds an address.
    pub fn holding(&self, address: u64) -> Option<Block> {
        lock(&self.blocks).holding(address)
    }

    /// What a pool has given out.
    pub fn level(&self, pool: CUmemoryPool) -> Level {
        lock(&self.blocks).level(pool.0)
    }

    /// The most that a pool had is counted anew.
    pub fn forget_most(&self, pool: CUmemoryPool) {
        lock(&self.blocks).forget_most(pool.0);
    }

    fn grain(&self, card: &Card) -> Result<u64, CUresult> {
        let key = card.device.0 as u64;
        if let Some(grain) = lock(&self.grains).get(&key) {
            return Ok(*grain);
        }
        let grain = segment::grain(card.device)?;
        lock(&self.grains).insert(key, grain);
        Ok(grain)
    }
}

/// Has a card's seat say something.
fn told(card: &Card, what: impl FnOnce(&Seat)) {
    if let Some(Ok(seat)) = card.grant().map(Grant::seat) {
        what(seat);
    }
}
