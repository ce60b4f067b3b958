//! What was had of an engine, by the second: from a sum that only grows, read now and then.

use std::collections::VecDeque;

/// Seconds that are remembered.
const SECONDS: usize = 60;
const SECOND_NS: u64 = 1_000_000_000;

#[derive(Debug, Default)]
pub struct Meter {
    /// What was read, and when: the last second of it.
    read: VecDeque<(u64, u64)>,
    /// What was read when the last remembered second ended.
    second: Option<(u64, u64)>,
    history: VecDeque<f32>,
}

impl Meter {
    /// Takes in what the sum is now; how much it has grown.
    pub fn read(&mut self, now: u64, sum: u64) -> u64 {
        let grown = self.read.back().map_or(0, |(_, last)| sum.saturating_sub(*last));
        self.read.push_back((now, sum));
        while self.read.get(1).is_some_and(|(at, _)| now - at >= SECOND_NS) {
            self.read.pop_front();
        }
        let begun = *self.second.get_or_insert((now, sum));
        if now.saturating_sub(begun.0) >= SECOND_NS {
            self.history.push_back(percent(begun, (now, sum)) as f32);
            self.second = Some((now, sum));
            if self.history.len() > SECONDS {
                self.history.pop_front();
            }
        }
        grown
    }

    /// Of the last second, in percent.
    pub fn percent(&self) -> f64 {
        match (self.read.front(), self.read.back()) {
            (Some(first), Some(last)) => percent(*first, *last),
            _ => 0.0,
        }
    }

    /// Of each of the last seconds, the newest last.
    pub fn history(&self) -> Vec<f32> {
        self.history.iter().copied().collect()
    }
}

fn percent(from: (u64, u64), to: (u64, u64)) -> f64 {
    let elapsed = to.0.saturating_sub(from.0);
    if elapsed == 0 {
        return 0.0;
    }
    // A tenth of a percent is more than anybody needs.
    (1000.0 * to.1.saturating_sub(from.1) as f64 / elapsed as f64).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_second_and_those_before_it() {
        let mut meter = Meter::default();
        assert_eq!((meter.percent(), meter.history().len()), (0.0, 0));
        let mut sum = 0;
        for tick in 0..700_u64 {
            meter.read(5_000 + tick * SECOND_NS / 10, sum);
            sum += if tick < 650 { SECOND_NS / 40 } else { SECOND_NS / 10 };
        }
        assert_eq!(meter.percent(), 100.0);
        let history = meter.history();
        assert_eq!((history.len(), history[0], history[59]), (60, 25.0, 100.0));
        // A machine that stood still for a while.
        meter.read(5_000 + 80 * SECOND_NS, sum);
        assert_eq!(meter.percent(), 1.0);
        meter.read(5_000 + 80 * SECOND_NS, 0);
        assert!(meter.percent() >= 0.0, "a sum that began anew");
    }
}
