//! The open batch, as threads that pass it see it: one word that they draw from, without a lock.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// The most streams one batch touches.
pub const STREAMS: usize = 8;

/// What is left in the open batch.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Left {
    pub ns: u64,
    pub commands: u32,
}

const NS_BITS: u32 = 40;
const COMMAND_BITS: u32 = 12;
const ONE_COMMAND: u64 = 1 << NS_BITS;
/// The most nanoseconds and commands a batch has room for.
pub const MOST: Left = Left { ns: ONE_COMMAND - 1, commands: (1 << COMMAND_BITS) - 1 };

/// The word, `number of the batch:12 | commands left:12 | nanoseconds left:40`, and what has to fit besides. With no commands
/// left it is sealed: whoever comes goes the slow way.
#[derive(Default)]
pub struct Open {
    word: AtomicU64,
    turn: AtomicU64,
    streams: [AtomicU64; STREAMS],
}

impl Open {
    /// Draws a command of `cost` for `stream` in `turn`, unless it would be the last one.
    #[inline]
    pub fn take(&self, cost: u64, stream: u64, turn: u64) -> bool {
        let mut word = self.word.load(Acquire);
        loop {
            let left = unpack(word);
            let fits = left.ns > cost && left.commands > 1;
            if !fits || self.turn.load(Relaxed) != turn || !self.has(stream) {
                return false;
            }
            // The number of the batch is in the word: the streams that were looked at are this one's.
            match self.word.compare_exchange_weak(word, word - ONE_COMMAND - cost, AcqRel, Acquire) {
                Ok(_) => return true,
                Err(newer) => word = newer,
            }
        }
    }

    /// Whether the batch touches a stream.
    #[inline]
    pub fn has(&self, stream: u64) -> bool {
        self.streams.iter().any(|known| known.load(Relaxed) == stream)
    }

    /// Closes the word, and says what was left. Only who holds the gate's lock seals and opens.
    pub fn seal(&self) -> Left {
        let word = self.word.load(Relaxed);
        if word & !NUMBER == 0 {
            return Left::default();
        }
        unpack(self.word.fetch_and(NUMBER, AcqRel))
    }

    /// Opens the word again.
    pub fn unseal(&self, left: Left, turn: u64) {
        self.turn.store(turn, Relaxed);
        let left = u64::from(left.commands.min(MOST.commands)) << NS_BITS | left.ns.min(MOST.ns);
        self.word.store(self.word.load(Relaxed) & NUMBER | left, Release);
    }

    /// Adds a stream to the sealed batch, if there is room.
    pub fn touch(&self, stream: u64) -> bool {
        let free = || self.streams.iter().find(|place| place.load(Relaxed) == 0);
        self.has(stream) || free().map(|place| place.store(stream, Relaxed)).is_some()
    }

    /// Begins another batch while sealed: the streams of the last one.
    pub fn turn_over(&self) -> impl Iterator<Item = u64> + use<> {
        let streams: [u64; STREAMS] = std::array::from_fn(|at| self.streams[at].swap(0, Relaxed));
        self.word.store((self.word.load(Relaxed) & NUMBER).wrapping_add(NEXT), Release);
        streams.into_iter().filter(|stream| *stream != 0)
    }

    /// What is left now.
    pub fn left(&self) -> Left {
        unpack(self.word.load(Acquire))
    }

    /// Changes with everything that happens to the open batch.
    pub fn stamp(&self) -> u64 {
        self.word.load(Acquire)
    }

    /// Whether the batch touches nothing but this stream.
    pub fn only(&self, stream: u64) -> bool {
        self.streams.iter().map(|known| known.load(Relaxed)).all(|known| known == 0 || known == stream)
    }
}

const NEXT: u64 = 1 << (NS_BITS + COMMAND_BITS);
const NUMBER: u64 = !(NEXT - 1);

#[inline]
fn unpack(word: u64) -> Left {
    Left { ns: word & MOST.ns, commands: (word >> NS_BITS) as u32 & MOST.commands }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_drawn_until_the_last() {
        let open = Open::default();
        assert!(!open.take(1, 1, 0), "sealed from the start");
        assert!(open.touch(1));
        open.unseal(Left { ns: 100, commands: 4 }, 9);
        assert!(open.take(30, 1, 9));
        assert!(!open.take(30, 1, 8), "another turn");
        assert!(!open.take(30, 2, 9), "another stream");
        assert!(!open.take(70, 1, 9), "would be the last by time");
        assert!(open.take(30, 1, 9) && open.take(30, 1, 9));
        assert!(!open.take(1, 1, 9), "would be the last by number");
        assert_eq!(open.seal(), Left { ns: 10, commands: 1 });
        assert_eq!(open.seal(), Left::default());
        open.unseal(Left { ns: u64::MAX, commands: u32::MAX }, 9);
        assert_eq!(open.seal(), MOST);
    }

    #[test]
    fn a_batch_has_few_streams() {
        let open = Open::default();
        assert!((1..=8).all(|stream| open.touch(stream)) && open.touch(3));
        assert!(!open.touch(9));
        assert!(!open.only(1));
        assert_eq!(open.turn_over().count(), 8);
        assert!(open.touch(9) && open.only(9));
    }

    #[test]
    fn threads_draw_what_there_is_and_no_more() {
        let open = Open::default();
        open.touch(1);
        open.unseal(Left { ns: 1_000_000, commands: 4000 }, 0);
        let drawn: usize = std::thread::scope(|scope| {
            let draw = || (0..3000).filter(|_| open.take(100, 1, 0)).count();
            let threads: Vec<_> = (0..2).map(|_| scope.spawn(draw)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(drawn, 3999);
        assert_eq!(open.seal(), Left { ns: 1_000_000 - 399_900, commands: 1 });
    }
}
