//! How a tenant's predictions turn out: what it had of the engine over what it said it did.
//!
//! Each process predicts a command by itself. Where its streams overlap, or several of its processes take turns on the device, every
//! one of them sees a command take longer than the engine was busy with it, and their sum is too much.

/// A second thought after so much time of the engine: shorter ones are noise.
const STRETCH_NS: u64 = 10_000_000;
/// One, in the parts the ratio is kept in.
const ONE: u64 = 1 << 16;
/// More is said than was done, never less: time that a turn stood idle is no reason to expect more of the next.
const BOUNDS: std::ops::RangeInclusive<u64> = ONE / 64..=ONE;

pub struct Pace {
    /// Real time over predicted time.
    ratio: u64,
    had: u64,
    did: u64,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { ratio: ONE, had: 0, did: 0 }
    }
}

impl Pace {
    /// It was at work alone for so long, and says it did so much.
    pub fn look(&mut self, had: u64, did: u64) {
        self.had = self.had.saturating_add(had);
        self.did = self.did.saturating_add(did);
        if self.had < STRETCH_NS {
            return;
        }
        if self.did > 0 {
            let now = u64::try_from(u128::from(self.had) * u128::from(ONE) / u128::from(self.did));
            let now = now.unwrap_or(u64::MAX).clamp(*BOUNDS.start(), *BOUNDS.end());
            self.ratio = (3 * self.ratio + now) / 4;
        }
        (self.had, self.did) = (0, 0);
    }

    /// Real time of what is predicted so long.
    pub fn real(&self, predicted: u64) -> u64 {
        (u128::from(predicted) * u128::from(self.ratio) / u128::from(ONE)) as u64
    }

    /// What is to be predicted for so much real time.
    pub fn predicted(&self, real: u64) -> u64 {
        u64::try_from(u128::from(real) * u128::from(ONE) / u128::from(self.ratio)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_that_are_too_long_are_seen_through() {
        let mut pace = Pace::default();
        for _ in 0..20 {
            pace.look(STRETCH_NS, 8 * STRETCH_NS);
        }
        assert!(pace.real(8000).abs_diff(1000) < 50, "{}", pace.real(8000));
        assert!(pace.predicted(1000).abs_diff(8000) < 500);
    }

    #[test]
    fn what_cannot_be_is_bounded() {
        let mut pace = Pace::default();
        for _ in 0..100 {
            pace.look(STRETCH_NS, 1);
        }
        assert_eq!(pace.real(1000), 1000);
        for _ in 0..100 {
            pace.look(STRETCH_NS, u64::MAX / 2);
        }
        assert!(pace.real(6400) >= 99);
        pace.look(1, u64::MAX);
        assert!(pace.predicted(u64::MAX) > 0);
    }
}
