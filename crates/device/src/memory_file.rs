//! Where device memory lies: one sparse file for all devices, on a tmpfs.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::identity::Id;
use crate::sharing::Sharing;
use crate::sys_unsafe::tmpfs_bytes;

/// The file in a device's folder, or a link to where it is.
const NAME: &str = "memory";
/// How the file is called outside of the folder.
const OUTSIDE: &str = "cleave-softgpu-";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placement {
    Folder,
    Outside,
}

/// The folder, if that is a tmpfs large enough; else the larger of the folder and `/dev/shm`. Too small is not an error: memory
/// runs out earlier than it should, as memory does.
fn place(needed: u64, folder: Option<u64>, outside: Option<u64>) -> Option<Placement> {
    match (folder, outside) {
        (Some(bytes), _) if bytes >= needed => Some(Placement::Folder),
        (Some(bytes), Some(other)) if bytes >= other => Some(Placement::Folder),
        (Some(_), None) => Some(Placement::Folder),
        (_, Some(_)) => Some(Placement::Outside),
        (None, None) => None,
    }
}

/// Makes the file of a device that is being built in `dir`.
pub fn create(dir: &Path, shm: &Path, id: Id, len: u64, sharing: &Sharing) -> Result<(), Error> {
    let sizes = [dir, shm].map(|path| tmpfs_bytes(path).ok().flatten());
    let inside = dir.join(NAME);
    let path = match place(len, sizes[0], sizes[1]) {
        Some(Placement::Folder) => inside,
        Some(Placement::Outside) => {
            let outside = shm.join(format!("{OUTSIDE}{id}"));
            // The link first: who cleans up after us finds the file by it.
            symlink(&outside, &inside).map_err(Error::system(&inside, "create"))?;
            outside
        }
        None => {
            let folder = dir.parent().unwrap_or(dir);
            return Err(Error::NoTmpfs { tried: vec![folder.into(), shm.into()] });
        }
    };
    sharing.create(&path).and_then(|file| file.set_len(len)).map_err(Error::system(&path, "create"))
}

/// Opens the file of the device in `dir`, which is `len` bytes long or not what it should be.
pub fn open(dir: &Path, len: u64) -> Result<File, Error> {
    let path = dir.join(NAME);
    let file = match OpenOptions::new().read(true).write(true).open(&path) {
        Ok(file) => file,
        Err(error) => {
            return Err(match fs::read_link(&path) {
                Ok(outside) => Error::MemoryUnseen { path: outside, error },
                Err(_) => Error::System { path, doing: "open", error },
            });
        }
    };
    let damaged = |reason: String| Error::Damaged { path: path.clone(), reason };
    let found = file.metadata().map_err(Error::system(&path, "look at"))?.len();
    if found != len {
        return Err(damaged(format!("device memory is {found} bytes long, not {len}")));
    }
    if tmpfs_bytes(&path).map_err(Error::system(&path, "look at"))?.is_none() {
        return Err(damaged("device memory is not on a tmpfs".into()));
    }
    Ok(file)
}

/// Where the file really is.
pub fn path(dir: &Path) -> PathBuf {
    let inside = dir.join(NAME);
    fs::read_link(&inside).unwrap_or(inside)
}

/// Removes the file, if it lies outside of `dir`. Nothing that was not made here is touched.
pub fn remove_outside(dir: &Path) -> io::Result<()> {
    let Ok(outside) = fs::read_link(dir.join(NAME)) else { return Ok(()) };
    let ours = outside.file_name().is_some_and(|name| name.to_string_lossy().starts_with(OUTSIDE));
    if !ours {
        return Ok(());
    }
    fs::remove_file(&outside).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_goes_where_it_fits() {
        const G: u64 = 1 << 30;
        for (folder, outside, chosen) in [
            (Some(8 * G), None, Some(Placement::Folder)),
            (Some(8 * G), Some(99 * G), Some(Placement::Folder)),
            (Some(G), Some(8 * G), Some(Placement::Outside)),
            (Some(2 * G), Some(G), Some(Placement::Folder)),
            (Some(G), None, Some(Placement::Folder)),
            (None, Some(G), Some(Placement::Outside)),
            (None, None, None),
        ] {
            assert_eq!(place(4 * G, folder, outside), chosen, "{folder:?} {outside:?}");
        }
    }
}
