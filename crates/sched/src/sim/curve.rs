/// Percent of all devices that are allocated, by arrived demand in percent of all devices: the value at x is the mean over
/// the arrivals whose demand so far rounds to x.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    sums: Vec<f64>,
    counts: Vec<u32>,
}

/// Beyond this no curve is drawn.
const FURTHEST: usize = 1000;

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
        curve.enter(1e9, 1.0);
        assert_eq!(curve.points().count(), 1);
    }
}
