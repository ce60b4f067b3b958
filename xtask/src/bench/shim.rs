//! What the shim adds to a call, over a driver that returns at once: native and shimmed turn about, in one run.

use super::worker::Worker;
use super::{Figure, Target, Target::AtMost, gcc};
use crate::{dist, paths, run};
use anyhow::{Context, Result};
use cleave_slot::{NodeSlot, Owner, Terms, Uuid};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Native and shimmed runs, each.
const RUNS: usize = 7;
/// Processes of one tenant that are there at the same time.
const PROCESSES: usize = 1000;
/// The uuid of the stub's device.
const DEVICE: Uuid = Uuid::Gpu(*b"cleave-bench-gpu");

pub fn measure() -> Result<Vec<Figure>> {
    let bench = Bench::build()?;
    let result = bench.figures();
    std::fs::remove_dir_all(&bench.tenant).context("the bench's slot cannot be removed")?;
    result
}

struct Bench {
    folder: PathBuf,
    shim: PathBuf,
    tenant: PathBuf,
}

impl Bench {
    fn build() -> Result<Self> {
        let shim = dist::build()?.libcleave();
        let (folder, sources) = (paths::target().join("bench/shim"), paths::root().join("benches/shim"));
        let driver = folder.join("libcuda.so.1");
        gcc(&[sources.join("stub.c")], &driver, &["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1"])?;
        gcc(&[sources.join("main.c"), driver], &folder.join("bench"), &[])?;
        let memory = if Path::new("/dev/shm").is_dir() { PathBuf::from("/dev/shm") } else { folder.clone() };
        let tenant = memory.join(format!("cleave-bench-shim-{}", std::process::id()));
        std::fs::create_dir_all(&tenant)?;
        let terms = Terms {
            device: DEVICE,
            memory: 4 << 30,
            compute: 100,
            encode: 100,
            decode: 100,
            priority: 0,
            policy: 0,
            device_total: 8 << 30,
            context: 0,
        };
        NodeSlot::create(&tenant.join("gpu0"), &terms, Owner::Anyone)?;
        Ok(Self { folder, shim, tenant })
    }

    fn command(&self, shimmed: bool) -> Command {
        let mut command = Command::new(self.folder.join("bench"));
        command.env("LD_LIBRARY_PATH", &self.folder).env_remove("LD_PRELOAD").env_remove("CLEAVE_TENANT");
        if shimmed {
            command.env("LD_PRELOAD", &self.shim).env("CLEAVE_TENANT", &self.tenant);
        }
        command
    }

    fn figures(&self) -> Result<Vec<Figure>> {
        let (mut native, mut shimmed) = (Samples::default(), Samples::default());
        for _ in 0..RUNS {
            native.add(&run::stdout(&mut self.command(false))?)?;
            shimmed.add(&run::stdout(&mut self.command(true))?)?;
        }
        let added = |name: &str| -> Result<f64> { Ok(shimmed.median(name)? - native.median(name)?) };
        let (first, last) = self.crowd()?;
        Ok(vec![
            Figure::new("launch_added", added("launch")?, "ns", AtMost(15.0)),
            Figure::new("launch_native", native.median("launch")?, "ns", Target::None),
            Figure::new("alloc_free_added", added("alloc_free")?, "ns", AtMost(150.0)),
            Figure::new("alloc_free_50000_live_added", added("alloc_free_live")?, "ns", AtMost(150.0)),
            Figure::new("mem_info_added", added("mem_info")?, "ns", AtMost(50.0)),
            Figure::new("system_calls", shimmed.median("system_calls")?, "", AtMost(0.0)),
            Figure::new("load_and_first_call_added", self.start()?, "ms", AtMost(5.0)),
            Figure::new("first_call_among_few", first, "us", Target::None),
            Figure::new("first_call_among_1000", last, "us", Target::None),
            Figure::new("start_1000th_ratio", last / first, "x", AtMost(1.5)),
        ])
    }

    /// Milliseconds from the start of a process to its end, shimmed less native.
    fn start(&self) -> Result<f64> {
        let (mut native, mut shimmed) = (Vec::new(), Vec::new());
        for _ in 0..3 * RUNS {
            for (samples, shim) in [(&mut native, false), (&mut shimmed, true)] {
                let begin = Instant::now();
                run::stdout(self.command(shim).arg("start").stdin(Stdio::null()))?;
                samples.push(begin.elapsed().as_secs_f64() * 1e3);
            }
        }
        Ok(median(&mut shimmed)? - median(&mut native)?)
    }

    /// Microseconds of the first call, for the first hundred and the last hundred of many processes that stay.
    fn crowd(&self) -> Result<(f64, f64)> {
        let (mut workers, mut samples) = (Vec::new(), Vec::new());
        for _ in 0..PROCESSES {
            let mut worker = Worker::start(self.command(true).arg("start"))?;
            samples.push(worker.value("first_call_us")?);
            workers.push(worker);
        }
        let last = median(&mut samples[PROCESSES - 100..])?;
        Ok((median(&mut samples[..100])?, last))
    }
}

/// What several runs said, by name.
#[derive(Default)]
struct Samples(BTreeMap<String, Vec<f64>>);

impl Samples {
    fn add(&mut self, text: &str) -> Result<()> {
        for line in text.lines() {
            let (name, value) = line.split_once(' ').with_context(|| format!("not a figure: {line}"))?;
            self.0.entry(name.to_string()).or_default().push(value.parse()?);
        }
        Ok(())
    }

    fn median(&self, name: &str) -> Result<f64> {
        median(&mut self.0.get(name).with_context(|| format!("nothing measured {name}"))?.clone())
    }
}

fn median(samples: &mut [f64]) -> Result<f64> {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().context("no samples")
}
