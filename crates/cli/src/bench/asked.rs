//! What each tenant should get, at each moment.

use super::load::Load;
use super::record::Span;

/// What the tenants of a run asked for. Times are from its beginning.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// In percent of the engine that the tenant works on.
    pub shares: Vec<u32>,
    /// Never more than the share; else idle time is lent in proportion to the shares.
    pub fixed: bool,
    pub loads: Vec<Load>,
    pub resizes: Vec<Resize>,
}

/// A tenant that gets another share on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resize {
    pub at: u64,
    pub tenant: usize,
    pub share: u32,
}

impl Asked {
    /// The share that the tenant has asked for by then.
    pub fn share(&self, tenant: usize, at: u64) -> f64 {
        let resizes = self.resizes.iter().rev().find(|resize| resize.tenant == tenant && resize.at <= at);
        f64::from(resizes.map_or(self.shares[tenant], |resize| resize.share))
    }

    /// What it should get at that moment, with what others leave.
    pub fn due(&self, tenant: usize, at: u64) -> f64 {
        let works = |other: usize| {
            let Load { on, off, copy, .. } = self.loads[other];
            let active = off == 0 || at % (on + off) < on;
            active && (copy > 0) == (self.loads[tenant].copy > 0)
        };
        if !works(tenant) {
            return 0.0;
        }
        if self.fixed {
            return self.share(tenant, at);
        }
        let all: f64 =
            (0..self.shares.len()).filter(|&other| works(other)).map(|other| self.share(other, at)).sum();
        100.0 * self.share(tenant, at) / all.max(1.0)
    }

    /// The same on average over a span.
    pub fn mean_due(&self, tenant: usize, span: Span) -> f64 {
        const STEP: u64 = 1_000_000;
        let steady = self.resizes.is_empty() && self.loads.iter().all(|load| load.off == 0);
        if steady || span.end <= span.start + STEP {
            return self.due(tenant, span.start);
        }
        let moments = (span.start..span.end).step_by(STEP as usize);
        let count = moments.clone().count() as f64;
        moments.map(|at| self.due(tenant, at)).sum::<f64>() / count
    }

    /// Whether somebody's share has just changed: nobody can have got it yet.
    pub fn unsettled(&self, span: Span) -> bool {
        const TAKES_EFFECT: u64 = 200_000_000;
        self.resizes.iter().any(|resize| span.start < resize.at + TAKES_EFFECT && resize.at < span.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn asked(shares: &[u32], fixed: bool, loads: &[&str]) -> Asked {
        let loads = loads.iter().map(|load| load.parse().unwrap()).collect();
        Asked { shares: shares.into(), fixed, loads, resizes: Vec::new() }
    }

    #[test]
    fn idle_time_is_lent_by_weight_or_not_at_all() {
        let lent = asked(&[50, 30, 20], false, &["", "", "on=100ms,off=100ms"]);
        assert_eq!([0, 1, 2].map(|tenant| lent.due(tenant, 0)), [50.0, 30.0, 20.0]);
        assert_eq!([0, 1, 2].map(|tenant| lent.due(tenant, 150 * MS)), [62.5, 37.5, 0.0]);
        let span = Span { start: 0, end: 1000 * MS };
        assert!((lent.mean_due(0, span) - 56.25).abs() < 1e-6);
        let fixed = asked(&[50, 30], true, &["", "on=100ms,off=100ms"]);
        assert_eq!(fixed.mean_due(0, span), 50.0);
        assert_eq!(fixed.mean_due(1, span), 15.0);
    }

    #[test]
    fn copies_and_kernels_do_not_take_from_each_other() {
        let asked = asked(&[50, 30, 20], false, &["", "", "copy=1M"]);
        assert_eq!([0, 1, 2].map(|tenant| asked.due(tenant, 0)), [62.5, 37.5, 100.0]);
    }

    #[test]
    fn a_resize_changes_what_is_due_from_then_on() {
        let mut asked = asked(&[60, 40], false, &["", ""]);
        asked.resizes.push(Resize { at: 100 * MS, tenant: 0, share: 10 });
        assert_eq!((asked.due(0, 0), asked.due(0, 100 * MS)), (60.0, 20.0));
        assert!(asked.unsettled(Span { start: 50 * MS, end: 150 * MS }));
        assert!(asked.unsettled(Span { start: 250 * MS, end: 350 * MS }));
        assert!(!asked.unsettled(Span { start: 300 * MS, end: 400 * MS }));
        assert!(!asked.unsettled(Span { start: 0, end: 100 * MS }));
    }
}
