//! Whether the shim comes alive in a program that is started as the tenant will be: the loader ignores a library that it cannot
//! load, and the tenant would be silently unlimited.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::Args;

use super::locate_unsafe::locate;
use crate::Failure;
use crate::libraries::Libraries;

/// The word by which `cleave` is asked to look at itself.
pub const WORD: &str = "preflight";
const ALIVE: &str = "alive";

#[derive(Args)]
pub struct Arguments {
    /// The library that should be loaded
    library: PathBuf,
    /// Libraries to look for
    names: Vec<String>,
}

/// Says whether the library is loaded in this very process, and where the others are.
pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let maps = std::fs::read_to_string("/proc/self/maps").context("cannot read /proc/self/maps")?;
    let mut said = String::new();
    if is_mapped(&maps, &arguments.library) {
        said += &format!("{ALIVE}\n");
    }
    for name in &arguments.names {
        if let Some(path) = locate(name) {
            said += &format!("{name}={}\n", path.display());
        }
    }
    Ok(said)
}

fn is_mapped(maps: &str, library: &Path) -> bool {
    let library = library.canonicalize().unwrap_or_else(|_| library.into());
    // Address, rights, offset, device and inode stand before the path.
    maps.lines()
        .filter_map(|line| line.find('/').map(|at| &line[at..]))
        .any(|path| Path::new(path) == library)
}

/// Starts this command with the tenant's environment, and fails if the shim is not in it. Tells where libraries of these `names`
/// are, as far as a program would find them.
pub fn check(
    variables: &[(OsString, OsString)],
    libraries: &Libraries,
    names: &[&'static str],
) -> Result<Vec<(&'static str, PathBuf)>> {
    let shim = libraries.shim();
    let trial = Command::new(crate::node::myself())
        .arg(WORD)
        .arg(&shim)
        .args(names)
        .env_clear()
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .output()
        .context("cannot start cleave itself to see whether its library loads")?;
    // By lines, and not by the exit code: libraries that were preloaded before ours may have a say in both.
    let out = String::from_utf8_lossy(&trial.stdout);
    if out.lines().any(|line| line == ALIVE) {
        let found = |name: &&'static str| {
            let path = out.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='))?;
            Some((*name, PathBuf::from(path)))
        };
        return Ok(names.iter().filter_map(found).collect());
    }
    let said = String::from_utf8_lossy(&trial.stderr);
    let said = said.lines().find(|line| line.contains("ld.so")).unwrap_or("the loader said nothing about it");
    bail!(
        "{} does not load into programs here ({}), so the program would run without limits and is not started; `cleave doctor` looks \
         for the reason",
        shim.display(),
        said.trim()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_found_among_the_maps() {
        let maps =
            "7f00-7f10 r-xp 00000000 00:1f 77 /no/such/lib/libcleave.so\n7f20-7f30 rw-p 00000000 00:00 0 \n";
        assert!(is_mapped(maps, Path::new("/no/such/lib/libcleave.so")));
        assert!(!is_mapped(maps, Path::new("/no/such/other/libcleave.so")));
        assert!(!is_mapped("", Path::new("/no/such/lib/libcleave.so")));
        let own = std::fs::read_to_string("/proc/self/maps").unwrap();
        assert!(is_mapped(&own, &std::env::current_exe().unwrap()));
    }
}
