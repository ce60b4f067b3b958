//! What processes share of a device's engines: a few words per device, and a few per process and device.
//!
//! Nothing here is ever locked. The turn is one word that changes by compare-exchange; each process writes only its own fields (others may park it
//! and ring its bell); bookings and slip are one word each. [`Turns`](crate::turns::Turns) knows the rules.

use std::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use std::sync::atomic::{AtomicU32, AtomicU64};

use cleave_ledger::shared;
use cleave_pace::copies::Piece;
use cleave_pace::turns::WORDS;

/// How many engines a device has.
pub const ENGINES: usize = 5;
/// Engines that move bytes.
pub const COPY_ENGINES: usize = 2;

/// A part of the device that works by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Compute and graphics.
    Gr,
    /// Copies to the device and on it.
    Ce0,
    /// Copies from the device.
    Ce1,
    /// Encoding; never busy yet.
    Enc,
    /// Decoding; never busy yet.
    Dec,
}

shared! {
    /// The engines of one device. All zero: nobody was ever here.
    pub struct EngineWords {
        /// Who has GR: a packed [`Tenure`](cleave_pace::turns::Tenure).
        pub(crate) turn: AtomicU64,
        /// How long the device stood still: nanoseconds above 12 bits that name the tenure that was counted last.
        pub(crate) slip: AtomicU64,
        /// Who wants GR and has not got it, one bit per record.
        pub(crate) waiting: [AtomicU64; WORDS],
        /// Until when each copy engine is booked, in device time.
        pub(crate) booked: [AtomicU64; COPY_ENGINES],
    }
}

shared! {
    /// One process's place at the engines of one device, on a cache line of its own.
    pub struct EngineFields {
        /// 1 while it has work for GR, whether or not it is its turn.
        pub(crate) running: AtomicU32,
        /// 1 if it let its turn pass without a sign of life; it takes the mark off itself.
        pub(crate) parked: AtomicU32,
        /// Raised when it should look at the turn again; it sleeps on this word.
        pub(crate) bell: AtomicU32,
        spare: AtomicU32,
        /// Up to where in device time its work for GR is known to be done.
        pub(crate) frontier: AtomicU64,
        /// From when on it wants GR, in device time; or since when it has lost it, as told by who took it away.
        pub(crate) since: AtomicU64,
        /// When, in monotonic time, its emulation last got on.
        pub(crate) progress: AtomicU64,
        room: [AtomicU64; 3],
    }
}

const TAG_BITS: u32 = 12;
const TAG: u64 = (1 << TAG_BITS) - 1;

impl EngineWords {
    /// How long the device stood still so far.
    pub fn slip_ns(&self) -> u64 {
        self.slip.load(Acquire) >> TAG_BITS
    }

    /// Counts the time the device stood still at the end of the tenure in `turn`; once, however many notice it. `standing` tells how long, given
    /// the slip so far.
    ///
    /// A process that was stopped in here must not count what has been counted meanwhile: whoever ends a late tenure counts its slip before, so
    /// the slip that was read before the turn was looked at has changed by then.
    pub(crate) fn count_slip(&self, turn: u64, generation: u16, standing: impl FnOnce(u64) -> u64) {
        let word = self.slip.load(SeqCst);
        let (slip, tag) = (word >> TAG_BITS, u64::from(generation));
        let ns = standing(slip);
        if ns > 0 && word & TAG != tag && self.turn.load(SeqCst) == turn {
            let more = slip.saturating_add(ns) << TAG_BITS | tag;
            let _ = self.slip.compare_exchange(word, more, SeqCst, SeqCst);
        }
    }

    /// Books a copy engine by `piece`, which takes the time until which it is booked.
    pub fn book(&self, engine: usize, piece: impl Fn(u64) -> Piece) -> Piece {
        let booked = &self.booked[engine % COPY_ENGINES];
        let mut until = booked.load(Relaxed);
        loop {
            let next = piece(until);
            match booked.compare_exchange_weak(until, next.end, Relaxed, Relaxed) {
                Ok(_) => return next,
                Err(newer) => until = newer,
            }
        }
    }

    pub(crate) fn ask(&self, record: u16) {
        self.waiting[word_of(record)].fetch_or(bit_of(record), SeqCst);
    }

    pub(crate) fn withdraw(&self, record: u16) {
        let (word, bit) = (&self.waiting[word_of(record)], bit_of(record));
        if word.load(Relaxed) & bit != 0 {
            word.fetch_and(!bit, SeqCst);
        }
    }

    /// Who waits, but for one.
    pub(crate) fn waiting_besides(&self, record: u16) -> [u64; WORDS] {
        let mut bits = std::array::from_fn(|i| self.waiting[i].load(SeqCst));
        bits[word_of(record)] &= !bit_of(record);
        bits
    }
}

fn word_of(record: u16) -> usize {
    usize::from(record) / 64 % WORDS
}

fn bit_of(record: u16) -> u64 {
    1 << (record % 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cleave_ledger::Pages;
    use cleave_pace::Card;
    use cleave_pace::copies::book;

    #[test]
    fn slip_is_counted_once_per_tenure() {
        let words: &EngineWords = Pages::anonymous(4096).unwrap().view(0);
        words.turn.store(7, SeqCst);
        words.count_slip(7, 7, |_| 100);
        words.count_slip(7, 7, |_| 130);
        words.turn.store(8, SeqCst);
        words.count_slip(8, 8, |slip| slip / 20);
        words.count_slip(7, 7, |_| 1000);
        assert_eq!(words.slip_ns(), 105, "nor for one that is over");
    }

    #[test]
    fn bookings_follow_each_other() {
        let words: &EngineWords = Pages::anonymous(4096).unwrap().view(0);
        let card = Card { copy_bytes_per_us: 1000, ..Card::default() };
        let end = |engine| words.book(engine, |booked| book(&card, booked, 50, 10)).end;
        assert_eq!((end(0), end(0), end(1)), (60, 70, 60));
    }

    #[test]
    fn a_seat_is_one_cache_line() {
        assert_eq!(size_of::<EngineFields>(), 64);
    }
}
