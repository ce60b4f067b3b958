//! A tenant's own bucket, for when there is no arbiter: one word says up to which moment the share is used.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire};

/// How far behind the clock the bucket may be: what was not used for longer is gone.
const SLACK: u64 = 10_000_000;
/// A moment further ahead is none that this bucket came to: it is from another start of the machine.
const ABSURD: u64 = 600_000_000_000;

/// Draws `ns` of GPU time at `percent` of the device, or says from when on some may be drawn.
pub fn draw(bucket: &AtomicU64, ns: u64, percent: u32, now: u64) -> Result<(), u64> {
    let mut used_to = bucket.load(Acquire);
    loop {
        if used_to > now && used_to - now < ABSURD {
            return Err(used_to);
        }
        let from = if used_to > now { now } else { used_to.max(now.saturating_sub(SLACK)) };
        let next = from.saturating_add(span(ns, percent));
        match bucket.compare_exchange(used_to, next, AcqRel, Acquire) {
            Ok(_) => return Ok(()),
            Err(newer) => used_to = newer,
        }
    }
}

/// What was drawn as `expected` turned out to be `ns`.
pub fn correct(bucket: &AtomicU64, expected: u64, ns: u64, percent: u32) {
    let (more, less) = (span(ns, percent), span(expected, percent));
    if more >= less {
        bucket.fetch_add(more - less, AcqRel);
    } else {
        let _ = bucket.fetch_update(AcqRel, Acquire, |used_to| Some(used_to.saturating_sub(less - more)));
    }
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
    fn what_was_not_used_is_not_kept_for_long() {
        let bucket = AtomicU64::new(0);
        draw(&bucket, 3 * MS, 30, 1000 * MS).unwrap();
        assert_eq!(draw(&bucket, 1, 30, 1000 * MS - 1), Err(1000 * MS));
        draw(&bucket, 3 * MS, 30, 1000 * MS).unwrap();
        assert_eq!(draw(&bucket, 1, 30, 1000 * MS), Err(1010 * MS), "once ahead, once from the slack");
    }

    #[test]
    fn wrong_guesses_and_foreign_words_are_put_right() {
        let bucket = AtomicU64::new(0);
        draw(&bucket, MS, 50, 1000 * MS).unwrap();
        correct(&bucket, MS, 11 * MS, 50);
        assert_eq!(draw(&bucket, MS, 50, 1000 * MS), Err(1012 * MS));
        correct(&bucket, 11 * MS, MS, 50);
        assert_eq!(draw(&bucket, MS, 50, 1000 * MS), Ok(()));
        bucket.store(u64::MAX - 5, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(draw(&bucket, MS, 0, 1000 * MS), Ok(()));
        assert_eq!(draw(&bucket, MS, 0, 1000 * MS), Err(1100 * MS), "no share counts as one percent");
    }
}
