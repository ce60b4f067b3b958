//! Parses PTX files, checks that what is printed parses to the same IR, and says how long each took.
//!
//! `cargo run --release -p cleave-ptx --example roundtrip -- file.ptx …`

use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let mut failures = 0;
    for path in std::env::args().skip(1) {
        if let Err(why) = roundtrip(&path) {
            println!("{path}:{why}");
            failures += 1;
        }
    }
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn roundtrip(path: &str) -> Result<(), String> {
    let source = std::fs::read_to_string(path).map_err(|why| format!(" {why}"))?;
    let module = cleave_ptx::parse(&source).map_err(|diagnostics| report(&diagnostics))?;
    let parsing = fastest(|| drop(cleave_ptx::parse(&source)));
    let printed = module.to_string();
    let printing = fastest(|| drop(module.to_string()));
    let again =
        cleave_ptx::parse(&printed).map_err(|diagnostics| format!("printed: {}", report(&diagnostics)))?;
    if module != again {
        return Err(" the printed module differs".into());
    }
    println!("{path}: {} bytes, parsed in {parsing:.1?}, printed in {printing:.1?}", source.len());
    Ok(())
}

/// The shortest of a few runs: other programs on the machine only ever add.
fn fastest(work: impl Fn()) -> Duration {
    let run = |_| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..7).map(run).min().unwrap_or_default()
}

fn report(diagnostics: &[cleave_ptx::Diagnostic]) -> String {
    diagnostics.iter().map(|d| format!("{d}")).collect::<Vec<_>>().join("\n    ")
}
