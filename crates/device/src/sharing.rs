//! Who may share a device: whoever may write its folder.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::Path;

/// What the files of a device get from the folder they are in.
pub struct Sharing {
    file: u32,
    /// Mode of the directory: others may use what is in it, but not exchange it.
    pub dir: u32,
    group: u32,
}

impl Sharing {
    pub fn of(folder: &Path) -> io::Result<Sharing> {
        let about = fs::metadata(folder)?;
        let bits = |right: u32, bits: u32| if about.mode() & right != 0 { bits } else { 0 };
        Ok(Sharing {
            file: 0o600 | bits(0o020, 0o060) | bits(0o002, 0o006),
            dir: 0o700 | bits(0o020, 0o070) | bits(0o002, 0o005),
            group: about.gid(),
        })
    }

    /// A new file.
    pub fn create(&self, path: &Path) -> io::Result<File> {
        let file = OpenOptions::new().write(true).create_new(true).mode(self.file).open(path)?;
        self.apply(&file, self.file)?;
        Ok(file)
    }

    /// Gives an open file or directory its mode, whatever the process's umask is, and the folder's group.
    pub fn apply(&self, file: &File, mode: u32) -> io::Result<()> {
        if file.metadata()?.gid() != self.group {
            // Fails for who is not in the group; then the group was not meant to include him either.
            let _ = fchown(file, None, Some(self.group));
        }
        file.set_permissions(Permissions::from_mode(mode))
    }
}
