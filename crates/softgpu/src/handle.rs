//! Handles: what a program holds instead of pointers into our memory.
//!
//! A handle names a slot and the generation of its use, so a handle that was destroyed, invented or of another kind is
//! found out by comparison and is never followed. Handles look like pointers (below 2^47, aligned, never a small number).

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// What a handle refers to. A stream handle given where an event is wanted is a wrong handle.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(usize)]
pub enum Kind {
    Context = 1,
    Module,
    Function,
    Library,
    Kernel,
    Link,
    Stream,
    Event,
    Graph,
    GraphNode,
    GraphExec,
    Array,
    MipmappedArray,
    Pool,
    Allocation,
    UserObject,
}

/// Objects of one kind, found by handle.
pub struct Table<T> {
    kind: Kind,
    slots: RwLock<Slots<T>>,
}

struct Slots<T> {
    slots: Vec<Slot<T>>,
    /// Oldest first: a slot rests as long as possible before its next generation.
    free: VecDeque<usize>,
}

struct Slot<T> {
    generation: usize,
    value: Option<Arc<T>>,
}

const MARK: usize = 1 << 46;
const KIND_SHIFT: u32 = 41;
const GENERATION_SHIFT: u32 = 24;
const GENERATIONS: usize = 1 << (KIND_SHIFT - GENERATION_SHIFT);
const INDEX_SHIFT: u32 = 4;
const INDICES: usize = 1 << (GENERATION_SHIFT - INDEX_SHIFT);

impl<T> Table<T> {
    pub fn new(kind: Kind) -> Self {
        Table { kind, slots: RwLock::new(Slots { slots: Vec::new(), free: VecDeque::new() }) }
    }

    /// Stores `value` and names it. `None` when a million objects of this kind live.
    pub fn insert(&self, value: Arc<T>) -> Option<usize> {
        self.insert_with(|_| value)
    }

    /// Like [`insert`](Self::insert) for values that know their own handle.
    pub fn insert_with(&self, make: impl FnOnce(usize) -> Arc<T>) -> Option<usize> {
        let mut slots = self.write();
        let index = match slots.free.pop_front() {
            Some(index) => index,
            None if slots.slots.len() < INDICES => {
                slots.slots.push(Slot { generation: 0, value: None });
                slots.slots.len() - 1
            }
            None => return None,
        };
        let slot = &mut slots.slots[index];
        slot.generation = (slot.generation + 1) % GENERATIONS;
        let handle = self.encode(index, slot.generation);
        slot.value = Some(make(handle));
        Some(handle)
    }

    pub fn get(&self, handle: usize) -> Option<Arc<T>> {
        let (index, generation) = self.decode(handle)?;
        let slots = self.read();
        let slot = slots.slots.get(index)?;
        if slot.generation != generation { None } else { slot.value.clone() }
    }

    pub fn remove(&self, handle: usize) -> Option<Arc<T>> {
        let (index, generation) = self.decode(handle)?;
        let mut slots = self.write();
        let slot = slots.slots.get_mut(index)?;
        if slot.generation != generation {
            return None;
        }
        let value = slot.value.take()?;
        slots.free.push_back(index);
        Some(value)
    }

    /// Every live object, in no promised order.
    pub fn all(&self) -> Vec<Arc<T>> {
        self.read().slots.iter().filter_map(|slot| slot.value.clone()).collect()
    }

    /// Removes all objects that `keep` does not want to keep.
    pub fn retain(&self, keep: impl Fn(&T) -> bool) {
        let mut gone = Vec::new();
        let mut slots = self.write();
        let Slots { slots: list, free } = &mut *slots;
        for (index, slot) in list.iter_mut().enumerate() {
            if let Some(value) = slot.value.take_if(|value| !keep(value)) {
                gone.push(value);
                free.push_back(index);
            }
        }
        drop(slots);
        // Here, not under the lock: dropping an object may run code of ours.
        drop(gone);
    }

    fn encode(&self, index: usize, generation: usize) -> usize {
        MARK | (self.kind as usize) << KIND_SHIFT | generation << GENERATION_SHIFT | index << INDEX_SHIFT
    }

    fn decode(&self, handle: usize) -> Option<(usize, usize)> {
        let index = (handle >> INDEX_SHIFT) % INDICES;
        let generation = (handle >> GENERATION_SHIFT) % GENERATIONS;
        (self.encode(index, generation) == handle).then_some((index, generation))
    }

    // A panic elsewhere cannot leave a slot half written: every change is one assignment.
    fn read(&self) -> RwLockReadGuard<'_, Slots<T>> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Slots<T>> {
        self.slots.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_good_until_removed() {
        let table = Table::new(Kind::Event);
        let handle = table.insert(Arc::new(7)).unwrap();
        assert_eq!(table.get(handle).as_deref(), Some(&7));
        assert_eq!(table.remove(handle).as_deref(), Some(&7));
        assert_eq!(table.get(handle), None);
        assert_eq!(table.remove(handle), None);
        let next = table.insert(Arc::new(8)).unwrap();
        assert_ne!(next, handle, "a reused slot gets a new generation");
        assert_eq!(table.get(handle), None);
    }

    #[test]
    fn foreign_values_are_not_followed() {
        let events = Table::new(Kind::Event);
        let streams = Table::new(Kind::Stream);
        let stream = streams.insert(Arc::new(())).unwrap();
        events.insert(Arc::new(())).unwrap();
        for wrong in [0, 1, 2, 0x10, stream, stream | 1, usize::MAX, 0x7fff_dead_beef] {
            assert!(events.get(wrong).is_none(), "{wrong:#x}");
        }
    }

    #[test]
    fn handles_look_like_pointers() {
        let table = Table::new(Kind::UserObject);
        for i in 0..1000 {
            let handle = table.insert(Arc::new(i)).unwrap();
            assert!(handle > 0xffff && handle < 1 << 47 && handle % 8 == 0);
        }
        assert_eq!(table.all().len(), 1000);
    }
}
