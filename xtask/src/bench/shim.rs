//! What the shim adds to a call, over a driver that returns at once: native and shimmed turn about, in one run.

use super::worker::Worker;
use super::{Figure, Target, Target::AtMost, gcc};
use crate::{dist, paths, run};
use anyhow::{Context, Result};
use cleave_slot::{Engine, NodeSlot, Order, Owner, Terms, Uuid};
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
    bench.figures()
}

struct Bench {
    folder: PathBuf,
    shim: PathBuf,
    tenant: Tenant,
}

/// A tenant of the stub's device; its folder goes with it.
struct Tenant(PathBuf);

impl Tenant {
    /// `node`: as if a daemon looked after it, which knows what a context costs.
    fn new(name: &str, node: bool) -> Result<Tenant> {
        let memory = Path::new("/dev/shm");
        let memory = if memory.is_dir() { memory.into() } else { std::env::temp_dir() };
        let tenant = Tenant(memory.join(format!("cleave-bench-{name}-{}", std::process::id())));
        std::fs::create_dir_all(&tenant.0)?;
        let terms = Terms {
            device: DEVICE,
            memory: 4 << 30,
            compute: 100,
            encode: 100,
            decode: 100,
            priority: 0,
            policy: 0,
            device_total: 8 << 30,
            context: if node { 1 << 20 } else { 0 },
        };
        let slot = NodeSlot::create(&tenant.0.join("gpu0"), &terms, Owner::Anyone)?;
        slot.heartbeat(if node { u64::MAX } else { 0 });
        Ok(tenant)
    }

    /// Makes it a tenant with a share that others contend for; but it is on turn, and never has to wait.
    fn on_turn(self) -> Result<Tenant> {
        let slot = NodeSlot::open(&self.0.join("gpu0"))?;
        slot.set_compute(30);
        let order =
            Order { credit_ns: 1 << 60, tracked: true, lease_until: u64::MAX >> 1, ..Order::default() };
        Engine::ALL.into_iter().for_each(|engine| slot.give(engine, &order));
        Ok(self)
    }
}

impl Drop for Tenant {
    fn drop(&mut self) {
        let _absent_is_fine = std::fs::remove_dir_all(&self.0);
    }
}

impl Bench {
    fn build() -> Result<Self> {
        let shim = dist::build()?.libcleave();
        let (folder, sources) = (paths::target().join("bench/shim"), paths::root().join("benches/shim"));
        let driver = folder.join("libcuda.so.1");
        gcc(&[sources.join("stub.c")], &driver, &["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1"])?;
        gcc(&[sources.join("main.c"), driver], &folder.join("bench"), &[])?;
        Ok(Self { folder, shim, tenant: Tenant::new("shim", false)? })
    }

    fn command(&self, shimmed: bool) -> Command {
        let mut command = Command::new(self.folder.join("bench"));
        command.env("LD_LIBRARY_PATH", &self.folder).env_remove("LD_PRELOAD").env_remove("CLEAVE_TENANT");
        if shimmed {
            command.env("LD_PRELOAD", &self.shim).env("CLEAVE_TENANT", &self.tenant.0);
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
        let (limited_median, limited_mean) = self.limited()?;
        let (alone, among) = self.crowd(true)?;
        let (alone_no_node, among_no_node) = self.crowd(false)?;
        Ok(vec![
            Figure::new("launch_added", added("launch")?, "ns", AtMost(15.0)),
            Figure::new("launch_native", native.median("launch")?, "ns", Target::None),
            Figure::new("launch_limited_median_added", limited_median, "ns", AtMost(30.0)),
            Figure::new("launch_limited_mean_added", limited_mean, "ns", AtMost(100.0)),
            Figure::new("alloc_free_added", added("alloc_free")?, "ns", AtMost(150.0)),
            Figure::new("alloc_free_50000_live_added", added("alloc_free_live")?, "ns", AtMost(150.0)),
            Figure::new("mem_info_added", added("mem_info")?, "ns", AtMost(50.0)),
            Figure::new("system_calls", shimmed.median("system_calls")?, "", AtMost(0.0)),
            Figure::new("load_and_first_call_added", self.start()?, "ms", AtMost(5.0)),
            Figure::new("first_call_alone", alone, "us", Target::None),
            Figure::new("first_call_among_1000", among, "us", Target::None),
            Figure::new("start_1000th_ratio", among / alone, "x", AtMost(1.5)),
            Figure::new("start_1000th_ratio_no_node", among_no_node / alone_no_node, "x", AtMost(1.5)),
        ])
    }

    /// Nanoseconds that a launch takes longer under a compute limit where it does not wait: the median, and the mean with all that is
    /// done for some of them.
    fn limited(&self) -> Result<(f64, f64)> {
        let tenant = Tenant::new("limited", false)?.on_turn()?;
        let (mut native, mut limited) = (Samples::default(), Samples::default());
        for _ in 0..RUNS {
            native.add(&run::stdout(self.command(false).arg("launches"))?)?;
            let mut command = self.command(true);
            limited.add(&run::stdout(command.arg("launches").env("CLEAVE_TENANT", &tenant.0))?)?;
        }
        let added = |name: &str| -> Result<f64> { Ok(limited.median(name)? - native.median(name)?) };
        Ok((added("launch_median")?, added("launch")?))
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

    /// Microseconds of the first call of a process that is alone in its tenant, and of the last hundred of many that stay in one:
    /// turn about, so that both meet the same machine.
    fn crowd(&self, node: bool) -> Result<(f64, f64)> {
        let (crowded, empty) = (Tenant::new("crowded", node)?, Tenant::new("empty", node)?);
        let start = |tenant: &Tenant| -> Result<(Worker, f64)> {
            let mut command = self.command(true);
            let mut worker = Worker::start(command.arg("start").env("CLEAVE_TENANT", &tenant.0))?;
            let first_call = worker.value("first_call_us")?;
            Ok((worker, first_call))
        };
        let (mut workers, mut alone, mut among) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..PROCESSES {
            let (worker, first_call) = start(&crowded)?;
            workers.push(worker);
            if number >= PROCESSES - 100 {
                among.push(first_call);
                alone.push(start(&empty)?.1);
            }
        }
        Ok((median(&mut alone)?, median(&mut among)?))
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
