use crate::{paths, run};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes sure that a program is there, from a Debian package where we may install one.
pub fn program(name: &str, package: &str) -> Result<()> {
    if is_program(name) {
        return Ok(());
    }
    debian(package).with_context(|| format!("`{name}` is missing"))?;
    if is_program(name) {
        return Ok(());
    }
    bail!("`{name}` is still missing after installing the Debian package `{package}`")
}

fn is_program(name: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(name).is_file())
}

fn debian(package: &str) -> Result<()> {
    let user = run::quiet(Command::new("id").arg("-u"))?;
    if user.trim() != "0" || !is_program("apt-get") {
        bail!(
            "install the Debian package `{package}` (as root: apt-get install {package}) and run this again"
        );
    }
    let apt = |words: &[&str]| {
        run::quiet(Command::new("apt-get").args(words).env("DEBIAN_FRONTEND", "noninteractive")).map(drop)
    };
    apt(&["update", "-qq"])?;
    apt(&["install", "-y", "-qq", "--no-install-recommends", package])
}

/// A Python environment under `target/venv`, made from a committed list of packages.
pub struct Venv {
    root: PathBuf,
}

impl Venv {
    /// What building needs: a linker for old glibc, the licence check.
    pub fn tools() -> Result<Self> {
        Self::open("tools", &paths::root().join("xtask/requirements.txt"))
    }

    /// What the Python clients of the tests need.
    pub fn clients() -> Result<Self> {
        Self::open("clients", &paths::root().join("tests/clients/requirements.txt"))
    }

    /// What the monitors among the clients need: little, so apart from the rest.
    pub fn monitors() -> Result<Self> {
        Self::open("monitors", &paths::root().join("tests/clients/nvml_requirements.txt"))
    }

    /// The environment is made anew when its list changes; a half-made one is not taken for a whole one,
    /// because the copy of the list is written last.
    fn open(name: &str, list: &Path) -> Result<Self> {
        let venv = Self { root: paths::target().join("venv").join(name) };
        let wanted =
            std::fs::read_to_string(list).with_context(|| format!("cannot read {}", list.display()))?;
        let made = venv.root.join("made-from.txt");
        if std::fs::read_to_string(&made).is_ok_and(|found| found == wanted) {
            return Ok(venv);
        }
        if venv.root.exists() {
            std::fs::remove_dir_all(&venv.root)?;
        }
        program("python3", "python3")?;
        let create = || run::quiet(Command::new("python3").args(["-m", "venv"]).arg(&venv.root));
        if create().is_err() {
            debian("python3-venv").context("python3 cannot make environments")?;
            create()?;
        }
        run::quiet(
            Command::new(venv.python())
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
                .arg(list),
        )
        .with_context(|| format!("the Python packages of {} cannot be installed", list.display()))?;
        std::fs::write(made, wanted)?;
        Ok(venv)
    }

    pub fn python(&self) -> PathBuf {
        self.bin().join("python")
    }

    pub fn bin(&self) -> PathBuf {
        self.root.join("bin")
    }

    /// The folder of the vendor's compiler packages, laid out like a toolkit.
    pub fn cuda_path(&self) -> Result<PathBuf> {
        let path = self.packages()?.join("nvidia/cu13");
        if !path.is_dir() {
            bail!("there is no {}", path.display());
        }
        Ok(path)
    }

    /// Where Python packages are.
    pub fn packages(&self) -> Result<PathBuf> {
        let lib = self.root.join("lib");
        let mut pythons = std::fs::read_dir(&lib)?.flatten().map(|entry| entry.path().join("site-packages"));
        pythons
            .find(|path| path.is_dir())
            .with_context(|| format!("no Python packages below {}", lib.display()))
    }
}
