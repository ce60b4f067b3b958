use crate::install::Venv;
use crate::{needed, paths, run};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The newest glibc that a library of ours may ask for: it rides in containers older than the node.
const GLIBC: (u32, u32) = (2, 17);

/// What glibc calls its loader.
#[cfg(target_arch = "x86_64")]
const LOADER: &str = "ld-linux-x86-64.so.2";
#[cfg(target_arch = "aarch64")]
const LOADER: &str = "ld-linux-aarch64.so.1";

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

    pub fn libnvml(&self) -> PathBuf {
        self.softgpu().join("libnvidia-ml.so.1")
    }

    /// The library that rides in tenants.
    pub fn libcleave(&self) -> PathBuf {
        self.root.join("lib/libcleave.so")
    }

    /// A folder with just the libraries, without names that are only links and without what only a debugger reads: the
    /// command unpacks them into memory.
    fn embedded(&self) -> Result<PathBuf> {
        let folder = paths::target().join("embedded");
        let work = folder.join("work");
        std::fs::create_dir_all(&work)?;
        for library in [self.libcleave(), self.libcuda(), self.libnvml()] {
            let name = library.file_name().unwrap_or_default();
            let lean = work.join(name);
            run::quiet(Command::new("strip").arg("--strip-debug").arg("-o").arg(&lean).arg(&library))?;
            replace(&lean, &folder.join(name))?;
        }
        Ok(folder)
    }

    /// The command.
    pub fn cleave(&self) -> PathBuf {
        self.root.join("bin/cleave")
    }
}

/// Builds the release for an old glibc and copies it to `target/dist`.
pub fn build() -> Result<Dist> {
    let tools = Venv::tools()?;
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut path = vec![tools.bin()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let zigbuild = |packages: &[&str]| -> Result<Command> {
        let mut cargo = Command::new("cargo");
        cargo.args(["zigbuild", "--release", "--target"]).arg(format!("{triple}.{}.{}", GLIBC.0, GLIBC.1));
        for package in packages {
            cargo.args(["--package", package]);
        }
        cargo.current_dir(paths::root()).env("PATH", std::env::join_paths(&path)?);
        Ok(cargo)
    };
    run::quiet(&mut zigbuild(&["cleave-softgpu", "cleave-nvml", "cleave-shim"])?)?;
    let dist = Dist { root: paths::target().join("dist") };
    std::fs::create_dir_all(dist.softgpu())?;
    std::fs::create_dir_all(dist.root.join("bin"))?;
    let built = paths::target().join(&triple).join("release");
    let stripped = built.join("libcleave.so");
    std::fs::copy(built.join("libcleave_shim.so"), &stripped)?;
    // A musl program gets the same preload. Its loader has another name, and all that ours is asked for is `__tls_get_addr`,
    // which every loader has.
    needed::remove(&stripped, LOADER)?;
    replace(&stripped, &dist.libcleave())?;
    replace(&built.join("libcleave_softgpu.so"), &dist.libcuda())?;
    replace(&built.join("libcleave_nvml.so"), &dist.libnvml())?;
    // The command carries the libraries: it can be copied alone.
    run::quiet(zigbuild(&["cleave"])?.env("CLEAVE_EMBED", dist.embedded()?))?;
    replace(&built.join("cleave"), &dist.cleave())?;
    // Some programs ask for the name that a development package links.
    for (versioned, plain) in [("libcuda.so.1", "libcuda.so"), ("libnvidia-ml.so.1", "libnvidia-ml.so")] {
        let plain = dist.softgpu().join(plain);
        if !plain.exists() {
            std::os::unix::fs::symlink(versioned, plain)?;
        }
    }
    Ok(dist)
}

/// Puts a new file in the place of an old one that running programs may have mapped. One that is the same stays, so that
/// nothing is built again because of it.
fn replace(from: &Path, to: &Path) -> Result<()> {
    let bytes = std::fs::read(from).with_context(|| format!("{} was not built", from.display()))?;
    if std::fs::read(to).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let fresh = to.with_extension("new");
    std::fs::copy(from, &fresh)?;
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

/// Fails unless the shim exports `dlsym` as both generations of glibc do, and else only functions that it has logic for.
pub fn shim_exports(library: &Path) -> Result<String> {
    let text = run::quiet(Command::new("readelf").args(["--dyn-syms", "--wide"]).arg(library))?;
    let defined = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let defined: Vec<&str> =
        defined.filter(|words| words.len() >= 8 && words[6] != "UND").map(|words| words[7]).skip(1).collect();
    for version in ["dlsym@GLIBC_2.2.5", "dlsym@@GLIBC_2.34"] {
        if !defined.contains(&version) {
            bail!("{} does not export {version}", library.display());
        }
    }
    let known = ["cu", "nvml", "cleave_", "dlsym@", "CLEAVE_", "GLIBC_"];
    if let Some(other) = defined.iter().find(|name| !known.iter().any(|known| name.starts_with(known))) {
        bail!("{} exports {other}, which is none of its business", library.display());
    }
    Ok(format!("{} symbols", defined.len()))
}

/// The newest version among a library's needs; versions under which it exports something itself are no needs.
fn newest_glibc(text: &str) -> Option<(u32, u32)> {
    let (_, needs) = text.split_once("Version needs section")?;
    let needs = needs.split("Version ").next().unwrap_or(needs);
    let versions = needs.split("GLIBC_").skip(1).filter_map(|rest| {
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
        let text = "Version definition section\n Name: GLIBC_2.34\nVersion needs section '.gnu.version_r'\n \
                    Name: GLIBC_2.9  Flags: none  Version: 3\n Name: GLIBC_2.17 Flags\n Name: GLIBC_2.2.5 Flags";
        assert_eq!(newest_glibc(text), Some((2, 17)));
        assert_eq!(newest_glibc("nothing"), None);
    }
}
