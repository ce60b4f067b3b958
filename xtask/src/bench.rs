/// The software GPU as several processes share it.
mod device;
/// Two tenants whose memory does not fit together.
mod oversubscription;
/// Placement in a cluster.
mod sched;
/// Shares of compute, in virtual time and with real processes.
mod share;
/// What the shim adds to a call.
mod shim;
/// The software GPU by itself.
mod softgpu;
/// Programs that work beside each other.
pub mod worker;

use crate::{dist, install, run};
use anyhow::{Result, bail};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One figure, with what was promised of it.
#[derive(Serialize)]
pub struct Figure {
    pub name: String,
    pub value: f64,
    pub unit: &'static str,
    /// `>= 0.25`, `<= 30`, or empty for a figure that only informs.
    pub target: String,
    pub ok: bool,
}

/// What a figure must reach.
#[derive(Clone, Copy)]
pub enum Target {
    AtLeast(f64),
    AtMost(f64),
    None,
}

impl Figure {
    pub fn new(name: &str, value: f64, unit: &'static str, target: Target) -> Self {
        let (target, ok) = match target {
            Target::AtLeast(bound) => (format!(">= {bound}"), value >= bound),
            Target::AtMost(bound) => (format!("<= {bound}"), value <= bound),
            Target::None => (String::new(), true),
        };
        Self { name: name.to_string(), value, unit, target, ok }
    }
}

/// Measures and prints; a figure that falls short is printed, not hidden, and is not an error of the run.
pub fn run(name: &str, json: bool, full: bool) -> Result<()> {
    let figures = match name {
        "softgpu" => softgpu::measure()?,
        "device" => device::measure()?,
        "sched" => sched::measure()?,
        "share" => share::measure(full)?,
        "shim" => shim::measure()?,
        "oversubscription" => oversubscription::measure(&dist::build()?)?,
        other => bail!(
            "there is no bench `{other}`; there are: softgpu, device, sched, share, shim, oversubscription"
        ),
    };
    if json {
        println!("{}", serde_json::to_string_pretty(&figures)?);
        return Ok(());
    }
    println!("{:<34} {:>12} {:<7} {:<9} ok", "figure", "value", "unit", "target");
    for figure in &figures {
        let ok = if figure.target.is_empty() {
            ""
        } else if figure.ok {
            "yes"
        } else {
            "NO"
        };
        println!("{:<34} {:>12.4} {:<7} {:<9} {ok}", figure.name, figure.value, figure.unit, figure.target);
    }
    println!("\non {}", cpu_model());
    Ok(())
}

/// Builds a bench program.
fn gcc(inputs: &[PathBuf], output: &Path, more: &[&str]) -> Result<()> {
    install::program("gcc", "build-essential")?;
    output.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    let mut command = Command::new("gcc");
    command.args(["-O2", "-march=x86-64-v3", "-Wall", "-Wextra", "-Werror", "-o"]).arg(output);
    run::quiet(command.args(inputs).args(more)).map(drop)
}

fn cpu_model() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{}, {cores} cores", model.map_or("an unknown processor", |(_, name)| name))
}

#[cfg(test)]
mod tests {
    use super::{Figure, Target};

    #[test]
    fn a_figure_knows_whether_it_holds() {
        assert!(Figure::new("a", 2.0, "", Target::AtLeast(2.0)).ok);
        assert!(!Figure::new("a", 1.9, "", Target::AtLeast(2.0)).ok);
        assert!(!Figure::new("a", 2.1, "", Target::AtMost(2.0)).ok);
        assert!(!Figure::new("a", f64::NAN, "", Target::AtMost(2.0)).ok);
    }
}
