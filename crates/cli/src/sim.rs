//! `cleave sim`: what a policy would do with a trace.

/// Curves drawn in text.
mod plot;
/// A bar that fills while runs go on.
mod progress;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use cleave_sched::policy::NAMES;
use cleave_sched::sim::{self, Offline, Outcome, Scenario, Spread, Summary, Trace};
use serde::Serialize;

use crate::Failure;
use crate::table::table;

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    trace: TraceFiles,
    /// Policies to run, with commas between, or `all`
    #[arg(long, value_name = "NAME", default_value = NAMES[0])]
    policy: String,
    /// Runs of each policy, with seeds from --first-seed on
    #[arg(long, value_name = "N", default_value_t = 1)]
    seeds: u64,
    #[arg(long, value_name = "SEED", default_value_t = 42)]
    first_seed: u64,
    /// Runs at the same time [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print a document for programs
    #[arg(long)]
    json: bool,
}

/// The trace and how it is replayed.
#[derive(Args)]
pub struct TraceFiles {
    /// Nodes as CSV: sn, cpu_milli, memory_mib, gpu, model
    #[arg(long, value_name = "FILE")]
    nodes: PathBuf,
    /// Pods as CSV: name, cpu_milli, memory_mib, num_gpu, gpu_milli, and perhaps gpu_spec, qos, times, node and gpu_index
    #[arg(long, value_name = "FILE")]
    pods: PathBuf,
    /// Demand to reach, in percent of all devices
    #[arg(long, value_name = "PERCENT", default_value_t = 130)]
    demand: u32,
    /// Let pods come and go at the times of the trace
    #[arg(long)]
    departures: bool,
    /// Offline pods: so many percent, or `qos` for those the trace calls BE
    #[arg(long, value_name = "PERCENT|qos", value_parser = offline)]
    offline: Option<Offline>,
    /// Device memory a pod takes, in percent of its share of the device
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(..=100))]
    memory: u32,
}

fn offline(text: &str) -> Result<Offline, String> {
    match text {
        "qos" => Ok(Offline::BestEffort),
        number => match number.parse() {
            Ok(percent @ 0..=100) => Ok(Offline::Percent(percent)),
            _ => Err("neither `qos` nor a percentage".into()),
        },
    }
}

/// Does it; the text to print.
pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let names = policies(&arguments.policy)?;
    if arguments.seeds == 0 {
        return Err(anyhow::anyhow!("--seeds must be at least 1").into());
    }
    let scenario = arguments.trace.scenario()?;
    let results: Vec<(&str, Vec<Outcome>)> =
        names.iter().map(|name| (*name, runs(&scenario, name, arguments))).collect();
    if arguments.json {
        return document(&results, arguments);
    }
    Ok(for_people(&results))
}

/// The policies asked for, by their exact names.
fn policies(typed: &str) -> Result<Vec<&'static str>, Failure> {
    if typed == "all" {
        return Ok(NAMES.to_vec());
    }
    let known = |part: &str| NAMES.iter().copied().find(|name| name.eq_ignore_ascii_case(part.trim()));
    let found = typed.split(',').map(|part| {
        known(part).with_context(|| format!("there is no policy {part:?}; there are: {}", NAMES.join(", ")))
    });
    Ok(found.collect::<Result<_, _>>()?)
}

impl TraceFiles {
    pub fn scenario(&self) -> Result<Scenario, Failure> {
        let nodes = sim::nodes_from_csv(&read(&self.nodes)?).map_err(in_file(&self.nodes))?;
        let pods = sim::pods_from_csv(&read(&self.pods)?, self.memory).map_err(in_file(&self.pods))?;
        let mut scenario = Scenario::new(Trace { nodes, pods }).map_err(in_file(&self.nodes))?;
        scenario.demand_percent = self.demand;
        scenario.departures = self.departures;
        scenario.offline = self.offline.unwrap_or_default();
        Ok(scenario)
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).map_err(|error| anyhow::anyhow!("cannot read {}: {error}", path.display()))
}

fn in_file<E: Display>(path: &Path) -> impl Fn(E) -> anyhow::Error {
    move |error| anyhow::anyhow!("{}: {error}", path.display())
}

/// All runs of one policy, several at the same time; each is the same as if it ran alone.
fn runs(scenario: &Scenario, name: &str, arguments: &Arguments) -> Vec<Outcome> {
    let per_run = scenario.arrivals(arguments.first_seed).len() as u64;
    let bar = Mutex::new(progress::Bar::new(name, per_run * arguments.seeds));
    let next = AtomicU64::new(0);
    let work = || {
        let start = Instant::now();
        let mut clock = || start.elapsed().as_nanos() as u64;
        let mut steps = 0;
        // Said once in a while: the bar is shared, and a step takes a few microseconds.
        let mut progress = || {
            steps += 1;
            if steps % 64 == 0
                && let Ok(mut bar) = bar.lock()
            {
                bar.advance(64);
            }
        };
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        let numbers = numbers.take_while(|number| *number < arguments.seeds);
        let run = |number| {
            let outcome = scenario.run(name, arguments.first_seed + number, &mut clock, &mut progress);
            outcome.map(|outcome| (number, outcome))
        };
        numbers.filter_map(run).collect::<Vec<_>>()
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.threads.unwrap_or(cores).max(1);
    let mut done: Vec<(u64, Outcome)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
    });
    if let Ok(mut bar) = bar.lock() {
        bar.clear();
    }
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

/// One policy for programs.
#[derive(Serialize)]
struct Document {
    policy: String,
    seeds: Vec<u64>,
    allocated_percent_at_100: Option<f64>,
    allocated_percent_at_130: Option<f64>,
    deviation_at_100: Option<f64>,
    deviation_at_130: Option<f64>,
    runs: Vec<DocumentRun>,
    refused: f64,
    evicted: f64,
    online_percent: f64,
    offline_percent: f64,
    decision_us_known: Option<f64>,
    decision_us_new: Option<f64>,
    curve: Vec<Point>,
}

#[derive(Serialize)]
struct DocumentRun {
    seed: u64,
    allocated_percent_at_100: Option<f64>,
    allocated_percent_at_130: Option<f64>,
}

#[derive(Serialize)]
struct Point {
    demand_percent: usize,
    allocated_percent: f64,
}

/// One object for one policy, a list for several.
fn document(results: &[(&str, Vec<Outcome>)], arguments: &Arguments) -> Result<String, Failure> {
    let documents: Vec<Document> =
        results.iter().map(|(name, runs)| Document::new(name, runs, arguments)).collect();
    let text = match documents.as_slice() {
        [one] => serde_json::to_string_pretty(one),
        several => serde_json::to_string_pretty(several),
    };
    Ok(text.map_err(anyhow::Error::from)? + "\n")
}

impl Document {
    fn new(policy: &str, outcomes: &[Outcome], arguments: &Arguments) -> Document {
        let summary = Summary::of(outcomes);
        let seeds: Vec<u64> = (arguments.first_seed..).take(outcomes.len()).collect();
        let runs = seeds.iter().zip(outcomes).map(|(seed, outcome)| DocumentRun {
            seed: *seed,
            allocated_percent_at_100: outcome.curve.near(100),
            allocated_percent_at_130: outcome.curve.near(130),
        });
        let point = |(demand_percent, allocated_percent)| Point { demand_percent, allocated_percent };
        Document {
            policy: policy.to_string(),
            allocated_percent_at_100: summary.at_100.mean,
            allocated_percent_at_130: summary.at_130.mean,
            deviation_at_100: summary.at_100.deviation,
            deviation_at_130: summary.at_130.deviation,
            runs: runs.collect(),
            refused: summary.refused,
            evicted: summary.evicted,
            online_percent: summary.online_percent,
            offline_percent: summary.offline_percent,
            decision_us_known: summary.known_us.median,
            decision_us_new: summary.new_us.median,
            curve: summary.curve.points().map(point).collect(),
            seeds,
        }
    }
}

fn for_people(results: &[(&str, Vec<Outcome>)]) -> String {
    let summaries: Vec<(&str, Summary)> =
        results.iter().map(|(name, runs)| (*name, Summary::of(runs))).collect();
    let rows: Vec<Vec<String>> = summaries
        .iter()
        .map(|(name, summary)| {
            let offline = summary.offline_percent > 0.0 || summary.evicted > 0.0;
            vec![
                name.to_string(),
                shown(&summary.at_100),
                shown(&summary.at_130),
                format!("{:.2}", summary.online_percent),
                if offline { format!("{:.2}", summary.offline_percent) } else { "-".into() },
                format!("{:.0}", summary.refused),
                format!("{:.0}", summary.evicted),
                micros(&summary.known_us),
                micros(&summary.new_us),
            ]
        })
        .collect();
    let head =
        ["POLICY", "AT 100 %", "AT 130 %", "ONLINE", "OFFLINE", "REFUSED", "EVICTED", "KNOWN µs", "NEW µs"];
    let curves: Vec<(&str, &sim::Curve)> =
        summaries.iter().map(|(name, summary)| (*name, &summary.curve)).collect();
    format!("{}\n{}", table(&head, &rows), plot::plot(&curves))
}

fn shown(spread: &Spread) -> String {
    match (spread.mean, spread.deviation) {
        (Some(mean), Some(deviation)) => format!("{mean:.2} ± {deviation:.2}"),
        (Some(mean), None) => format!("{mean:.2}"),
        _ => "-".into(),
    }
}

fn micros(spread: &Spread) -> String {
    spread.median.map_or("-".into(), |median| format!("{median:.1}"))
}
