//! Rates in windows of time: what was done in each, against what was asked for.

use super::record::{Done, Span};

/// A window in which the software GPU's clock stood for more than this part of the time measures the machine, not the shares.
const VALID_SLIP: f64 = 0.01;

/// The shortest window in which shares are judged.
pub const SHORT_NS: u64 = 100_000_000;

/// Work done in a span, each second in which the device's clock went on.
pub fn rate(done: &[Done], span: Span, slip: &Slip) -> f64 {
    let inside = done.iter().filter(|done| done.at >= span.start && done.at < span.end);
    inside.map(|done| done.work as f64).sum::<f64>() * 1e9 / slip.went_ns(span)
}

/// The same for one that never waits, from the last completion before the span to the last in it: to the kernel, however long one takes.
/// Kernels side by side are done several at a time, and from the last of some to the last of others no part of a time is missing. None
/// if there are not two completions.
pub fn train_rate(done: &[Done], span: Span, slip: &Slip) -> Option<f64> {
    let last_before = |end: u64| done.iter().map(|done| done.at).filter(|at| *at < end).max();
    let first = || done.iter().map(|done| done.at).min();
    let train = Span { start: last_before(span.start).or_else(first)?, end: last_before(span.end)? };
    let inside = done.iter().filter(|done| done.at > train.start && done.at <= train.end);
    let work: u64 = inside.map(|done| done.work).sum();
    (train.end > train.start).then(|| work as f64 * 1e9 / slip.went_ns(train))
}

/// Spans of one length that fill a longer one from its beginning; what is left at its end is in none.
pub fn windows(span: Span, length: u64) -> Vec<Span> {
    let count = (span.end - span.start) / length.max(1);
    (0..count).map(|i| Span { start: span.start + i * length, end: span.start + (i + 1) * length }).collect()
}

/// How far a tenant was from what it should have got, in points of the device, over the windows of one length.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Errors {
    pub window_s: f64,
    pub mean: f64,
    pub p95: f64,
    pub worst: f64,
    /// What the worst may be.
    pub allowed: f64,
}

impl Errors {
    pub fn of(mut points: Vec<f64>, window_ns: u64, allowed: f64) -> Errors {
        points.iter_mut().for_each(|error| *error = error.abs());
        let mean = points.iter().sum::<f64>() / points.len() as f64;
        let p95 = percentile(&mut points, 95.0);
        Errors { window_s: window_ns as f64 / 1e9, mean, p95, worst: percentile(&mut points, 100.0), allowed }
    }
}

/// The smallest value that at least so many percent do not exceed; NaN of nothing, which no bound admits.
pub fn percentile(values: &mut [f64], percent: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = (percent / 100.0 * values.len() as f64).ceil() as usize;
    values.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

pub fn median(values: &mut [f64]) -> f64 {
    percentile(values, 50.0)
}

/// A mean, and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    pub value: f64,
    pub error: f64,
}

impl Mean {
    /// Of the middle half: what lies farther out is of a moment in which something else was the matter.
    pub fn of_middle(mut values: Vec<f64>) -> Mean {
        values.sort_by(f64::total_cmp);
        let (count, cut) = (values.len(), values.len() / 4);
        let middle = &values[cut..count - cut];
        let value = middle.iter().sum::<f64>() / middle.len() as f64;
        // As if what was cut off were as far out as the last that was not.
        let kept = |at: usize| values[at.clamp(cut, count - 1 - cut)];
        let mean = (0..count).map(kept).sum::<f64>() / count as f64;
        let squares = (0..count).map(|at| (kept(at) - mean).powi(2)).sum::<f64>();
        let deviation = (squares / (count as f64 - 1.0)).sqrt();
        Mean { value, error: deviation * (count as f64).sqrt() / middle.len() as f64 }
    }
}

/// How long after `at` a tenant has its share again: the end of the first step in which it got at least so much work. None if it
/// never did before `end`.
pub fn return_ns(done: &[Done], at: u64, end: u64, step: u64, enough: f64) -> Option<u64> {
    let steps = windows(Span { start: at, end }, step);
    let mut steps = steps.iter();
    steps.find(|span| rate(done, **span, &Slip::default()) >= enough).map(|span| span.end - at)
}

/// How long the software GPU's clock had stood, seen now and then.
#[derive(Clone, Debug, Default)]
pub struct Slip(pub Vec<(u64, u64)>);

impl Slip {
    /// Whether the clock stood for no more than this part of a span. Without anything seen it never did: a card's clock does not.
    pub fn is_below(&self, part: f64, span: Span) -> bool {
        self.in_span(span) <= part * (span.end - span.start) as f64
    }

    /// Whether shares can be judged in a window.
    pub fn is_valid(&self, span: Span) -> bool {
        self.is_below(VALID_SLIP, span)
    }

    /// For how long the clock went on.
    fn went_ns(&self, span: Span) -> f64 {
        ((span.end - span.start) as f64 - self.in_span(span)).max(1.0)
    }

    fn in_span(&self, span: Span) -> f64 {
        self.at(span.end).saturating_sub(self.at(span.start)) as f64
    }

    /// As seen first at or after that time: nothing that happened before it is missed.
    fn at(&self, time: u64) -> u64 {
        let after = self.0.partition_point(|seen| seen.0 < time);
        self.0.get(after).or(self.0.last()).map_or(0, |seen| seen.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// One millisecond of work each, ending at these milliseconds.
    fn done(ends: impl IntoIterator<Item = u64>) -> Vec<Done> {
        ends.into_iter().map(|at| Done { from: 0, at: at * MS, work: MS }).collect()
    }

    #[test]
    fn rates_are_work_a_second() {
        let (all, never) = (done(0..100), Slip::default());
        assert_eq!(rate(&all, Span { start: 0, end: 100 * MS }, &never), 1e9);
        assert_eq!(rate(&all, Span { start: 50 * MS, end: 150 * MS }, &never), 5e8);
        assert_eq!(windows(Span { start: 5, end: 36 }, 10).len(), 3);
        let long = Span { start: 0, end: 130 * MS };
        assert_eq!(train_rate(&all, long, &never), Some(1e9), "the end without work does not count");
        assert_eq!(train_rate(&all[..1], long, &never), None);
    }

    #[test]
    fn what_is_done_four_at_a_time_is_no_faster_for_that() {
        let four: Vec<Done> = (0..200).step_by(10).flat_map(|at| done([at; 4])).collect();
        for (start, end) in [(0, 200), (35, 120), (30, 130), (31, 139)] {
            let span = Span { start: start * MS, end: end * MS };
            assert_eq!(train_rate(&four, span, &Slip::default()), Some(4e8), "{start} to {end}");
        }
        let none_before = Span { start: 0, end: 5 * MS };
        assert_eq!(train_rate(&four, none_before, &Slip::default()), None);
    }

    #[test]
    fn errors_are_of_either_side() {
        let errors = Errors::of(vec![-2.0, 1.0, 0.0, 1.0], MS, 1.5);
        assert_eq!((errors.mean, errors.worst), (1.0, 2.0));
        assert!(Errors::of(Vec::new(), MS, 1.5).worst.is_nan(), "nothing measured is nothing held");
        assert_eq!(percentile(&mut [4.0, 1.0, 3.0, 2.0], 50.0), 2.0);
    }

    #[test]
    fn a_mean_is_of_the_middle() {
        let mean = Mean::of_middle(vec![900.0, 1.0, 2.0, 4.0, 3.0, 4.0, 1.0, -50.0]);
        assert_eq!(mean.value, 2.5);
        // 1 1 1 2 3 4 4 4, whose squares of deviations are 14 together; four of eight are left.
        assert!((mean.error - 2.0_f64.sqrt() * 8.0_f64.sqrt() / 4.0).abs() < 1e-9, "{mean:?}");
        assert_eq!(Mean::of_middle(vec![5.0; 4]), Mean { value: 5.0, error: 0.0 });
        assert!(Mean::of_middle(vec![f64::NAN; 9]).value.is_nan());
    }

    #[test]
    fn a_return_is_the_first_step_with_a_share() {
        let late = done((100..130).step_by(4).chain(130..200));
        assert_eq!(return_ns(&late, 100 * MS, 200 * MS, 20 * MS, 9e8), Some(60 * MS));
        assert_eq!(return_ns(&[], 100 * MS, 200 * MS, 20 * MS, 5e8), None);
    }

    #[test]
    fn a_window_in_which_the_clock_stood_is_not_valid() {
        let slip = Slip(vec![(0, 0), (100, 0), (200, 5), (300, 5)]);
        let valid = |start, end| slip.is_valid(Span { start, end });
        assert_eq!((valid(0, 100), valid(90, 190), valid(200, 300)), (true, false, true));
        let stood = Slip(vec![(0, 0), (50 * MS, 50 * MS), (200 * MS, 50 * MS)]);
        assert_eq!(
            rate(&done(0..100), Span { start: 0, end: 150 * MS }, &stood),
            1e9,
            "in time of the device"
        );
        assert!(Slip::default().is_valid(Span { start: 0, end: 9 }));
    }
}
