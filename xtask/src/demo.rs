use crate::clients::{self, on_softgpu};
use crate::dist::{self, Dist};
use crate::install::Venv;
use crate::{paths, run};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Three tenants want parts of one card, which here is the software GPU: one trains a network, one takes all it can get, one asks
/// for more than there is.
pub fn run() -> Result<()> {
    println!("Building Cleave and its software GPU (a few minutes the first time) …");
    let dist = dist::build()?;
    println!("Fetching tinygrad …");
    let folder = paths::target().join("demo");
    let demo = Demo { venv: Venv::clients()?, home: folder.join("node"), folder, dist };
    std::fs::create_dir_all(&demo.folder)?;
    clients::fresh_device(&demo.dist)?;
    demo.share()
}

struct Demo {
    dist: Dist,
    venv: Venv,
    folder: PathBuf,
    home: PathBuf,
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
        command.env_remove("LD_LIBRARY_PATH").env("CLEAVE_HOME", &self.home);
        command
    }

    /// An unmodified program as a tenant.
    fn tenant(&self, name: &str, memory: &str, words: &[&str]) -> Command {
        let shown = words.iter().map(|word| word.rsplit('/').next().unwrap_or(word));
        let shown: Vec<&str> = shown.collect();
        println!("$ cleave run --name {name} --mem {memory} -- {}", shown.join(" "));
        let mut command = self.cleave();
        command.args(["run", "--name", name, "--mem", memory, "--"]).args(words);
        command
    }

    fn share(&self) -> Result<()> {
        let python = self.venv.python().display().to_string();
        let source = |name: &str| clients::source(name).display().to_string();
        let picture = self.folder.join("spirals.png").display().to_string();
        println!();
        let begin = Instant::now();
        let mut greedy = self.tenant("greedy", "512M", &[&python, &source("demo_greedy.py")]);
        let mut greedy = greedy.stdin(Stdio::piped()).spawn()?;
        let mut training = self.tenant("training", "1G", &[&python, &source("demo.py"), &picture]);
        let mut training = training.env("DEV", "CUDA:PTX").stdin(Stdio::null()).spawn()?;
        let refusal = self.too_much()?;
        let (mut seen, both) = self.watch(&mut training)?;
        println!("\nWhile both were at work:\n\n$ cleave ps -v\n{both}");
        drop(greedy.stdin.take());
        ensure!(greedy.wait()?.success(), "the tenant that takes all it can get failed");
        seen.insert("huge".to_string(), Seen { asked: 8 << 30, used: 0, refused: 1 });
        println!("{:<10} {:>9} {:>9} {:>9}", "tenant", "asked", "used", "refused");
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

    /// The third tenant asks for more than the card has.
    fn too_much(&self) -> Result<String> {
        let output = self.tenant("huge", "8G", &["true"]).output()?;
        ensure!(!output.status.success(), "8 GiB were granted on a card that has less");
        Ok(String::from_utf8_lossy(&output.stderr).trim().to_string())
    }

    /// Until the training has ended: the most that each tenant used, and what `cleave ps` said while two of them were at work.
    fn watch(&self, training: &mut Child) -> Result<(BTreeMap<String, Seen>, String)> {
        let (mut seen, mut both) = (BTreeMap::<String, Seen>::new(), None);
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
            if both.is_none() && seen.values().filter(|tenant| tenant.used > 0).count() == 2 {
                both = Some(run::stdout(self.cleave().args(["ps", "-v"]))?);
            }
            match training.try_wait()? {
                Some(status) if status.success() => {
                    return Ok((seen, both.context("the tenants were never at work at the same time")?));
                }
                Some(status) => bail!("the training ended with {status}"),
                None => std::thread::sleep(Duration::from_millis(200)),
            }
        }
    }
}
