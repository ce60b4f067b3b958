use crate::dist::Dist;
use crate::install::{self, Venv};
use crate::{paths, run};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

/// A command that finds the software GPU as its driver, by `LD_LIBRARY_PATH` alone. The device is one for all that the
/// tests run, apart from the machine's own.
pub fn on_softgpu(program: impl AsRef<OsStr>, dist: &Dist) -> Command {
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", dist.softgpu()).env("CLEAVE_SOFTGPU", device_folder());
    command
}

/// Where that device is.
pub fn device_folder() -> PathBuf {
    paths::target().join("clients/device")
}

/// Takes away what an earlier build left of the device, which may have been laid out otherwise.
pub fn fresh_device(dist: &Dist) -> Result<()> {
    if device_folder().exists() {
        run::quiet(on_softgpu(dist.cleave(), dist).args(["softgpu", "reset", "--force"]))?;
    }
    std::fs::create_dir_all(device_folder())?;
    Ok(())
}

/// Runs two clients at the same time on one device; what each says at its end. When both are gone the device is empty.
pub fn together(dist: &Dist, mut pair: [Command; 2]) -> Result<String> {
    fresh_device(dist)?;
    let [one, other] = &mut pair;
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| last_line(one));
        let second = last_line(other);
        (first.join(), second)
    });
    let Ok(first) = first else { bail!("the thread of a client panicked") };
    let (first, second) = (first?, second?);
    let text = run::stdout(on_softgpu(dist.cleave(), dist).args(["softgpu", "--json"]))?;
    let used = serde_json::from_str::<Value>(&text)?["devices"][0]["memory_used"].as_u64();
    ensure!(used == Some(0), "{used:?} bytes of the device are in use and nobody is there:\n{text}");
    Ok(format!("{first}; {second}"))
}

pub fn source(name: &str) -> PathBuf {
    paths::root().join("tests/clients").join(name)
}

/// tinygrad, with `device` naming its way to PTX: `CUDA` by NVRTC, `CUDA:PTX` by its own renderer.
pub fn tinygrad(dist: &Dist, device: &str) -> Result<Command> {
    let venv = Venv::clients()?;
    let cuda = venv.cuda_path()?;
    let mut command = on_softgpu(venv.python(), dist);
    let libraries = std::env::join_paths([dist.softgpu(), cuda.join("lib")])?;
    command.arg(source("tinygrad_client.py")).env("DEV", device).env("CACHELEVEL", "0");
    command.env("CUDA_PATH", &cuda).env("LD_LIBRARY_PATH", libraries);
    Ok(command)
}

pub fn numba(dist: &Dist) -> Result<Command> {
    let venv = Venv::clients()?;
    let mut command = on_softgpu(venv.python(), dist);
    command.arg(source("numba_client.py")).env("CUDA_PATH", venv.cuda_path()?);
    command.env("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0").env("NUMBA_CUDA_WARN_ON_IMPLICIT_COPY", "0");
    Ok(command)
}

/// taichi brings its own compiler and asks for `libcuda.so`, the name that a driver's development package links.
pub fn taichi(dist: &Dist) -> Result<Command> {
    let mut command = on_softgpu(Venv::clients()?.python(), dist);
    command.arg(source("taichi_client.py")).env("ENABLE_TAICHI_HEADER_PRINT", "0");
    Ok(command)
}

pub fn cudarc(dist: &Dist) -> Result<Command> {
    let folder = source("cudarc");
    run::quiet(
        Command::new("cargo")
            .args(["build", "--release", "--manifest-path"])
            .arg(folder.join("Cargo.toml"))
            .env("CARGO_TARGET_DIR", paths::target().join("clients")),
    )?;
    Ok(on_softgpu(paths::target().join("clients/release/cudarc-client"), dist))
}

/// A C program on the driver API; its kernels are compiled to PTX by Debian's clang, without any vendor file.
pub fn c(dist: &Dist) -> Result<Command> {
    install::program("clang", "clang")?;
    install::program("gcc", "build-essential")?;
    let out = paths::target().join("clients/c");
    std::fs::create_dir_all(&out)?;
    run::quiet(
        Command::new("clang")
            .args(["-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_70", "-nocudainc", "-nocudalib"])
            .args(["-Wno-unknown-cuda-version", "-O2", "-S", "-o"])
            .arg(out.join("kernels.ptx"))
            .arg(source("c/kernels.cu")),
    )?;
    run::quiet(
        Command::new("gcc")
            .args(["-O2", "-Wall", "-Werror", "-o"])
            .arg(out.join("client"))
            .arg(source("c/client.c"))
            .arg(dist.libcuda())
            .args(["-lpthread", "-lm"]),
    )?;
    let mut command = on_softgpu(out.join("client"), dist);
    command.arg(out.join("kernels.ptx"));
    Ok(command)
}

/// What a client says at its end, as the remark of its step.
pub fn last_line(command: &mut Command) -> Result<String> {
    let text = run::quiet(command.env("CUDA_CACHE_DISABLE", "1"))?;
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    Ok(line.context("the client printed nothing")?.to_string())
}
