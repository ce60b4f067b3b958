//! The folder a device lives in: where it is, whom it may belong to, how a device appears in it and goes again.
//!
//! A device is one directory, `device`, with all its files. It is built under another name and renamed into place, which
//! succeeds for exactly one builder; so a device is there as a whole or not at all, whoever is killed when. Removing it is
//! a rename too: processes that use it keep it, and the next one makes a new one.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use cleave_ledger::{RecordId, Tokens};

use crate::config::{Checked, Lookup, Place, Request};
use crate::error::Error;
use crate::header::Header;
use crate::identity::Id;
use crate::memory_file;
use crate::sys_unsafe;

/// Files of a device.
pub const CONTROL: &str = "control";
pub const LOCK: &str = "lock";
pub const SHARES: &str = "shares";

const DEVICE: &str = "device";
/// Names of what is being built, or has been put aside.
const NEW: &str = ".new-";
const OLD: &str = ".old-";

/// Where folders of presets may be.
#[derive(Clone, Debug)]
pub struct Bases {
    pub machine: PathBuf,
    pub runtime: Option<PathBuf>,
    pub shm: PathBuf,
    pub user: u32,
    /// What tells this boot of the machine from others, in every container; empty where it is not known.
    pub boot: String,
}

impl Bases {
    pub fn of_process(lookup: Lookup) -> Bases {
        Bases {
            machine: PathBuf::from("/run/cleave/softgpu"),
            runtime: lookup("XDG_RUNTIME_DIR").filter(|path| path.starts_with('/')).map(PathBuf::from),
            shm: PathBuf::from("/dev/shm"),
            user: sys_unsafe::user(),
            boot: fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().into(),
        }
    }

    /// The machine's folder if we may use it, else the user's runtime directory, else one of the user's on `/dev/shm`.
    fn folder(&self, preset: &str) -> PathBuf {
        if self.machine_serves(preset) {
            return self.machine.join(preset);
        }
        let runtime = self.runtime.as_ref().filter(|path| {
            fs::metadata(path).is_ok_and(|about| about.is_dir() && about.uid() == self.user)
                && sys_unsafe::may_write(path)
        });
        let base = match runtime {
            Some(path) => path.join("cleave"),
            None => self.shm.join(format!("cleave-{}", self.user)),
        };
        base.join("softgpu").join(preset)
    }

    fn machine_serves(&self, preset: &str) -> bool {
        let creatable = || {
            let top = self.machine.ancestors().nth(2);
            self.user == 0 && !self.machine.exists() && top.is_some_and(sys_unsafe::may_write)
        };
        sys_unsafe::may_write(&self.machine.join(preset))
            || sys_unsafe::may_write(&self.machine)
            || creatable()
    }
}

/// A folder that was found to be what it should be, or that is not there yet.
#[derive(Clone, Debug)]
pub struct Folder {
    pub path: PathBuf,
    /// Whether whoever asks named the folder himself.
    pub(crate) named: bool,
    pub(crate) bases: Bases,
}

impl Folder {
    /// The folder that is asked for; `None` for a private device.
    pub fn find(request: &Request) -> Option<Folder> {
        let (path, named) = match &request.place {
            Place::Private => return None,
            Place::Folder(path) => (path.clone(), true),
            Place::Preset(preset) => (request.bases.folder(preset), false),
        };
        Some(Folder { path, named, bases: request.bases.clone() })
    }

    /// Where the files of the device are, if there is one.
    pub fn device(&self) -> PathBuf {
        device(&self.path)
    }

    pub(crate) fn boot(&self) -> &str {
        &self.bases.boot
    }

    /// Makes the folder if it is not there.
    pub fn ensure(&self) -> Result<(), Error> {
        if self.path.is_dir() {
            return Ok(());
        }
        if self.named {
            return fs::create_dir_all(&self.path).map_err(Error::system(&self.path, "create"));
        }
        // What the machine's folder allows, the folders in it allow too; a user's own is the user's alone.
        let base = self.path.parent().unwrap_or(&self.path);
        let private = !base.starts_with(&self.bases.machine);
        let mode = if private { 0o700 } else { 0o755 };
        fs::DirBuilder::new()
            .recursive(true)
            .mode(mode)
            .create(base)
            .map_err(Error::system(base, "create"))?;
        let inherited = fs::metadata(base).map_err(Error::system(base, "look at"))?.mode() & 0o7777;
        match fs::create_dir(&self.path) {
            Ok(()) => fs::set_permissions(&self.path, Permissions::from_mode(inherited)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
        .map_err(Error::system(&self.path, "create"))
    }

    /// Whether the folder is there and nobody can have prepared it for us. Device memory of ours goes into it.
    pub fn check(&self) -> Result<bool, Error> {
        let about = match fs::metadata(&self.path) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(Error::system(&self.path, "look at")(error)),
        };
        let refuse = |reason: String| Error::Untrusted { path: self.path.clone(), reason };
        if !about.is_dir() {
            return Err(refuse("it is not a folder".into()));
        }
        let (open, sticky) = (about.mode() & 0o002 != 0, about.mode() & 0o1000 != 0);
        if open && !sticky {
            return Err(refuse(
                "everyone may remove what is in it: take that right away (chmod o-w), or mean it (chmod +t)"
                    .into(),
            ));
        }
        let ours = [self.bases.user, 0].contains(&about.uid());
        if !ours && !open && !self.named {
            let owner = about.uid();
            return Err(refuse(format!(
                "it belongs to user {owner}: remove it, or name the folder in CLEAVE_SOFTGPU if you mean it"
            )));
        }
        Ok(true)
    }

    /// Makes the device, unless somebody else was faster.
    pub fn create(&self, wanted: &Checked, epoch_ns: u64) -> Result<(), Error> {
        self.sweep();
        self.retire()?;
        loop {
            let id = Id(sys_unsafe::random().map_err(Error::system(&self.path, "make a name in"))?);
            let dir = self.path.join(format!("{NEW}{id}"));
            // Who sweeps may have taken a builder for dead that had not locked its directory yet.
            let built = match self.build(&dir, id, wanted, epoch_ns) {
                Err(error) if error.is_gone() => continue,
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
        let Modes { file, dir: mode } = self.modes()?;
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
        fs::set_permissions(dir, Permissions::from_mode(mode)).map_err(Error::system(dir, "set up"))?;
        let create = |name: &str| {
            let path = dir.join(name);
            let options = OpenOptions::new().write(true).create_new(true).mode(file).open(&path);
            let made =
                options.and_then(|made| made.set_permissions(Permissions::from_mode(file)).map(|()| made));
            made.map_err(Error::system(path, "create"))
        };
        create(LOCK)?;
        create(SHARES)?;
        let mut control = create(CONTROL)?;
        sys_unsafe::reserve(&control, header.layout().len as u64)
            .and_then(|()| control.write_all(&header.encode()))
            .map_err(Error::system(&self.path, "make a device in"))?;
        memory_file::create(dir, &self.bases.shm, id, header.setup.memory_file_len(), file)?;
        let device = self.device();
        match fs::rename(dir, &device) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(Error::system(device, "create")(error)),
        }
    }

    /// Who may write the folder may share the device in it.
    fn modes(&self) -> Result<Modes, Error> {
        let about = fs::metadata(&self.path).map_err(Error::system(&self.path, "look at"))?;
        let group = about.mode() & 0o020 != 0;
        let others = about.mode() & 0o002 != 0;
        let modes = |owner: u32, if_group: u32, if_others: u32| {
            owner | if group { if_group } else { 0 } | if others { if_others } else { 0 }
        };
        // Others may use what is in the directory, but not exchange it.
        Ok(Modes { file: modes(0o600, 0o060, 0o006), dir: modes(0o700, 0o070, 0o005) })
    }

    /// The processes on the device, by the numbers this process can see (else 0). Asks the kernel alone, so it works for a
    /// device that cannot be opened.
    pub fn users(&self) -> Result<Vec<u32>, Error> {
        let path = self.device().join(LOCK);
        let tokens = match Tokens::open(&path) {
            Ok(tokens) => tokens,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::system(path, "open")(error)),
        };
        let holders = RecordId::all().map(|record| tokens.probe(record.get().into()));
        let holders = holders.filter_map(io::Result::transpose).collect::<io::Result<Vec<u32>>>();
        holders.map_err(Error::system(path, "look at"))
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
        memory_file::remove_outside(&aside)
            .and_then(|()| fs::remove_dir_all(&aside))
            .map_err(Error::system(aside, "remove"))?;
        Ok(true)
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
            // A builder holds the lock of its directory as long as it lives.
            let dead = |path: &Path| File::open(path).is_ok_and(|dir| dir.try_lock().is_ok());
            if name.starts_with(OLD) || name.starts_with(NEW) && dead(&path) {
                discard(&path);
            }
        }
    }
}

/// Where the files of the device in a folder are.
pub fn device(folder: &Path) -> PathBuf {
    folder.join(DEVICE)
}

struct Modes {
    file: u32,
    dir: u32,
}

fn discard(dir: &Path) {
    let _ = memory_file::remove_outside(dir);
    let _ = fs::remove_dir_all(dir);
}
