//! The libraries that ride in tenants: carried inside the command, unpacked once per content, and compared before each use.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};

use crate::whole_folder::{self, executable, own};

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
        let whole = |folder: &Path| carried.is_whole(folder);
        let folder = whole_folder::somewhere(home, carried.hash, whole, |fresh| carried.write(fresh))?;
        Ok(Libraries(folder))
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
        // Other libraries will name these by their paths.
        Ok(Libraries(folder.canonicalize()?))
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

/// Files to unpack, under the name of their content.
struct Carried<'a> {
    hash: &'a str,
    files: &'a [(&'a str, &'a [u8])],
}

impl Carried<'_> {
    fn write(&self, fresh: &Path) -> io::Result<()> {
        let softgpu = fresh.join(SOFTGPU);
        DirBuilder::new().mode(0o755).create(&softgpu)?;
        // The mode above passed through the umask; a tenant of another user must get in.
        fs::set_permissions(&softgpu, Permissions::from_mode(0o755))?;
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
        let same = |(name, bytes): &(&str, &[u8])| {
            let path = folder.join(name);
            // Lengths first: most damage is a file cut short.
            let length = fs::metadata(&path).map(|about| about.len()).ok();
            length == Some(bytes.len() as u64) && fs::read(&path).is_ok_and(|found| found == *bytes)
        };
        own(&folder.join(SOFTGPU)).is_ok() && folder.join(PRELOAD).is_file() && self.files.iter().all(same)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;
    use crate::scratch::Scratch;

    const FILES: &[(&str, &[u8])] = &[
        ("libcleave.so", b"shim"),
        ("softgpu/libcuda.so.1", b"driver"),
        ("softgpu/libnvidia-ml.so.1", b"nvml"),
    ];
    const CARRIED: Carried = Carried { hash: "h1", files: FILES };

    impl Carried<'_> {
        fn unpack(&self, base: &Path) -> Result<PathBuf> {
            whole_folder::within(base, self.hash, |folder| self.is_whole(folder), |fresh| self.write(fresh))
        }
    }

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
        let base = scratch.path().join("lib");
        let folder = CARRIED.unpack(&base).unwrap();
        for damage in [&b"shiM"[..], b"", b"shim and more"] {
            fs::write(folder.join(SHIM), damage).unwrap();
            assert!(!CARRIED.is_whole(&folder));
            CARRIED.unpack(&base).unwrap();
            assert!(CARRIED.is_whole(&folder));
        }
        fs::remove_file(folder.join("softgpu/libcuda.so.1")).unwrap();
        assert!(Libraries::found(&folder).unwrap_err().to_string().contains("libcuda.so.1 is missing"));
        CARRIED.unpack(&base).unwrap();
        assert!(CARRIED.is_whole(&folder));
        assert_eq!(fs::read_dir(&base).unwrap().count(), 1, "nothing is left behind");
    }

    #[test]
    fn many_unpack_at_once() {
        let scratch = Scratch::new();
        let base = scratch.path().join("lib");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| CARRIED.unpack(&base).unwrap());
            }
        });
        assert!(CARRIED.is_whole(&base.join("h1")));
        assert_eq!(fs::read_dir(&base).unwrap().count(), 1, "nothing is left behind");
    }

    #[test]
    fn a_folder_others_can_change_is_refused() {
        let scratch = Scratch::new();
        let base = scratch.path().join("open");
        fs::create_dir(&base).unwrap();
        fs::set_permissions(&base, Permissions::from_mode(0o777)).unwrap();
        for inside in [base.clone(), base.join("lib")] {
            assert!(CARRIED.unpack(&inside).unwrap_err().to_string().contains("others may write"));
        }
        let file = scratch.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(CARRIED.unpack(&file).is_err());
    }
}
