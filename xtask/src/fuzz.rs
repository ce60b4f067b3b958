use crate::{paths, run};
use anyhow::Result;
use std::process::Command;

/// Coverage feedback for libFuzzer with the stable compiler.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table --cfg fuzzing";

/// Runs one target of `fuzz/` for a fixed number of inputs, starting from the committed seeds.
pub fn target(name: &str, runs: u32) -> Result<String> {
    let folder = paths::root().join("fuzz");
    let out = paths::target().join("fuzz");
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    run::quiet(
        Command::new("cargo")
            .args(["build", "--release", "--bin", name, "--target", &triple, "--manifest-path"])
            .arg(folder.join("Cargo.toml"))
            .env("CARGO_TARGET_DIR", &out)
            .env("RUSTFLAGS", FLAGS),
    )?;
    let found = out.join("corpus").join(name);
    std::fs::create_dir_all(&found)?;
    run::quiet(
        Command::new(out.join(&triple).join("release").join(name))
            .args([format!("-runs={runs}"), "-seed=1".into(), "-max_len=65536".into(), "-timeout=10".into()])
            .arg(format!("-artifact_prefix={}/", out.display()))
            .arg(found)
            .arg(folder.join("seeds").join(name)),
    )?;
    Ok(format!("{runs} inputs"))
}
