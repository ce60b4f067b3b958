use super::worker::{Worker, values};
use super::{Figure, Target, Target::AtLeast, Target::AtMost, gcc, softgpu};
use crate::clients::on_softgpu;
use crate::dist::{self, Dist};
use crate::{clients_nvml, paths, run};
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Name, unit and promise of every figure, in the order of the table.
const FIGURES: [(&str, &str, Target); 35] = [
    ("two_share_off", "points", AtMost(1.0)),
    ("two_sum", "%", AtLeast(97.0)),
    ("eight_share_off", "points", AtMost(1.0)),
    ("eight_sum", "%", Target::None),
    ("share_slip", "%", AtMost(1.0)),
    ("share_windows_repeated", "", Target::None),
    ("share_wall_ratio", "x", Target::None),
    ("solo_kernels_per_s", "1/s", Target::None),
    ("train_shortest_off", "%", AtMost(1.0)),
    ("train_shortest", "us", Target::None),
    ("train_200us_off", "%", AtMost(1.0)),
    ("train_2ms_off", "%", AtMost(1.0)),
    ("train_50ms_off", "%", AtMost(1.0)),
    ("latency_p90", "us", AtMost(50.0)),
    ("latency_p99", "us", Target::None),
    ("latency_loaded_p90", "us", Target::None),
    ("latency_loaded_p99", "us", Target::None),
    ("launch_retire_cpu", "us", AtMost(4.0)),
    ("saturated_cpu", "cores", AtMost(0.5)),
    ("beside_endless_wait", "us", AtMost(2050.0)),
    ("beside_endless_median", "us", Target::None),
    ("alloc_free", "us", AtMost(1.0)),
    ("new_chunk", "us", AtMost(400.0)),
    ("new_chunk_p99", "us", Target::None),
    ("fallocate_by_itself", "us", Target::None),
    ("recover", "ms", AtMost(10.0)),
    ("drop_per_gib", "ms", Target::None),
    ("entry_exit", "us", AtMost(1.0)),
    ("private_kernel", "us", Target::None),
    ("matmul_cost", "%", AtMost(3.0)),
    ("nvml_call", "us", AtMost(20.0)),
    ("nvidia_smi", "ms", AtMost(100.0)),
    ("start_64th_ratio", "x", AtMost(1.5)),
    ("start_first", "ms", Target::None),
    ("start_64th", "ms", Target::None),
];

/// What the preset `paced` models: a slice, and the switch to the next context, in microseconds.
const SLICE_US: f64 = 2000.0;
const SWITCH_US: f64 = 50.0;
/// A window in which the device's clock stood for more than this part of the time measures the machine, not the model.
const VALID_SLIP: f64 = 0.01;

type Values = BTreeMap<&'static str, f64>;
type Part = fn(&Bench) -> Result<Values>;

pub fn measure() -> Result<Vec<Figure>> {
    let bench = Bench::build()?;
    let mut values = Values::new();
    let parts: [(&str, Part); 9] = [
        ("shares", Bench::shares),
        ("trains", Bench::trains),
        ("latency", Bench::latency),
        ("an endless neighbour", Bench::endless),
        ("allocation", Bench::allocation),
        ("recovery", Bench::recovery),
        ("the price of sharing", Bench::price),
        ("nvml", Bench::nvml),
        ("the 64th process", Bench::start),
    ];
    for (name, part) in parts {
        eprintln!("measuring {name} …");
        values.extend(part(&bench)?);
    }
    let figure = |(name, unit, target)| -> Result<Figure> {
        let value = values.get(name).with_context(|| format!("nothing measured {name}"))?;
        Ok(Figure::new(name, *value, unit, target))
    };
    FIGURES.into_iter().map(figure).collect()
}

struct Bench {
    dist: Dist,
    program: PathBuf,
    kernels: String,
    matmul: PathBuf,
    naive: String,
}

/// A device folder of the bench's own, gone when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn free(name: &str) -> Result<Self> {
        let path = PathBuf::from(format!("/dev/shm/cleave-bench-{}-{name}", std::process::id()));
        std::fs::create_dir(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Self(path))
    }

    fn paced(name: &str) -> Result<Self> {
        let folder = Self::free(name)?;
        std::fs::write(folder.0.join("config.toml"), "preset = \"paced\"\n")?;
        Ok(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A bench that fails has said so already; what stays is a folder on a temporary file system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Bench {
    fn build() -> Result<Self> {
        eprintln!("building …");
        let dist = dist::build()?;
        let source = paths::root().join("benches/device");
        let program = paths::target().join("bench/device");
        let [main, time, memory] = ["main.c", "time.c", "memory.c"].map(|name| source.join(name));
        gcc(&[main, time, memory, dist.libcuda()], &program, &["-ldl"])?;
        let matmul = softgpu::program(&dist)?;
        let kernels = source.join("kernels.ptx").display().to_string();
        let naive = paths::root().join("benches/softgpu/naive.ptx").display().to_string();
        Ok(Self { dist, program, kernels, matmul, naive })
    }

    /// The bench program on the device of a folder, or on one of its own.
    fn command(&self, device: &Path, words: &[&str]) -> Command {
        let mut command = on_softgpu(&self.program, &self.dist);
        command.args(words).env("CLEAVE_SOFTGPU", device);
        command
    }

    fn worker(&self, device: &Path, words: &[&str]) -> Result<Worker> {
        Worker::start(&mut self.command(device, words))
    }

    fn once(&self, device: &Path, words: &[&str]) -> Result<BTreeMap<String, f64>> {
        values(&run::stdout(&mut self.command(device, words))?)
    }

    /// Nanoseconds for which the device's clock has stood.
    fn slip(&self, device: &Path) -> Result<f64> {
        let mut command = Command::new(self.dist.cleave());
        let text = run::stdout(command.args(["softgpu", "--json"]).env("CLEAVE_SOFTGPU", device))?;
        let document: Value = serde_json::from_str(&text)?;
        document["devices"][0]["slip_ns"].as_f64().context("cleave softgpu --json shows no slip_ns")
    }

    /// Kernels a second of `count` processes that all want the whole device, over five seconds of its own time.
    fn rates(&self, device: &Path, count: usize, turns: &str) -> Result<Window> {
        let words = ["share", &self.kernels, turns, "5"];
        let mut workers = (0..count).map(|_| self.worker(device, &words)).collect::<Result<Vec<_>>>()?;
        workers.iter_mut().try_for_each(|worker| worker.wait_for("ready"))?;
        let (slip, started) = (self.slip(device)?, Instant::now());
        workers.iter_mut().try_for_each(Worker::go)?;
        let rates = workers.iter_mut().map(|worker| worker.value("rate")).collect::<Result<Vec<f64>>>()?;
        let wall = started.elapsed().as_secs_f64();
        let slip = (self.slip(device)? - slip) * 1e-9;
        Ok(Window { rates, wall, slip: slip / wall })
    }

    /// Solo, together, solo, in one run: what each gets of what it would have alone.
    fn shares(&self) -> Result<Values> {
        let device = Folder::paced("shares")?;
        let turns = self.turns(&device.0, 200.0)?.to_string();
        let mut repeated = 0.0;
        let mut worst_slip: f64 = 0.0;
        let mut valid = |count: usize| -> Result<Window> {
            loop {
                let window = self.rates(&device.0, count, &turns)?;
                if window.slip <= VALID_SLIP || repeated >= 20.0 {
                    worst_slip = worst_slip.max(window.slip);
                    return Ok(window);
                }
                repeated += 1.0;
            }
        };
        let (before, two, eight, after) = (valid(1)?, valid(2)?, valid(8)?, valid(1)?);
        let solo = (before.rates[0] + after.rates[0]) / 2.0;
        // Between two contexts the device does nothing for the time of a switch: that is the model's, not ours.
        let room = SLICE_US / (SLICE_US + SWITCH_US);
        let percent = |rate: f64| 100.0 * rate / solo / room;
        let off = |window: &Window| {
            let fair = 100.0 / window.rates.len() as f64;
            window.rates.iter().map(|&rate| (percent(rate) - fair).abs()).fold(0.0, f64::max)
        };
        let sum = |window: &Window| window.rates.iter().map(|&rate| percent(rate)).sum();
        Ok(Values::from([
            ("two_share_off", off(&two)),
            ("two_sum", sum(&two)),
            ("eight_share_off", off(&eight)),
            ("eight_sum", sum(&eight)),
            ("share_slip", worst_slip * 100.0),
            ("share_windows_repeated", repeated),
            ("share_wall_ratio", two.wall / 5.0),
            ("solo_kernels_per_s", solo),
        ]))
    }

    /// How many turns of the loop make a kernel of so many microseconds: the model is linear in them.
    fn turns(&self, device: &Path, microseconds: f64) -> Result<u64> {
        let time = |turns: &str| -> Result<f64> {
            Ok(self.once(device, &["train", &self.kernels, turns, "0.01"])?["kernel_us"])
        };
        let (few, many) = (time("10")?, time("1010")?);
        let each = (many - few) / 1000.0;
        Ok(((microseconds - few) / each + 10.0).round().max(1.0) as u64)
    }

    fn trains(&self) -> Result<Values> {
        let device = Folder::paced("trains")?;
        let mut figures = Values::new();
        let lengths = [("train_200us_off", 200.0), ("train_2ms_off", 2000.0), ("train_50ms_off", 50_000.0)];
        for (name, microseconds) in lengths {
            let turns = self.turns(&device.0, microseconds)?.to_string();
            let train = self.once(&device.0, &["train", &self.kernels, &turns, "1"])?;
            figures.insert(name, 100.0 * (train["wall_ratio"] - 1.0).abs());
            if microseconds == 2000.0 {
                // What a saturated device costs: CPU time of a kernel in the time it takes.
                figures.insert("saturated_cpu", train["cpu_us"] / train["kernel_us"]);
            }
        }
        let empty = self.once(&device.0, &["train", &self.kernels, "0", "1"])?;
        figures.insert("train_shortest_off", 100.0 * (empty["wall_ratio"] - 1.0).abs());
        figures.insert("train_shortest", empty["kernel_us"]);
        figures.insert("launch_retire_cpu", empty["cpu_us"]);
        Ok(figures)
    }

    fn latency(&self) -> Result<Values> {
        let device = Folder::paced("latency")?;
        let turns = self.turns(&device.0, 100.0)?.to_string();
        let words = ["latency", &self.kernels, &turns];
        let idle = self.once(&device.0, &words)?;
        // Loaded: two processes of the machine, not of the device, that want both cores.
        let burn = || Worker::start(Command::new("sh").args(["-c", "echo ready; while :; do :; done"]));
        let mut burners = [burn()?, burn()?];
        burners.iter_mut().try_for_each(|burner| burner.wait_for("ready"))?;
        let loaded = self.once(&device.0, &words)?;
        Ok(Values::from([
            ("latency_p90", idle["p90_us"]),
            ("latency_p99", idle["p99_us"]),
            ("latency_loaded_p90", loaded["p90_us"]),
            ("latency_loaded_p99", loaded["p99_us"]),
        ]))
    }

    fn endless(&self) -> Result<Values> {
        let device = Folder::paced("endless")?;
        let alone = self.once(&device.0, &["beside", &self.kernels, "short"])?;
        let mut endless = self.worker(&device.0, &["beside", &self.kernels, "endless"])?;
        endless.wait_for("ready")?;
        let beside = self.once(&device.0, &["beside", &self.kernels, "short"])?;
        Ok(Values::from([
            ("beside_endless_wait", beside["max_us"] - alone["median_us"]),
            ("beside_endless_median", beside["median_us"] - alone["median_us"]),
        ]))
    }

    fn allocation(&self) -> Result<Values> {
        let device = Folder::free("allocation")?;
        let _idle = self.crowd(&device.0, 63)?;
        let figures = self.once(&device.0, &["allocate"])?;
        Ok(Values::from([
            ("alloc_free", figures["alloc_free_us"]),
            ("new_chunk", figures["new_chunk_us"]),
            ("new_chunk_p99", figures["new_chunk_p99_us"]),
            ("fallocate_by_itself", figures["fallocate_us"]),
        ]))
    }

    fn recovery(&self) -> Result<Values> {
        const MIB: u32 = 2048;
        let device = Folder::free("recovery")?;
        let lock = device.0.join("device/lock").display().to_string();
        let (mut drop_ms, mut recover_ms) = (Vec::new(), Vec::new());
        for _ in 0..5 {
            let mut holder = self.worker(&device.0, &["hold", &MIB.to_string()])?;
            holder.wait_for("ready")?;
            let pid = holder.id().to_string();
            let times = self.once(&device.0, &["recover", &lock, &pid, &MIB.to_string()])?;
            drop_ms.push(times["drop_ms"] * 1024.0 / f64::from(MIB));
            recover_ms.push(times["available_ms"]);
        }
        Ok(Values::from([
            ("recover", recover_ms.iter().copied().fold(0.0, f64::max)),
            ("drop_per_gib", median(&mut drop_ms)),
        ]))
    }

    /// The shared device against a private one, in turns, in free-running mode.
    fn price(&self) -> Result<Values> {
        let shared = Folder::free("price")?;
        let private = Path::new("private");
        let (mut entry, mut alone, mut cost) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..11 {
            let kernel =
                |device| -> Result<f64> { Ok(self.once(device, &["entry", &self.kernels])?["kernel_us"]) };
            let (here, there) = (kernel(&shared.0)?, kernel(private)?);
            entry.push(here - there);
            alone.push(there);
            let (here, there) = (self.matmul(&shared.0)?, self.matmul(private)?);
            cost.push(100.0 * (there / here - 1.0));
        }
        Ok(Values::from([
            ("entry_exit", median(&mut entry)),
            ("private_kernel", median(&mut alone)),
            ("matmul_cost", median(&mut cost)),
        ]))
    }

    fn matmul(&self, device: &Path) -> Result<f64> {
        let words = ["matmul", "naive", &self.naive, "naive", "16", "128", "1", "32", "4", "1"];
        let mut command = on_softgpu(&self.matmul, &self.dist);
        command.args(words).env("CLEAVE_SOFTGPU", device);
        Ok(values(&run::stdout(&mut command)?)?["naive_gflops"])
    }

    fn nvml(&self) -> Result<Values> {
        let device = Folder::free("nvml")?;
        let _idle = self.crowd(&device.0, 63)?;
        let library = self.dist.libnvml().display().to_string();
        let calls = self.once(&device.0, &["nvml", &library])?;
        let screen = clients_nvml::smi()?;
        let mut times = Vec::new();
        for _ in 0..11 {
            let mut command = on_softgpu(&screen, &self.dist);
            command.env("CLEAVE_SOFTGPU", &device.0);
            let started = Instant::now();
            run::quiet(&mut command)?;
            times.push(started.elapsed().as_secs_f64() * 1e3);
        }
        Ok(Values::from([("nvml_call", calls["call_us"]), ("nvidia_smi", median(&mut times))]))
    }

    /// From nothing to a context, alone and beside 63 others, in turns.
    fn start(&self) -> Result<Values> {
        let (mut first, mut last) = (Vec::new(), Vec::new());
        let (quiet, busy) = (Folder::free("first")?, Folder::free("last")?);
        let time = |device: &Path| -> Result<f64> { self.worker(device, &["start"])?.value("start_ms") };
        // The very first process makes the device, which is not what is compared.
        time(&quiet.0)?;
        let _idle = self.crowd(&busy.0, 63)?;
        for _ in 0..11 {
            first.push(time(&quiet.0)?);
            last.push(time(&busy.0)?);
        }
        let (first, last) = (median(&mut first), median(&mut last));
        Ok(Values::from([("start_first", first), ("start_64th", last), ("start_64th_ratio", last / first)]))
    }

    /// Processes that have a context and nothing to do.
    fn crowd(&self, device: &Path, count: usize) -> Result<Vec<Worker>> {
        let mut crowd =
            (0..count).map(|_| self.worker(device, &["hold", "0"])).collect::<Result<Vec<Worker>>>()?;
        crowd.iter_mut().try_for_each(|worker| worker.wait_for("ready"))?;
        Ok(crowd)
    }
}

/// What several processes did in the same five seconds.
struct Window {
    rates: Vec<f64>,
    wall: f64,
    /// Part of the time for which the device's clock stood.
    slip: f64,
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
