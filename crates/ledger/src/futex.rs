//! Waiting for a word in a shared page to change, across processes.

use std::sync::atomic::AtomicU32;

use crate::{clock, sys_unsafe};

/// Sleeps while `word` is `expected`: until woken, or until [`clock::now_ns`] reaches `until`. False if the time came first.
/// May return early; the caller looks at the word again.
pub fn wait(word: &AtomicU32, expected: u32, until: Option<u64>) -> bool {
    sys_unsafe::futex_wait(word, expected, until.map(clock::own))
}

/// The most words that are waited on together.
pub const MOST: usize = 128;

/// Where the kernel cannot wait on several words, how long until they are looked at again.
const NAP: u64 = 500_000;

/// As [`wait`], on several words: sleeps while each of them is as expected. Of more than [`MOST`] words the first are waited on,
/// and of none only the time is waited for.
pub fn wait_any(words: &[(&AtomicU32, u32)], until: Option<u64>) -> bool {
    let words = &words[..words.len().min(MOST)];
    match words {
        [] => {}
        [(word, expected)] => return wait(word, *expected, until),
        _ => {
            if let Some(woken) = sys_unsafe::futex_wait_any(words, until.map(clock::own)) {
                return woken;
            }
        }
    }
    let nap = clock::now_ns().saturating_add(NAP);
    let end = until.map_or(nap, |until| until.min(nap));
    clock::sleep_until(end);
    until != Some(end)
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

    #[test]
    fn any_of_several_words_ends_a_wait() {
        let words: Vec<AtomicU32> = (0..200).map(|_| AtomicU32::new(1)).collect();
        let all: Vec<(&AtomicU32, u32)> = words.iter().map(|word| (word, 1)).collect();
        for few in [&all[..0], &all[..1], &all[..3], &all[..]] {
            let at = clock::now_ns() + 2_000_000;
            while wait_any(few, Some(at)) {}
            assert!(clock::now_ns() >= at, "{} words", few.len());
        }
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while words[1].load(SeqCst) == 1 {
                    wait_any(&all[..3], None);
                }
            });
            words[1].store(2, SeqCst);
            wake(&words[1], 1);
        });
        assert!(wait_any(&all[..3], None), "another value already");
    }
}
