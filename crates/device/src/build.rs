//! How a device appears in its folder, and how it goes again.
//!
//! A device is one directory with all its files. It is built under another name and renamed into place, which succeeds for
//! exactly one builder; so a device is there as a whole or not at all, whoever is killed when. Removing it is a rename too:
//! processes that use it keep it, and the next one makes a new one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::config::Checked;
use crate::error::Error;
use crate::folder::{CONTROL, Folder, LOCK, SHARES};
use crate::header::Header;
use crate::identity::Id;
use crate::memory_file;
use crate::sharing::Sharing;
use crate::sys_unsafe;

/// Names of what is being built, or has been put aside.
const NEW: &str = ".new-";
const OLD: &str = ".old-";

impl Folder {
    /// Makes the device, unless somebody else was faster.
    pub fn create(&self, wanted: &Checked, epoch_ns: u64) -> Result<(), Error> {
        self.sweep();
        self.retire()?;
        loop {
            let id = Id(sys_unsafe::random().map_err(Error::system(&self.path, "make a name in"))?);
            let dir = self.path.join(format!("{NEW}{id}"));
            // Who sweeps may have taken a builder for dead that had not locked its directory yet.
            let built = match self.build(&dir, id, wanted, epoch_ns) {
                Err(error) if error.is_gone() && self.path.is_dir() => continue,
                built => built,
            };
            if !matches!(built, Ok(true)) {
                discard(&dir);
            }
            return built.map(|_| ());
        }
    }

    /// Whether what was built is now the device.
    fn build(&self, dir: &Path, id: Id, wanted: &Checked, epoch_ns: u64) -> Result<bool, Error> {
        let sharing = Sharing::of(&self.path).map_err(Error::system(&self.path, "look at"))?;
        let header = Header {
            id,
            epoch_ns,
            boot: self.bases.boot.clone(),
            preset: wanted.preset.name.into(),
            setup: wanted.setup.clone(),
        };
        fs::create_dir(dir).map_err(Error::system(dir, "create"))?;
        let alive = File::open(dir).map_err(Error::system(dir, "open"))?;
        if alive.try_lock().is_err() {
            return Err(Error::system(dir, "lock")(io::ErrorKind::NotFound.into()));
        }
        sharing.apply(&alive, sharing.dir).map_err(Error::system(dir, "set up"))?;
        let create = |name: &str| {
            let path = dir.join(name);
            sharing.create(&path).map_err(Error::system(path, "create"))
        };
        create(LOCK)?;
        create(SHARES)?;
        let mut control = create(CONTROL)?;
        sys_unsafe::reserve(&control, header.layout().len as u64)
            .and_then(|()| control.write_all(&header.encode()))
            .map_err(Error::system(&self.path, "make a device in"))?;
        memory_file::create(dir, &self.bases.shm, id, header.setup.memory_file_len(), &sharing)?;
        let device = self.device();
        match fs::rename(dir, &device) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(Error::system(device, "create")(error)),
        }
    }

    /// Puts the device aside and removes its files. Processes that use it keep what they have. False if there is none.
    pub fn remove(&self) -> Result<bool, Error> {
        let id = Id(sys_unsafe::random().map_err(Error::system(&self.path, "make a name in"))?);
        let aside = self.path.join(format!("{OLD}{id}"));
        match fs::rename(self.device(), &aside) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(Error::system(self.device(), "remove")(error)),
        }
        match memory_file::remove_outside(&aside).and_then(|()| fs::remove_dir_all(&aside)) {
            // Somebody sweeps at the same time.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
            removed => removed.map(|()| true).map_err(Error::system(aside, "remove")),
        }
    }

    /// Removes a device of an earlier boot. Its memory is gone, and whoever was on it.
    fn retire(&self) -> Result<(), Error> {
        let folder = File::open(&self.path).map_err(Error::system(&self.path, "open"))?;
        // One at a time, or the second would remove what came after.
        folder.lock().map_err(Error::system(&self.path, "lock"))?;
        let path = self.device().join(CONTROL);
        let header = File::open(&path).ok().and_then(|mut control| Header::read(&mut control, &path).ok());
        if header.is_some_and(|header| header.is_stale(&self.bases.boot)) {
            self.remove()?;
        }
        Ok(())
    }

    /// Removes what dead builders and removers left. Nothing depends on it, so errors are not worth a word.
    fn sweep(&self) {
        let Ok(entries) = fs::read_dir(&self.path) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let (name, path) = (name.to_string_lossy(), entry.path());
            // A builder holds the lock of its directory as long as it lives. We hold it until the directory is gone: a builder
            // that has not locked it yet must not do so while we remove what it makes.
            let dead = File::open(&path).ok().filter(|dir| dir.try_lock().is_ok());
            if name.starts_with(OLD) || name.starts_with(NEW) && dead.is_some() {
                discard(&path);
            }
        }
    }
}

fn discard(dir: &Path) {
    let _ = memory_file::remove_outside(dir);
    let _ = fs::remove_dir_all(dir);
}
