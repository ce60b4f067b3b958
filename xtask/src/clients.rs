use crate::dist::Dist;
use crate::install::{self, Venv};
use crate::{paths, run};
use anyhow::{Context, Result};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

/// A command that finds the software GPU as its driver, by `LD_LIBRARY_PATH` alone.
pub fn on_softgpu(program: impl AsRef<OsStr>, dist: &Dist) -> Command {
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", dist.softgpu());
    command
}

fn source(name: &str) -> PathBuf {
    paths::root().join("tests/clients").join(name)
}

/// tinygrad, with `device` naming its way to PTX: `CUDA` by NVRTC, `CUDA:PTX` by its own renderer.
pub fn tinygrad(dist: &Dist, device: &str) -> Result<String> {
    let venv = Venv::clients()?;
    let cuda = venv.cuda_path()?;
    let mut command = on_softgpu(venv.python(), dist);
    let libraries = std::env::join_paths([dist.softgpu(), cuda.join("lib")])?;
    command.arg(source("tinygrad_client.py")).env("DEV", device).env("CACHELEVEL", "0");
    last_line(command.env("CUDA_PATH", &cuda).env("LD_LIBRARY_PATH", libraries))
}

pub fn numba(dist: &Dist) -> Result<String> {
    let venv = Venv::clients()?;
    let mut command = on_softgpu(venv.python(), dist);
    command.arg(source("numba_client.py")).env("CUDA_PATH", venv.cuda_path()?);
    command.env("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0").env("NUMBA_CUDA_WARN_ON_IMPLICIT_COPY", "0");
    last_line(&mut command)
}

/// taichi brings its own compiler and asks for `libcuda.so`, the name that a driver's development package links.
pub fn taichi(dist: &Dist) -> Result<String> {
    let venv = Venv::clients()?;
    last_line(
        on_softgpu(venv.python(), dist)
            .arg(source("taichi_client.py"))
            .env("ENABLE_TAICHI_HEADER_PRINT", "0"),
    )
}

pub fn cudarc(dist: &Dist) -> Result<String> {
    let folder = source("cudarc");
    run::quiet(
        Command::new("cargo")
            .args(["build", "--release", "--manifest-path"])
            .arg(folder.join("Cargo.toml"))
            .env("CARGO_TARGET_DIR", paths::target().join("clients")),
    )?;
    last_line(&mut on_softgpu(paths::target().join("clients/release/cudarc-client"), dist))
}

/// A C program on the driver API; its kernels are compiled to PTX by Debian's clang, without any vendor file.
pub fn c(dist: &Dist) -> Result<String> {
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
    last_line(on_softgpu(out.join("client"), dist).arg(out.join("kernels.ptx")))
}

/// What a client says at its end, as the remark of its step.
fn last_line(command: &mut Command) -> Result<String> {
    let text = run::quiet(command.env("CUDA_CACHE_DISABLE", "1"))?;
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    Ok(line.context("the client printed nothing")?.to_string())
}
