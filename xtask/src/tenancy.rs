//! The tests that run programs as tenants, with the foreign parts they try: the vendor's libraries, another C library, another
//! allocator. All of it is downloaded, none of it installed.

use crate::dist::Dist;
use crate::install::{self, Venv};
use crate::{clients_nvml, paths, run, unpack};
use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

/// How tests share the machine. Those with a paced device need it for themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Turns {
    SideBySide,
    OneByOne,
    /// One by one; and what each asserts is a share of real time, so that one that failed is measured again.
    Measured,
}

/// Runs the test files of `tests/tenancy` whose names are given.
pub fn run(dist: &Dist, files: &[&str], turns: Turns) -> Result<String> {
    install::program("gcc", "build-essential")?;
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--quiet", "--no-fail-fast", "--package", "cleave-tenancy", "--features", "dist"]);
    for file in files {
        cargo.args(["--test", file]);
    }
    cargo.current_dir(paths::root()).env("CLEAVE_DIST", &dist.root).envs(parts()?);
    // A test that cannot run here says so on its output.
    cargo.args(["--", "--nocapture"]);
    if turns != Turns::SideBySide {
        cargo.arg("--test-threads=1");
    }
    let (text, repeated) = match turns {
        Turns::SideBySide | Turns::OneByOne => (run::quiet(&mut cargo)?, String::new()),
        Turns::Measured => measured(&mut cargo)?,
    };
    let results = text.lines().filter_map(|line| line.strip_prefix("test result: ok. "));
    let passed: u32 = results.filter_map(|line| line.split(' ').next()?.parse::<u32>().ok()).sum();
    ensure!(passed > 0, "no test of tenancy ran:\n{text}");
    let skipped =
        text.lines().filter_map(|line| line.find("skipped: ").map(|at| format!("\n     {}", &line[at..])));
    Ok(format!("{passed} tests{repeated}{}", skipped.collect::<String>()))
}

/// Tests of shares measure what real processes get in real time, and a machine with neighbours may take a core away from them for
/// longer than they allow. What fails is therefore measured again by itself, a few times at most, and that is said.
fn measured(cargo: &mut Command) -> Result<(String, String)> {
    let (mut all, mut said) = (String::new(), String::new());
    let mut failed = Vec::<String>::new();
    for attempt in 0.. {
        let mut again = Command::new(cargo.get_program());
        again.args(cargo.get_args()).args(&failed).current_dir(paths::root());
        again.envs(cargo.get_envs().filter_map(|(name, value)| Some((name, value?))));
        if attempt > 0 {
            again.arg("--exact");
            said += &format!("\n     measured again: {}", failed.join(", "));
        }
        match run::quiet(&mut again) {
            Ok(text) => {
                all += &text;
                break;
            }
            Err(error) if attempt == 4 => return Err(error),
            Err(error) => {
                let text = error.to_string();
                let names = text.lines().filter_map(|line| line.strip_suffix(" --- FAILED"));
                failed = names.map(|name| name.trim_start_matches('.').to_string()).collect();
                if failed.is_empty() {
                    return Err(error);
                }
            }
        }
    }
    Ok((all, said))
}

/// What the tests take from the environment: which foreign part is where.
fn parts() -> Result<Vec<(&'static str, OsString)>> {
    let vendor = |package: &str, library: &str| -> Result<PathBuf> {
        let file = unpack::debian(package, &format!("{LIBRARIES}/nvidia/current/{library}"))?;
        Ok(file.parent().context("a library is in a folder")?.to_owned())
    };
    let drivers = [vendor("libcuda1", "libcuda.so.1")?, vendor("libnvidia-ml1", "libnvidia-ml.so.1")?];
    // The newest one finds the driver of Debian too old and stops early; the older ones go on.
    let monitors = Venv::monitors()?;
    let packages = monitors.packages()?;
    let older = packages.join("nvidia/cuda_runtime/lib");
    let runtimes = [
        Venv::clients()?.cuda_path()?.join("lib/libcudart.so.13"),
        older.join("libcudart.so.12"),
        older.join("libcudart.so.11.0"),
    ];
    Ok(vec![
        ("CLEAVE_VENDOR", std::env::join_paths(drivers)?),
        ("CLEAVE_CUDART", std::env::join_paths(runtimes)?),
        ("CLEAVE_NVJPEG", packages.join("nvidia/nvjpeg/lib/libnvjpeg.so.11").into()),
        ("CLEAVE_NVIDIA_SMI", clients_nvml::smi()?.into()),
        ("CLEAVE_PROMETHEUS", monitors.python().into()),
        ("CLEAVE_MUSL", unpack::debian("musl", "lib/ld-musl-x86_64.so.1")?.into()),
        ("CLEAVE_ZIG", Venv::tools()?.python().into()),
        ("CLEAVE_JEMALLOC", unpack::debian("libjemalloc2", &format!("{LIBRARIES}/libjemalloc.so.2"))?.into()),
    ])
}
