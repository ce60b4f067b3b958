use crate::clients::{self, on_softgpu};
use crate::dist::{self, Dist};
use crate::install::Venv;
use crate::{paths, run};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// An unmodified tinygrad trains a network on the software GPU and shows what it learnt; then two of them share it.
pub fn run() -> Result<()> {
    println!("Building the software GPU (a few minutes the first time) …");
    let dist = dist::build()?;
    println!("Fetching tinygrad …");
    let demo = Demo { venv: Venv::clients()?, pictures: paths::target().join("demo"), dist };
    std::fs::create_dir_all(&demo.pictures)?;
    clients::fresh_device(&demo.dist)?;
    println!("Running an unmodified CUDA client with {} as its driver.\n", demo.dist.libcuda().display());
    run::shown(&mut demo.training("spirals.png"))?;
    println!("\nThe same program twice at the same time, on the same device:\n");
    demo.share()
}

struct Demo {
    dist: Dist,
    venv: Venv,
    pictures: PathBuf,
}

impl Demo {
    fn training(&self, picture: &str) -> Command {
        let mut command = on_softgpu(self.venv.python(), &self.dist);
        command.arg(paths::root().join("tests/clients/demo.py")).arg(self.pictures.join(picture));
        command.env("DEV", "CUDA:PTX");
        command
    }

    /// Two trainings side by side; the command shows who is on the device meanwhile.
    fn share(&self) -> Result<()> {
        let start = |picture| -> Result<Child> {
            Ok(self.training(picture).stdin(Stdio::null()).stdout(Stdio::null()).spawn()?)
        };
        let mut pair = [start("first.png")?, start("second.png")?];
        self.until_both_compute(&mut pair)?;
        run::shown(self.cleave().arg("softgpu"))?;
        for child in &mut pair {
            let status = child.wait()?;
            if !status.success() {
                bail!("a training ended with {status}");
            }
        }
        println!("\nBoth have finished and learnt the same: {}.", self.compare()?);
        Ok(())
    }

    /// Waits until both processes hold memory of their own and kernels run.
    fn until_both_compute(&self, pair: &mut [Child]) -> Result<()> {
        let patience = Instant::now() + Duration::from_secs(120);
        while Instant::now() < patience {
            if let Some(status) = pair.iter_mut().find_map(|child| child.try_wait().transpose()) {
                bail!("a training ended early with {}", status?);
            }
            let document: Value =
                serde_json::from_str(&run::stdout(self.cleave().args(["softgpu", "--json"]))?)?;
            let device = &document["devices"][0];
            let here = device["processes"].as_array().map_or(0, Vec::len);
            if here == 2 && device["utilisation"]["gr"].as_f64().is_some_and(|percent| percent >= 50.0) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        bail!("two trainings were started, but the device never showed both at work")
    }

    fn cleave(&self) -> Command {
        on_softgpu(self.dist.cleave(), &self.dist)
    }

    /// Whether the two pictures are equal, byte for byte.
    fn compare(&self) -> Result<String> {
        let read = |name: &str| {
            let path: &Path = &self.pictures.join(name);
            std::fs::read(path).with_context(|| format!("no picture at {}", path.display()))
        };
        if read("first.png")? != read("second.png")? {
            bail!("the two trainings learnt different things; they should not disturb each other");
        }
        Ok("their pictures are equal, byte for byte".to_string())
    }
}
