//! What memory that can move consists of: segments, each of its own physical memory, and the blocks in them that the program
//! has. Large blocks have a segment to themselves; small ones share one, as the driver's own do.

use std::collections::BTreeMap;

use cleave_api::cuda::types::CUcontext;

use crate::cards::Card;

/// Blocks begin at multiples of this, as the driver's do.
const ALIGN: u64 = 512;

/// All of a process's memory that can move.
#[derive(Default)]
pub struct Blocks {
    segments: BTreeMap<u64, Segment>,
    blocks: BTreeMap<u64, Block>,
    /// What each pool has given out now, and the most it ever had.
    pools: BTreeMap<usize, Level>,
    made: u64,
}

/// Addresses with memory of their own behind them.
#[derive(Clone)]
pub struct Segment {
    pub start: u64,
    pub bytes: u64,
    pub card: &'static Card,
    /// What of it is free: start to length. Neighbours are one.
    gaps: BTreeMap<u64, u64>,
}

/// What the program got from one call.
#[derive(Clone, Copy)]
pub struct Block {
    pub start: u64,
    /// As many as it asked for.
    pub bytes: u64,
    /// Tells it from whatever was at its address before.
    pub id: u64,
    pub card: &'static Card,
    /// The context it was made in, and with which it goes; that of pools belongs to none.
    pub owner: Option<CUcontext>,
    /// The pool it was asked from, or 0.
    pub pool: usize,
    /// Freed in stream order, and not yet out of use.
    pub freed: bool,
    segment: u64,
}

/// What a pool has given out.
#[derive(Clone, Copy, Default)]
pub struct Level {
    pub now: u64,
    pub most: u64,
}

/// Whose a new block is.
#[derive(Clone, Copy)]
pub struct Whose {
    pub card: &'static Card,
    pub owner: Option<CUcontext>,
    pub pool: usize,
}

impl Blocks {
    /// A block from what is free in the segments there are; only small ones are looked for.
    pub fn find(&mut self, bytes: u64, grain: u64, whose: Whose) -> Option<u64> {
        let room = bytes.checked_next_multiple_of(ALIGN).filter(|room| *room < grain)?;
        let on_card =
            |segment: &&mut Segment| segment.bytes == grain && segment.card.device == whose.card.device;
        let segment = self.segments.values_mut().filter(on_card).find_map(|segment| {
            let (start, length) = segment.gaps.iter().find(|(_, length)| **length >= room)?;
            let (start, length) = (*start, *length);
            segment.gaps.remove(&start);
            if length > room {
                segment.gaps.insert(start + room, length - room);
            }
            Some((segment.start, start))
        });
        let (segment, start) = segment?;
        Some(self.note(start, bytes, segment, whose))
    }

    /// A new segment, and the block it was made for at its beginning.
    pub fn add(&mut self, start: u64, segment: u64, bytes: u64, whose: Whose) -> u64 {
        let mut gaps = BTreeMap::new();
        let room = bytes.next_multiple_of(ALIGN);
        if room < segment {
            gaps.insert(start + room, segment - room);
        }
        self.segments.insert(start, Segment { start, bytes: segment, card: whose.card, gaps });
        self.note(start, bytes, start, whose)
    }

    fn note(&mut self, start: u64, bytes: u64, segment: u64, whose: Whose) -> u64 {
        self.made += 1;
        let Whose { card, owner, pool } = whose;
        let block = Block { start, bytes, id: self.made, card, owner, pool, freed: false, segment };
        self.blocks.insert(start, block);
        if pool != 0 {
            let level = self.pools.entry(pool).or_default();
            level.now += bytes;
            level.most = level.most.max(level.now);
        }
        start
    }

    /// The block that holds an address.
    pub fn holding(&self, address: u64) -> Option<Block> {
        let (start, block) = self.blocks.range(..=address).next_back()?;
        (address - start < block.bytes && !block.freed).then_some(*block)
    }

    /// The block that begins at an address.
    pub fn at(&self, start: u64) -> Option<Block> {
        self.blocks.get(&start).copied().filter(|block| !block.freed)
    }

    /// The program is done with a block, once its stream has come so far. Nothing else finds it from now on.
    pub fn free_later(&mut self, start: u64) {
        if let Some(block) = self.blocks.get_mut(&start) {
            block.freed = true;
        }
    }

    /// A block is no longer in use. The segment it was in, if that was the last.
    #[must_use]
    pub fn remove(&mut self, start: u64) -> Option<Segment> {
        let block = self.blocks.remove(&start)?;
        if let Some(level) = self.pools.get_mut(&block.pool) {
            level.now = level.now.saturating_sub(block.bytes);
        }
        let segment = self.segments.get_mut(&block.segment)?;
        let (mut from, mut to) = (start, start + block.bytes.next_multiple_of(ALIGN));
        if let Some((before, length)) = segment.gaps.range(..from).next_back()
            && before + length == from
        {
            from = *before;
        }
        if let Some(length) = segment.gaps.remove(&to) {
            to += length;
        }
        // The rest of a segment behind its only block is no gap that anybody gets.
        let whole = from == segment.start && to >= segment.start + segment.bytes;
        segment.gaps.insert(from, to - from);
        if whole { self.segments.remove(&block.segment) } else { None }
    }

    /// Blocks that go with a context.
    pub fn of(&self, context: CUcontext) -> Vec<u64> {
        self.blocks.values().filter(|block| block.owner == Some(context)).map(|block| block.start).collect()
    }

    /// What a pool has given out.
    pub fn level(&self, pool: usize) -> Level {
        self.pools.get(&pool).copied().unwrap_or_default()
    }

    /// The most that a pool had is counted anew.
    pub fn forget_most(&mut self, pool: usize) {
        if let Some(level) = self.pools.get_mut(&pool) {
            level.most = level.now;
        }
    }

    /// All segments.
    pub fn segments(&self) -> Vec<Segment> {
        self.segments.values().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cleave_api::cuda::types::CUdevice;

    const GRAIN: u64 = 2 << 20;
    const BASE: u64 = 0x7000_0000_0000;

    fn whose(context: usize) -> Whose {
        let card = Box::leak(Box::new(Card::without_grant(CUdevice(0))));
        Whose { card, owner: Some(CUcontext(context)), pool: 0 }
    }

    #[test]
    fn small_blocks_share_a_segment_until_the_last_is_gone() {
        let (mut blocks, whose) = (Blocks::default(), whose(1));
        assert_eq!(blocks.find(100, GRAIN, whose), None);
        assert_eq!(blocks.add(BASE, GRAIN, 100, whose), BASE);
        let second = blocks.find(1000, GRAIN, whose).unwrap();
        let third = blocks.find(GRAIN - 1024, GRAIN, whose);
        assert_eq!((second, third), (BASE + 512, None), "it does not fit any more");
        let third = blocks.find(GRAIN - 3 * 512, GRAIN, whose).unwrap();
        assert_eq!(third, BASE + 3 * 512);
        assert_eq!(blocks.holding(second + 999).map(|block| block.start), Some(second));
        assert!(blocks.holding(second + 1000).is_none(), "not the bytes that alignment costs");
        assert!(blocks.at(second + 512).is_none());
        // In any order: gaps grow together, and the last block takes the segment with it.
        assert!(blocks.remove(BASE).is_none());
        assert!(blocks.remove(third).is_none());
        assert_eq!(blocks.remove(second).map(|segment| segment.start), Some(BASE));
        assert!(blocks.segments().is_empty() && blocks.remove(second).is_none());
    }

    #[test]
    fn large_blocks_are_alone() {
        let (mut blocks, whose) = (Blocks::default(), whose(1));
        blocks.add(BASE, 3 * GRAIN, 2 * GRAIN + 5, whose);
        assert_eq!(blocks.find(512, GRAIN, whose), None, "the rest of a large one is nobody's");
        assert_eq!(blocks.remove(BASE).map(|segment| segment.bytes), Some(3 * GRAIN));
    }

    #[test]
    fn a_block_freed_in_stream_order_is_found_by_nobody() {
        let (mut blocks, whose) = (Blocks::default(), Whose { pool: 7, ..whose(1) });
        blocks.add(BASE, GRAIN, 4096, whose);
        assert_eq!((blocks.level(7).now, blocks.level(7).most), (4096, 4096));
        blocks.free_later(BASE);
        assert!(blocks.at(BASE).is_none() && blocks.holding(BASE).is_none());
        assert_eq!(blocks.level(7).now, 4096, "it is still in use");
        assert!(blocks.remove(BASE).is_some());
        assert_eq!((blocks.level(7).now, blocks.level(7).most), (0, 4096));
        blocks.forget_most(7);
        assert_eq!(blocks.level(7).most, 0);
    }

    #[test]
    fn blocks_go_with_their_context() {
        let mut blocks = Blocks::default();
        blocks.add(BASE, GRAIN, 1, whose(1));
        blocks.add(BASE + GRAIN, GRAIN, 1, Whose { owner: None, ..whose(1) });
        blocks.add(BASE + 2 * GRAIN, GRAIN, 1, whose(2));
        assert_eq!((blocks.of(CUcontext(1)), blocks.of(CUcontext(2))), (vec![BASE], vec![BASE + 2 * GRAIN]));
    }
}
