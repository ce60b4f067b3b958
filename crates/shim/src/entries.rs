//! Who pays for what: handle or address to size, device and context, at constant cost however much is alive.

use std::sync::{Arc, Mutex};

use cleave_api::cuda::types::CUcontext;

use crate::books::lock;
use crate::cards::Card;
use crate::pools::Pool;
use crate::table::{self, Table};

/// Something that holds device memory.
#[derive(Clone)]
pub struct Entry {
    pub bytes: u64,
    pub card: &'static Card,
    pub context: CUcontext,
    /// The pool it came from: then the pool pays.
    pub pool: Option<Arc<Pool>>,
}

/// Entries by handle or address, in parts so that threads seldom meet. Addresses near each other are in one part.
pub struct Entries {
    parts: [Mutex<Table<Entry>>; 1 << PARTS],
}

/// Parts: 2 to the power of this.
const PARTS: u32 = 6;

impl Default for Entries {
    fn default() -> Entries {
        Entries { parts: std::array::from_fn(|_| Mutex::default()) }
    }
}

impl Entries {
    pub fn insert(&self, key: u64, entry: Entry) {
        lock(self.part(key)).insert(key, entry);
    }

    /// Takes an entry out before the driver is asked to free what it stands for: the driver may hand the same address out
    /// again before it returns to us.
    pub fn take(&self, key: u64) -> Option<Entry> {
        lock(self.part(key)).remove(key)
    }

    /// Takes out all of one context. Memory of pools belongs to no context.
    pub fn take_of(&self, context: CUcontext) -> Vec<Entry> {
        let of = |entry: &Entry| entry.context == context && entry.pool.is_none();
        self.parts.iter().flat_map(|part| lock(part).extract(of)).collect()
    }

    fn part(&self, key: u64) -> &Mutex<Table<Entry>> {
        &self.parts[table::part(key, PARTS)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cleave_api::cuda::types::CUdevice;

    #[test]
    fn each_is_found_once_and_those_of_a_context_together() {
        let entries = Entries::default();
        let card: &'static Card = Box::leak(Box::new(Card::without_grant(CUdevice(0))));
        let entry = |bytes, context| Entry { bytes, card, context: CUcontext(context), pool: None };
        for n in 0..1000 {
            entries.insert(n * 512, entry(n, n as usize % 2));
        }
        for n in (0..1000).step_by(10) {
            assert_eq!(entries.take(n * 512).map(|entry| entry.bytes), Some(n));
            assert!(entries.take(n * 512).is_none());
        }
        let odd: u64 = (1..1000).step_by(2).sum();
        assert_eq!(entries.take_of(CUcontext(1)).iter().map(|entry| entry.bytes).sum::<u64>(), odd);
        assert_eq!(entries.take_of(CUcontext(0)).len(), 400);
        assert!(entries.take_of(CUcontext(0)).is_empty());
    }
}
