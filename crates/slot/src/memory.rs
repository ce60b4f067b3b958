//! Words in shared memory as a protocol needs them, so that a test can run it on a memory as weak as the language allows.

use std::sync::atomic::{AtomicU64, Ordering, fence};

/// Words, by number.
pub trait Memory {
    fn load(&self, at: usize, order: Ordering) -> u64;
    fn store(&self, at: usize, word: u64, order: Ordering);
    fn fence(&self, order: Ordering);
}

impl<const N: usize> Memory for [AtomicU64; N] {
    fn load(&self, at: usize, order: Ordering) -> u64 {
        self[at].load(order)
    }

    fn store(&self, at: usize, word: u64, order: Ordering) {
        self[at].store(word, order);
    }

    fn fence(&self, order: Ordering) {
        fence(order);
    }
}

#[cfg(test)]
pub mod weak {
    use super::*;

    /// Words whose every legal order loom tries.
    pub struct Weak(Vec<loom::sync::atomic::AtomicU64>);

    impl Memory for Weak {
        fn load(&self, at: usize, order: Ordering) -> u64 {
            self.0[at].load(order)
        }

        fn store(&self, at: usize, word: u64, order: Ordering) {
            self.0[at].store(word, order);
        }

        fn fence(&self, order: Ordering) {
            loom::sync::atomic::fence(order);
        }
    }

    /// Lets `write` and `read` run at once on `words` zeros, in every way they can meet; then `read` alone.
    pub fn check(words: usize, write: fn(&Weak), read: fn(&Weak)) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let zeros = (0..words).map(|_| loom::sync::atomic::AtomicU64::new(0));
            let memory = loom::sync::Arc::new(Weak(zeros.collect()));
            let other = loom::sync::Arc::clone(&memory);
            let reader = loom::thread::spawn(move || read(&other));
            write(&memory);
            reader.join().unwrap();
            read(&memory);
        });
    }
}
