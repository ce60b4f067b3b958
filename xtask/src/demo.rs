use crate::clients::{self, on_softgpu};
use crate::dist::{self, Dist};
use crate::install::Venv;
use crate::{paths, run};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Tenants want parts of one card, which here is the software GPU, in its paced form, so that time can be measured: three share its
/// compute, one of them a training, one takes all the memory it can get, one asks for more than there is.
pub fn run() -> Result<()> {
    println!("Building Cleave and its software GPU (a few minutes the first time) …");
    let dist = dist::build()?;
    println!("Fetching tinygrad …");
    let venv = Venv::clients()?;
    let folder = paths::target().join("demo");
    std::fs::create_dir_all(&folder)?;
    let shm = Path::new("/dev/shm");
    let state = if shm.is_dir() { shm.to_path_buf() } else { std::env::temp_dir() };
    let state = state.join(format!("cleave-demo-{}", std::process::id()));
    std::fs::create_dir_all(state.join("gpu"))?;
    // Fast enough for a training, slow enough for two cores to keep up with.
    std::fs::write(state.join("gpu/config.toml"), "preset = \"paced\"\nclock = \"10MHz\"\n")?;
    let demo = Demo { dist, venv, folder, state };
    let shown = demo.share();
    let _absent_is_fine = std::fs::remove_dir_all(&demo.state);
    shown
}

struct Demo {
    dist: Dist,
    venv: Venv,
    /// For what is left to look at.
    folder: PathBuf,
    /// The daemon's state and the device.
    state: PathBuf,
}

/// What was seen of a tenant while it ran.
#[derive(Default)]
struct Seen {
    asked: u64,
    used: u64,
    refused: u64,
}

impl Demo {
    /// `cleave` with its state in the demonstration's own folder.
    fn cleave(&self) -> Command {
        let mut command = on_softgpu(self.dist.cleave(), &self.dist);
        command.env_remove("LD_LIBRARY_PATH").env("CLEAVE_HOME", self.state.join("node"));
        command.env("CLEAVE_SOFTGPU", self.state.join("gpu"));
        command
    }

    /// Says what it runs, and gives it ready to start.
    fn typed(&self, words: &[&str]) -> Command {
        let short = |word: &&str| {
            word.split(' ').map(|part| part.rsplit('/').next().unwrap_or(part)).collect::<Vec<_>>().join(" ")
        };
        let shown = words.iter().map(|word| match short(word) {
            text if text.contains(' ') => format!("'{text}'"),
            text => text,
        });
        println!("$ cleave {}", shown.collect::<Vec<_>>().join(" "));
        let mut command = self.cleave();
        command.args(words);
        command
    }

    fn share(&self) -> Result<()> {
        let python = self.venv.python().display().to_string();
        let source = |name: &str| clients::source(name).display().to_string();
        let plot = self.folder.join("shares.svg");
        println!();
        let begin = Instant::now();
        let greedy = ["run", "--name", "greedy", "--mem", "512M", "--policy", "best-effort", "--", &python];
        let mut greedy = self.typed(&[&greedy[..], &[&source("demo_greedy.py")]].concat());
        let mut greedy = greedy.stdin(Stdio::piped()).spawn()?;
        let refusal = self.too_much()?;
        println!(
            "\nThree tenants at 60, 30 and 10 % of the compute; `a` is a training with tinygrad, unmodified. Half way `a` and `c` change \
             places."
        );
        let training = format!("a={python} {}", source("demo.py"));
        let plotted = plot.display().to_string();
        let mut bench = self.typed(&[
            "bench",
            "share",
            "--case",
            "shares",
            "--seconds",
            "11",
            "--shares",
            "60,30,10",
            "--program",
            &training,
            "--resize",
            "6s:a=10",
            "--resize",
            "6100ms:c=60",
            "--plot",
            &plotted,
        ]);
        let mut bench = bench.env("DEV", "CUDA:PTX").stdin(Stdio::null()).spawn()?;
        let mut seen = self.watch(&mut bench)?;
        println!("\nThe same over time, as a picture: {}\n", plot.display());
        drop(greedy.stdin.take());
        ensure!(greedy.wait()?.success(), "the tenant that takes all it can get failed");
        seen.insert("huge".to_string(), Seen { asked: 8 << 30, used: 0, refused: 1 });
        println!("{:<10} {:>9} {:>9} {:>9}", "memory of", "asked", "used", "refused");
        for (name, tenant) in &seen {
            let mib = |bytes: u64| format!("{} MiB", bytes >> 20);
            println!("{name:<10} {:>9} {:>9} {:>9}", mib(tenant.asked), mib(tenant.used), tenant.refused);
        }
        let greedy = seen.get("greedy").context("nobody saw the tenant `greedy`")?;
        ensure!(greedy.refused > 0 && greedy.used <= greedy.asked, "the quota did not hold");
        println!("\n`huge` never started: {refusal}");
        println!("All of it took {:.0} s.", begin.elapsed().as_secs_f64());
        Ok(())
    }

    /// A tenant that asks for more than the card has.
    fn too_much(&self) -> Result<String> {
        let output = self.typed(&["run", "--name", "huge", "--mem", "8G", "--", "true"]).output()?;
        ensure!(!output.status.success(), "8 GiB were granted on a card that has less");
        Ok(String::from_utf8_lossy(&output.stderr).trim().to_string())
    }

    /// Until the measurement has ended: the most that each tenant used.
    fn watch(&self, bench: &mut Child) -> Result<BTreeMap<String, Seen>> {
        let mut seen = BTreeMap::<String, Seen>::new();
        loop {
            let document: Value = serde_json::from_str(&run::stdout(self.cleave().args(["ps", "--json"]))?)?;
            for tenant in document["tenants"].as_array().into_iter().flatten() {
                let entry = seen.entry(tenant["name"].as_str().unwrap_or_default().to_string()).or_default();
                let grant = &tenant["grants"][0];
                let number = |name: &str| grant[name].as_u64().unwrap_or(0);
                entry.asked = number("memory");
                entry.used = entry.used.max(number("used"));
                entry.refused = entry.refused.max(number("denials"));
            }
            match bench.try_wait()? {
                Some(status) if status.success() => return Ok(seen),
                Some(status) => bail!("the measurement ended with {status}"),
                None => std::thread::sleep(Duration::from_millis(500)),
            }
        }
    }
}
