//! Waiting for a word in a shared page to change, across processes.

use std::sync::atomic::AtomicU32;

use crate::{clock, sys_unsafe};

/// Sleeps while `word` is `expected`: until woken, or until [`clock::now_ns`] reaches `until`. False if the time came first.
/// May return early; the caller looks at the word again.
pub fn wait(word: &AtomicU32, expected: u32, until: Option<u64>) -> bool {
    sys_unsafe::futex_wait(word, expected, until.map(clock::own))
}

/// Wakes at most `count` of those who wait for `word`.
pub fn wake(word: &AtomicU32, count: u32) {
    sys_unsafe::futex_wake(word, count);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::SeqCst;

    use super::*;

    #[test]
    fn a_wait_ends_by_change_wake_or_time() {
        let word = AtomicU32::new(1);
        assert!(wait(&word, 0, None), "another value already");
        let at = clock::now_ns() + 2_000_000;
        assert!(!wait(&word, 1, Some(at)));
        assert!(clock::now_ns() >= at);
        assert!(!wait(&word, 1, Some(0)), "long past");

        std::thread::scope(|scope| {
            scope.spawn(|| {
                while word.load(SeqCst) == 1 {
                    wait(&word, 1, None);
                }
            });
            word.store(2, SeqCst);
            wake(&word, u32::MAX);
        });
    }
}
