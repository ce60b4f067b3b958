//! The front: a folder with empty libraries of the driver's names, first on a tenant's search path. Some programs bind their own
//! look-ups past whatever is preloaded (RTLD_DEEPBIND); they meet the shim there, because it is what these libraries need first.

use std::fs::{self, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cleave_node::dropin;

use crate::libraries::{IN_CONTAINER, Libraries, SHIM, SOFTGPU};
use crate::whole_folder;

/// How the names of such folders begin.
const PREFIX: &str = "front-";

/// A driver's libraries, and the names that a development package links.
pub const CUDA: &str = "libcuda.so.1";
pub const NVML: &str = "libnvidia-ml.so.1";
const LINKS: &[(&str, &str)] = &[("libcuda.so", CUDA), ("libnvidia-ml.so", NVML)];

/// A library as it is here, and by which path it is loaded.
struct File {
    here: PathBuf,
    there: PathBuf,
}

impl File {
    fn here(path: PathBuf) -> File {
        File { there: path.clone(), here: path }
    }
}

/// Empty libraries in front of a driver.
pub struct Front {
    shim: File,
    /// The driver's libraries, by name.
    driver: Vec<(&'static str, File)>,
}

impl Front {
    /// In front of the software GPU.
    pub fn of_soft(libraries: &Libraries) -> Front {
        let file = |name| (name, File::here(libraries.softgpu().join(name)));
        Front { shim: File::here(libraries.shim()), driver: [CUDA, NVML].map(file).into() }
    }

    /// In front of the software GPU, as a container sees it.
    pub fn of_soft_in_container(libraries: &Libraries) -> Front {
        let inside = Path::new(IN_CONTAINER);
        let file = |name: &'static str| {
            let there = inside.join(SOFTGPU).join(name);
            (name, File { here: libraries.softgpu().join(name), there })
        };
        let shim = File { here: libraries.shim(), there: inside.join(SHIM) };
        Front { shim, driver: [CUDA, NVML].map(file).into() }
    }

    /// In front of the vendor's libraries, as far as they were found.
    pub fn of_real(libraries: &Libraries, found: Vec<(&'static str, PathBuf)>) -> Front {
        let driver = found.into_iter().map(|(name, path)| (name, File::here(path))).collect();
        Front { shim: File::here(libraries.shim()), driver }
    }

    /// The folder, made if it is not there; None if there is no driver.
    pub fn ready(&self, home: &Path) -> Result<Option<PathBuf>> {
        if self.driver.is_empty() {
            return Ok(None);
        }
        let name = self.name().context("cannot look at the driver's libraries")?;
        let whole = |folder: &Path| self.driver.iter().all(|(name, _)| folder.join(name).is_file());
        whole_folder::somewhere(home, &name, whole, |fresh| self.write(fresh)).map(Some)
    }

    /// Another one when any of the files is another.
    fn name(&self) -> io::Result<String> {
        let mut hasher = DefaultHasher::new();
        for file in self.driver.iter().map(|(_, file)| file).chain([&self.shim]) {
            let about = fs::metadata(&file.here)?;
            (&file.here, &file.there, about.len(), about.ino(), about.mtime(), about.mtime_nsec())
                .hash(&mut hasher);
        }
        Ok(format!("{PREFIX}{:016x}", hasher.finish()))
    }

    fn write(&self, fresh: &Path) -> io::Result<()> {
        for (name, file) in &self.driver {
            dropin::write_as(fresh, name, (&self.shim.here, &self.shim.there), (&file.here, &file.there))?;
            fs::set_permissions(fresh.join(name), Permissions::from_mode(0o644))?;
        }
        let mut links = LINKS.iter().filter(|(_, name)| self.driver.iter().any(|(other, _)| other == name));
        links.try_for_each(|(link, name)| symlink(name, fresh.join(link)))
    }
}

/// Whether a folder of a search path is one of ours.
pub fn is_front(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_front_is_made_once_for_the_same_files() {
        let scratch = Scratch::new();
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let libc = maps
            .lines()
            .find_map(|line| line.find('/').map(|at| &line[at..]).filter(|path| path.contains("libc")));
        // Any two libraries do.
        let [shim, driver] = ["shim.so", "driver.so"].map(|name| scratch.path().join(name));
        for copy in [&shim, &driver] {
            fs::copy(libc.expect("tests are linked to a C library"), copy).unwrap();
        }
        let front =
            || Front { shim: File::here(shim.clone()), driver: vec![(CUDA, File::here(driver.clone()))] };
        let folder = front().ready(scratch.path()).unwrap().unwrap();
        assert!(is_front(&folder) && folder.starts_with(scratch.path()));
        let text = fs::read(folder.join("libcuda.so")).unwrap();
        let at = |path: &Path| {
            let path = path.as_os_str().as_encoded_bytes();
            text.windows(path.len()).position(|window| window == path).expect("it names the library")
        };
        assert!(at(&shim) < at(&driver));
        assert!(!folder.join("libnvidia-ml.so").exists(), "only what the driver has");
        assert_eq!(front().ready(scratch.path()).unwrap(), Some(folder.clone()));
        let newer = fs::read(&driver).unwrap();
        fs::remove_file(&driver).unwrap();
        fs::write(&driver, newer).unwrap();
        assert_ne!(front().ready(scratch.path()).unwrap(), Some(folder), "another file, another front");
        let none = Front { shim: File::here(shim.clone()), driver: Vec::new() };
        assert_eq!(none.ready(scratch.path()).unwrap(), None);
    }
}
