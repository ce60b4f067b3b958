//! Runs the corpus in `tests/conformance`: every file on every instruction set of this processor, in the normal schedule
//! and in hostile ones; and holds kernels written in C against the same C compiled for this processor.

/// One file: kernel, launch, what goes in and what must come out.
mod case;
/// Every form of every instruction has a file.
mod cover;
/// Memory and launches.
#[allow(unsafe_code)]
mod device_unsafe;
/// Kernels in C against the same C on this processor.
mod differential;

use case::Case;
use cleave_simt::{Config, Gpu, Isa, Program, Target};
use device_unsafe::Device;
use std::path::{Path, PathBuf};

/// Hostile schedules tried beside the normal one.
const SEEDS: [u64; 3] = [1, 2, 3];

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance")
}

/// Every `.ptx` file of the corpus, in order.
fn files() -> Vec<PathBuf> {
    let mut folders = vec![corpus()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ptx") {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(!files.is_empty(), "the corpus is missing");
    files
}

fn name(path: &Path) -> String {
    path.strip_prefix(corpus()).unwrap_or(path).display().to_string()
}

/// The instruction sets this processor has.
fn isas() -> Vec<Isa> {
    [Isa::Portable, Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| *isa <= Isa::detect()).collect()
}

/// A device that schedules as usual, and some that do not.
fn gpus() -> Vec<(String, Gpu)> {
    let normal = Config { workers: 2, ..Config::default() };
    let hostile = SEEDS.map(|seed| {
        let config = Config { adversarial: Some(seed), ..normal.clone() };
        (format!("seed {seed}"), Gpu::start(config))
    });
    [("normal".to_owned(), Gpu::start(normal))].into_iter().chain(hostile).collect()
}

#[test]
fn corpus_runs() {
    // `CASE=matrix` runs the files with that in their path.
    let only = std::env::var("CASE").unwrap_or_default();
    let gpus = gpus();
    let mut failures = Vec::new();
    let files: Vec<_> = files().into_iter().filter(|path| name(path).contains(&only)).collect();
    for path in &files {
        if let Err(message) = run(path, &gpus) {
            failures.push(format!("{}: {message}", name(path)));
        }
    }
    let total = files.len();
    assert!(failures.is_empty(), "{} of {total} files fail:\n{}", failures.len(), failures.join("\n"));
}

/// Runs one file in every way, or says what went wrong first.
fn run(path: &Path, gpus: &[(String, Gpu)]) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let case = Case::read(&text)?;
    let module = match cleave_ptx::parse(&text) {
        Ok(module) => module,
        Err(diagnostics) => {
            return case.refusal(&diagnostics.iter().map(|d| d.to_string()).collect::<String>());
        }
    };
    for isa in isas() {
        let device = Device::new(&case, &module)?;
        let program = match Program::compile(&module, &device, &Target { isa }) {
            Ok(program) => program,
            Err(error) => return case.refusal(&error.to_string()),
        };
        if case.refused.is_some() {
            return Err("compiles, but should be refused".to_owned());
        }
        let kernel = program.kernel("test").ok_or("no kernel named test")?;
        for (mode, gpu) in gpus {
            device.run(gpu, &kernel, &case).map_err(|message| format!("{isa:?}, {mode}: {message}"))?;
        }
    }
    Ok(())
}

/// The committed files are what the generator writes.
#[test]
fn corpus_is_as_generated() {
    let output = std::process::Command::new("python3")
        .arg(corpus().join("generate.py"))
        .arg("--check")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("python3 is needed: apt-get install python3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
