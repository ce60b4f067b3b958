use super::worker::Worker;
use super::{Figure, Target, gcc};
use crate::dist::Dist;
use crate::{paths, run};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Memory of the device, and of each of two tenants: three quarters.
const DEVICE: &str = "64M";
const EACH_MIB: &str = "40";
const EACH: &str = "75%";

/// Two tenants that have the device one after the other, then beside each other: how much longer the one takes than the other.
pub fn measure(dist: &Dist) -> Result<Vec<Figure>> {
    let bench = Bench::build(dist)?;
    let launch = bench.launch_seconds()?;
    let swap = bench.swap_seconds()?;
    // Phases of at least ten moves, out and in.
    let phase = (10.0 * swap).max(0.5);
    let mut figures = vec![
        Figure::new("oversubscription_swap", swap, "s", Target::None),
        Figure::new("oversubscription_phase", phase, "s", Target::None),
    ];
    // How often, how long on the device, how long on the host, and what is promised.
    for (name, phases, device, host, bound) in [
        ("oversubscription_phases", 4, phase, phase, 0.8),
        ("oversubscription_saturated", 4, phase, 0.0, 1.2),
        ("oversubscription_200_100ms", 30, 0.2, 0.1, 1.2),
        ("oversubscription_30_30ms", 150, 0.03, 0.03, 1.2),
    ] {
        eprintln!("measuring {name} …");
        let (launches, host_ms) = ((device / launch).ceil(), (host * 1e3).ceil());
        let words = [phases.to_string(), launches.to_string(), TURNS.to_string(), host_ms.to_string()];
        let alone = bench.alone(&words)?;
        let (together, moved) = bench.together(&words)?;
        figures.push(Figure::new(name, together / (2.0 * alone), "x", Target::AtMost(bound)));
        figures.push(Figure::new(&format!("{name}_alone"), alone, "s", Target::None));
        figures.push(Figure::new(&format!("{name}_moved"), moved / (1 << 20) as f64, "MiB", Target::None));
    }
    Ok(figures)
}

/// Turns of the kernel's loop: about a millisecond on the modelled device.
const TURNS: u32 = 20;

struct Bench<'a> {
    dist: &'a Dist,
    program: PathBuf,
    home: PathBuf,
    /// Ours alone, so that nothing of it is left.
    daemon: Option<Child>,
}

impl Drop for Bench<'_> {
    fn drop(&mut self) {
        if let Some(daemon) = &mut self.daemon {
            let _gone_is_fine = daemon.kill();
            let _gone_is_fine = daemon.wait();
        }
        let _gone_is_fine = std::fs::remove_dir_all(&self.home);
    }
}

impl<'a> Bench<'a> {
    fn build(dist: &'a Dist) -> Result<Bench<'a>> {
        let program = paths::target().join("bench/oversubscription");
        let source = paths::root().join("benches/oversubscription/main.c");
        gcc(&[source, dist.libcuda()], &program, &["-ldl"])?;
        let home = PathBuf::from(format!("/dev/shm/cleave-bench-{}-oversubscription", std::process::id()));
        let gpu = home.join("gpu");
        std::fs::create_dir_all(&gpu).with_context(|| format!("cannot make {}", gpu.display()))?;
        std::fs::write(gpu.join("config.toml"), format!("preset = \"paced\"\nmemory = \"{DEVICE}\"\n"))?;
        let mut bench = Bench { dist, program, home, daemon: None };
        let daemon = bench.cleave().arg("node").stdin(Stdio::null()).stderr(Stdio::null()).spawn()?;
        bench.daemon = Some(daemon);
        let until = Instant::now() + Duration::from_secs(20);
        while run::quiet(bench.cleave().args(["ps", "--json"])).is_err() {
            ensure!(Instant::now() < until, "`cleave node` does not serve");
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(bench)
    }

    fn cleave(&self) -> Command {
        let mut command = Command::new(self.dist.cleave());
        command.env("CLEAVE_HOME", self.home.join("node")).env("CLEAVE_SOFTGPU", self.home.join("gpu"));
        command.env_remove("CLEAVE_TENANT").env_remove("LD_PRELOAD");
        command
    }

    /// The program as a tenant, ready to go.
    fn tenant(&self, words: &[String]) -> Result<Worker> {
        let kernels = paths::root().join("benches/device/kernels.ptx");
        let mut command = self.cleave();
        command.args(["run", "--mem", EACH, "--compute", "50", "--oversubscribe", "--"]).arg(&self.program);
        let mut worker = Worker::start(command.arg(kernels).arg(EACH_MIB).args(words))?;
        worker.wait_for("ready")?;
        Ok(worker)
    }

    fn alone(&self, words: &[String]) -> Result<f64> {
        let mut worker = self.tenant(words)?;
        worker.go()?;
        let seconds = worker.value("seconds")?;
        worker.end()?;
        Ok(seconds)
    }

    /// From when both go until the last is done, and how many bytes moved.
    fn together(&self, words: &[String]) -> Result<(f64, f64)> {
        let mut workers = [self.tenant(words)?, self.tenant(words)?];
        let from = Instant::now();
        for worker in &mut workers {
            worker.go()?;
        }
        for worker in &mut workers {
            worker.value("seconds")?;
        }
        let seconds = from.elapsed().as_secs_f64();
        let status: Value = serde_json::from_str(&run::stdout(self.cleave().args(["ps", "--json"]))?)?;
        let tenants = status["tenants"].as_array().map_or(&[][..], Vec::as_slice);
        let moved = tenants.iter().filter_map(|tenant| tenant["grants"][0]["moved_bytes"].as_f64()).sum();
        for worker in &mut workers {
            worker.end()?;
        }
        Ok((seconds, moved))
    }

    /// How long one launch takes alone, when nothing else is in the way.
    fn launch_seconds(&self) -> Result<f64> {
        let best = |launches: u32| -> Result<f64> {
            let words = ["1".into(), launches.to_string(), TURNS.to_string(), "0".into()];
            let mut best = self.alone(&words)?;
            for _ in 0..2 {
                best = best.min(self.alone(&words)?);
            }
            Ok(best)
        };
        let (few, many) = (best(100)?, best(600)?);
        Ok((many - few) / 500.0)
    }

    /// How long it takes to bring the memory out and in again.
    fn swap_seconds(&self) -> Result<f64> {
        let _idle = self.tenant(&["1".into(), "1".into(), TURNS.to_string(), "0".into()])?;
        let status: Value = serde_json::from_str(&run::stdout(self.cleave().args(["ps", "--json"]))?)?;
        let id = status["tenants"][0]["id"].as_str().context("a tenant")?.to_string();
        let from = Instant::now();
        run::quiet(self.cleave().args(["pause", "--to-host", &id]))?;
        let out = from.elapsed().as_secs_f64();
        run::quiet(self.cleave().args(["resume", &id]))?;
        // In takes about as long as out; a pause is some milliseconds of waiting besides.
        Ok(2.0 * out)
    }
}
