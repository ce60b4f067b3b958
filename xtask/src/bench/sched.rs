use super::{Figure, Target, Target::AtLeast, Target::AtMost};
use crate::{paths, run};
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Published FGD at 100 % and 130 % demand (Weng et al., USENIX ATC 2023), by trace.
const PUBLISHED: [(&str, f64, f64); 5] = [
    ("default", 95.23, 95.39),
    ("cpu050", 95.00, 95.21),
    ("gpushare40", 93.96, 94.15),
    ("gpuspec10", 94.66, 94.95),
    ("multigpu20", 95.53, 95.65),
];

/// Points our FGD may be away from the published values.
const NEAR: f64 = 0.35;

/// What ours must reach on the default trace at 100 % demand.
const DEFAULT_100: f64 = 95.4;

/// The least difference that two decimals show.
const ABOVE: f64 = 0.01;

pub fn measure() -> Result<Vec<Figure>> {
    let mut figures = scale()?;
    translate(&mut figures)?;
    protocol(&mut figures)?;
    match traces() {
        Some(folder) => replay(&folder, &mut figures)?,
        None => println!("no traces: set CLEAVE_TRACES to the folder of the published CSV files"),
    }
    Ok(figures)
}

/// The traces may be used but not passed on, so they are not in the repository: they are where the variable says, or in
/// `shared` beside it.
fn traces() -> Option<PathBuf> {
    let named = std::env::var_os("CLEAVE_TRACES").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| paths::root().join("../shared/data/fgd"));
    folder.join("openb_node_list_gpu_node.csv").exists().then_some(folder)
}

/// The large cluster and the mixed slices.
fn scale() -> Result<Vec<Figure>> {
    let mut command = Command::new("cargo");
    command.args(["bench", "-q", "-p", "cleave-sched", "--bench", "scale"]).current_dir(paths::root());
    let text = run::stdout(&mut command)?;
    let values: Value = serde_json::from_str(text.trim()).context("the line the bench prints")?;
    let figure =
        |name: &str, unit, target| Figure::new(name, values[name].as_f64().unwrap_or(f64::NAN), unit, target);
    Ok(vec![
        figure("large_median_us", "us", AtMost(200.0)),
        figure("large_p99_us", "us", Target::None),
        figure("large_slices", "", AtLeast(50_000.0)),
        figure("large_state_mib", "MiB", AtMost(200.0)),
        figure("mixed_touched_percent", "%", AtMost(3.0)),
    ])
}

/// Every state that the commit protocol can reach with two schedulers, two nodes, two devices, three pods and a crash of each;
/// the same with two leaders at once; smaller worlds with other faults; and ways through one that is too large.
fn protocol(figures: &mut Vec<Figure>) -> Result<()> {
    for (test, name, seconds) in [
        ("target", "model", AtMost(60.0)),
        ("rivals", "rivals", Target::None),
        ("larger", "larger", Target::None),
        ("walks", "walks", Target::None),
    ] {
        let values = model(test, name)?;
        let mut figure = |what: &str, unit, target| {
            let name = format!("{name}_{what}");
            let value = values[&name].as_f64().unwrap_or(f64::NAN);
            figures.push(Figure::new(&name, value, unit, target));
        };
        figure("states", "", Target::None);
        figure("seconds", "s", seconds);
        figure("peak_mib", "MiB", AtMost(4096.0));
    }
    Ok(())
}

/// Runs one test of the model, which fails if a state breaks a promise, and reads the line it prints.
fn model(test: &str, name: &str) -> Result<Value> {
    let mut command = Command::new("cargo");
    command.args(["test", "--release", "-q", "-p", "cleave-sched", "--test", "protocol", "--"]);
    command.args(["--ignored", "--exact", test, "--nocapture"]).current_dir(paths::root());
    let text = run::quiet(&mut command)?;
    let start = format!("{{\"{name}_states\"");
    // The test runner writes the test's name in front of what the test prints first.
    let line = text.lines().find_map(|line| line.find(&start).map(|at| &line[at..]));
    Ok(serde_json::from_str(line.with_context(|| format!("the model said nothing of {name}"))?)?)
}

/// Pods of a dump that `cleave translate` reads in a second of CPU time, by the form of the dump.
fn translate(figures: &mut Vec<Figure>) -> Result<()> {
    let mut command = Command::new("cargo");
    command.args(["run", "--release", "-q", "-p", "cleave-kube", "--example", "throughput"]);
    let output = command.current_dir(paths::root()).output().context("the example of cleave-kube")?;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let form = line.split(' ').next().unwrap_or_default().replace('-', "_");
        let rate = line.split(' ').find_map(|part| part.strip_prefix("pods_per_cpu_second="));
        let rate = rate.and_then(|rate| rate.parse().ok()).unwrap_or(f64::NAN);
        figures.push(Figure::new(&format!("translate_{form}"), rate, "pods/s", AtLeast(10_000.0)));
    }
    Ok(())
}

/// Ten seeds of every trace, ours beside FGD.
fn replay(folder: &Path, figures: &mut Vec<Figure>) -> Result<()> {
    run::quiet(
        Command::new("cargo").args(["build", "--release", "-p", "cleave"]).current_dir(paths::root()),
    )?;
    for (trace, fgd_100, fgd_130) in PUBLISHED {
        let start = Instant::now();
        let ours = sim(folder, trace, "thrift")?;
        let seconds = start.elapsed().as_secs_f64();
        let fgd = sim(folder, trace, "fgd")?;
        for (at, published) in [(100, fgd_100), (130, fgd_130)] {
            let field = format!("allocated_percent_at_{at}");
            let value = |document: &Value| document[&field].as_f64().unwrap_or(f64::NAN);
            let off = (value(&fgd) - published).abs();
            let paired = paired(&ours, &fgd, &field);
            let wanted = if (trace, at) == ("default", 100) { DEFAULT_100 } else { published };
            figures.push(Figure::new(&format!("{trace}_{at}"), value(&ours), "%", AtLeast(wanted)));
            figures.push(Figure::new(&format!("{trace}_{at}_above_fgd"), paired, "points", AtLeast(ABOVE)));
            figures.push(Figure::new(&format!("{trace}_{at}_fgd_off"), off, "points", AtMost(NEAR)));
        }
        let micros = |name: &str| ours[name].as_f64().unwrap_or(f64::NAN);
        figures.push(Figure::new(&format!("{trace}_known"), micros("decision_us_known"), "us", AtMost(50.0)));
        figures.push(Figure::new(&format!("{trace}_new"), micros("decision_us_new"), "us", AtMost(5000.0)));
        figures.push(Figure::new(&format!("{trace}_ten_seeds"), seconds, "s", AtMost(30.0)));
    }
    Ok(())
}

fn sim(folder: &Path, trace: &str, policy: &str) -> Result<Value> {
    let mut command = Command::new(paths::target().join("release/cleave"));
    command.args(["sim", "--json", "--seeds", "10", "--policy", policy]);
    command.arg("--nodes").arg(folder.join("openb_node_list_gpu_node.csv"));
    command.arg("--pods").arg(folder.join(format!("openb_pod_list_{trace}.csv")));
    Ok(serde_json::from_str(&run::stdout(&mut command)?)?)
}

/// Mean difference between runs of the same seed.
fn paired(ours: &Value, theirs: &Value, field: &str) -> f64 {
    let values = |document: &Value| -> Vec<f64> {
        let runs = document["runs"].as_array().into_iter().flatten();
        runs.filter_map(|run| run[field].as_f64()).collect()
    };
    let (ours, theirs) = (values(ours), values(theirs));
    ours.iter().zip(&theirs).map(|(a, b)| a - b).sum::<f64>() / ours.len().min(theirs.len()) as f64
}
