//! Who pays for what: handle or address to size, device and context. Sharded, so that threads seldom meet, and at constant
//! cost however much is alive.

use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, Mutex};

use cleave_api::cuda::types::CUcontext;

use crate::books::{Map, lock};
use crate::cards::Card;
use crate::pools::Pool;

/// Something that holds device memory.
#[derive(Clone)]
pub struct Entry {
    pub bytes: u64,
    pub card: &'static Card,
    pub context: CUcontext,
    /// The pool it came from: then the pool pays.
    pub pool: Option<Arc<Pool>>,
}

/// Entries by handle or address.
pub struct Entries {
    shards: [Mutex<Shard>; SHARDS],
}

/// A part of them. The last one that came in stands apart: what is freed next is often what was made last, and then a map of
/// tens of thousands, which no cache holds, is not touched.
#[derive(Default)]
#[repr(align(64))]
struct Shard {
    last: Option<(u64, Entry)>,
    others: Map<Entry>,
}

const SHARDS: usize = 64;

impl Default for Entries {
    fn default() -> Entries {
        Entries { shards: std::array::from_fn(|_| Mutex::default()) }
    }
}

impl Entries {
    pub fn insert(&self, key: u64, entry: Entry) {
        let mut shard = lock(self.shard(key));
        if let Some((key, entry)) = shard.last.replace((key, entry)) {
            shard.others.insert(key, entry);
        }
    }

    /// Takes an entry out before the driver is asked to free what it stands for: the driver may hand the same address out
    /// again before it returns to us.
    pub fn take(&self, key: u64) -> Option<Entry> {
        let mut shard = lock(self.shard(key));
        match shard.last.take_if(|(last, _)| *last == key) {
            Some((_, entry)) => Some(entry),
            None => shard.others.remove(&key),
        }
    }

    /// Takes out all of one context. Memory of pools belongs to no context.
    pub fn take_of(&self, context: CUcontext) -> Vec<Entry> {
        let of = |entry: &Entry| entry.context == context && entry.pool.is_none();
        let mut taken = Vec::new();
        for shard in &self.shards {
            let shard = &mut *lock(shard);
            taken.extend(shard.last.take_if(|(_, entry)| of(entry)).map(|(_, entry)| entry));
            taken.extend(shard.others.extract_if(|_, entry| of(entry)).map(|(_, entry)| entry));
        }
        taken
    }

    fn shard(&self, key: u64) -> &Mutex<Shard> {
        &self.shards[(mix(key) >> 40) as usize % SHARDS]
    }
}

/// Spreads keys that are multiples of something.
fn mix(key: u64) -> u64 {
    let product = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ (product >> 32)
}

/// Hashes a single number.
#[derive(Clone, Copy, Default)]
pub struct Mix(u64);

impl BuildHasher for Mix {
    type Hasher = Mix;

    fn build_hasher(&self) -> Mix {
        Mix(0)
    }
}

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = mix(self.0 ^ key);
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
