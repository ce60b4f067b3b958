use crate::{install, paths, run};
use anyhow::Result;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Coverage feedback for libFuzzer with the stable compiler.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table --cfg fuzzing";

/// The PTX parser, from the files of its own tests.
pub fn ptx_parse(runs: u32) -> Result<String> {
    let (root, cases) = (paths::root(), paths::root().join("crates/ptx/tests"));
    let dictionary = format!("-dict={}", root.join("fuzz/ptx.dict").display());
    target("ptx_parse", runs, &[dictionary.into()], &[cases.join("accepted"), cases.join("refused")])
}

/// The fatbin reader, from the committed seeds.
pub fn fatbin_read(runs: u32) -> Result<String> {
    target("fatbin_read", runs, &[], &[paths::root().join("fuzz/seeds/fatbin_read")])
}

/// A slot's files while it is in use, from whole ones.
pub fn slot_files(runs: u32) -> Result<String> {
    target("slot_files", runs, &[], &[paths::root().join("fuzz/seeds/slot_files")])
}

/// Requests to the daemon, from such as clients send.
pub fn node_requests(runs: u32) -> Result<String> {
    target("node_requests", runs, &[], &[paths::root().join("fuzz/seeds/node_requests")])
}

/// Manifests of all dialects, from the golden ones.
pub fn kube_read(runs: u32) -> Result<String> {
    target("kube_read", runs, &[], &[paths::root().join("tests/dialects")])
}

/// Amounts in all dialects: nobody asks for more than is written.
pub fn kube_amounts(runs: u32) -> Result<String> {
    target("kube_amounts", runs, &[], &[])
}

/// Runs one target of `fuzz/` for a fixed number of inputs.
fn target(name: &str, runs: u32, options: &[OsString], seeds: &[PathBuf]) -> Result<String> {
    install::program("g++", "build-essential")?;
    let out = paths::target().join("fuzz");
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    run::quiet(
        Command::new("cargo")
            .args(["build", "--release", "--bin", name, "--target", &triple, "--manifest-path"])
            .arg(paths::root().join("fuzz/Cargo.toml"))
            .env("CARGO_TARGET_DIR", &out)
            .env("RUSTFLAGS", FLAGS),
    )?;
    let found = out.join("corpus").join(name);
    std::fs::create_dir_all(&found)?;
    run::quiet(
        Command::new(out.join(&triple).join("release").join(name))
            .args([format!("-runs={runs}"), "-seed=1".into(), "-max_len=4096".into(), "-timeout=10".into()])
            .arg(format!("-artifact_prefix={}/", out.display()))
            .args(options)
            .arg(found)
            .args(seeds),
    )?;
    Ok(format!("{runs} inputs"))
}
