use crate::{install, paths, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages that hold the newest public headers.
const PACKAGES: [&str; 3] = ["nvidia-cuda-runtime", "nvidia-cuda-profiler-api", "nvidia-nvml-dev"];

/// Downloads the newest headers and gives the folder that holds them.
pub fn headers() -> Result<PathBuf, String> {
    fetch().map_err(|e| {
        let packages = PACKAGES.join(", ");
        format!(
            "cannot download the vendor's headers (Python packages {packages}): {e}\n\
             give a header by hand: cargo xtask api check --header /path/to/cuda.h"
        )
    })
}

fn fetch() -> Result<PathBuf, String> {
    install::program("python3", "python3").map_err(|e| format!("{e:#}"))?;
    let root = paths::target().join("api");
    let (venv, unpacked) = (root.join("venv"), root.join("headers"));
    let python = venv.join("bin/python");
    if !python.exists() {
        quiet(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    }
    if unpacked.exists() {
        std::fs::remove_dir_all(&unpacked).map_err(|e| format!("{}: {e}", unpacked.display()))?;
    }
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target"]);
    quiet(pip.arg(&unpacked).args(PACKAGES))?;
    find(&unpacked, "cuda.h").ok_or_else(|| format!("no cuda.h below {}", unpacked.display()))
}

fn quiet(command: &mut Command) -> Result<(), String> {
    run::quiet(command).map(drop).map_err(|e| format!("{e:#}"))
}

/// The folder below `root` that holds `file`.
fn find(root: &Path, file: &str) -> Option<PathBuf> {
    if root.join(file).is_file() {
        return Some(root.to_owned());
    }
    let folders =
        std::fs::read_dir(root).ok()?.flatten().map(|entry| entry.path()).filter(|path| path.is_dir());
    folders.into_iter().find_map(|folder| find(&folder, file))
}
