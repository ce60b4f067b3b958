//! A tenant's own bucket, for when there is no arbiter: one word says up to which moment the share is used, and whether a turn is on.
//!
//! The tenant gives itself turns. It saves for a while and spends that at once, so that kernels which run side by side can: one after
//! the other they would take several times as long.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire};

/// GPU time of a turn: so much for each percent, within these bounds. They are the arbiter's.
const TURN_PER_PERCENT: u64 = 220_000;
const TURNS: std::ops::RangeInclusive<u64> = 1_000_000..=3_500_000;
/// A moment further ahead is none that this bucket came to: it is from another start of the machine.
const ABSURD: u64 = 600_000_000_000;
/// The bit of the word that says that a turn is on. Of the moment it is a nanosecond.
const ON: u64 = 1;

/// Draws `ns` of GPU time at `percent` of the device, or says from when on some may be drawn.
pub fn draw(bucket: &AtomicU64, ns: u64, percent: u32, now: u64) -> Result<(), u64> {
    let saved = saved(percent);
    let mut word = bucket.load(Acquire);
    loop {
        let used_to = match word & !ON {
            ahead if ahead > now && ahead - now >= ABSURD => now.saturating_sub(saved),
            // Who comes late for its turn has some of the next. What was not used for longer is gone, but for one turn.
            used_to if used_to >= now.saturating_sub(2 * saved) => used_to,
            _ => now.saturating_sub(saved),
        };
        let on = word & ON != 0 && used_to <= now;
        let opens_at = used_to.saturating_add(saved);
        if !on && now < opens_at {
            // Whoever comes next sees that the turn is over, though a correction may bring the moment back.
            let _ = bucket.compare_exchange(word, word & !ON, AcqRel, Acquire);
            return Err(opens_at);
        }
        let next = used_to.saturating_add(span(ns, percent)) & !ON;
        match bucket.compare_exchange(word, next | ON, AcqRel, Acquire) {
            Ok(_) => return Ok(()),
            Err(newer) => word = newer,
        }
    }
}

/// What was drawn as `expected` turned out to be `ns`.
pub fn correct(bucket: &AtomicU64, expected: u64, ns: u64, percent: u32) {
    let (more, less) = (span(ns, percent) & !ON, span(expected, percent) & !ON);
    if more >= less {
        bucket.fetch_add(more - less, AcqRel);
    } else {
        let _ = bucket
            .fetch_update(AcqRel, Acquire, |word| Some((word & !ON).saturating_sub(less - more) | word & ON));
    }
}

/// How long a turn is saved for.
fn saved(percent: u32) -> u64 {
    let turn = u64::from(percent).saturating_mul(TURN_PER_PERCENT);
    span(turn.clamp(*TURNS.start(), *TURNS.end()), percent)
}

/// How long so much work takes at a share. Nobody has a share of nothing: then it would wait for ever.
fn span(ns: u64, percent: u32) -> u64 {
    (u128::from(ns.min(ABSURD)) * 100 / u128::from(percent.clamp(1, 100))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn a_share_is_kept_however_the_work_comes() {
        for (piece, percent) in [(MS / 2, 30), (20_000, 1), (50 * MS, 90), (7 * MS, 50)] {
            let (bucket, mut now, mut got) = (AtomicU64::new(0), 5_000 * MS, 0);
            let end = now + 20_000 * MS;
            while now < end {
                match draw(&bucket, piece, percent, now) {
                    Ok(()) => got += piece,
                    // Whoever waits wakes late.
                    Err(until) => now = until + 300_000,
                }
            }
            let share = got as f64 / (20_000 * MS) as f64 * 100.0;
            assert!((share - f64::from(percent)).abs() < 0.5, "{share} of {percent}");
        }
    }

    #[test]
    fn a_turn_is_saved_for_and_spent_at_once() {
        // Half of the device: a turn of 3.5 ms is saved in 7.
        let (bucket, begin) = (AtomicU64::new(0), 1000 * MS);
        let spend = |now: u64| (0..100).take_while(|_| draw(&bucket, MS, 50, now).is_ok()).count();
        assert_eq!(spend(begin), 4, "a turn that was saved, and the one command that uses it up");
        assert_eq!(draw(&bucket, MS, 50, begin), Err(begin + 8 * MS));
        assert_eq!(spend(begin + 8 * MS - 1), 0, "there is some, and no turn of it yet");
        assert_eq!(spend(begin + 8 * MS), 4);
        correct(&bucket, 4 * MS, MS, 50);
        assert_eq!(spend(begin + 8 * MS), 0, "what is given back belongs to the next turn");
        assert_eq!(spend(begin + 10 * MS), 4);
        assert_eq!(spend(begin + 25 * MS), 8, "who comes late for its turn loses nothing");
        assert_eq!(spend(begin + 1000 * MS), 4, "what was not used for long is gone");
    }

    #[test]
    fn wrong_guesses_and_foreign_words_are_put_right() {
        let bucket = AtomicU64::new(0);
        draw(&bucket, MS, 50, 1000 * MS).unwrap();
        correct(&bucket, MS, 11 * MS, 50);
        assert_eq!(
            draw(&bucket, MS, 50, 1000 * MS),
            Err(1022 * MS),
            "22 ms from a turn of 7 ms, and one more"
        );
        correct(&bucket, 11 * MS, MS, 50);
        assert_eq!(draw(&bucket, MS, 50, 1002 * MS), Ok(()));
        bucket.store(u64::MAX - 5, std::sync::atomic::Ordering::Relaxed);
        let drawn = [(); 3].map(|()| draw(&bucket, MS, 0, 1000 * MS));
        assert_eq!(drawn, [Ok(()), Ok(()), Err(1200 * MS)], "no share counts as one percent");
    }
}
