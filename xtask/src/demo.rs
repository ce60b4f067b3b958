use crate::clients::on_softgpu;
use crate::install::Venv;
use crate::{dist, paths, run};
use anyhow::Result;

/// An unmodified tinygrad trains a network on the software GPU and shows what it learnt.
pub fn run() -> Result<()> {
    println!("Building the software GPU (a few minutes the first time) …");
    let dist = dist::build()?;
    println!("Fetching tinygrad …");
    let venv = Venv::clients()?;
    let picture = paths::target().join("demo");
    std::fs::create_dir_all(&picture)?;
    println!("Running an unmodified CUDA client with {} as its driver.\n", dist.libcuda().display());
    let script = paths::root().join("tests/clients/demo.py");
    run::shown(
        on_softgpu(venv.python(), &dist).arg(script).arg(picture.join("spirals.png")).env("DEV", "CUDA:PTX"),
    )
}
