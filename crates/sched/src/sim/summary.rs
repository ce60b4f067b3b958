use super::{Curve, Outcome};

/// What several runs of one policy gave.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub curve: Curve,
    pub at_100: Spread,
    pub at_130: Spread,
    pub refused: f64,
    pub evicted: f64,
    pub online_percent: f64,
    pub offline_percent: f64,
    pub known_us: Spread,
    pub new_us: Spread,
}

/// Mean, sample standard deviation and median of some values; nothing if there were none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    pub mean: Option<f64>,
    pub deviation: Option<f64>,
    pub median: Option<f64>,
}

impl Spread {
    pub fn of(mut values: Vec<f64>) -> Spread {
        let count = values.len() as f64;
        if values.is_empty() {
            return Spread::default();
        }
        values.sort_by(f64::total_cmp);
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt());
        Spread { mean: Some(mean), deviation, median: Some(values[values.len() / 2]) }
    }
}

impl Summary {
    pub fn of(outcomes: &[Outcome]) -> Summary {
        let mean = |value: &dyn Fn(&Outcome) -> f64| {
            outcomes.iter().map(value).sum::<f64>() / outcomes.len().max(1) as f64
        };
        let at =
            |demand| Spread::of(outcomes.iter().filter_map(|outcome| outcome.curve.near(demand)).collect());
        let micros = |times: &dyn Fn(&Outcome) -> &Vec<u64>| {
            Spread::of(outcomes.iter().flat_map(times).map(|ns| *ns as f64 / 1e3).collect())
        };
        let curves: Vec<Curve> = outcomes.iter().map(|outcome| outcome.curve.clone()).collect();
        Summary {
            curve: Curve::mean(&curves),
            at_100: at(100),
            at_130: at(130),
            refused: mean(&|outcome| outcome.refused as f64),
            evicted: mean(&|outcome| outcome.evicted as f64),
            online_percent: mean(&|outcome| outcome.online_percent),
            offline_percent: mean(&|outcome| outcome.offline_percent),
            known_us: micros(&|outcome| &outcome.known_ns),
            new_us: micros(&|outcome| &outcome.new_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_deviation_median() {
        let spread = Spread::of(vec![4.0, 1.0, 1.0]);
        assert_eq!((spread.mean, spread.median), (Some(2.0), Some(1.0)));
        assert_eq!(spread.deviation, Some(3f64.sqrt()));
        assert_eq!(Spread::of(vec![1.0]).deviation, None);
        assert_eq!(Spread::of(Vec::new()), Spread::default());
    }
}
