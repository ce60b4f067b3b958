//! What a case shows, and whether it held.

use crate::world::{MS, SECOND, World};

/// A figure with its bound.
pub struct Row {
    pub what: String,
    pub got: f64,
    pub bound: f64,
    /// Whether the bound is the least that is allowed, and not the most.
    pub least: bool,
}

impl Row {
    pub fn at_most(what: impl Into<String>, got: f64, bound: f64) -> Row {
        Row { what: what.into(), got, bound, least: false }
    }

    pub fn at_least(what: impl Into<String>, got: f64, bound: f64) -> Row {
        Row { what: what.into(), got, bound, least: true }
    }

    pub fn held(&self) -> bool {
        let off = if self.least { self.bound - self.got } else { self.got - self.bound };
        // Kernels are counted whole, and sums of tenths are not exact.
        off <= 1e-9
    }

    pub fn text(&self, case: &str) -> String {
        let (word, sign) =
            (if self.held() { "held  " } else { "MISSED" }, if self.least { ">=" } else { "<=" });
        format!("{word} {case:<44} {:<40} {:>8.3} {sign} {:.3}", self.what, self.got, self.bound)
    }

    pub fn json(&self, case: &str) -> String {
        let (held, least) = (self.held(), self.least);
        serde_json::json!({
            "case": case, "what": self.what, "got": self.got, "bound": self.bound, "least": least, "held": held,
        })
        .to_string()
    }
}

/// The greatest distance between asked and got over windows that begin a tenth of a window apart.
pub fn worst(world: &World, tenant: usize, asked: f64, window: u64, from: u64) -> f64 {
    let stride = (window / 10).max(1);
    let starts = (0..).map(|i| from + i * stride).take_while(|start| start + window <= world.now);
    starts.map(|start| (world.percent(tenant, start, start + window) - asked).abs()).fold(0.0, f64::max)
}

/// Share errors of tenants that asked for these, over the long and the short window.
pub fn shares(world: &World, asked: &[(usize, f64)], kernel: u64, from: u64) -> Vec<Row> {
    let window = SECOND.max(200 * kernel);
    let one_kernel = |window: u64| 100.0 * kernel as f64 / window as f64;
    let mut rows = Vec::new();
    // Of all tenants the one that is nearest to its bound or the farthest beyond.
    let nearest = |rows: Vec<(f64, f64)>| {
        rows.into_iter().max_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1))).unwrap_or((0.0, 1.0))
    };
    let long = asked.iter().map(|(tenant, asked)| {
        let bound = 1.5f64.min(asked / 5.0) + one_kernel(window);
        (worst(world, *tenant, *asked, window, from), bound)
    });
    let (got, bound) = nearest(long.collect());
    rows.push(Row::at_most(format!("points off in {} s", window / SECOND), got, bound));
    if kernel <= MS {
        let short = asked.iter().map(|(tenant, asked)| {
            (worst(world, *tenant, *asked, 100 * MS, from), 5.0 + one_kernel(100 * MS))
        });
        let (got, bound) = nearest(short.collect());
        rows.push(Row::at_most("points off in 100 ms", got, bound));
    }
    rows
}

pub fn p99(latencies: &[u64]) -> f64 {
    let mut sorted = latencies.to_vec();
    sorted.sort_unstable();
    sorted.get((sorted.len() * 99 / 100).min(sorted.len().saturating_sub(1))).copied().unwrap_or(0) as f64
}
