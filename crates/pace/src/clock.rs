//! The device clock: monotonic time less the time the device stood still.
//!
//! All times are nanoseconds. `elapsed` is monotonic time since the device was made, `slip` the sum of all times it stood still. While a process
//! is on turn (paced mode) the clock does not pass the end of its slice: it stands there until the turn is handed over.

/// What the clock shows; `limit` is the slice end of an owner that is active.
pub fn reading(elapsed: u64, slip: u64, limit: Option<u64>) -> u64 {
    elapsed.saturating_sub(slip).min(limit.unwrap_or(u64::MAX))
}

/// How long the clock has been standing at `limit`: what a late handover adds to the slip.
pub fn standing(elapsed: u64, slip: u64, limit: u64) -> u64 {
    elapsed.saturating_sub(slip).saturating_sub(limit)
}

/// When, in monotonic time since the device was made, the clock shows `at` if it does not stand before.
pub fn elapsed_at(at: u64, slip: u64) -> u64 {
    at.saturating_add(slip)
}

/// Length of a tick of `%globaltimer`.
pub const TICK_NS: u64 = 1024;

/// What `%globaltimer` shows at `at`: the time of the last tick.
pub fn globaltimer(at: u64) -> u64 {
    at - at % TICK_NS
}

/// The first moment at which `%globaltimer` shows something later than at `at`.
pub fn next_tick(at: u64) -> u64 {
    globaltimer(at).saturating_add(TICK_NS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stands_at_the_limit_and_never_runs_backwards() {
        let (mut slip, mut before) = (0, 0);
        for elapsed in 0..100 {
            // The turn that ends at 40 is handed over 13 late, the one that ends at 70 in time.
            let limit = if elapsed < 53 { 40 } else { 70 };
            if elapsed == 53 {
                slip += standing(elapsed, slip, 40);
            }
            let now = reading(elapsed, slip, Some(limit));
            assert!(now >= before && now <= limit);
            before = now;
        }
        assert_eq!((slip, before), (13, 70));
        assert_eq!(elapsed_at(60, slip), 73);
        assert_eq!(reading(73, slip, None), 60);
    }

    #[test]
    fn ticks() {
        assert_eq!(
            (globaltimer(1023), globaltimer(1024), next_tick(1024), next_tick(1023)),
            (0, 1024, 2048, 1024)
        );
    }
}
