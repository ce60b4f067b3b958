//! Physical memory that handles and mappings share: it is charged once and lives until the last of them is gone.

use std::collections::BTreeMap;

use crate::books::Map;
use crate::cards::Card;

/// Physical memory of this process.
#[derive(Default)]
pub struct Vmm {
    blocks: Map<Block>,
    next: u64,
    /// Handle to its block, and how many releases it takes to be rid of it.
    handles: Map<(BlockId, u64)>,
    /// Start of a mapping to its size and block.
    mappings: BTreeMap<u64, (u64, BlockId)>,
    /// Tiles of sparse arrays: which part of which array, to the block behind it.
    tiles: BTreeMap<Tile, BlockId>,
    /// References to memory that came from elsewhere. Some of it may be our own, exported and imported again.
    imports: u64,
    /// Exported memory whose own handles and mappings are gone, while imports live: it may be behind one of them.
    unclear: Vec<Paid>,
}

/// Names a block for as long as the process lives; handles are used again.
type BlockId = u64;

/// A part of a sparse array, in the words of the call that maps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tile {
    pub array: u64,
    pub part: [u64; 5],
}

struct Block {
    /// Who pays how much; nobody for memory that was imported.
    paid: Option<Paid>,
    references: u64,
    exported: bool,
}

/// What is to be given back when the last reference is gone.
#[derive(Clone, Copy)]
pub struct Paid {
    pub card: &'static Card,
    pub bytes: u64,
}

impl Paid {
    pub fn give_back(self) {
        self.card.release(self.bytes);
    }
}

/// References taken away before the driver is asked; the driver's answer decides what becomes of them.
#[must_use]
pub struct Taken {
    handles: Vec<(u64, BlockId)>,
    mappings: Vec<(u64, (u64, BlockId))>,
    tiles: Vec<(Tile, BlockId)>,
}

impl Vmm {
    /// New memory with its first handle. `None` for memory from elsewhere, whose owner pays.
    pub fn create(&mut self, handle: u64, paid: Option<Paid>) {
        let id = self.next;
        self.next += 1;
        self.imports += u64::from(paid.is_none());
        self.blocks.insert(id, Block { paid, references: 1, exported: false });
        self.handles.insert(handle, (id, 1));
    }

    /// Memory that may be imported again, here or elsewhere.
    pub fn export(&mut self, handle: u64) {
        if let Some(block) = self.handles.get(&handle).and_then(|(id, _)| self.blocks.get_mut(id)) {
            block.exported = true;
        }
    }

    /// A mapping is about to be made: from now on it keeps the memory. False if there is nothing to remember.
    pub fn map(&mut self, start: u64, size: u64, handle: u64) -> bool {
        // A mapping that the driver is about to refuse must not hide the one that stands there.
        if self.mappings.contains_key(&start) {
            return false;
        }
        let Some(id) = self.refer(handle) else { return false };
        self.mappings.insert(start, (size, id));
        true
    }

    /// A tile is about to be mapped.
    pub fn map_tile(&mut self, tile: Tile, handle: u64) {
        if let Some(id) = self.refer(handle)
            && let Some(before) = self.tiles.insert(tile, id)
        {
            self.drop_reference(before).into_iter().for_each(Paid::give_back);
        }
    }

    /// Another handle for what is mapped at an address.
    pub fn retain(&mut self, address: u64, handle: u64) {
        let Some((start, (size, id))) = self.mappings.range(..=address).next_back() else { return };
        if address - start >= *size {
            return;
        }
        let id = *id;
        if let Some(block) = self.blocks.get_mut(&id) {
            block.references += 1;
            self.handles.entry(handle).or_insert((id, 0)).1 += 1;
        }
    }

    /// Takes one reference of a handle away.
    pub fn take_handle(&mut self, handle: u64) -> Taken {
        let mut taken = Taken::nothing();
        if let Some((id, count)) = self.handles.get_mut(&handle) {
            taken.handles.push((handle, *id));
            *count -= 1;
            if *count == 0 {
                self.handles.remove(&handle);
            }
        }
        taken
    }

    /// Takes the mappings of a range away.
    pub fn take_mappings(&mut self, start: u64, size: u64) -> Taken {
        let mut taken = Taken::nothing();
        let end = start.saturating_add(size);
        let inside = |(at, (size, _)): &(&u64, &(u64, BlockId))| at.saturating_add(*size) <= end;
        taken.mappings =
            self.mappings.range(start..end).filter(inside).map(|(at, what)| (*at, *what)).collect();
        for (at, _) in &taken.mappings {
            self.mappings.remove(at);
        }
        taken
    }

    /// Takes tiles away: one, or all of an array.
    pub fn take_tiles(&mut self, of: impl Fn(&Tile) -> bool) -> Taken {
        let mut taken = Taken::nothing();
        taken.tiles = self.tiles.iter().filter(|(tile, _)| of(tile)).map(|(tile, id)| (*tile, *id)).collect();
        for (tile, _) in &taken.tiles {
            self.tiles.remove(tile);
        }
        taken
    }

    /// The driver did as it was told: what nobody refers to any more is returned, to be given back.
    #[must_use]
    pub fn confirm(&mut self, taken: Taken) -> Vec<Paid> {
        let handles = taken.handles.iter().map(|(_, id)| *id);
        let mappings = taken.mappings.iter().map(|(_, (_, id))| *id);
        let tiles = taken.tiles.iter().map(|(_, id)| *id);
        let ids: Vec<_> = handles.chain(mappings).chain(tiles).collect();
        let mut paid: Vec<_> = ids.into_iter().filter_map(|id| self.drop_reference(id)).collect();
        if self.imports == 0 {
            paid.append(&mut self.unclear);
        }
        paid
    }

    /// The driver refused: all is as before.
    pub fn undo(&mut self, taken: Taken) {
        for (handle, id) in taken.handles {
            self.handles.entry(handle).or_insert((id, 0)).1 += 1;
        }
        self.mappings.extend(taken.mappings);
        self.tiles.extend(taken.tiles);
    }

    fn refer(&mut self, handle: u64) -> Option<BlockId> {
        let (id, _) = self.handles.get(&handle)?;
        self.blocks.get_mut(id)?.references += 1;
        Some(*id)
    }

    fn drop_reference(&mut self, id: BlockId) -> Option<Paid> {
        let block = self.blocks.get_mut(&id)?;
        block.references -= 1;
        if block.references > 0 {
            return None;
        }
        let block = self.blocks.remove(&id)?;
        self.imports -= u64::from(block.paid.is_none());
        if block.exported && self.imports > 0 {
            self.unclear.extend(block.paid);
            return None;
        }
        block.paid
    }
}

impl Taken {
    fn nothing() -> Taken {
        Taken { handles: Vec::new(), mappings: Vec::new(), tiles: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cleave_api::cuda::types::CUdevice;

    const SIZE: u64 = 2 << 20;

    fn paid() -> Option<Paid> {
        Some(Paid { card: Box::leak(Box::new(Card::without_grant(CUdevice(0)))), bytes: SIZE })
    }

    fn gone(vmm: &mut Vmm, taken: Taken) -> u64 {
        vmm.confirm(taken).iter().map(|paid| paid.bytes).sum()
    }

    #[test]
    fn a_mapping_keeps_what_its_handle_lets_go() {
        let mut vmm = Vmm::default();
        vmm.create(7, paid());
        assert!(vmm.map(0x1000, SIZE, 7));
        let taken = vmm.take_handle(7);
        assert_eq!(gone(&mut vmm, taken), 0);
        vmm.retain(0x1000 + SIZE - 1, 9);
        vmm.retain(0x1000 + SIZE, 10);
        let taken = vmm.take_mappings(0x1000, SIZE);
        assert_eq!(gone(&mut vmm, taken), 0, "the handle that was found by the address keeps it");
        let taken = vmm.take_handle(10);
        assert_eq!(gone(&mut vmm, taken), 0, "behind the end there was nothing");
        let taken = vmm.take_handle(9);
        assert_eq!(gone(&mut vmm, taken), SIZE);
        let taken = vmm.take_handle(9);
        assert_eq!(gone(&mut vmm, taken), 0, "once only");
    }

    #[test]
    fn what_the_driver_refuses_stays() {
        let mut vmm = Vmm::default();
        vmm.create(7, paid());
        assert!(vmm.map(0x1000, SIZE, 7));
        assert!(!vmm.map(0x1000, SIZE, 7), "something is there already");
        assert!(!vmm.map(0x9000, SIZE, 8), "no such handle");
        let (handle, mapping) = (vmm.take_handle(7), vmm.take_mappings(0x1000, SIZE));
        vmm.undo(handle);
        vmm.undo(mapping);
        let taken = vmm.take_mappings(0, u64::MAX);
        assert_eq!(gone(&mut vmm, taken), 0);
        let taken = vmm.take_handle(7);
        assert_eq!(gone(&mut vmm, taken), SIZE);
    }

    #[test]
    fn a_handle_that_is_used_again_is_another_memory() {
        let mut vmm = Vmm::default();
        vmm.create(7, paid());
        assert!(vmm.map(0x1000, SIZE, 7));
        let taken = vmm.take_handle(7);
        assert_eq!(gone(&mut vmm, taken), 0);
        vmm.create(7, paid());
        let taken = vmm.take_handle(7);
        assert_eq!(gone(&mut vmm, taken), SIZE, "the second");
        let taken = vmm.take_mappings(0x1000, SIZE);
        assert_eq!(gone(&mut vmm, taken), SIZE, "the first");
    }

    #[test]
    fn exported_memory_is_charged_while_it_may_be_behind_an_import() {
        let mut vmm = Vmm::default();
        vmm.create(7, paid());
        vmm.export(7);
        vmm.create(8, None);
        let taken = vmm.take_handle(7);
        assert_eq!(gone(&mut vmm, taken), 0);
        let taken = vmm.take_handle(8);
        assert_eq!(gone(&mut vmm, taken), SIZE);
    }

    #[test]
    fn tiles_keep_memory_until_they_or_their_array_go() {
        let mut vmm = Vmm::default();
        vmm.create(7, paid());
        let tile = |part| Tile { array: 3, part: [part, 0, 0, 0, 0] };
        vmm.map_tile(tile(1), 7);
        vmm.map_tile(tile(2), 7);
        let taken = vmm.take_handle(7);
        assert_eq!(gone(&mut vmm, taken), 0);
        let taken = vmm.take_tiles(|other| *other == tile(1));
        assert_eq!(gone(&mut vmm, taken), 0);
        let taken = vmm.take_tiles(|other| other.array == 3);
        assert_eq!(gone(&mut vmm, taken), SIZE);
    }
}
