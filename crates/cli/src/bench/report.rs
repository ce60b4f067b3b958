//! What was found, for people and for programs.

use serde::Serialize;

use super::windows::{Errors, Mean};
use crate::table::table;

/// The document of `cleave bench share --json`. Names and units stay as they are.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    pub device: String,
    /// `cleave`, `unmanaged`, or the command that starts a tenant.
    pub system: String,
    pub policy: String,
    pub solo: Vec<Solo>,
    pub tenants: Vec<TenantReport>,
    /// All tenants together, in percent of what each does alone.
    pub sum_percent: Option<f64>,
    /// The same tenants when nobody manages them.
    pub unmanaged_sum_percent: Option<f64>,
    pub overhead: Option<Overhead>,
    pub latency: Option<Latency>,
    pub give_back: Option<GiveBack>,
    /// CPU time of the bench's own daemon beside all tenants, in percent of one core.
    pub daemon_core_percent: Option<f64>,
    /// The part of it that gives turns.
    pub arbiters_core_percent: Option<f64>,
    /// Runs that were done again because the software GPU's clock stood.
    pub runs_repeated: u32,
    /// Windows of 1 s left out for the same reason.
    pub windows_left_out: usize,
    /// What the host took of this machine's cores meanwhile, in percent.
    pub host_took_percent: Option<f64>,
    pub scores: Vec<Score>,
    pub remarks: Vec<String>,
}

/// What a load does alone on the device, under nobody.
#[derive(Clone, Debug, Serialize)]
pub struct Solo {
    pub load: String,
    /// `ns/s` of GPU time, `bytes/s`, `kernels/s` (empty ones) or `lines/s` (of a program).
    pub unit: &'static str,
    /// Work a second, before and after everything else.
    pub before: f64,
    pub after: Option<f64>,
    pub drift_percent: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub struct TenantReport {
    pub name: String,
    pub load: String,
    /// What it asked for, what it should get with what others leave, and what it got, in percent of the device.
    pub asked: f64,
    pub due: f64,
    pub got: f64,
    pub long: Errors,
    pub short: Errors,
    /// Got in each window of 100 ms from the beginning; null where nothing can be said.
    pub timeline: Vec<f64>,
    pub asked_timeline: Vec<f64>,
}

/// One tenant with the whole device, managed and not, in turns.
#[derive(Clone, Debug, Serialize)]
pub struct Overhead {
    pub bare: Vec<f64>,
    pub managed: Vec<f64>,
    pub loss_percent: f64,
    /// The standard error of that: how far off it may well be.
    pub error_percent: f64,
}

impl Overhead {
    /// Each run is compared with its neighbour in time.
    pub fn of(bare: Vec<f64>, managed: Vec<f64>) -> Overhead {
        let losses = bare.iter().zip(&managed).map(|(bare, managed)| 100.0 * (1.0 - managed / bare));
        let Mean { value, error } = Mean::of_middle(losses.collect());
        Overhead { bare, managed, loss_percent: value, error_percent: error }
    }
}

/// Requests of a latency tenant beside a saturating one that takes what is left.
#[derive(Clone, Debug, Serialize)]
pub struct Latency {
    pub request: String,
    pub requests: usize,
    /// Requests of both runs during which the software GPU's clock stood.
    pub left_out: usize,
    pub alone_p50_ms: f64,
    pub alone_p99_ms: f64,
    pub beside_p50_ms: f64,
    pub beside_p99_ms: f64,
    /// What the other one got of what was left.
    pub used_percent: f64,
}

/// A tenant that pauses and returns, while another uses what it leaves.
#[derive(Clone, Debug, Serialize)]
pub struct GiveBack {
    /// From each return until a step of 20 ms in which it has its share again; null if it never had.
    pub returns_ms: Vec<Option<f64>>,
    pub median_ms: f64,
    pub worst_ms: f64,
    /// What the other one got while nobody else wanted anything.
    pub idle_used_percent: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct Score {
    pub case: String,
    pub value: f64,
    pub unit: &'static str,
    pub allowed: f64,
    /// Whether the value may not be above what is allowed; else not below.
    pub at_most: bool,
    pub held: bool,
}

impl Report {
    pub fn at_most(&mut self, case: &str, value: f64, unit: &'static str, allowed: f64) {
        self.scores.push(Score {
            case: case.into(),
            value,
            unit,
            allowed,
            at_most: true,
            held: value <= allowed,
        });
    }

    pub fn at_least(&mut self, case: &str, value: f64, unit: &'static str, allowed: f64) {
        self.scores.push(Score {
            case: case.into(),
            value,
            unit,
            allowed,
            at_most: false,
            held: value >= allowed,
        });
    }

    /// The tables for people.
    pub fn text(&self) -> String {
        let mut text = format!("device   {}\nsystem   {}\n", self.device, self.system);
        for solo in &self.solo {
            let drift =
                solo.drift_percent.map_or(String::new(), |drift| format!(", {drift:+.2} % at the end"));
            text += &format!("alone    {}: {}{drift}\n", solo.load, work(solo));
        }
        if !self.tenants.is_empty() {
            text += &format!("\n{}", self.shares());
        }
        let mut facts = Vec::new();
        if let Some(sum) = self.sum_percent {
            let unmanaged = self.unmanaged_sum_percent;
            let unmanaged =
                unmanaged.map_or(String::new(), |sum| format!(", and {sum:.1} % when nobody manages them"));
            facts.push(format!("all tenants together do {sum:.1} % of what they do alone{unmanaged}"));
        }
        if let Some(overhead) = &self.overhead {
            facts.push(format!(
                "with the whole device, {:.2} % slower than bare (± {:.2}; {} pairs of runs, in turns)",
                overhead.loss_percent,
                overhead.error_percent,
                overhead.bare.len()
            ));
        }
        if let Some(latency) = &self.latency {
            let left_out = match latency.left_out {
                0 => String::new(),
                left_out => {
                    format!("; {left_out} requests during which the device's clock stood do not count")
                }
            };
            facts.push(format!(
                "requests ({}): p50 {:.2} ms, p99 {:.2} ms alone; {:.2} ms and {:.2} ms beside another, which gets {:.1} % of what is left{left_out}",
                latency.request, latency.alone_p50_ms, latency.alone_p99_ms, latency.beside_p50_ms, latency.beside_p99_ms,
                latency.used_percent
            ));
        }
        if let Some(back) = &self.give_back {
            facts.push(format!(
                "lent compute is given back in {:.0} ms (median of {}, worst {:.0} ms); of what was idle, {:.1} % was used",
                back.median_ms, back.returns_ms.len(), back.worst_ms, back.idle_used_percent
            ));
        }
        if let (Some(daemon), Some(arbiters)) = (self.daemon_core_percent, self.arbiters_core_percent) {
            facts.push(format!(
                "the daemon took {daemon:.2} % of one core beside all tenants, {arbiters:.2} % to give turns"
            ));
        }
        for fact in facts {
            text += &format!("{fact}\n");
        }
        let rows = self.scores.iter().map(|score| {
            let bound = if score.at_most { "at most" } else { "at least" };
            vec![
                score.case.clone(),
                format!("{:.2} {}", score.value, score.unit),
                format!("{bound} {:.2}", score.allowed),
                if score.held { "held".into() } else { "MISSED".into() },
            ]
        });
        text += &format!("\n{}", table(&["CASE", "VALUE", "ALLOWED", "SCORE"], &rows.collect::<Vec<_>>()));
        if !self.remarks.is_empty() {
            text.push('\n');
        }
        self.remarks.iter().for_each(|remark| text += &format!("note: {remark}\n"));
        text
    }

    fn shares(&self) -> String {
        let rows = self.tenants.iter().map(|tenant| {
            let mut row = vec![tenant.name.clone(), tenant.load.clone()];
            row.extend([tenant.asked, tenant.due, tenant.got].map(|percent| format!("{percent:.1} %")));
            for errors in [&tenant.long, &tenant.short] {
                let Errors { mean, p95, worst, .. } = errors;
                row.push(if worst.is_nan() { "-".into() } else { format!("{mean:.2}/{p95:.2}/{worst:.2}") });
            }
            row
        });
        let rows: Vec<Vec<String>> = rows.collect();
        let long = self.tenants.first().map_or(1.0, |tenant| tenant.long.window_s);
        let long = format!("OFF IN {long} s");
        let head = ["TENANT", "LOAD", "ASKED", "DUE", "GOT", &long, "OFF IN 0.1 s"];
        let off = "off: points between due and got, as mean/p95/worst of the windows";
        format!("{}{off}\n", table(&head, &rows))
    }
}

/// Work a second, as people like to read it.
fn work(solo: &Solo) -> String {
    match solo.unit {
        "ns/s" => format!("{:.2} % of the time at work", solo.before / 1e7),
        "bytes/s" => format!("{:.1} MB/s", solo.before / 1e6),
        unit => format!("{:.1} {unit}", solo.before),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_that_is_no_number_is_missed() {
        let mut report = Report::default();
        report.at_most("a", f64::NAN, "%", 1.0);
        report.at_least("b", f64::NAN, "%", 1.0);
        report.at_most("c", 1.0, "%", 1.0);
        assert_eq!(report.scores.iter().map(|score| score.held).collect::<Vec<_>>(), [false, false, true]);
        let text = report.text();
        assert!(text.contains("MISSED") && text.contains("held"), "{text}");
    }
}
