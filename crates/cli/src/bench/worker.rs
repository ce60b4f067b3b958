//! A tenant's program: keeps the first device busy, or sends it requests, and notes when each piece was done. A plain program of the
//! CUDA driver API that knows nothing of who limits it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use cleave_ledger::clock::now_ns;

use super::driver_unsafe::{Gpu, Kernel};
use super::load::Load;
use super::record::{self, Calibration, Meeting, Span};
use super::work::Work;
use crate::{Failure, node};

#[derive(Args)]
pub struct Arguments {
    /// The folder where the bench waits
    #[arg(long)]
    dir: PathBuf,
    /// What the bench calls this tenant
    #[arg(long, default_value = "worker")]
    name: String,
    #[arg(long, default_value_t = 0)]
    part: usize,
    #[arg(long, default_value = "")]
    load: Load,
    /// Measure how kernels grow with their iterations, and end
    #[arg(long)]
    calibrate: bool,
}

pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let meeting = Meeting::at(&arguments.dir);
    if arguments.calibrate {
        let calibration = calibrate(&Gpu::open()?)?;
        let text = serde_json::to_string(&calibration).map_err(anyhow::Error::from)?;
        record::put(&meeting.calibration(), &text)?;
        return Ok(String::new());
    }
    let mut others = Vec::new();
    if arguments.part == 0 {
        for part in 1..arguments.load.processes {
            let mut command = Command::new(node::myself());
            command.args([
                "bench",
                "worker",
                "--name",
                &arguments.name,
                "--load",
                &arguments.load.to_string(),
            ]);
            command.args(["--part", &part.to_string(), "--dir"]).arg(&arguments.dir);
            others.push(command.spawn().context("cannot start another process of this tenant")?);
        }
    }
    let worker = format!("{}-{}", arguments.name, arguments.part);
    let calibration =
        fs::read_to_string(meeting.calibration()).context("nobody has calibrated the kernels")?;
    let calibration: Calibration = serde_json::from_str(&calibration).map_err(anyhow::Error::from)?;
    let work = Work::prepare(arguments.load.clone(), &calibration)?;
    record::put(&meeting.ready(&worker), "")?;
    let done = work.run(wait_for_all(&meeting)?)?;
    record::write(&meeting.done(&worker), &done)?;
    for mut other in others {
        let status = other.wait().map_err(anyhow::Error::from)?;
        if !status.success() {
            return Err(anyhow::anyhow!("another process of this tenant ended with {status}").into());
        }
    }
    // Threads may still wait for a device that others have; what is not done by now does not count.
    std::process::exit(0)
}

/// Until everybody is ready: then all begin at the same time of the host's clock.
fn wait_for_all(meeting: &Meeting) -> Result<Span> {
    const PATIENCE_NS: u64 = 120_000_000_000;
    let until = now_ns() + PATIENCE_NS;
    loop {
        if let Ok(text) = fs::read_to_string(meeting.go()) {
            return serde_json::from_str(&text).context("the bench said nonsense");
        }
        if now_ns() > until || !meeting.folder().is_dir() {
            bail!("the bench never said when to begin");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The slope between two lengths, each the best of several trains: whatever else happens can only make one longer.
fn calibrate(gpu: &Gpu) -> Result<Calibration> {
    const LONG_ENOUGH_NS: f64 = 2e6;
    let stream = gpu.stream()?;
    let train = |turns: u32, count: u32| -> Result<f64> {
        let start = now_ns();
        (0..count).try_for_each(|_| gpu.launch(stream, Kernel::Work(turns)))?;
        gpu.drain()?;
        Ok((now_ns() - start) as f64 / f64::from(count))
    };
    let mut turns = 4;
    while train(turns, 2)? < LONG_ENOUGH_NS && turns < 1 << 30 {
        turns *= 2;
    }
    let best = |turns: u32, count: u32| -> Result<f64> {
        (0..5).map(|_| train(turns, count)).try_fold(f64::MAX, |best, next| Ok(best.min(next?)))
    };
    // Clocks of a card rise with load: the trains above have warmed it up.
    let (few, many) = (best(turns / 4, 64)?, best(turns, 16)?);
    let turn_ns = (many - few) / f64::from(turns - turns / 4);
    if turn_ns <= 0.0 || !turn_ns.is_finite() {
        bail!("kernels do not take longer with more iterations: {few} ns and {many} ns");
    }
    let fixed_ns = (many - f64::from(turns) * turn_ns).max(0.0);
    Ok(Calibration { device: gpu.name.clone(), devices: gpu.devices, fixed_ns, turn_ns })
}
