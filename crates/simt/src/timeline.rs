//! The blocks of a paced grid in the order of modelled time.

use crate::block::{Block, Place};
use crate::launch::Pacing;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Who is where. Moments are those of the grid's [`Pacing`].
pub struct Timeline {
    pacing: Arc<dyn Pacing>,
    /// Blocks that wait for a worker, by the moment they have reached.
    resting: BTreeMap<(u64, u64), Box<Block>>,
    /// Blocks on workers and where they were when they went there, and how many kicks there had been.
    on_workers: Vec<OnWorker>,
    /// Blocks that asked for a time that was not known; they ask again after a kick.
    stalled: Vec<(u64, Box<Block>)>,
    kicks: u64,
    /// Where and when the next block starts.
    next: Option<Place>,
}

struct OnWorker {
    block: u64,
    from: u64,
    kicks: u64,
}

/// How far a block may run ahead of the one that is furthest behind in its grid, and a warp in its block: what one writes and another waits
/// for is seen with this error at most.
pub const LEAD_NS: u64 = 250_000;
/// How far a block may run that is alone: it may wait for another grid.
const ALONE_NS: u64 = 2_000_000;

impl Timeline {
    pub fn new(pacing: Arc<dyn Pacing>) -> Timeline {
        Timeline {
            pacing,
            resting: BTreeMap::new(),
            on_workers: Vec::new(),
            stalled: Vec::new(),
            kicks: 0,
            next: None,
        }
    }

    /// How far the block that is furthest behind may run; 0 if none may. `next` is the block to be started next, if there is one.
    pub fn slack(&mut self, next: Option<u64>) -> u64 {
        if let (None, Some(block)) = (self.next, next) {
            self.next = self.pacing.start(block).map(|(at, sm)| Place { sm, at });
        }
        let mut resting = self.resting.keys().map(|&(at, _)| at);
        let (first, second) = (resting.next(), resting.next());
        let (first, second) = match (first, self.next.map(|place| place.at)) {
            (Some(first), Some(next)) if first < next => (first, second.into_iter().chain([next]).min()),
            (first, Some(next)) => (next, first),
            (Some(first), None) => (first, second),
            (None, None) => return 0,
        };
        self.limit(first, second).saturating_sub(first)
    }

    /// The block that is furthest behind and how far it may run, or where block `next` of `blocks` starts.
    pub fn take(&mut self, next: u64, blocks: u64) -> Option<(Result<Box<Block>, Place>, u64)> {
        let first = self.first()?;
        let chosen = match self.next.take_if(|place| place.at == first) {
            Some(place) => Err(place),
            None => Ok(self.resting.pop_first()?.1),
        };
        // A block that has not started yet may be what this one will wait for.
        let unstarted = self.next.is_none() && next + u64::from(chosen.is_err()) < blocks;
        let waiting = if unstarted { Some(first) } else { self.first() };
        let limit = self.limit(first, waiting);
        let block = chosen.as_ref().map_or(next, |block| block.index);
        self.on_workers.push(OnWorker { block, from: first, kicks: self.kicks });
        Some((chosen, limit))
    }

    /// The moment of the block that is furthest behind, of those that wait for a worker.
    fn first(&self) -> Option<u64> {
        let resting = self.resting.first_key_value().map(|(&(at, _), _)| at);
        resting.into_iter().chain(self.next.map(|place| place.at)).min()
    }

    /// How far a block may run that has reached `from`: to the horizon, but not too far ahead of the others, of which the first waits for a
    /// worker at `waiting`.
    fn limit(&self, from: u64, waiting: Option<u64>) -> u64 {
        let on_workers = self.on_workers.iter().map(|other| other.from);
        let stalled = self.stalled.iter().map(|&(at, _)| at);
        let others = on_workers.chain(stalled).chain(waiting).min();
        let ahead = others.map_or(from.saturating_add(ALONE_NS), |other| other.saturating_add(LEAD_NS));
        self.pacing.horizon().min(ahead)
    }

    /// A worker gives the block back. Says whether there was a kick meanwhile.
    pub fn off_worker(&mut self, block: u64) -> bool {
        let at = self.on_workers.iter().position(|other| other.block == block);
        at.is_some_and(|at| self.on_workers.swap_remove(at).kicks != self.kicks)
    }

    pub fn rest(&mut self, block: Box<Block>, at: u64, stalled: bool) {
        if stalled {
            self.stalled.push((at, block));
        } else {
            self.resting.insert((at, block.index), block);
        }
    }

    /// What was not known may be known now.
    pub fn kicked(&mut self) {
        self.kicks += 1;
        for (at, block) in self.stalled.drain(..) {
            self.resting.insert((at, block.index), block);
        }
    }

    pub fn clear(&mut self) {
        self.resting.clear();
        self.stalled.clear();
    }
}
