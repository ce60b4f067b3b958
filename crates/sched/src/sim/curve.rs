/// Percent of all devices that are allocated, by arrived demand in percent of all devices: the value at x is the mean over
/// the arrivals whose demand so far rounds to x.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    sums: Vec<f64>,
    counts: Vec<u32>,
}

/// Beyond this no curve is drawn.
const FURTHEST: usize = 1000;

/// Percent of demand over which a value is carried.
const REACH: usize = 20;

impl Curve {
    pub(super) fn enter(&mut self, arrived_percent: f64, allocated_percent: f64) {
        let at = arrived_percent.round() as usize;
        if at > FURTHEST {
            return;
        }
        if at >= self.sums.len() {
            self.sums.resize(at + 1, 0.0);
            self.counts.resize(at + 1, 0);
        }
        self.sums[at] += allocated_percent;
        self.counts[at] += 1;
    }

    /// Allocated percent at this demand, if anything arrived there.
    pub fn at(&self, demand_percent: usize) -> Option<f64> {
        let count = *self.counts.get(demand_percent)?;
        (count > 0).then(|| self.sums[demand_percent] / f64::from(count))
    }

    /// The same, read between the neighbours where nothing arrived at exactly this demand: small clusters arrive in
    /// large steps. Nothing further than [`REACH`] from a value.
    pub fn near(&self, demand_percent: usize) -> Option<f64> {
        let below = (demand_percent.saturating_sub(REACH)..=demand_percent)
            .rev()
            .find_map(|x| Some((x, self.at(x)?)));
        let above = (demand_percent..=demand_percent + REACH).find_map(|x| Some((x, self.at(x)?)));
        match (below, above) {
            (Some((left, low)), Some((right, high))) if left < right => {
                let part = (demand_percent - left) as f64 / (right - left) as f64;
                Some(low + (high - low) * part)
            }
            (Some((_, value)), _) | (None, Some((_, value))) => Some(value),
            (None, None) => None,
        }
    }

    /// All points that have a value.
    pub fn points(&self) -> impl Iterator<Item = (usize, f64)> {
        (0..self.sums.len()).filter_map(|x| self.at(x).map(|y| (x, y)))
    }

    /// The mean of several curves, over those that have a value.
    pub fn mean(curves: &[Curve]) -> Curve {
        let mut mean = Curve::default();
        for curve in curves {
            for (x, y) in curve.points() {
                mean.enter(x as f64, y);
            }
        }
        mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_the_mean_of_what_rounds_there() {
        let mut curve = Curve::default();
        curve.enter(9.6, 1.0);
        curve.enter(10.4, 3.0);
        assert_eq!(curve.at(10), Some(2.0));
        assert_eq!((curve.at(9), curve.at(11)), (None, None));
        curve.enter(14.0, 6.0);
        assert_eq!((curve.near(10), curve.near(11), curve.near(20)), (Some(2.0), Some(3.0), Some(6.0)));
        assert_eq!(curve.near(60), None);
        let mut curve = Curve::default();
        curve.enter(10.0, 2.0);
        curve.enter(1e9, 1.0);
        assert_eq!(curve.points().count(), 1);
    }
}
