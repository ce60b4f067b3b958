//! The folder a device lives in: where it is, and whom it may belong to.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use cleave_ledger::{RecordId, Tokens};

use crate::config::{Lookup, Place, Request};
use crate::error::Error;
use crate::sys_unsafe;

/// Files of a device.
pub const CONTROL: &str = "control";
pub const LOCK: &str = "lock";
pub const SHARES: &str = "shares";

const DEVICE: &str = "device";
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
}

/// Where the files of the device in a folder are.
pub fn device(folder: &Path) -> PathBuf {
    folder.join(DEVICE)
}
