use crate::install::Venv;
use crate::{paths, run};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The newest glibc that a library of ours may ask for: it rides in containers older than the node.
const GLIBC: (u32, u32) = (2, 17);

/// What a user installs, laid out.
pub struct Dist {
    pub root: PathBuf,
}

impl Dist {
    /// The folder of the drop-in driver; a program finds it by `LD_LIBRARY_PATH`.
    pub fn softgpu(&self) -> PathBuf {
        self.root.join("lib/softgpu")
    }

    pub fn libcuda(&self) -> PathBuf {
        self.softgpu().join("libcuda.so.1")
    }
}

/// Builds the release for an old glibc and copies it to `target/dist`.
pub fn build() -> Result<Dist> {
    let tools = Venv::tools()?;
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut path = vec![tools.bin()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    run::quiet(
        Command::new("cargo")
            .args(["zigbuild", "--release", "--package", "cleave-softgpu", "--target"])
            .arg(format!("{triple}.{}.{}", GLIBC.0, GLIBC.1))
            .current_dir(paths::root())
            .env("PATH", std::env::join_paths(path)?),
    )?;
    let dist = Dist { root: paths::target().join("dist") };
    std::fs::create_dir_all(dist.softgpu())?;
    let built = paths::target().join(triple).join("release/libcleave_softgpu.so");
    replace(&built, &dist.libcuda())?;
    let plain = dist.softgpu().join("libcuda.so");
    if !plain.exists() {
        std::os::unix::fs::symlink("libcuda.so.1", plain)?;
    }
    Ok(dist)
}

/// Puts a new file in the place of an old one that running programs may have mapped.
fn replace(from: &Path, to: &Path) -> Result<()> {
    let fresh = to.with_extension("new");
    std::fs::copy(from, &fresh).with_context(|| format!("{} was not built", from.display()))?;
    std::fs::rename(fresh, to)?;
    Ok(())
}

/// Fails if a library asks for a newer glibc than promised; says what it asks for.
pub fn audit(library: &Path) -> Result<String> {
    let text = run::quiet(Command::new("readelf").args(["--version-info", "--wide"]).arg(library))?;
    let newest = newest_glibc(&text).context("readelf shows no glibc version at all")?;
    if newest > GLIBC {
        bail!(
            "{} needs glibc {}.{}, promised is {}.{}",
            library.display(),
            newest.0,
            newest.1,
            GLIBC.0,
            GLIBC.1
        );
    }
    Ok(format!("newest symbol GLIBC_{}.{}", newest.0, newest.1))
}

fn newest_glibc(text: &str) -> Option<(u32, u32)> {
    let versions = text.split("GLIBC_").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(rest.len());
        let mut numbers = rest[..end].split('.').map_while(|number| number.parse().ok());
        Some((numbers.next()?, numbers.next()?))
    });
    versions.max()
}

#[cfg(test)]
mod tests {
    use super::newest_glibc;

    #[test]
    fn versions_compare_as_numbers() {
        let text = "Name: GLIBC_2.9  Flags: none\n Name: GLIBC_2.17 Flags\n Name: GLIBC_2.2.5 Flags";
        assert_eq!(newest_glibc(text), Some((2, 17)));
        assert_eq!(newest_glibc("nothing"), None);
    }
}
