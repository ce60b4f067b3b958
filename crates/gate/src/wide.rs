//! How many commands of a kind run side by side, and how long one takes by itself.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU16, AtomicU64};

use crate::times::{FAR_MORE, TIMES_MORE};

/// After so many in a row that ran as fast as by themselves, with more beside them than was known, they do.
const RAISED_BY: u16 = 2;
/// After so many in a row that did not, with as many beside them as were thought to fit, one less fits.
const LOWERED_BY: u16 = 4;
/// What a switch and the last work of others may take of the beginning of a turn, if nobody is late.
pub const HAND_OVER: u64 = 300_000;
/// The most that is believed.
const WIDEST: u16 = 64;
/// One more than fits is tried at first always and then less and less, down to once in two to the power of this.
const RAREST: u16 = 6;

/// How one did beside others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// It ran beside them.
    Fits,
    Unclear,
    /// It waited until one of them was done.
    Waits,
    /// It takes far longer than it did.
    Changed,
}

impl Verdict {
    /// By what it took itself. What was not `behind` work of its own may have waited for other tenants'.
    pub fn of_own(ns: u64, alone: u64, behind: bool) -> Verdict {
        let (little, much) = if behind { (0, 0) } else { (HAND_OVER, FAR_MORE) };
        match ns {
            _ if ns <= (alone + alone / 4).saturating_add(little) => Verdict::Fits,
            _ if ns < (alone + alone / 2).saturating_add(much) => Verdict::Unclear,
            _ if ns < alone.saturating_mul(TIMES_MORE).saturating_add(FAR_MORE) => Verdict::Waits,
            _ => Verdict::Changed,
        }
    }

    /// By how much later it was done than it would have been, had it fit.
    pub fn of_later(beyond: u64, alone: u64) -> Verdict {
        match beyond {
            _ if beyond <= alone / 4 => Verdict::Fits,
            _ if beyond <= alone / 2 => Verdict::Unclear,
            _ => Verdict::Waits,
        }
    }
}

/// What is known of one kind. As with its time, only who holds the gate's lock changes it.
#[derive(Default)]
pub struct Wide {
    /// What one takes by itself, in the unit of its time; 0 while it is not known.
    alone: AtomicU64,
    /// How many run side by side; 0 counts as one.
    width: AtomicU16,
    /// Samples in a row that say that it is more, or less.
    raised: AtomicU16,
    lowered: AtomicU16,
    /// How often one more did not fit, and how often it could have been tried since.
    failed: AtomicU16,
    passed_up: AtomicU16,
}

impl Wide {
    pub fn alone(&self) -> u64 {
        self.alone.load(Relaxed)
    }

    pub fn width(&self) -> u16 {
        self.width.load(Relaxed).max(1)
    }

    pub fn forget(&self) {
        self.alone.store(0, Relaxed);
        for word in [&self.width, &self.raised, &self.lowered, &self.failed, &self.passed_up] {
            word.store(0, Relaxed);
        }
    }

    /// It does not matter how many run side by side.
    pub fn narrow(&self) {
        self.width.store(1, Relaxed);
    }

    /// One took so long: it takes no longer by itself.
    pub fn bound(&self, cost: u64) {
        let known = self.alone();
        if known == 0 || cost < known {
            self.alone.store(cost, Relaxed);
        }
    }

    /// One began while nothing else of its process was in flight, and took so long, of which `little` may be due to other tenants.
    pub fn learn_alone(&self, cost: u64, little: u64) {
        self.bound(cost);
        let known = self.alone();
        if cost > (known + known / 4).saturating_add(little) {
            self.alone.store(known + (cost - known) / 8, Relaxed);
        }
    }

    /// How one did with so many others `beside` it. Whether more fit than were known to.
    pub fn judge(&self, verdict: Verdict, beside: u16) -> bool {
        let (width, side_by_side) = (self.width(), beside.saturating_add(1));
        match verdict {
            // The last of them may itself have waited: nothing is said about one more.
            _ if side_by_side > width + 1 => {}
            Verdict::Fits if side_by_side > width => {
                // Until it was too many for the first time, one is enough.
                let enough = if self.failed.load(Relaxed) == 0 { 1 } else { RAISED_BY };
                let raised = self.raised.load(Relaxed) + 1;
                self.raised.store(raised % enough, Relaxed);
                if raised >= enough {
                    self.width.store((width + 1).min(WIDEST), Relaxed);
                    self.failed.store(0, Relaxed);
                    return true;
                }
            }
            // That fewer fit does not say that as many do.
            Verdict::Fits if side_by_side == width => self.lowered.store(0, Relaxed),
            Verdict::Fits => {}
            _ if side_by_side > width => {
                self.raised.store(0, Relaxed);
                self.failed.store((self.failed.load(Relaxed) + 1).min(RAREST), Relaxed);
            }
            Verdict::Unclear => {}
            Verdict::Waits => {
                let lowered = self.lowered.load(Relaxed) + 1;
                self.lowered.store(lowered % LOWERED_BY, Relaxed);
                if lowered == LOWERED_BY {
                    self.width.store(width - 1, Relaxed);
                }
            }
            // It is not what it was.
            Verdict::Changed => self.forget(),
        }
        false
    }

    /// One more than is known to fit could be tried: whether it is.
    pub fn tries_more(&self) -> bool {
        let passed_up = self.passed_up.load(Relaxed) + 1;
        let tries = passed_up >= 1 << self.failed.load(Relaxed);
        self.passed_up.store(if tries { 0 } else { passed_up }, Relaxed);
        tries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kind of which so many fit, at work with as many as are let on.
    fn settle(wide: &Wide, fits: u16, turns: u32) -> u32 {
        let mut tried = 0;
        for _ in 0..turns {
            let mut most = wide.width();
            if wide.tries_more() {
                (most, tried) = (most + 1, tried + 1);
            }
            for beside in 0..most {
                wide.judge(if beside < fits { Verdict::Fits } else { Verdict::Waits }, beside);
            }
        }
        tried
    }

    #[test]
    fn as_many_as_fit_are_found_and_more_are_hardly_tried() {
        for fits in [1, 2, 4, 13] {
            let wide = Wide::default();
            wide.learn_alone(1000, 0);
            settle(&wide, fits, 100);
            assert_eq!(wide.width(), fits);
            assert!(settle(&wide, fits, 1000) <= 16);
            assert_eq!(wide.width(), fits);
        }
    }

    #[test]
    fn what_no_longer_fits_is_found_and_a_chance_is_none() {
        let wide = Wide::default();
        wide.learn_alone(1000, 0);
        settle(&wide, 4, 100);
        settle(&wide, 2, 100);
        assert_eq!(wide.width(), 2);
        for _ in 0..10 {
            wide.judge(Verdict::Fits, 2);
            wide.judge(Verdict::Waits, 2);
            wide.judge(Verdict::Unclear, 1);
            for _ in 0..LOWERED_BY - 1 {
                wide.judge(Verdict::Waits, 1);
            }
            wide.judge(Verdict::Fits, 1);
        }
        assert_eq!(wide.width(), 2);
    }

    #[test]
    fn what_is_beyond_the_next_says_nothing() {
        let wide = Wide::default();
        wide.learn_alone(1000, 0);
        for _ in 0..100 {
            wide.judge(Verdict::Fits, 5);
        }
        assert_eq!(wide.width(), 1, "the last of the others may have waited as well");
        assert!(wide.judge(Verdict::Fits, 1), "one is enough as long as nothing failed");
        for _ in 0..100 {
            wide.judge(Verdict::Waits, 5);
        }
        assert!(wide.tries_more() && wide.tries_more(), "nothing has failed yet");
        wide.judge(Verdict::Changed, 1);
        assert_eq!((wide.width(), wide.alone()), (1, 0));
    }

    #[test]
    fn the_beginning_of_a_turn_is_not_held_against_it() {
        use Verdict::{Changed, Fits, Unclear, Waits};
        let own = |ns, behind| Verdict::of_own(ns, 1_000_000, behind);
        assert_eq!([1_250_000, 1_400_000, 1_500_000].map(|ns| own(ns, true)), [Fits, Unclear, Waits]);
        assert_eq!([1_550_000, 1_600_000, 5_500_000].map(|ns| own(ns, false)), [Fits, Unclear, Waits]);
        assert_eq!(own(50_000_000, false), Changed);
        let later = |ns| Verdict::of_later(ns, 1_000_000);
        assert_eq!([0, 250_000, 400_000, 1_000_000].map(later), [Fits, Fits, Unclear, Waits]);
    }

    #[test]
    fn alone_is_the_shortest_that_lasts() {
        let wide = Wide::default();
        for cost in [1200, 1000, 1050, 1000, 1400, 1000] {
            wide.learn_alone(cost, 300);
        }
        assert_eq!(wide.alone(), 1000);
        (0..40).for_each(|_| wide.learn_alone(9000, 300));
        assert!((6900..=9000).contains(&wide.alone()), "it takes longer now");
        wide.bound(1500);
        wide.bound(1700);
        assert_eq!(wide.alone(), 1500);
    }
}
