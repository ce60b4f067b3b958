//! The last refusal of a process, readable while it is written and after its writer was killed.
//!
//! There are two faces. Refusal n is written on face n % 2 and then counted; so the face that counts is whole at every moment,
//! also if the writer dies over the other. A reader that is overtaken twice reads again, a few times at most.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cleave_ledger::shared;

use crate::memory::Memory;
use crate::text;

/// Words of a function's name.
const SYMBOL_WORDS: usize = 5;
/// Words of a face: the name, wanted, free, when.
const FACE: usize = SYMBOL_WORDS + 3;
const WORDS: usize = 1 + 2 * FACE;

/// How often a reader tries: the writer would have to refuse as often while it reads.
const TRIES: usize = 16;

shared! {
    /// The count of refusals, and the two faces.
    pub struct DenialWords {
        words: [AtomicU64; WORDS],
    }
}

/// The words of the face for refusal `number`, if a face has `N`.
fn face<const N: usize>(number: u64) -> impl Iterator<Item = usize> {
    let first = 1 + (number % 2) as usize * N;
    first..first + N
}

/// Writes the next refusal. One writer at a time.
fn write<const N: usize>(memory: &impl Memory, words: &[u64; N]) {
    let next = memory.load(0, Relaxed).wrapping_add(1);
    // Whoever sees a word of this face sees that the other one counts already.
    memory.fence(Release);
    for (at, word) in face::<N>(next).zip(words) {
        memory.store(at, *word, Relaxed);
    }
    memory.store(0, next, Release);
}

/// How many refusals there were, and the last one.
fn read<const N: usize>(memory: &impl Memory) -> Option<(u64, [u64; N])> {
    for _ in 0..TRIES {
        let number = memory.load(0, Acquire);
        let mut words = [0; N];
        for (at, word) in face::<N>(number).zip(&mut words) {
            *word = memory.load(at, Relaxed);
        }
        memory.fence(Acquire);
        if memory.load(0, Relaxed) == number {
            return Some((number, words));
        }
    }
    None
}

/// The last refusal of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Denial {
    /// The function that was refused.
    pub symbol: String,
    /// Bytes it asked for.
    pub wanted: u64,
    /// Bytes that were free.
    pub free: u64,
    /// When, on the clock of the initial time namespace ([`cleave_ledger::clock::now_ns`]).
    pub when_ns: u64,
    /// How many refusals this process has seen.
    pub count: u64,
}

impl DenialWords {
    /// How many refusals the record has seen.
    pub fn count(&self) -> u64 {
        self.words[0].load(Acquire)
    }

    /// Writes down a refusal. The caller is the only thread that does.
    pub fn write(&self, symbol: &str, wanted: u64, free: u64, when_ns: u64) {
        let mut words = [0; FACE];
        words[..SYMBOL_WORDS].copy_from_slice(&text::pack::<SYMBOL_WORDS>(symbol));
        words[SYMBOL_WORDS..].copy_from_slice(&[wanted, free, when_ns]);
        write(&self.words, &words);
    }

    /// The last refusal since there had been `earlier` ones, if any.
    pub fn last(&self, earlier: u64) -> Option<Denial> {
        let (number, words) = read::<FACE>(&self.words)?;
        let count = number.wrapping_sub(earlier);
        let [wanted, free, when_ns] = std::array::from_fn(|at| words[SYMBOL_WORDS + at]);
        let symbol = text::unpack(&words[..SYMBOL_WORDS]);
        (count > 0).then_some(Denial { symbol, wanted, free, when_ns, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::weak;

    fn empty() -> DenialWords {
        DenialWords { words: [const { AtomicU64::new(0) }; WORDS] }
    }

    #[test]
    fn the_last_refusal_is_the_one_that_is_seen() {
        let words = empty();
        assert_eq!(words.last(0), None);
        for number in 1..=3 {
            words.write("cuMemAlloc_v2", number, 10, 77);
            let denial = Denial {
                symbol: "cuMemAlloc_v2".into(),
                wanted: number,
                free: 10,
                when_ns: 77,
                count: number,
            };
            assert_eq!(words.last(0), Some(denial));
        }
        assert_eq!(words.last(2).unwrap().count, 1, "of the present owner");
        assert_eq!(words.last(3), None);
    }

    #[test]
    fn a_writer_that_is_killed_leaves_the_refusal_before() {
        let words = empty();
        words.write("cuMemCreate", 1, 2, 3);
        // It came as far as the middle of the other face.
        words.words[1].store(u64::MAX, Relaxed);
        words.words[2].store(u64::MAX, Relaxed);
        assert_eq!(words.last(0).unwrap().symbol, "cuMemCreate");
        words.write("cuMemAlloc_v2", 4, 5, 6);
        assert_eq!(words.last(0).unwrap().symbol, "cuMemAlloc_v2");
    }

    /// What is read is one refusal, never parts of two.
    #[test]
    fn a_reader_never_sees_parts_of_two_refusals() {
        let writes = |memory: &weak::Weak| (1..=3).for_each(|number| write(memory, &[number, number * 10]));
        weak::check(5, writes, |memory| {
            let (number, words) = read::<2>(memory).expect("three refusals do not exhaust a reader");
            assert_eq!(words, [number, number * 10]);
        });
    }
}
