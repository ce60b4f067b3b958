//! The libraries that ride in tenants: carried inside the command, unpacked once per content, and compared before each use.
//!
//! A folder that is named by its content never changes: programs of another version keep theirs.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, anyhow, bail};

use crate::system_unsafe;

/// What the build took in; empty for a plain `cargo build`.
mod embedded {
    include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
}

/// The shim.
pub const SHIM: &str = "libcleave.so";
/// The folder of the software GPU's libraries.
pub const SOFTGPU: &str = "softgpu";
/// Names the folder of the libraries, for whoever keeps them elsewhere.
pub const VARIABLE: &str = "CLEAVE_LIBRARIES";
/// What a container mounts as `/etc/ld.so.preload`.
pub const PRELOAD: &str = "ld.so.preload";

/// Where a container finds the libraries, whatever the machine calls their folder.
pub const IN_CONTAINER: &str = "/run/cleave/lib";

/// Names that a development package links.
const LINKS: &[(&str, &str)] =
    &[("softgpu/libcuda.so", "libcuda.so.1"), ("softgpu/libnvidia-ml.so", "libnvidia-ml.so.1")];

/// A folder with the shim and the software GPU, whole and executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Libraries(PathBuf);

impl Libraries {
    /// The libraries of this command, unpacked below `home` if they are inside it and not there yet.
    pub fn ready(home: &Path) -> Result<Libraries> {
        if let Some(folder) = std::env::var_os(VARIABLE).map(PathBuf::from) {
            return Libraries::found(&folder).with_context(|| format!("{VARIABLE} is no help"));
        }
        if embedded::FILES.is_empty() {
            return Libraries::beside();
        }
        let carried = Carried { hash: embedded::HASH, files: embedded::FILES };
        let mut reasons = Vec::new();
        for base in bases(home, system_unsafe::user()) {
            match carried.unpack(&base) {
                Ok(folder) => return Ok(Libraries(folder)),
                Err(error) => reasons.push(format!("{}: {error:#}", base.display())),
            }
        }
        bail!(
            "there is no place for the libraries that cleave carries; it needs a folder that is writable and not mounted noexec \
             (name one in CLEAVE_HOME). Tried {}",
            reasons.join("; ")
        )
    }

    /// The libraries in `folder`, which somebody else laid out.
    pub fn found(folder: &Path) -> Result<Libraries> {
        for file in [SHIM, "softgpu/libcuda.so.1", "softgpu/libnvidia-ml.so.1"] {
            let path = folder.join(file);
            if !path.is_file() {
                bail!("{} is missing", path.display());
            }
        }
        executable(folder)?;
        Ok(Libraries(folder.into()))
    }

    /// The layout of a build: `bin/cleave` and `lib/`.
    fn beside() -> Result<Libraries> {
        let command = std::env::current_exe().context("cannot find out where cleave itself is")?;
        let folder = command.parent().and_then(Path::parent).unwrap_or(Path::new("/")).join("lib");
        Libraries::found(&folder).map_err(|error| {
            anyhow!(
                "this build of cleave carries no libraries, and {error}: make one with `cargo xtask dist`, or name their folder in \
                 {VARIABLE}"
            )
        })
    }

    pub fn folder(&self) -> &Path {
        &self.0
    }

    pub fn shim(&self) -> PathBuf {
        self.0.join(SHIM)
    }

    pub fn softgpu(&self) -> PathBuf {
        self.0.join(SOFTGPU)
    }
}

/// Folders to unpack to, best first: some systems mount `/run` noexec.
fn bases(home: &Path, user: u32) -> Vec<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let mut bases = vec![home.join("lib")];
    if user == 0 {
        bases.push("/var/lib/cleave/lib".into());
    } else {
        let cache = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
        bases.extend(cache.map(|cache| cache.join("cleave/lib")));
        bases.extend(["/dev/shm", "/tmp"].map(|shared| PathBuf::from(format!("{shared}/cleave-{user}/lib"))));
    }
    bases
}

/// Files to unpack, under the name of their content.
struct Carried<'a> {
    hash: &'a str,
    files: &'a [(&'a str, &'a [u8])],
}

impl Carried<'_> {
    /// The folder in `base` that holds exactly these files.
    fn unpack(&self, base: &Path) -> Result<PathBuf> {
        DirBuilder::new().recursive(true).mode(0o755).create(base).context("cannot be made")?;
        own(base, system_unsafe::user())?;
        executable(base)?;
        let folder = base.join(self.hash);
        if self.is_whole(&folder) {
            return Ok(folder);
        }
        sweep(base);
        let fresh = base.join(format!(".{}-{}", self.hash, unique()));
        let done = self.write(&fresh).and_then(|()| self.settle(&fresh, &folder));
        let _gone_if_it_was_renamed = fs::remove_dir_all(&fresh);
        done.context("cannot be written")?;
        Ok(folder)
    }

    /// Gives the fresh folder its name. Whoever came first with the same content wins; a damaged one makes way, which does
    /// not disturb programs that have its files mapped.
    fn settle(&self, fresh: &Path, folder: &Path) -> io::Result<()> {
        let Err(error) = fs::rename(fresh, folder) else {
            return Ok(());
        };
        if self.is_whole(folder) {
            return Ok(());
        }
        if !folder.exists() {
            return Err(error);
        }
        let aside = fresh.with_extension("damaged");
        fs::rename(folder, &aside)?;
        let done = fs::rename(fresh, folder);
        let _litter_is_harmless = fs::remove_dir_all(&aside);
        // Another one may have repaired it in between.
        if self.is_whole(folder) { Ok(()) } else { done }
    }

    fn write(&self, fresh: &Path) -> io::Result<()> {
        for folder in [fresh.to_path_buf(), fresh.join(SOFTGPU)] {
            DirBuilder::new().mode(0o755).create(&folder)?;
            // The mode above passed through the umask; a tenant of another user must get in.
            fs::set_permissions(&folder, Permissions::from_mode(0o755))?;
        }
        let preload = format!("{IN_CONTAINER}/{SHIM}\n");
        for (name, bytes) in self.files.iter().copied().chain([(PRELOAD, preload.as_bytes())]) {
            let path = fresh.join(name);
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o644).open(&path)?;
            file.write_all(bytes)?;
            file.set_permissions(Permissions::from_mode(0o644))?;
        }
        LINKS.iter().try_for_each(|(link, target)| symlink(target, fresh.join(link)))
    }

    /// Whether every file is there and nobody changed it.
    fn is_whole(&self, folder: &Path) -> bool {
        let user = system_unsafe::user();
        let same = |(name, bytes): &(&str, &[u8])| {
            let path = folder.join(name);
            // Lengths first: most damage is a file cut short.
            let length = fs::metadata(&path).map(|about| about.len()).ok();
            length == Some(bytes.len() as u64) && fs::read(&path).is_ok_and(|found| found == *bytes)
        };
        own(folder, user).is_ok()
            && own(&folder.join(SOFTGPU), user).is_ok()
            && folder.join(PRELOAD).is_file()
            && self.files.iter().all(same)
    }
}

/// A name that no other process, not even one of another container with the same number, has at this moment.
fn unique() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed), now.as_nanos())
}

/// Removes what somebody began to unpack and was killed over.
fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let unfinished = entry.file_name().as_encoded_bytes().starts_with(b".");
        let modified = entry.metadata().and_then(|about| about.modified());
        let old = modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > Duration::from_secs(600)));
        if unfinished && old {
            let _somebody_else_did = fs::remove_dir_all(entry.path());
        }
    }
}

/// Nobody else may be able to change what programs will load.
fn own(folder: &Path, user: u32) -> Result<()> {
    let about = fs::symlink_metadata(folder).context("cannot be looked at")?;
    if !about.is_dir() {
        bail!("it is not a folder");
    }
    if ![user, 0].contains(&about.uid()) {
        bail!("it belongs to user {}", about.uid());
    }
    if about.mode() & 0o022 != 0 {
        bail!("others may write into it (chmod go-w)");
    }
    Ok(())
}

fn executable(folder: &Path) -> Result<()> {
    if system_unsafe::mount(folder).is_ok_and(|mount| mount.noexec) {
        bail!(
            "{} is on a file system that is mounted noexec, so that no program could load a library from it",
            folder.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    const FILES: &[(&str, &[u8])] = &[
        ("libcleave.so", b"shim"),
        ("softgpu/libcuda.so.1", b"driver"),
        ("softgpu/libnvidia-ml.so.1", b"nvml"),
    ];
    const CARRIED: Carried = Carried { hash: "h1", files: FILES };

    #[test]
    fn libraries_are_unpacked_once_and_kept() {
        let scratch = Scratch::new();
        let base = scratch.path().join("lib");
        let folder = CARRIED.unpack(&base).unwrap();
        assert_eq!(folder, base.join("h1"));
        for (name, bytes) in FILES {
            assert_eq!(fs::read(folder.join(name)).unwrap(), *bytes, "{name}");
        }
        assert_eq!(fs::read(folder.join("softgpu/libcuda.so")).unwrap(), b"driver");
        assert_eq!(fs::read_to_string(folder.join(PRELOAD)).unwrap(), "/run/cleave/lib/libcleave.so\n");
        let inode = fs::metadata(&folder).unwrap().ino();
        CARRIED.unpack(&base).unwrap();
        assert_eq!(fs::metadata(&folder).unwrap().ino(), inode, "not unpacked again");
        Carried { hash: "h2", files: FILES }.unpack(&base).unwrap();
        assert!(CARRIED.is_whole(&folder), "another version does not touch it");
        assert_eq!(fs::read_dir(&base).unwrap().count(), 2, "nothing is left behind");
        assert_eq!(Libraries::found(&folder).unwrap().shim(), folder.join(SHIM));
    }

    #[test]
    fn damage_is_noticed_and_repaired() {
        let scratch = Scratch::new();
        let folder = CARRIED.unpack(scratch.path()).unwrap();
        for damage in [&b"shiM"[..], b"", b"shim and more"] {
            fs::write(folder.join(SHIM), damage).unwrap();
            assert!(!CARRIED.is_whole(&folder));
            CARRIED.unpack(scratch.path()).unwrap();
            assert!(CARRIED.is_whole(&folder));
        }
        fs::remove_file(folder.join("softgpu/libcuda.so.1")).unwrap();
        assert!(Libraries::found(&folder).unwrap_err().to_string().contains("libcuda.so.1 is missing"));
        CARRIED.unpack(scratch.path()).unwrap();
        assert!(CARRIED.is_whole(&folder));
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1, "nothing is left behind");
    }

    #[test]
    fn many_unpack_at_once() {
        let scratch = Scratch::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| CARRIED.unpack(scratch.path()).unwrap());
            }
        });
        assert!(CARRIED.is_whole(&scratch.path().join("h1")));
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1, "nothing is left behind");
    }

    #[test]
    fn a_folder_others_can_change_is_refused() {
        let scratch = Scratch::new();
        let base = scratch.path().join("open");
        fs::create_dir(&base).unwrap();
        fs::set_permissions(&base, Permissions::from_mode(0o777)).unwrap();
        assert!(CARRIED.unpack(&base).unwrap_err().to_string().contains("others may write"));
        let file = scratch.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(CARRIED.unpack(&file).is_err());
    }
}
